"""What a passage of a tool's text holds: marks between tools, prompts and the door to the models.

A tool says what its text holds at least (`Tool.holds`); passages that hold more, or come from another file, stand
between marks. Marks only ever raise: text from outside cannot lower what it counts as by writing marks itself. Where
a text was cut in the middle and its marks do not pair any more, what stands beside the gap counts as values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Holds = Literal["words", "names", "source", "statistics", "samples", "values"]
"""words: this program's own; names: of files, cells, columns, and types; source: text of cells and files;
statistics: counts, ranges, means; samples: single rows and values; values: everything, outputs and pictures too."""

ORDER: tuple[Holds, ...] = ("words", "names", "source", "statistics", "samples", "values")
_BEGIN, _BAR, _END, RELEASED = "\ue000", "\ue001", "\ue002", "\ue003"
_ALL = re.compile("[\ue000-\ue003]")
_MARK = re.compile("(\ue000|\ue002)([^\n\ue000-\ue003]{0,5000})\ue001|[\ue000-\ue002]")
_SHOWN = re.compile("[\ue000\ue002](?:[a-z]+\\|[^\n\ue000-\ue003]*)?\ue001?|[\ue001\ue003]")


@dataclass(frozen=True)
class Passage:
    """A piece of a text. `holds` None: what the whole holds. `path` is where it comes from, if not from the whole."""

    text: str
    holds: Holds | None = None
    path: str = ""
    is_torn: bool = False
    """Its marks do not pair: it may come from any of the files named in the text."""


def _escaped(text: str) -> str:
    return _ALL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def held(text: str, holds: Holds, path: str = "") -> str:
    """`text` between marks that say what it holds; empty text stays empty."""
    if not text:
        return text
    head = f"{holds}|{' '.join(_escaped(path).split())}"
    return f"{_BEGIN}{head}{_BAR}{_escaped(text)}{_END}{head}{_BAR}"


def held_of(text: str, paths: Sequence[str]) -> str:
    """A text that may hold values of each of these files: it begins with their names, and what follows is torn."""
    if len(paths) < 2:
        return held(text, "values", *paths)
    return "".join(held(f"{path}\n", "names", path) for path in paths) + _BAR + _escaped(text)


def plain(text: str) -> str:
    """The text without marks, as people and local models get it."""
    return _SHOWN.sub("", text) if _ALL.search(text) else text


def released(text: str) -> str:
    """A text that a person or a rule let go to the model as it is."""
    return RELEASED + text


def is_released(text: str) -> bool:
    """Whether a text was let go; only the dispatcher can write the mark, at the very beginning."""
    return text.startswith(RELEASED)


def each_plain(text: str, change: Callable[[str], str]) -> str:
    """`change` done to everything between the marks, the marks kept."""
    parts, at = [], 0
    for mark in _MARK.finditer(text):
        parts += [change(text[at : mark.start()]), mark[0]]
        at = mark.end()
    return "".join([*parts, change(text[at:])])


def passages(text: str) -> list[Passage]:
    """A text taken apart at its marks."""
    found: list[Passage] = []
    head: str | None = None
    is_lost, at = False, 0

    def add(end: int, *, is_torn: bool) -> None:
        if end > at:
            found.append(_passage(text[at:end], head, is_torn=is_torn or is_lost))

    for mark in _MARK.finditer(text):
        if mark[1] == _BEGIN:
            add(mark.start(), is_torn=head is not None)
            head, is_lost = mark[2], False
        elif mark[1] == _END:
            add(mark.start(), is_torn=head != mark[2])
            head, is_lost = None, False
        else:
            add(mark.start(), is_torn=True)
            head, is_lost = None, True
        at = mark.end()
    add(len(text), is_torn=head is not None)
    return found


def _passage(text: str, head: str | None, *, is_torn: bool) -> Passage:
    if is_torn:
        return Passage(text.replace(RELEASED, ""), "values", is_torn=True)
    if head is None:
        return Passage(text.replace(RELEASED, ""))
    word, _, path = head.partition("|")
    holds: Holds = next((one for one in ORDER if one == word), "values")
    return Passage(text, holds, path)


def stronger(one: Holds, other: Holds | None) -> Holds:
    """What holds more of the two."""
    return one if other is None else max(one, other, key=ORDER.index)
