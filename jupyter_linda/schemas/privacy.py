"""What may leave the machine: consents, levels, and what did leave."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from .nouns import Noun, Problem


class Consent(Noun):
    """A folder's work may go to this provider. Revocable."""

    consent_id: str
    owner_id: str
    root_dir: str
    provider: str
    """Who gets it: the provider and its address, as the question named them."""
    levels: dict[str, JsonValue]
    """The default levels that held when it was given."""
    created_at: datetime


class PrivacyText(Noun):
    """GET privacy: the file of levels, what holds by default, and what is wrong with it."""

    text: str
    path: str
    problem: Problem | None = None


class PrivacyInput(Noun):
    """PUT privacy. With `was`, the text that they were changed from: refused where the file is another by now."""

    text: Annotated[str, Field(max_length=1_000_000)]
    was: str | None = None


class RouteTrial(Noun):
    """POST privacy/try: a request to try. Nothing is sent."""

    model: Annotated[str, Field(max_length=300)] = ""
    path: Annotated[str, Field(max_length=4096, pattern=r"^[^\x00]*$")] = ""
    frame: Annotated[str, Field(max_length=200)] = ""
    text: Annotated[str, Field(max_length=20_000)] = ""


class RouteTrialResult(Noun):
    """Where such a request would go, and what of the path or frame would go with it."""

    effect: Literal["auto", "ask", "deny"]
    model: str
    is_here: bool
    destination: str
    reason: str
    text_level: Literal["local", "redacted", "open"]
    text_line: str
    data_level: Literal["names", "statistics", "samples", "values"]
    data_line: str
    redacted: str
    """The text as it would leave."""


class SentCall(Noun):
    """One request of a message, as it went out."""

    model: str
    is_here: bool
    destination: str
    reason: str
    withheld: tuple[dict[str, str], ...] = ()
    placeholders: dict[str, int] = Field(default_factory=dict)
    tools: int = 0
    text: str = ""
    """Everything that left, as text; empty for a model on this machine."""
    begun_at: datetime


class Sent(Noun):
    """GET sent/{message_id}"""

    calls: tuple[SentCall, ...]
