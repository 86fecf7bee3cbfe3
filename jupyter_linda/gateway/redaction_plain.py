"""A text as identities are looked for in it: digits and letters of any form as ASCII, and nothing that is not seen."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_RANGES = ((0x80, 0x3000), (0x3001, 0x3002), (0xFE00, 0x10000), (0x1D400, 0x1D800))
"""Where signs lie that are written in the place of ASCII ones."""
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff]+"
)
"""Signs that take no room: soft hyphens, joiners, marks of direction."""


class Plain:
    """`text` is to be searched; `span` says where something found in it stands in the original."""

    def __init__(self, original: str) -> None:
        self.text = original
        self._cuts: list[int] = []
        self._shifts: list[int] = []
        """From which position of `text` on how many signs of the original are missing before it."""
        if original.isascii():
            return
        parts, at, missing = [], 0, 0
        for found in _UNSEEN.finditer(original):
            parts.append(original[at : found.start()])
            at, missing = found.end(), missing + len(found[0])
            self._cuts.append(at - missing)
            self._shifts.append(missing)
        self.text = "".join([*parts, original[at:]]).translate(_table())

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Of the original: what is unseen within goes too, what is unseen around stays."""
        return self._at(start), self._at(end - 1) + 1

    def _at(self, position: int) -> int:
        before = bisect_right(self._cuts, position)
        return position + (self._shifts[before - 1] if before else 0)


@cache
def _table() -> Mapping[int, str]:
    """Sign -> the one ASCII sign it stands for."""
    made = {ord(dash): "-" for dash in _DASHES}
    for first, end in _RANGES:
        for code in range(first, end):
            sign = chr(code)
            digit = unicodedata.decimal(sign, None)
            meant = str(digit) if digit is not None else unicodedata.normalize("NFKC", sign)
            if len(meant) == 1 and meant.isascii() and code not in made:
                made[code] = meant
    made[0x3000] = " "
    return made
