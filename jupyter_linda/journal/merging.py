"""Taking a change back out of a text that somebody went on writing: a three-way merge by lines."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Span = tuple[int, int]


def merge(base: str, ours: str, theirs: str) -> str | None:
    """`ours` with the change from `base` to `theirs` done in it too; None where both changed the same lines."""
    bases, mine, other = (text.splitlines(keepends=True) for text in (base, ours, theirs))
    merged: list[str] = []
    at_base = at_mine = at_other = 0
    for base_at, mine_at, other_at, length in _common(bases, mine, other):
        part = _decide(bases[at_base:base_at], mine[at_mine:mine_at], other[at_other:other_at])
        if part is None:
            return None
        merged += part
        merged += bases[base_at : base_at + length]
        at_base, at_mine, at_other = base_at + length, mine_at + length, other_at + length
    return "".join(merged)


def _decide(base: list[str], mine: list[str], other: list[str]) -> list[str] | None:
    if mine in (base, other):
        return other
    return mine if other == base else None


def _common(base: Sequence[str], mine: Sequence[str], other: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """(place in base, in mine, in other, length) of what all three share, in order; an empty one ends it."""
    with_mine = SequenceMatcher(None, base, mine, autojunk=False).get_matching_blocks()
    with_other = SequenceMatcher(None, base, other, autojunk=False).get_matching_blocks()
    at, beside = 0, 0
    while at < len(with_mine) and beside < len(with_other):
        first, second = with_mine[at], with_other[beside]
        start, end = max(first.a, second.a), min(first.a + first.size, second.a + second.size)
        if start < end:
            yield start, first.b + start - first.a, second.b + start - second.a, end - start
        if first.a + first.size <= second.a + second.size:
            at += 1
        else:
            beside += 1
    yield len(base), len(mine), len(other), 0
