"""Where in a JSON text something is: for the faults of a rules file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_DECODER = json.JSONDecoder()


def place_words(loc: Sequence[int | str]) -> str:
    """A validator's location the way a person would write it."""
    words = ""
    for part in loc:
        words += f"[{part}]" if isinstance(part, int) else f".{part}"
    return words.lstrip(".") or "the file"


def position_of(text: str, loc: Sequence[int | str]) -> tuple[int, int]:
    """Line and column of a place in valid JSON: its key or item, or the nearest thing around it that is there."""
    shown = inside = _skip(text, 0)
    for part in loc:
        found = next((member for member in _members(text, inside) if member[0] == part), None)
        if found is None:
            break
        _, shown, inside = found
    return text.count("\n", 0, shown) + 1, shown - text.rfind("\n", 0, shown)


def _members(text: str, at: int) -> Iterator[tuple[int | str, int, int]]:
    """Of the object or list that begins at `at`: each member's name, where it begins, and where its value does."""
    opening, count = text[at : at + 1], 0
    if opening not in ("{", "["):
        return
    at = _skip(text, at + 1)
    while text[at] not in "]}":
        name: int | str = count
        begin = at
        if opening == "{":
            name, after = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, after) + 1)  # over the colon
        yield name, begin, at
        _, after = _DECODER.raw_decode(text, at)
        at, count = _skip(text, after), count + 1
        if text[at] == ",":
            at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at
