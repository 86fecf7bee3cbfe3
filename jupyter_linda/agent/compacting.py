"""Making a summary of older messages: by the model that is asked, else by picking sentences."""

from __future__ import annotations

import logging
from importlib.resources import files
from typing import TYPE_CHECKING

from ..errors import ProviderFault
from ..ports import TextDelta
from ..storage.texts import whole_text
from .extracting import extract
from .hidden import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..ports import Model, ModelRequest
    from .context import Piece

log = logging.getLogger(__name__)

EXTRACT = "extract"
"""What a summary without a model is said to be made by."""
MOST_OUTPUT_TOKENS = 4_000
"""Of the call that makes a summary; a model that thinks needs more than the summary itself has."""
WORDS_PER_TOKEN = 0.6


def instruction(budget: int) -> str:
    """What a model is told after the messages it is to condense, for a summary of at most `budget` tokens."""
    text = files("jupyter_linda.agent").joinpath("prompts/summary.md").read_text(encoding="utf-8")
    return text.replace("{words}", str(max(40, int(budget * WORDS_PER_TOKEN))))


async def condense(
    model: Model,
    request: ModelRequest | None,
    older: Sequence[Piece],
    before: str,
    budget: int,
    count: Callable[[str], int],
) -> tuple[str, str]:
    """What older messages come down to, in at most `budget` tokens, and who wrote it.

    `before` is the summary so far, which the new one replaces. Without a `request`, or where its call fails, sentences
    are picked instead: a conversation must not end because a summary could not be written.
    """
    if request is not None:
        try:
            text = await _written(model, request)
        except ProviderFault as fault:
            log.warning("no summary from %s: %s", request.model, fault.message)
        else:
            if text:
                return _within(text, budget, count), request.model
    said = [(piece.message, piece.rows) for piece in older]
    return extract(said, before=before, budget=budget, count=count), EXTRACT


async def _written(model: Model, request: ModelRequest) -> str:
    said = ""
    async for event in model.stream(request):
        said += event.text if isinstance(event, TextDelta) else ""
    return visible(whole_text(said.strip()))


def _within(text: str, budget: int, count: Callable[[str], int]) -> str:
    """It may have written more than it was asked for: the end of such a text goes."""
    while (tokens := count(text)) > budget:
        text = text[: min(len(text) - 1, len(text) * budget // tokens)].rstrip()
    return text
