"""The rows of model calls: one a try, committed before the request goes out, closed with what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sqlalchemy import insert, update

from ..schemas import Usage
from ..storage.tables import model_calls, traces

if TYPE_CHECKING:
    from datetime import datetime

    from ..events.log import EventLog, Transaction
    from ..ports import Ids, Sending
    from ..schemas import Run

MICROS = 1_000_000
UNREAD = frozenset(
    {
        "auth",
        "bad_request",
        "billing",
        "context_overflow",
        "forbidden",
        "moved",
        "no_model",
        "no_streaming",
        "no_tools",
        "overloaded",
        "rate_limit",
        "server",
        "unknown_model",
        "unreachable",
    }
)
"""Faults of providers that answered with an error in place of a reply: nobody is charged for the prompt."""


def _counts(usage: Usage) -> dict[str, object]:
    cost = usage.cost_usd
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
        "is_estimated": usage.is_estimated,
        "cost_usd_micros": None if cost is None else round(cost * MICROS),
    }


class Bearer(Protocol):
    """On whose account calls go: a lease, or somebody who asked beside any run."""

    @property
    def run(self) -> Run:
        """The run; its id is empty beside any."""

    @property
    def log(self) -> EventLog:
        """Where is written."""


class CallRecorder:
    """Writes the tries of one reply. `outcome` is "done", a fault's kind, "stopped", or "cut" by a crash."""

    def __init__(self, lease: Bearer, ids: Ids, message_id: str, *, purpose: str, asked_model: str) -> None:
        self._lease = lease
        self._ids = ids
        self._message_id = message_id
        self._purpose = purpose
        self._asked_model = asked_model
        self._call_id = ""
        self.first_at: datetime | None = None
        """When the first piece of this try came."""
        self._takes: Usage | None = None

    def begin(self, tx: Transaction, sending: Sending) -> None:
        """A try goes out now."""
        run = self._lease.run
        self._call_id, self.first_at = self._ids.new("model_call"), None
        self._takes = sending.takes
        tx.connection.execute(
            insert(model_calls).values(
                model_call_id=self._call_id,
                owner_id=run.owner_id,
                chat_id=run.chat_id,
                run_id=run.run_id,
                message_id=self._message_id,
                purpose=self._purpose,
                asked_model=self._asked_model,
                model=sending.model,
                is_local=sending.is_local,
                reason=sending.reason,
                begun_at=tx.now,
                **({} if sending.takes is None else _counts(sending.takes)),
            )
        )
        if sending.details is not None:
            tx.connection.execute(
                insert(traces).values(model_call_id=self._call_id, chat_id=run.chat_id, details=sending.details)
            )

    def piece_came(self) -> None:
        """The first of the pieces is what counts."""
        if self.first_at is None:
            self.first_at = self._lease.log.clock.now()

    def end(self, tx: Transaction, outcome: str, usage: Usage | None = None) -> None:
        """What became of the try that is under way, if there is one.

        One that ends early without the provider's count took the prompt, unless the provider refused or failed before
        any piece of a reply.
        """
        if not self._call_id:
            return
        values: dict[str, object] = {"outcome": outcome, "first_at": self.first_at, "ended_at": tx.now}
        if usage is not None:
            values |= _counts(usage)
        elif self._takes is not None and self.first_at is None and outcome in UNREAD:
            values |= _counts(Usage())
        tx.connection.execute(update(model_calls).where(model_calls.c.model_call_id == self._call_id).values(**values))
        self._call_id = ""
