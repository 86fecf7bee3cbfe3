"""What the database and JSON can hold: whole characters, and values not nested without end (pure)."""

from __future__ import annotations

import json
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


def json_shown(text: str) -> Json:
    """Text as JSON where it is JSON that can be kept, else the text itself."""
    try:
        value = json.loads(text)
        return text if is_deep(value) or whole_json(value) is not value else value
    except (ValueError, RecursionError):
        return whole_text(text)
