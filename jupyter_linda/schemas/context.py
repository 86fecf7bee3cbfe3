"""What models are given: the meter of a prompt, and summaries of older messages."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from .nouns import Noun

PartKind = Literal["instructions", "tools", "standing", "skills", "summary", "messages", "results", "pictures"]
"""instructions: ours, the same for everybody; standing: the person's and the project's; skills: their names and
what they are for; results: of tools."""


class ContextPart(Noun):
    """One part of a prompt, in tokens."""

    kind: PartKind
    tokens: int
    name: str = ""
    """Of standing instructions and skills: which file of the project; empty for the person's own."""
    is_cut: bool = False
    """Only its beginning stands there: it is longer than there is room for."""


class ContextMeter(Noun):
    """What a chat's newest prompt was made of."""

    model: str
    window: int
    """Most tokens a prompt may have: the setting's, or what the model takes less a reply."""
    used: int
    counted_by: str
    """How was counted, in words; an estimate says so."""
    is_estimate: bool
    parts: tuple[ContextPart, ...]
    shortened: int = 0
    """Results that were shortened to fit."""
    step_usd: float | None = None
    """About what a call with this prompt and a reply of usual length costs; None where the price is not known."""


class Summary(Noun):
    """What stands for the messages up to one of them in prompts. The messages themselves are kept."""

    summary_id: str
    chat_id: str
    upto_message_id: str
    text: str
    made_by: str
    """The model that wrote it; "extract" where sentences were picked by rules."""
    tokens_before: int
    """Of the messages it stands for."""
    tokens_after: int
    at: datetime
