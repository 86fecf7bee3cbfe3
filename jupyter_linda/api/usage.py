"""Routes of what model calls cost, and of the trace of one run."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from ..chats import store as chats
from ..chats import summaries
from ..errors import InvalidInput, NotFound
from ..permissions import audit
from ..runs import questions
from ..schemas import Budgets, BudgetsInput, ContextMeter, Trace, UsageReport
from ..storage.tables import calls, events, messages, runs
from ..usage import store
from ..usage.limits import BudgetFile
from .base import LindaHandler

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy import Connection

    from .services import Services

MOST_DAYS = 366
MOST_DECISIONS = 1000

_PROMPTS = ("context.measured", "message.added")
"""What a prompt is made of, and the message that came of it."""


class UsageHandler(LindaHandler):
    """GET usage"""

    async def get(self) -> None:
        """What the owner used in the last days."""
        days = self.number("days", 30)
        if days is None or not 1 <= days <= MOST_DAYS:
            raise InvalidInput(f"days is {days}.", remedy=f"Choose 1 to {MOST_DAYS}.")
        owner, now = self.owner_id, self.services.clock.now()
        limits = _limits(self.services)

        def work() -> UsageReport:
            with self.services.database.read() as connection:
                since = now - timedelta(days=days)
                return store.report(connection, owner, limits, since=since, until=now, now=now)

        self.reply(await self.services.database.run(work))


class BudgetsHandler(LindaHandler):
    """PUT usage/budgets"""

    needs_database = False

    async def put(self) -> None:
        """Replace the person's own budgets: only a person may, and none that were set meanwhile."""
        self.refuse_tokens()
        limits = _limits(self.services)
        wish = self.body(BudgetsInput)
        limits.save(Budgets.model_validate(wish.model_dump(exclude={"was"})), was=wish.was)
        self.reply(limits.own())


class TraceHandler(LindaHandler):
    """GET runs/{run_id}/trace"""

    async def get(self, run_id: str) -> None:
        """Everything about one run; with `download`, as a file."""
        owner = self.owner_id

        def work() -> Trace:
            with self.services.database.read() as connection:
                return trace_of(connection, run_id, owner)

        found = await self.services.database.run(work)
        if self.get_query_argument("download", ""):
            self.set_header("Content-Disposition", f'attachment; filename="linda-trace-{run_id}.json"')
        self.set_header("Cache-Control", "no-store")
        self.reply(found)


def _limits(services: Services) -> BudgetFile:
    return BudgetFile(Path(services.settings.data_dir) / "budgets.json", services.settings.to_worker())


def trace_of(connection: Connection, run_id: str, owner_id: str) -> Trace:
    """A run of this owner with all that was written down about it."""
    row = connection.execute(select(runs).where(runs.c.run_id == run_id, runs.c.owner_id == owner_id)).one_or_none()
    if row is None:
        raise NotFound(f"There is no run {run_id}.", remedy="Its chat may have been deleted.")
    asked = connection.execute(select(messages).where(messages.c.message_id == row.message_id)).one()
    replies = connection.execute(
        select(messages)
        .where(messages.c.run_id == run_id, messages.c.role == "assistant")
        .order_by(messages.c.position)
    )
    tools = connection.execute(
        select(calls)
        .join(messages, messages.c.message_id == calls.c.message_id)
        .where(calls.c.run_id == run_id)
        .order_by(messages.c.position, calls.c.position)
    )
    told = connection.execute(
        select(events.c.kind, events.c.payload)
        .where(events.c.chat_id == row.chat_id, events.c.run_id == run_id, events.c.kind.in_(_PROMPTS))
        .order_by(events.c.seq)
    )
    decisions = audit.list_entries(
        connection, owner_id, audit.AuditFilter(chat_id=row.chat_id, run_id=run_id), limit=MOST_DECISIONS
    )
    return Trace(
        run=chats.as_run(row),
        asked=chats.as_message(asked),
        contexts=_contexts((one.kind, json.loads(one.payload)) for one in told),
        summaries=summaries.of_chat(connection, row.chat_id),
        decisions=tuple(reversed(decisions)),
        questions=tuple(questions.of_run(connection, run_id)),
        model_calls=store.calls_of_run(connection, run_id),
        replies=tuple(chats.as_message(one) for one in replies),
        tools=tuple(chats.as_call(one) for one in tools),
        total=store.of_run(connection, run_id),
    )


def _contexts(told: Iterable[tuple[str, Mapping[str, Any]]]) -> tuple[ContextMeter, ...]:
    """The prompts that a model was given. One that a person is asked about is measured before, and after the answer."""
    found: list[ContextMeter] = []
    measured: ContextMeter | None = None
    for kind, payload in told:
        if kind == "context.measured":
            measured = ContextMeter.model_validate(payload["meter"])
        elif measured is not None:
            found.append(measured)
            measured = None
    return tuple(found)
