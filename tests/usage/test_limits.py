"""Whose budgets hold: the smaller of the server's and the person's own."""

from __future__ import annotations

import pytest

from jupyter_linda.errors import InvalidInput, StaleRevision
from jupyter_linda.schemas import Budgets
from jupyter_linda.usage.budget import Budget
from jupyter_linda.usage.limits import BudgetFile

NONE = {f"budget_{period}_{unit}": 0 for period in ("run", "day", "month") for unit in ("usd", "tokens")}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data" / "budgets.json"


def test_nothing_set_is_no_budget(path):
    assert BudgetFile(path, NONE).current() == ()


@pytest.mark.parametrize(
    ("of_server", "own", "holds"), [(2.5, 0, 2.5), (0, 1.0, 1.0), (2.5, 1.0, 1.0), (2.5, 9.0, 2.5)]
)
def test_the_smaller_holds(path, of_server, own, holds):
    limits = BudgetFile(path, {**NONE, "budget_day_usd": of_server})
    limits.save(Budgets(day_usd=own))
    assert limits.current() == (Budget("day", "usd", holds),)


def test_budgets_that_somebody_set_meanwhile_are_not_overwritten(path):
    limits = BudgetFile(path, NONE)
    limits.save(Budgets(day_usd=1.0), was=Budgets())
    with pytest.raises(StaleRevision, match="changed meanwhile"):
        limits.save(Budgets(run_usd=2.0), was=Budgets())
    assert limits.own() == Budgets(day_usd=1.0)
    limits.save(Budgets(day_usd=1.0, run_usd=2.0), was=Budgets(day_usd=1.0))
    assert limits.own() == Budgets(day_usd=1.0, run_usd=2.0)


def test_a_change_holds_at_once_for_whoever_reads_it(path):
    writer, reader = BudgetFile(path, NONE), BudgetFile(path, NONE)
    assert reader.current() == ()
    writer.save(Budgets(run_tokens=900))
    assert reader.current() == (Budget("run", "tokens", 900),)


@pytest.mark.parametrize("text", ["{", "[]", '{"run_usd": -1}', '{"run_usd": "much"}', '{"run_usd": NaN}'])
def test_a_file_that_is_malformed_is_said_and_lets_nothing_pass(path, text):
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(InvalidInput, match=r"^budgets\.json cannot be read: [^\n]+\.$"):
        BudgetFile(path, NONE).current()
