"""The budgets before a request leaves: asked by the door to the models."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..errors import BudgetPassed
from . import store
from .budget import REPLY_TOKENS, Cost, first_passed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from ..ports import Clock, ModelRequest
    from ..schemas import BudgetState
    from ..storage.database import Database
    from .budget import Budget

CHARS_PER_TOKEN = 3
"""Taken for a prompt that nobody counted: too many rather than too few."""


class Purse:
    """What may still be spent. `price`: (model, tokens in, tokens out) -> US dollars, None where not known."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        budgets: Callable[[], Sequence[Budget]],
        price: Callable[[str, int, int], Awaitable[float | None]],
    ) -> None:
        self._database = database
        self._clock = clock
        self._budgets = budgets
        self._price = price

    async def passed(self, request: ModelRequest, model: str) -> BudgetPassed | None:
        """What to ask before a model elsewhere gets this request; None where it keeps to every budget.

        A budget that the person let this run pass is not looked at; one of a run neither, for calls of no run.
        """
        every = await asyncio.to_thread(self._budgets)
        budgets = [
            one for one in every if name_of(one) not in request.agreed and (one.period != "run" or request.run_id)
        ]
        if not budgets:
            return None
        given = request.tokens or sum(len(str(one)) for one in request.messages) // CHARS_PER_TOKEN
        taken = request.max_output_tokens or REPLY_TOKENS
        coming = Cost(given + taken, await self._price(model, given, taken))

        def look() -> BudgetState | None:
            with self._database.read() as connection:
                used = store.used_by(connection, request.owner_id, run_id=request.run_id, now=self._clock.now())
            return first_passed(budgets, used, coming)

        state = await self._database.run(look)
        if state is None:
            return None
        return BudgetPassed(name_of(state), model, figures=_figures(state), tokens=coming.tokens, usd=coming.usd)


def name_of(budget: Budget | BudgetState) -> str:
    """How a budget is named in questions: "period/unit"."""
    return f"{budget.period}/{budget.unit}"


def _figures(state: BudgetState) -> str:
    if state.unit == "usd":
        return f"${state.used:.4f} of ${state.limit:g} used"
    return f"{int(state.used):,} of {int(state.limit):,} tokens used"
