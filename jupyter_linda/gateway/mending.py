"""Arguments of a tool call that are not quite JSON: mended where only one thing can be meant, else left (pure)."""

from __future__ import annotations

import ast
import json
import math
import re
import warnings
from typing import Any

from ..storage.texts import json_of

Json = Any  # JSON of models

FENCE = re.compile(r"```(?:json)?\s*(.*?)\s*```", re.DOTALL)
OPEN_END = re.compile(r",\s*[}\])]")
"""After such a comma a part may be missing."""
NOTHING = ("null", '""', "None")
LITERAL_CHARS = 100_000
LITERAL_BRACKETS = 500
"""Longest text and most brackets of what is read as a Python literal: its parser is slow, and depth breaks it."""


def mended(text: str) -> str | None:
    """The JSON object that `text` plainly means, as JSON; None when it is none, or could be another.

    Mended: JSON inside a JSON text, line breaks and tabs that stand bare inside a text, a Markdown fence around the
    whole, a whole object sent twice, a Python literal without backslashes, null or an empty text for no arguments.
    Never mended: what may lack a part (unbalanced brackets, commas at the end, texts that do not close).
    """
    stripped = text.strip()
    if is_json_object(stripped):
        return text
    if stripped in NOTHING:
        return "{}"
    fenced = FENCE.fullmatch(stripped)
    inner = fenced[1] if fenced else _inside(stripped)
    if inner is not None and inner != stripped:
        return mended(inner)
    value = _bare(_half(stripped) or stripped)
    if value is None:
        value = _python(stripped)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else None


def is_json_object(text: str) -> bool:
    """Whether a text is one whole JSON object."""
    try:
        return isinstance(json_of(text), dict)
    except (ValueError, RecursionError):
        return False


def _inside(text: str) -> str | None:
    """The text inside a JSON text."""
    if not text.startswith('"'):
        return None
    try:
        value = json_of(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, str) else None


def _half(text: str) -> str | None:
    """The first half of a text that says the same thing twice, which some providers do at the end of a stream."""
    half, odd = divmod(len(text), 2)
    return text[:half] if not odd and half and text[:half] == text[half:] else None


def _bare(text: str) -> Json:
    """JSON whose texts hold line breaks and tabs as they are."""
    try:
        return json_of(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _python(text: str) -> Json:
    """A Python literal. Escapes differ between the two languages, so one with a backslash could mean two things."""
    if "\\" in text or len(text) > LITERAL_CHARS or not text.startswith("{"):
        return None
    if OPEN_END.search(text) or sum(text.count(bracket) for bracket in "{[(") > LITERAL_BRACKETS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, SystemError):
        return None
    return value if _is_json(value) else None


def _is_json(value: Json) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(inner) for key, inner in value.items())
    if isinstance(value, list):
        return all(_is_json(inner) for inner in value)
    return value is None or isinstance(value, (str, bool, int)) or (isinstance(value, float) and math.isfinite(value))
