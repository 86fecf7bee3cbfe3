"""What the database and JSON can hold: whole characters, and values not nested without end (pure)."""

from __future__ import annotations

import json
import math
import re
from typing import Any

Json = Any  # JSON of strangers

DEEPEST = 100
"""Nesting beyond which a value is kept as its text: readers of JSON give up not far from 200."""


def whole_text(text: str) -> str:
    """Halves of one character put together, a half that is alone replaced: neither UTF-8 nor SQL can hold it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


LINE_CHARS, WORD_CHARS = 400, 300
"""How far from where a text is to be cut the end of a line is looked for, and the end of a word."""
_BETWEEN = re.compile(r"[\s\"'`,;()\[\]{}<>|，。；、]")


def cut_before(text: str, at: int) -> int:
    """Where to cut at the latest, so that no mail and no key is cut in two: parts of them have no form to know."""
    if not 0 < at < len(text):
        return max(0, min(at, len(text)))
    line = text.rfind("\n", max(0, at - LINE_CHARS), at) + 1
    if line:
        return line
    ends = [found.end() for found in _BETWEEN.finditer(text, max(0, at - WORD_CHARS), at)]
    return ends[-1] if ends else at


def cut_line(text: str, most: int) -> str:
    """The text where it has at most so many characters, else its beginning and a sign that it goes on."""
    return text if len(text) <= most else text[: cut_before(text, most - 1)].rstrip() + "…"


def cut_after(text: str, at: int) -> int:
    """Where to cut at the earliest, likewise."""
    if not 0 < at < len(text):
        return max(0, min(at, len(text)))
    line = text.find("\n", at, at + LINE_CHARS) + 1
    found = None if line else _BETWEEN.search(text, at, at + WORD_CHARS)
    return line or (at if found is None else found.end())


def whole_json(value: Json) -> Json:
    """The same for every text in a JSON value."""
    text = json.dumps(value, ensure_ascii=False)
    whole = whole_text(text)
    return value if whole is text else json.loads(whole)


def is_deep(value: Json) -> bool:
    """Whether a JSON value is nested deeper than is kept."""
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for outer in level
            if isinstance(outer, (dict, list))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return True


def json_of(text: str, *, strict: bool = True) -> Json:
    """JSON text as a value; `ValueError` also for numbers that are none in JSON: NaN, Infinity, and beyond what fits.

    `strict` refuses line breaks and tabs that stand bare inside texts. Raises `RecursionError` for what is too deep.
    """
    return json.loads(text, strict=strict, parse_constant=_no_number, parse_float=_finite)


def _no_number(text: str) -> Json:
    raise ValueError(f"{text} is no number of JSON")


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _no_number(text)


def json_shown(text: str) -> Json:
    """Text as JSON where it is JSON that can be kept, else the text itself."""
    try:
        value = json_of(text)
        return text if is_deep(value) or whole_json(value) is not value else value
    except (ValueError, RecursionError):
        return whole_text(text)
