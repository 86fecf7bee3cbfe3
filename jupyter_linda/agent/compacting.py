"""Making a summary of older messages: by the model that is asked, else by picking sentences."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING

from ..errors import ProviderFault
from ..ports import Finished, ReasoningDelta, Retrying, Sending, TextDelta
from ..storage.hidden import visible
from ..storage.texts import whole_text
from .extracting import extract

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from ..events.log import Transaction
    from ..ports import Model, ModelRequest
    from .context import Piece
    from .recording import CallRecorder

    Writer = Callable[[Callable[[Transaction], None]], Awaitable[None]]

log = logging.getLogger(__name__)

EXTRACT = "extract"
"""What a summary without a model is said to be made by."""
MOST_OUTPUT_TOKENS = 4_000
"""Of the call that makes a summary; a model that thinks needs more than the summary itself has."""
WORDS_PER_TOKEN = 0.6


@dataclass(frozen=True)
class Asking:
    """A request for a summary, and how its tries are written down."""

    model: Model
    request: ModelRequest
    recorder: CallRecorder
    write: Writer


def instruction(budget: int) -> str:
    """What a model is told after the messages it is to condense, for a summary of at most `budget` tokens."""
    text = files("jupyter_linda.agent").joinpath("prompts/summary.md").read_text(encoding="utf-8")
    return text.replace("{words}", str(max(40, int(budget * WORDS_PER_TOKEN))))


async def condense(
    ask: Asking | None, older: Sequence[Piece], before: str, *, budget: int, count: Callable[[str], int]
) -> tuple[str, str]:
    """What older messages come down to, in at most `budget` tokens, and who wrote it.

    `before` is the summary so far, which the new one replaces. With nobody to `ask`, or where the call fails,
    sentences are picked instead: a conversation must not end because a summary could not be written.
    """
    if ask is not None:
        try:
            text, model = await _written(ask)
        except ProviderFault as fault:
            log.warning("no summary from %s: %s", ask.request.model, fault.message)
        else:
            if text:
                return _within(text, budget, count), model
    said = [(piece.message, piece.rows) for piece in older]
    return extract(said, before=before, budget=budget, count=count), EXTRACT


async def _written(ask: Asking) -> tuple[str, str]:
    """The words, and the model that wrote them in the end; each try is written down like those of replies."""
    said, model, recorder = "", ask.request.model, ask.recorder
    try:
        async for event in ask.model.stream(ask.request):
            match event:
                case TextDelta(text):
                    said += text
                    recorder.piece_came()
                case ReasoningDelta():
                    recorder.piece_came()
                case Sending():
                    model = event.model
                    await ask.write(partial(recorder.begin, sending=event))
                case Retrying(kind):
                    await ask.write(partial(recorder.end, outcome=kind))
                case Finished(usage=usage):
                    await ask.write(partial(recorder.end, outcome="done", usage=usage))
    except ProviderFault as fault:
        await ask.write(partial(recorder.end, outcome=fault.kind_of_fault))
        raise
    return visible(whole_text(said.strip())), model


def _within(text: str, budget: int, count: Callable[[str], int]) -> str:
    """It may have written more than it was asked for: the end of such a text goes."""
    while (tokens := count(text)) > budget:
        text = text[: min(len(text) - 1, len(text) * budget // tokens)].rstrip()
    return text
