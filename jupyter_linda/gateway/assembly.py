"""Tool calls put together from streamed pieces, by id and index (pure)."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..ports import CallDraft, Ids
from ..storage.texts import whole_text
from .mending import is_json_object, mended

NAME_CHARS = 200
"""Most characters of a tool's name that are kept; no tool of ours has so many."""

PLACEHOLDER_IDS = frozenset({"", "null", "none", "undefined"})
"""What some providers send instead of an id."""


@dataclass(frozen=True)
class Piece:
    """One streamed piece of a tool call; any part may be missing."""

    index: int | None
    call_id: str | None
    name: str | None
    arguments: str | None


@dataclass
class _Open:
    index: int | None
    call_id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class CallAssembly:
    """Collects pieces. A new real id at a used index is a new call; a placeholder id never is.

    A piece with neither name nor id begins no call: it goes on with the one of its index, else with the last. No two
    calls leave with one id.
    """

    def __init__(self, ids: Ids) -> None:
        self._ids = ids
        self._calls: list[_Open] = []

    @property
    def count(self) -> int:
        """Calls begun so far."""
        return len(self._calls)

    def add(self, piece: Piece) -> None:
        """Take the next piece."""
        call_id = piece.call_id if piece.call_id and piece.call_id.lower() not in PLACEHOLDER_IDS else ""
        call = self._find(piece, call_id)
        if call is None:
            call = _Open(piece.index)
            self._calls.append(call)
        call.call_id = call.call_id or call_id
        if piece.name and not call.name:
            call.name = piece.name
        if piece.arguments:
            call.arguments.append(piece.arguments)

    def _find(self, piece: Piece, call_id: str) -> _Open | None:
        if call_id:
            same = next((call for call in reversed(self._calls) if call.call_id == call_id), None)
            if same is not None:
                return None if self._is_another(piece, same) else same
        candidates = [call for call in self._calls if piece.index is None or call.index == piece.index]
        if not candidates:
            return self._calls[-1] if self._calls and not call_id and not piece.name else None
        last = candidates[-1]
        if call_id and last.call_id:
            return None  # another real id: another call that shares the index
        if piece.name and last.name and self._begins_another(piece, last):
            return None
        return last

    @staticmethod
    def _is_another(piece: Piece, same: _Open) -> bool:
        """A name and arguments again under an id whose call is whole already: some providers give one id to many."""
        has_both = bool(piece.name and (piece.arguments or "").strip()) and bool(same.name)
        is_elsewhere = piece.index is None or piece.index != same.index
        return has_both and is_elsewhere and is_json_object("".join(same.arguments))

    @staticmethod
    def _begins_another(piece: Piece, last: _Open) -> bool:
        """A name again: without an index the next call; with one only where the last call is whole already."""
        if piece.index is None:
            return True
        is_new = piece.name != last.name or bool((piece.arguments or "").strip())
        return is_new and is_json_object("".join(last.arguments))

    def finish(self, reason: str) -> tuple[CallDraft, ...]:
        """The calls; the last one of a reply cut at the output limit is not whole."""
        last = len(self._calls) - 1
        known: set[str] = set()
        made = []
        for position, call in enumerate(self._calls):
            if call.call_id in known:
                call.call_id = ""  # two of one name could not be told apart
            known.add(call.call_id)
            made.append(self._draft(call, is_cut=position == last and reason == "length"))
        return tuple(made)

    def _draft(self, call: _Open, *, is_cut: bool) -> CallDraft:
        arguments = whole_text("".join(call.arguments))
        is_empty = not arguments.strip()
        meant = ("{}" if not is_cut else None) if is_empty else mended(arguments)
        return CallDraft(
            call_id=whole_text(call.call_id) or self._ids.new("made"),
            name=whole_text(call.name)[:NAME_CHARS],
            arguments="{}" if is_empty else arguments if meant is None else whole_text(meant),
            is_whole=meant is not None,
        )


class Halves:
    """Joins a character that a provider cut in two between chunks."""

    def __init__(self) -> None:
        self._held = ""

    def take(self, text: str) -> str:
        """What is whole so far; the first half of a character waits for its second."""
        text, self._held = self._held + text, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._held = text[:-1], text[-1]
        return whole_text(text)
