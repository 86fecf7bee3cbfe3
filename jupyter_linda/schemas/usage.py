"""What model calls took and cost, budgets, and the trace of one run."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

from pydantic import Field, JsonValue

from .context import ContextMeter, Summary
from .nouns import AuditEntry, Call, Message, Noun, Question, Run

Period = Literal["run", "day", "month"]
Unit = Literal["usd", "tokens"]


class UsageTotal(Noun):
    """Sums over model calls."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """Of the input, what the provider had kept."""
    cost_usd: float = 0.0
    """Of the calls whose price is known."""
    unpriced_calls: int = 0
    """Calls whose price is not known: they are in no sum of money."""
    estimated_calls: int = 0
    """Calls whose provider did not count."""
    local_calls: int = 0
    local_tokens: int = 0
    """Input and output of models on this machine."""


class UsageRow(Noun):
    """The sums of one model, or of one chat."""

    name: str
    total: UsageTotal


class UsageDay(Noun):
    """The sums of one day, in the server's time zone."""

    day: date
    total: UsageTotal


class BudgetState(Noun):
    """A budget and what is used of it. Models on this machine use none."""

    period: Period
    unit: Unit
    limit: float
    used: float


class Budgets(Noun):
    """Most of a reply, a day and a month, in US dollars and in tokens; 0 is no limit."""

    run_usd: float = Field(0.0, ge=0, allow_inf_nan=False)
    day_usd: float = Field(0.0, ge=0, allow_inf_nan=False)
    month_usd: float = Field(0.0, ge=0, allow_inf_nan=False)
    run_tokens: int = Field(0, ge=0)
    day_tokens: int = Field(0, ge=0)
    month_tokens: int = Field(0, ge=0)


class BudgetsInput(Budgets):
    """PUT usage/budgets. With `was`, those that they were changed from: refused where others are set by now."""

    was: Budgets | None = None


class Planning(Noun):
    """The planning figure: what a team would use a day."""

    runs: int
    output_tokens: int
    """Of one run."""
    factor: float
    tokens: int
    """Of a day: runs x output tokens x factor."""


class UsageReport(Noun):
    """What one person used from `since` until before `until`."""

    since: datetime
    until: datetime
    total: UsageTotal
    days: tuple[UsageDay, ...]
    models: tuple[UsageRow, ...]
    budgets: tuple[BudgetState, ...]
    """Those that hold for a day and a month."""
    own: Budgets
    """The person's own, which the server's may narrow."""
    planning: Planning


class ModelCall(Noun):
    """One try of a model call, as it was written down."""

    model_call_id: str
    message_id: str
    purpose: str
    asked_model: str
    """The model that was chosen."""
    model: str
    """The model that was called."""
    is_local: bool
    reason: str
    """Why this one."""
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    is_estimated: bool
    cost_usd: float | None
    outcome: str
    """"done", "stopped", "cut" by a crash, or what kind of fault; empty while it runs."""
    begun_at: datetime
    first_at: datetime | None
    """When the first piece came."""
    ended_at: datetime | None
    details: JsonValue = None
    """What left, the route's inputs, how many placeholders."""


class Trace(Noun):
    """Everything about one run, in the order in which "why did she do that?" is answered."""

    run: Run
    asked: Message
    """The message it answers."""
    contexts: tuple[ContextMeter, ...]
    """What each prompt was made of."""
    summaries: tuple[Summary, ...]
    """What stood for older messages."""
    decisions: tuple[AuditEntry, ...]
    questions: tuple[Question, ...]
    model_calls: tuple[ModelCall, ...]
    replies: tuple[Message, ...]
    tools: tuple[Call, ...]
    total: UsageTotal
