"""Sums over model calls, in a real database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import insert

from jupyter_linda.schemas import UsageTotal
from jupyter_linda.storage.tables import model_calls
from jupyter_linda.usage import store
from jupyter_linda.usage.limits import BudgetFile

NOON = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


@pytest.fixture
def add(database):
    """Write a call down."""
    count = 0

    def write(**values):
        nonlocal count
        count += 1
        row = {
            "model_call_id": f"model_call_{count}", "owner_id": "local", "chat_id": "chat_1", "run_id": "run_1",
            "message_id": f"message_{count}", "purpose": "reply", "asked_model": "big/one", "model": "big/one",
            "is_local": False, "input_tokens": 1000, "output_tokens": 100, "cached_tokens": 0, "is_estimated": False,
            "cost_usd_micros": 2_500, "outcome": "done", "begun_at": NOON,
        }  # fmt: skip
        with database.write() as connection:
            connection.execute(insert(model_calls).values({**row, **values}))

    return write


def read(database, work):
    with database.read() as connection:
        return work(connection)


def test_sums_by_day_and_model_tell_local_unpriced_and_estimated_calls_apart(database, add, tmp_path):
    zero = {f"budget_{period}_{unit}": 0 for period in ("run", "day", "month") for unit in ("usd", "tokens")}
    limits = BudgetFile(tmp_path / "budgets.json", {**zero, "budget_day_usd": 1.0, "budget_run_usd": 1.0})
    add()
    add(begun_at=NOON - timedelta(days=1), cost_usd_micros=None, is_estimated=True)
    add(model="linda/demo", is_local=True, cost_usd_micros=0, output_tokens=50)
    add(owner_id="somebody else")
    add(outcome="", input_tokens=0, output_tokens=0, cost_usd_micros=None)  # still under way
    found = read(
        database,
        lambda c: store.report(
            c, "local", limits,
            since=NOON - timedelta(days=7), until=NOON + timedelta(days=1), now=NOON,
        ),
    )  # fmt: skip
    assert found.total == UsageTotal(
        calls=3, input_tokens=3000, output_tokens=250, cost_usd=0.0025, unpriced_calls=1, estimated_calls=1,
        local_calls=1, local_tokens=1050,
    )  # fmt: skip
    assert [day.total.calls for day in found.days] == [1, 2]
    assert [(row.name, row.total.calls) for row in found.models] == [("big/one", 2), ("linda/demo", 1)]
    [budget] = found.budgets
    assert (budget.period, budget.used) == ("day", 0.0025)


def test_what_nobody_charges_is_of_no_unknown_price(database, add):
    add(model="linda/demo", is_local=True, cost_usd_micros=None, input_tokens=0, output_tokens=0)
    add(model="near/qwen", is_local=True, cost_usd_micros=None)
    add(outcome="auth", cost_usd_micros=None, input_tokens=0, output_tokens=0)
    total = read(database, lambda c: store.of_run(c, "run_1"))
    assert (total.calls, total.unpriced_calls, total.cost_usd) == (3, 0, 0.0)
    assert [call.cost_usd for call in read(database, lambda c: store.calls_of_run(c, "run_1"))] == [0.0, 0.0, 0.0]


def test_a_model_elsewhere_without_a_price_stays_unknown_and_an_own_price_of_one_here_counts(database, add):
    add(cost_usd_micros=None)
    add(model="near/qwen", is_local=True, cost_usd_micros=700)
    total = read(database, lambda c: store.of_run(c, "run_1"))
    assert (total.calls, total.unpriced_calls, total.cost_usd) == (2, 1, 0.0007)
    assert [call.cost_usd for call in read(database, lambda c: store.calls_of_run(c, "run_1"))] == [None, 0.0007]


def test_what_a_deleted_chat_cost_stays_known(database, add):
    add(chat_id="deleted")
    assert read(database, lambda c: store.of_run(c, "run_1")).calls == 1


def test_budgets_count_what_went_elsewhere_only(database, add):
    add()
    add(is_local=True)
    add(run_id="run_2", begun_at=NOON - timedelta(days=3))
    add(run_id="run_3", begun_at=NOON - timedelta(days=40))
    used = read(database, lambda c: store.used_by(c, "local", run_id="run_1", now=NOON))
    assert {period: cost.tokens for period, cost in used.items()} == {"run": 1100, "day": 1100, "month": 2200}
    assert used["run"].usd == 0.0025


def test_nothing_used_is_nothing(database):
    used = read(database, lambda c: store.used_by(c, "local", run_id="run_1", now=NOON))
    assert {cost.tokens for cost in used.values()} == {0}
    assert read(database, lambda c: store.of_run(c, "run_1")) == UsageTotal()
