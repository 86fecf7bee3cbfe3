"""The budgets before a request leaves: asked by the door to the models."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..errors import BudgetPassed
from ..schemas import Usage
from . import store
from .budget import REPLY_TOKENS, Cost, first_passed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    from ..ports import Clock, ModelRequest
    from ..schemas import BudgetState, Period
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
        self._going: dict[tuple[str, str, str], Cost] = {}
        """(owner, chat, run) -> what is on its way of it: nobody knows yet what it will have taken."""

    async def passed(self, request: ModelRequest, model: str) -> BudgetPassed | None:
        """What to ask before a model elsewhere gets this request; None where it keeps to every budget.

        A budget that the person let this run pass is not looked at; one of a run neither, for calls of no run.
        What keeps to them counts as on its way from here on, until `ended`: of several at once each sees the others.
        """
        self.ended(request)
        others = self._others(request)  # before what is written down is read: nothing is missed in between
        every = await asyncio.to_thread(self._budgets)
        budgets = [
            one for one in every if name_of(one) not in request.agreed and (one.period != "run" or request.run_id)
        ]
        if not every:
            return None
        given, taken = tokens_of(request), request.max_output_tokens or REPLY_TOKENS
        coming = Cost(given + taken, await self._price(model, given, taken))

        def look() -> Mapping[Period, Cost]:
            with self._database.read() as connection:
                return store.used_by(connection, request.owner_id, run_id=request.run_id, now=self._clock.now())

        used = await self._database.run(look)
        others |= self._others(request)
        state = first_passed(budgets, _with(used, others.values()), coming)
        if state is None:
            self._going[_key(request)] = coming
            return None
        return BudgetPassed(name_of(state), model, figures=_figures(state), tokens=coming.tokens, usd=coming.usd)

    async def prompt(self, request: ModelRequest, model: str) -> Usage:
        """What a request takes at least, by our own count."""
        given = tokens_of(request)
        return Usage(input_tokens=given, is_estimated=True, cost_usd=await self._price(model, given, 0))

    def ended(self, request: ModelRequest) -> None:
        """It is not on its way any more."""
        self._going.pop(_key(request), None)

    def _others(self, request: ModelRequest) -> dict[tuple[str, str, str], Cost]:
        return {key: cost for key, cost in self._going.items() if key[0] == request.owner_id}


def tokens_of(request: ModelRequest) -> int:
    """Of a prompt, as counted when it was made, else by its length."""
    return request.tokens or sum(len(str(one)) for one in request.messages) // CHARS_PER_TOKEN


def _key(request: ModelRequest) -> tuple[str, str, str]:
    return request.owner_id, request.chat_id, request.run_id


def _with(used: Mapping[Period, Cost], others: Iterable[Cost]) -> Mapping[Period, Cost]:
    """What is used, with what is on its way in other runs; a run has but one request at a time."""
    going = list(others)
    tokens, usd = sum(one.tokens for one in going), sum(one.usd or 0.0 for one in going)
    return {
        period: cost if period == "run" else Cost(cost.tokens + tokens, (cost.usd or 0.0) + usd)
        for period, cost in used.items()
    }


def name_of(budget: Budget | BudgetState) -> str:
    """How a budget is named in questions: "period/unit"."""
    return f"{budget.period}/{budget.unit}"


def _figures(state: BudgetState) -> str:
    if state.unit == "usd":
        return f"${state.used:.4f} of ${state.limit:g} used"
    return f"{int(state.used):,} of {int(state.limit):,} tokens used"
