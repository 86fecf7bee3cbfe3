"""The fence: every write of a run says which claim it belongs to; an old claim writes nothing."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select, update

from ..errors import LeaseLost
from ..storage.tables import runs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..events.log import EventLog, Transaction
    from .queue import Claim


class Lease:
    """The hold of one worker on one run."""

    def __init__(self, log: EventLog, claim: Claim, *, lease_s: float) -> None:
        self.log = log
        self.run = claim.run
        self.fence = claim.fence
        self.server_id = claim.server_id
        self.attempts = claim.attempts
        self._lease_s = lease_s

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """A transaction that commits only while this claim is the run's newest; else `LeaseLost`."""
        with self.log.transaction() as tx:
            row = tx.connection.execute(
                select(runs.c.fence, runs.c.state).where(runs.c.run_id == self.run.run_id)
            ).one_or_none()
            if row is None or row.fence != self.fence or row.state != "running":
                raise LeaseLost(f"run {self.run.run_id} is no longer held with fence {self.fence}")
            yield tx

    def renew(self) -> None:
        """Push the lease's end; `LeaseLost` when somebody else has the run."""
        with self.log.database.write() as connection:
            changed = connection.execute(
                update(runs)
                .where(runs.c.run_id == self.run.run_id, runs.c.fence == self.fence, runs.c.state == "running")
                .values(lease_until=self.log.clock.now() + timedelta(seconds=self._lease_s))
            )
            if changed.rowcount == 0:
                raise LeaseLost(f"run {self.run.run_id} is no longer held with fence {self.fence}")
