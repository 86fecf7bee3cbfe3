"""Budgets: whether the next model call would pass one (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING

from ..schemas import BudgetState, Period, Planning, Unit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RUNS_A_DAY, TOKENS_A_RUN, FACTOR = 100, 800, 1.5
REPLY_TOKENS = int(TOKENS_A_RUN * FACTOR)
"""How long a reply is thought to become before it is known."""


@dataclass(frozen=True)
class Cost:
    """Tokens and money; None: the price is not known."""

    tokens: int
    usd: float | None


@dataclass(frozen=True)
class Budget:
    """At most `limit` in each `period`."""

    period: Period
    unit: Unit
    limit: float


def state_of(budget: Budget, used: Cost) -> BudgetState:
    """The budget with what is used of it."""
    return BudgetState(
        period=budget.period,
        unit=budget.unit,
        limit=budget.limit,
        used=used.tokens if budget.unit == "tokens" else used.usd or 0.0,
    )


def first_passed(budgets: Sequence[Budget], used: Mapping[Period, Cost], coming: Cost) -> BudgetState | None:
    """The first budget that `coming` would pass, if there is one. A price that is not known passes none in money."""
    for budget in budgets:
        state = state_of(budget, used[budget.period])
        more = coming.tokens if budget.unit == "tokens" else coming.usd or 0.0
        if more and state.used + more > budget.limit:
            return state
    return None


def begin_of(period: Period, now: datetime) -> datetime:
    """When the day or month of `now` began, in this machine's time zone, as UTC."""
    day = now.astimezone().date()
    first = day.replace(day=1) if period == "month" else day
    return datetime.combine(first, time.min).astimezone().astimezone(UTC)


def planning() -> Planning:
    """What a team of a hundred runs a day would use."""
    return Planning(
        runs=RUNS_A_DAY, output_tokens=TOKENS_A_RUN, factor=FACTOR, tokens=int(RUNS_A_DAY * TOKENS_A_RUN * FACTOR)
    )
