"""Budgets, decided before a call."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_linda.usage.budget import Budget, Cost, begin_of, first_passed, planning

NOTHING = {period: Cost(0, 0.0) for period in ("run", "day", "month")}


@pytest.mark.parametrize(
    ("budget", "used", "coming", "is_passed"),
    [
        (Budget("run", "usd", 1.0), Cost(0, 0.9), Cost(10, 0.1), False),
        (Budget("run", "usd", 1.0), Cost(0, 0.9), Cost(10, 0.11), True),
        (Budget("run", "usd", 1.0), Cost(0, 2.0), Cost(10, None), False),  # tokens count where prices do not
        (Budget("day", "tokens", 100), Cost(90, None), Cost(10, None), False),
        (Budget("day", "tokens", 100), Cost(91, None), Cost(10, None), True),
        (Budget("month", "tokens", 100), Cost(500, None), Cost(0, 0.0), False),  # a model on this machine
    ],
)
def test_a_call_is_stopped_before_it_passes_a_budget(budget, used, coming, is_passed):
    found = first_passed([budget], {**NOTHING, budget.period: used}, coming)
    assert (found is not None) == is_passed
    if found:
        assert (found.period, found.limit) == (budget.period, budget.limit)


@given(
    st.integers(0, 4_000 * 86_400).map(lambda seconds: datetime(2020, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)),
    st.sampled_from(["day", "month"]),
)
def test_a_period_begins_at_local_midnight_and_before_now(now, period):
    begin = begin_of(period, now)
    local = begin.astimezone()
    assert begin <= now < begin + timedelta(days=32 if period == "month" else 1, hours=2)
    assert (local.hour, local.minute) == (0, 0)
    assert period == "day" or local.day == 1


def test_the_planning_figure():
    assert planning().tokens == 120_000
