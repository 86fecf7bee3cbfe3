"""What of a model's reply has arrived: text, thoughts and calls out of litellm's chunks, and what its end means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ProviderFault
from ..ports import ReasoningDelta, TextDelta
from .assembly import CallAssembly, Halves, Piece
from .faults import WORDS, cut_stream, plain_fault

if TYPE_CHECKING:
    from ..ports import CallDraft, Ids

REPLY_CHARS = 2_000_000
"""Most characters of one reply: text, thoughts and arguments together."""
REPLY_CALLS = 128
"""Most tool calls of one reply."""

Delta = Any  # litellm's delta or whole message: the fields have the same names


class Reply:
    """One reply as it comes in."""

    def __init__(self, ids: Ids) -> None:
        self._assembly = CallAssembly(ids)
        self._text_halves, self._thought_halves = Halves(), Halves()
        self._has_text = self._has_thought = False
        self._pieces: list[str] = []
        self._size = 0
        self.reason = ""
        self.has_begun = False
        """Whether any piece of it came: text, a thought, or a part of a call."""

    def take(self, delta: Delta, reason: str | None) -> list[TextDelta | ReasoningDelta]:
        """The next piece: what of it is to be shown, an empty text where it is the first of calls alone.

        `ProviderFault` if the reply has no end.
        """
        self.reason = reason or self.reason
        if delta is None:
            return []
        thought = self._thought_halves.take(getattr(delta, "reasoning_content", None) or "")
        text = self._text_halves.take(delta.content or "")
        self._has_text = self._has_text or bool(text.strip())
        self._has_thought = self._has_thought or bool(thought.strip())
        arguments = self._take_calls(delta)
        self._size += len(text) + len(thought) + len(arguments)
        self._pieces.append(thought + text + arguments)
        begins = not self.has_begun and self._assembly.count > 0
        self.has_begun = self.has_begun or bool(text or thought) or begins
        self._check_size()
        return [*([ReasoningDelta(thought)] if thought else ()), *([TextDelta(text)] if text or begins else ())]

    def _take_calls(self, delta: Delta) -> str:
        """Parts of calls, the older `function_call` included; gives back their arguments."""
        taken = ""
        for piece in delta.tool_calls or ():
            function = getattr(piece, "function", None)
            arguments = getattr(function, "arguments", None)
            index, call_id = getattr(piece, "index", None), getattr(piece, "id", None)
            self._assembly.add(Piece(index, call_id, getattr(function, "name", None), arguments))
            taken += arguments or ""
        function = getattr(delta, "function_call", None)
        if function is not None:
            arguments = getattr(function, "arguments", None)
            self._assembly.add(Piece(0, None, getattr(function, "name", None), arguments))
            taken += arguments or ""
        return taken

    def _check_size(self) -> None:
        """A reply without end would fill the disk, and hold up everybody while it is written down."""
        if self._size > REPLY_CHARS or self._assembly.count > REPLY_CALLS:
            raise ProviderFault(
                "too_long",
                f"The reply has more than {REPLY_CHARS:,} characters or {REPLY_CALLS} tool calls, and was ended.",
                remedy="Ask for less at a time, or choose another model.",
                has_begun=True,
            )

    @property
    def written(self) -> str:
        """Everything the model wrote, for counting."""
        return "".join(self._pieces)

    def finish(self) -> tuple[CallDraft, ...]:
        """The calls of a reply that has come to its end; `ProviderFault` where that is no good end."""
        if self.reason in ("", "error"):
            if self.has_begun:
                raise cut_stream()
            raise plain_fault("cut_stream")
        if self.reason == "content_filter":
            raise self._refused()
        calls = self._assembly.finish(self.reason)
        if not calls and not self._has_text:
            raise self._no_answer()
        return calls

    def _refused(self) -> ProviderFault:
        message, remedy = WORDS["refused"]
        if self._has_text:
            message = "The provider's filter ended this reply; what arrived is kept, and nothing was done."
        return ProviderFault("refused", message, remedy=remedy, has_begun=self.has_begun)

    def _no_answer(self) -> ProviderFault:
        """Why a reply without text and calls is none."""
        if not self._has_thought:
            return ProviderFault(
                "empty",
                "The model returned an empty answer.",
                remedy="Retry, or choose another model.",
                has_begun=self.has_begun,
            )
        if self.reason == "length":
            message = "The model thought up to its output limit and gave no answer."
            remedy = "Its reasoning is kept. Ask for less at a time, or choose another model."
        else:
            message = "The model only thought and gave no answer."
            remedy = "Its reasoning is kept. Retry, or choose another model."
        return ProviderFault("only_thought", message, remedy=remedy, has_begun=True)
