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
"""Taken for a prompt that nobody counted, one for each sign that is not ASCII: too many rather than too few."""

MOST_OVER = 1_000
"""Of requests that are over, whose rows are looked at."""

Key = tuple[str, str, str]
"""(owner, chat, run) of a request."""


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
        self._going: dict[Key, Cost] = {}
        """What is on its way: nobody knows yet what it will have taken."""
        self._over: dict[Key, Cost] = {}
        """What is over and may not be written down yet."""

    async def passed(self, request: ModelRequest, model: str) -> BudgetPassed | None:
        """What to ask before a model elsewhere gets this request; None where it keeps to every budget.

        A budget that the person let this run pass is not looked at; one of a run neither, for calls of no run.
        What keeps to them counts as on its way from here on, until `ended`: of several at once each sees the others.
        """
        self.ended(request)
        # Before what is written down is read: nothing is missed in between.
        over, others = dict(self._over), self._others(request)
        every = await asyncio.to_thread(self._budgets)
        budgets = [
            one for one in every if name_of(one) not in request.agreed and (one.period != "run" or request.run_id)
        ]
        if not every:
            return None
        given, taken = tokens_of(request), request.max_output_tokens or REPLY_TOKENS
        coming = Cost(given + taken, await self._price(model, given, taken))

        def look() -> tuple[Mapping[Period, Cost], frozenset[Key]]:
            with self._database.read() as connection:
                now = self._clock.now()
                used = store.used_by(connection, request.owner_id, run_id=request.run_id, now=now)
                return used, store.open_of(connection, request.owner_id, now=now)

        used, still_open = await self._database.run(look)
        # What is over counts by its own row as soon as that is closed: at one look either the one or the other.
        over = {key: cost for key, cost in over.items() if key in still_open and key != _key(request)}
        others = {**over, **others, **self._others(request)}
        state = first_passed(budgets, _with(used, others.values()), coming)
        if state is None:
            self._over.pop(_key(request), None)  # a run and a chat have but one request at a time
            self._going[_key(request)] = coming
            return None
        return BudgetPassed(name_of(state), model, figures=_figures(state), tokens=coming.tokens, usd=coming.usd)

    async def prompt(self, request: ModelRequest, model: str) -> Usage:
        """What a request takes at least, by our own count."""
        given = tokens_of(request)
        return Usage(input_tokens=given, is_estimated=True, cost_usd=await self._price(model, given, 0))

    def ended(self, request: ModelRequest) -> None:
        """It is not on its way any more; until its row is closed it counts with what it was thought to take."""
        cost = self._going.pop(_key(request), None)
        if cost is None:
            return
        self._over[_key(request)] = cost
        while len(self._over) > MOST_OVER:
            self._over.pop(next(iter(self._over)))

    def _others(self, request: ModelRequest) -> dict[Key, Cost]:
        return {key: cost for key, cost in self._going.items() if key[0] == request.owner_id}


def tokens_of(request: ModelRequest) -> int:
    """Of a prompt, as counted when it was made, else by its length."""
    return request.tokens or sum(map(_roughly, map(str, request.messages)))


def _roughly(text: str) -> int:
    plain = len(text.encode("ascii", "ignore"))
    return plain // CHARS_PER_TOKEN + len(text) - plain


def _key(request: ModelRequest) -> Key:
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
