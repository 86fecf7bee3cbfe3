"""What a text to be written would do once it is shown or run: looked at after content from outside was read."""

from __future__ import annotations

import difflib
import re
import textwrap
from typing import TYPE_CHECKING

from .code import UNREADABLE, find_in_code, find_in_shell
from .loading import brings_loading, loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..schemas import Diff

LOADS = "loads something from elsewhere when it is shown"
TOO_LONG = "is too long to be looked through"
_COMMAND = re.compile(
    r"\b(?:curl|wget|nc|ncat|scp|powershell|bash\s+-[ci]|sh\s+-[ci])\s+\S|\brm\s+-[rf]{1,2}\b|\|\s*(?:ba|z)?sh\b|/dev/tcp/"
    r"|\b(?:pip3?|conda|npm)\s+install\s"
)
MOST_CHARS = 400_000


def find_in_written(texts: Iterable[str]) -> tuple[str, ...]:
    """Findings of new text: markup that loads, and code as `code` sees it. Empty is not "harmless"."""
    found: set[str] = set()
    for text in texts:
        part = text[:MOST_CHARS]
        if len(text) > MOST_CHARS:
            found.add(TOO_LONG)
        if loads(part):
            found.add(LOADS)
        part = part.replace("![", "[")  # a picture of Markdown is no command
        in_code = set(find_in_code(textwrap.dedent(part)))
        if UNREADABLE not in in_code:
            found |= in_code
        else:  # prose, or a piece of something: each line by itself
            for line in {line.strip() for line in part.splitlines() if line.strip()}:
                found |= _of_line(line)
        if _COMMAND.search(part):
            found |= find_in_shell(part[: MOST_CHARS // 10])
    return tuple(sorted(found - {UNREADABLE}))


def _of_line(line: str) -> set[str]:
    if not re.search(r"[()!%=]|\bimport\b", line):
        return set()
    found = set(find_in_code(line))
    return set() if UNREADABLE in found and not line.startswith(("!", "%")) else found


def find_in_change(diffs: Sequence[Diff]) -> tuple[str, ...]:
    """Findings of what changes bring: their new lines, and what these make with the lines beside them."""
    found = set(find_in_written(added(diffs)))
    for diff in diffs:
        if max(len(diff.old), len(diff.new)) > MOST_CHARS:
            found.add(TOO_LONG)
        elif brings_loading(diff.old, diff.new):
            found.add(LOADS)
    return tuple(sorted(found))


def added(diffs: Sequence[Diff]) -> list[str]:
    """The lines that come with a change, one text for each diff."""
    texts = []
    for diff in diffs:
        old, new = diff.old.splitlines(keepends=True), diff.new.splitlines(keepends=True)
        if not old:
            texts.append(diff.new)
            continue
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        texts.append("".join("".join(new[b:e]) for tag, _, _, b, e in matcher.get_opcodes() if tag != "equal"))
    return texts
