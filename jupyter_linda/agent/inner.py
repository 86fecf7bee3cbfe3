"""Tools that touch nothing but the conversation itself: reading on in a long result."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import NotFound
from ..ports.held import held_of, is_released, passages, plain, released
from ..storage.hidden import one_line, visible
from ..storage.texts import cut_before, whole_text
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


def mark_wanted(row: CallRow) -> str | None:
    """The mark of the result that a call reads on in; None where its arguments do not say."""
    try:
        return str(json.loads(row.arguments or "{}")["mark"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def read_result(row: CallRow, transcript: Transcript, results: Results) -> Told:
    """A part of an earlier result of the same conversation."""
    try:
        wish = json.loads(row.arguments or "{}")
        mark, start = str(wish["mark"]), max(0, int(wish.get("start") or 0))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return Told(False, f'{READ_RESULT} needs {{"mark": text, "start": number}}.')
    of = next((one for one in transcript.calls if mark_of(one.call_id) == mark), None)
    if of is None:
        return Told(False, f"No result has the mark {one_line(mark)[:40]!r}. Copy it from `<<data MARK from TOOL>>`.")
    try:
        kept = of.result if of.result_hash is None else whole_text(results.get(of.result_hash))
    except NotFound:
        return Told(False, f"The whole result is not kept any more. Call {of.name} again.")
    text = visible(plain(kept))
    if start >= len(text):
        return Told(False, f"The result has {len(text)} characters; nothing begins at {start}.")
    start, end = cut_before(text, start), cut_before(text, start + READ_CHARS)
    part = text[start:end]
    rest = f" Start {end} reads on." if end < len(text) else " It ends there."
    words = f"Characters {start} to {end} of {len(text)}.{rest}\n"
    # What passage by passage holds is not told of a part: it counts as the most, of every file that the whole names,
    # unless it was let go before.
    files = sorted({piece.path for piece in passages(kept) if piece.path})
    told = released(words + part) if is_released(of.result) else words + held_of(part, files)
    return Told(True, told, f"Read on in: {of.title or of.name}")
