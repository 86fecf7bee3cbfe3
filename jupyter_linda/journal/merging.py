"""Taking a change back out of a text that somebody went on writing: a three-way merge by lines."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class _Hunk:
    """Lines `start` to `end` of the base are these `lines` now."""

    start: int
    end: int
    lines: tuple[str, ...]

    def is_apart(self, other: _Hunk) -> bool:
        """Whether both can be done: they touch at most, and do not both add at one place."""
        if self.start == self.end == other.start == other.end:
            return False
        return self.end <= other.start or other.end <= self.start


def merge(base: str, ours: str, theirs: str) -> str | None:
    """`ours` with the change from `base` to `theirs` done in it too; None where both changed the same lines.

    Whether the last line is ended is no part of that line: it is as `ours` has it, where that changed it.
    """
    (bases, base_ends), (mine, mine_ends), (other, other_ends) = map(_lines, (base, ours, theirs))
    hunks = _together(_hunks(bases, mine), _hunks(bases, other))
    if hunks is None:
        return None
    merged: list[str] = []
    at = 0
    for hunk in hunks:
        merged += [*bases[at : hunk.start], *hunk.lines]
        at = hunk.end
    merged += bases[at:]
    is_kept = bool(ours) and (not theirs or not base or mine_ends != base_ends)  # an empty text says nothing of it
    is_ended = mine_ends if is_kept else other_ends
    return "\n".join(merged) + ("\n" if is_ended and merged else "")


def merge_bytes(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """The same for files in any encoding whose lines end in this byte, and in UTF-16; None for what is no text too."""
    mark, codec = b"", "latin-1"  # bytes one by one: nothing is lost, whatever they stand for
    for wide_mark, wide in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if all(content.startswith(wide_mark) for content in (base, ours, theirs)):
            mark, codec = wide_mark, wide
    try:
        texts = [content.removeprefix(mark).decode(codec) for content in (base, ours, theirs)]
    except UnicodeDecodeError:
        return None
    if any("\0" in text for text in texts):
        return None
    merged = merge(*texts)
    return None if merged is None else mark + merged.encode(codec)


def _lines(text: str) -> tuple[list[str], bool]:
    """Its lines, and whether the last of them is ended."""
    if not text:
        return [], False
    return text.removesuffix("\n").split("\n"), text.endswith("\n")


def _hunks(base: Sequence[str], now: Sequence[str]) -> list[_Hunk]:
    steps = SequenceMatcher(None, base, now, autojunk=False).get_opcodes()
    return [_Hunk(start, end, tuple(now[at:to])) for tag, start, end, at, to in steps if tag != "equal"]


def _together(mine: Sequence[_Hunk], other: Sequence[_Hunk]) -> list[_Hunk] | None:
    """All hunks in order; None where two of them meet. What both took away is taken away once."""
    both: list[_Hunk] = []
    for hunk in sorted({*mine, *other}, key=lambda one: (one.start, one.end)):
        if not both or both[-1].is_apart(hunk):
            both.append(hunk)
        elif not (both[-1].lines or hunk.lines):
            last = both.pop()
            both.append(_Hunk(last.start, max(last.end, hunk.end), ()))
        else:
            return None
    return both
