"""Redaction: identities, keys and a person's own terms become placeholders, the same ones all through a chat."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..storage.texts import whole_text
from .redaction_forms import find_identities
from .redaction_keys import find_keys
from .redaction_plain import Plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..ports import Json

LONGEST = 20
"""Most characters of a placeholder, its brackets included: no more than that waits in a stream."""
PLACEHOLDER = re.compile(r"⟦[a-z]{2,8}-\d{1,9}⟧")
_ESCAPED = re.compile(r"\\u27e6([a-z]{2,8}-\d{1,9})\\u27e7", re.IGNORECASE)
_BEGUN = re.compile(r"⟦(?:[a-z]{0,8}|[a-z]{2,8}-\d{0,9})")
_ORDER = ("key", "term", "text", "iban", "card", "id", "mail", "phone", "address", "name")
"""Which kind a passage is that several fit; what overlaps becomes one."""
_SHORTEST = 6
_WHOLE = ("name",)
"""Kinds whose values are looked for again as whole words, and then also short ones."""
_REMEMBERED = 4000

Spans = tuple[tuple[str, int, int], ...]
Names = Callable[[str], list[tuple[str, int, int]]]
"""Finds names of people: ("name", start, end) of each."""


@dataclass
class Book:
    """A chat's placeholders and what they stand for. `fresh` are those that nobody has written down yet."""

    values: dict[str, str] = field(default_factory=dict)
    """placeholder -> value"""
    fresh: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._names = {value: name for name, value in self.values.items()}
        self._counts: Counter[str] = Counter()
        for name in self.values:
            kind, _, number = name.strip("⟦⟧").rpartition("-")
            self._counts[kind] = max(self._counts[kind], int(number))

    def name(self, kind: str, value: str) -> str:
        """The placeholder of a value, a new one if it has none."""
        known = self._names.get(value)
        if known is not None:
            return known
        self._counts[kind] += 1
        made = f"⟦{kind}-{self._counts[kind]}⟧"
        self.values[made] = self.fresh[made] = value
        self._names[value] = made
        return made

    def occurrences(self, text: str, *, only_keys: bool = False) -> Iterable[tuple[str, int, int]]:
        """Where known values stand, whatever stands around them; words of a person's own are whole words only."""
        for value, name in self._names.items():
            kind = name[1:].partition("-")[0]
            if kind in _WHOLE and not only_keys:
                yield from ((kind, found.start(), found.end()) for found in _word(value, text))
                continue
            if len(value) < _SHORTEST or kind in ("term", "text") or (only_keys and kind != "key"):
                continue
            at = text.find(value)
            while at >= 0:
                yield kind, at, at + len(value)
                at = text.find(value, at + len(value))

    def restore(self, text: str) -> str:
        """The text with the values where their placeholders stand; unknown placeholders stay."""
        return PLACEHOLDER.sub(lambda found: self.values.get(found[0], found[0]), text)

    def restore_json(self, text: str) -> str:
        """The same in JSON text: values are escaped as its strings are, and escaped brackets are known too."""
        whole = _ESCAPED.sub(lambda found: f"⟦{found[1]}⟧", text)
        return PLACEHOLDER.sub(
            lambda found: (
                json.dumps(self.values[found[0]], ensure_ascii=False)[1:-1] if found[0] in self.values else found[0]
            ),
            whole,
        )


class Redactor:
    """Finds what is to be replaced, and replaces it. What was found in a text is remembered by its hash."""

    def __init__(self, names: Names | None = None) -> None:
        self._names = names
        self._lock = threading.Lock()
        self._found: dict[bytes, Spans] = {}

    def redact(
        self, text: str, book: Book, *, terms: Sequence[str] = (), secrets: Iterable[str] = (), only_keys: bool = False
    ) -> tuple[str, Counter[str]]:
        """The text with placeholders, and how many of each kind. `secrets` are keys known beforehand."""
        spans = self._spans(text, tuple(terms), tuple(sorted(secrets)), only_keys=only_keys)
        for kind, start, end in spans:
            book.name(kind, text[start:end])
        # What was once taken for an identity goes nowhere, also where its surroundings hide its form.
        spans = _merged([*spans, *book.occurrences(text, only_keys=only_keys)])
        parts, at, counts = [], 0, Counter[str]()
        for kind, start, end in spans:
            parts += [text[at:start], book.name(kind, text[start:end])]
            counts[kind] += 1
            at = end
        return "".join([*parts, text[at:]]), counts

    def redact_json(self, text: str, book: Book, **options: object) -> tuple[str, Counter[str]]:
        """The same for JSON text, string by string, whole numbers too; what does not parse is redacted as it stands."""
        counts: Counter[str] = Counter()

        def one(part: str) -> str:
            made, found = self.redact(part, book, **options)  # type: ignore[arg-type]  # passed on as they came
            counts.update(found)
            return made

        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return one(text), counts
        made = _each_string(value, one)
        return (text if made == value else whole_text(json.dumps(made, ensure_ascii=False))), counts

    def _spans(self, text: str, terms: tuple[str, ...], secrets: tuple[str, ...], *, only_keys: bool) -> Spans:
        digest = hashlib.sha256(repr((terms, secrets, only_keys, text)).encode(errors="replace")).digest()
        known = self._found.get(digest)
        if known is None:
            known = find(text, terms=terms, secrets=secrets, only_keys=only_keys, names=self._names)
            with self._lock:  # texts are read by several threads
                while len(self._found) >= _REMEMBERED:
                    self._found.pop(next(iter(self._found)))
                self._found[digest] = known
        return known


def find(
    text: str,
    *,
    terms: Sequence[str] = (),
    secrets: Iterable[str] = (),
    only_keys: bool = False,
    names: Names | None = None,
) -> Spans:
    """(kind, start, end) of what is to be replaced, in order; what overlaps is one passage."""
    plain = Plain(text)
    found = [("key", start, end) for start, end in find_keys(plain.text)]
    found += [("key", match.start(), match.end()) for secret in secrets for match in _literal(secret, plain.text)]
    if not only_keys:
        found += find_identities(plain.text)
        found += [("term", match.start(), match.end()) for term in terms for match in _term(term, plain.text)]
    found = [(kind, *plain.span(start, end)) for kind, start, end in found if end > start]
    found += [("text", match.start(), match.end()) for match in PLACEHOLDER.finditer(text)]
    found += names(text) if names is not None and not only_keys else ()
    return _merged(found)


def _merged(found: list[tuple[str, int, int]]) -> Spans:
    merged: list[tuple[str, int, int]] = []
    for kind, start, end in sorted(found, key=lambda one: (one[1], -one[2], _ORDER.index(one[0]))):
        if end <= start:
            continue
        if merged and start < merged[-1][2]:
            before = merged[-1]
            first = min((before[0], kind), key=_ORDER.index)
            merged[-1] = (first, before[1], max(before[2], end))
        else:
            merged.append((kind, start, end))
    return tuple(merged)


def _literal(secret: str, text: str) -> Iterable[re.Match[str]]:
    return re.finditer(re.escape(secret), text) if len(secret) >= 8 else ()


def _term(term: str, text: str) -> Iterable[re.Match[str]]:
    """A person's own word, in any case; a word of letters only as a whole word."""
    bare = Plain(term.strip()).text
    return _word(bare, text, flags=re.IGNORECASE) if bare else ()


def _word(word: str, text: str, *, flags: re.RegexFlag = re.NOFLAG) -> Iterable[re.Match[str]]:
    letters = "A-Za-z0-9" if flags else "A-Za-z0-9_"  # a name is no part of an identifier
    before = rf"(?<![{letters}])" if word[0].isascii() and word[0].isalnum() else ""
    after = rf"(?![{letters}])" if word[-1].isascii() and word[-1].isalnum() else ""
    return re.finditer(f"{before}{re.escape(word)}{after}", text, flags)


_LONG_NUMBER = 10**40
"""No identity is as long; and Python writes no number of thousands of digits down."""


def _each_string(value: Json, change: Callable[[str], str]) -> Json:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, int) and not isinstance(value, bool):
        digits = str(value) if abs(value) < _LONG_NUMBER else ""
        made = change(digits)
        return value if made == digits else made
    if isinstance(value, list):
        return [_each_string(item, change) for item in value]
    if isinstance(value, dict):
        return {_each_string(key, change): _each_string(item, change) for key, item in value.items()}
    return value


class Restorer:
    """Puts values back into a stream: text that may be the beginning of a placeholder waits for its end."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._held = ""

    def take(self, text: str) -> str:
        """What may be shown now; fewer than `LONGEST` characters wait."""
        whole = self._held + text
        at = whole.rfind("⟦")
        is_open = at >= 0 and _BEGUN.fullmatch(whole, at) is not None
        self._held, ready = (whole[at:], whole[:at]) if is_open else ("", whole)
        return self._book.restore(ready)

    def rest(self) -> str:
        """What was held back, at the end."""
        held, self._held = self._held, ""
        return self._book.restore(held)


def summary(counts: Mapping[str, int]) -> dict[str, Json]:
    """Counts by kind, for the trace."""
    return {kind: counts[kind] for kind in _ORDER if counts.get(kind)}
