"""Asking a person before a model call would pass a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..schemas import Preview, Problem, Question
from ..usage import store
from ..usage.budget import first_passed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, timedelta

    from sqlalchemy import Connection

    from ..schemas import BudgetState, Run
    from ..usage.budget import Budget, Cost

GO_ON, STOP = "Go on", "Stop here"

_WORDS = {"run": "of one reply", "day": "of today", "month": "of this month"}


def passed(
    connection: Connection,
    budgets: Sequence[Budget],
    coming: Cost,
    run: Run,
    asked: Sequence[Question],
    *,
    now: datetime,
) -> BudgetState | None:
    """The budget that the next call would pass, unless the person let this run pass it."""
    let = {one.resource for one in asked if one.kind == "budget" and one.answer == GO_ON}
    left = [budget for budget in budgets if _name(budget) not in let]
    if not left:
        return None
    used = store.used_by(connection, run.owner_id, run_id=run.run_id, now=now)
    return first_passed(left, used, coming)


def is_refused(state: BudgetState, asked: Sequence[Question]) -> bool:
    """Whether the person said no for this run; nobody answering counts as no."""
    newest = [one for one in asked if one.kind == "budget" and one.resource == _name(state) and one.state != "open"]
    return bool(newest)


def refusal(state: BudgetState) -> Problem:
    """How a run ends that may not pass a budget."""
    return Problem(
        kind="budget",
        message=f"Stopped before it would pass the budget {_WORDS[state.period]} ({_figures(state)}).",
        remedy="Choose a model on this machine, wait, raise your budget under ⋯ > Usage, or have the server’s raised.",
    )


def question_for(
    state: BudgetState, coming: Cost, run: Run, question_id: str, *, model: str, now: datetime, expiry: timedelta
) -> Question:
    """The question, with what is used and what would come."""
    money = "" if coming.usd is None else f", about ${coming.usd:.4f}"
    sentence = (
        f"Go on with {model}? The next step takes about {coming.tokens:,} tokens{money}, which passes the budget "
        f"{_WORDS[state.period]}: {_figures(state)}. “{GO_ON}” holds for this reply, to its end."
    )
    return Question(
        question_id=question_id,
        chat_id=run.chat_id,
        run_id=run.run_id,
        call_id=None,
        kind="budget",
        state="open",
        action="send",
        resource=_name(state),
        preview=Preview(sentence=sentence),
        choices=(GO_ON, STOP),
        opened_at=now,
        expires_at=now + expiry,
    )


def _name(budget: Budget | BudgetState) -> str:
    return f"{budget.period}/{budget.unit}"


def _figures(state: BudgetState) -> str:
    if state.unit == "usd":
        return f"${state.used:.4f} of ${state.limit:g} used"
    return f"{int(state.used):,} of {int(state.limit):,} tokens used"
