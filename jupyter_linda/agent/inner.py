"""Tools that touch nothing but the conversation itself: reading on in a long result."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import NotFound
from ..ports.held import held, is_released, plain, released
from ..storage.hidden import one_line, visible
from ..storage.texts import whole_text
from .fence import mark_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ports import Json
    from ..storage.files import Results
    from .transcript import CallRow, Transcript

READ_RESULT = "read_result"
READ_CHARS = 10_000
"""Most characters of one reading."""

READ_RESULT_SCHEMA: Mapping[str, Json] = {
    "type": "function",
    "function": {
        "name": READ_RESULT,
        "description": "Read on in an earlier tool result that was shortened; its note names mark and start.",
        "parameters": {
            "type": "object",
            "properties": {
                "mark": {"type": "string", "description": "The mark in `<<data MARK from TOOL>>`."},
                "start": {"type": "integer", "description": "Character to begin at."},
            },
            "required": ["mark"],
            "additionalProperties": False,
        },
    },
}


@dataclass(frozen=True)
class Told:
    """How such a call ended."""

    is_done: bool
    text: str
    title: str = ""


def read_result(row: CallRow, transcript: Transcript, results: Results) -> Told:
    """A part of an earlier result of the same conversation."""
    try:
        wish = json.loads(row.arguments or "{}")
        mark, start = str(wish["mark"]), max(0, int(wish.get("start") or 0))
    except (ValueError, KeyError, TypeError, AttributeError):
        return Told(False, f'{READ_RESULT} needs {{"mark": text, "start": number}}.')
    of = next((one for one in transcript.calls if mark_of(one.call_id) == mark), None)
    if of is None:
        return Told(False, f"No result has the mark {one_line(mark)[:40]!r}. Copy it from `<<data MARK from TOOL>>`.")
    try:
        text = plain(of.result) if of.result_hash is None else visible(whole_text(results.get(of.result_hash)))
    except NotFound:
        return Told(False, f"The whole result is not kept any more. Call {of.name} again.")
    if start >= len(text):
        return Told(False, f"The result has {len(text)} characters; nothing begins at {start}.")
    part = text[start : start + READ_CHARS]
    end = start + len(part)
    rest = f" Start {end} reads on." if end < len(text) else " It ends there."
    words = f"Characters {start} to {end} of {len(text)}.{rest}\n"
    # What it holds passage by passage is not kept with the whole: it counts as the most, unless it was let go before.
    told = released(words + part) if is_released(of.result) else words + held(part, "values")
    return Told(True, told, f"Read on in: {of.title or of.name}")
