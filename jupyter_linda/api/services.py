"""What the handlers share: everything the server process holds once Linda is first used."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import LindaError, StorageUnavailable
from ..events.payloads import RulesChanged
from ..runs import left, questions, queue, servers
from ..schemas import Problem

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from ..config import LindaSettings
    from ..events.follow import Follower
    from ..events.log import EventLog
    from ..gateway.level_file import LevelFile
    from ..gateway.providers import Providers
    from ..instructions.library import Library
    from ..live.browser import Browsers
    from ..live.server import LiveServer
    from ..permissions.paths import PathPolicy
    from ..permissions.policy import Policies
    from ..permissions.watch import RuleFile
    from ..ports import Clock, Ids
    from ..runs.supervisor import Supervisor
    from ..storage.database import Database
    from ..storage.files import Results
    from ..storage.standing import Standing


LOOK_S = 2.0
"""Seconds between looks at the rules file and at runs that wait for a worker."""
BEAT_S = 20.0
"""Seconds between heartbeats while runs of ours are unfinished: no worker beats for one that waits for an answer."""


@dataclass
class Services:
    """Shared by all handlers of one server."""

    settings: LindaSettings
    database: Database
    log: EventLog
    follower: Follower
    brain: Supervisor
    live: LiveServer
    browsers: Browsers
    providers: Providers
    rules: RuleFile
    levels: LevelFile
    policies: Policies
    paths: PathPolicy
    results: Results
    standing: Standing
    instructions: Library
    """Instructions, skills and commands in files."""
    sent: Results
    """What left the machine, message by message."""
    clock: Clock
    ids: Ids
    server_id: str
    root_dir: str
    server_pid: int
    database_problem: Problem | None = None
    _opening: asyncio.Task[None] | None = field(default=None, repr=False)
    _watching: asyncio.Task[None] | None = field(default=None, repr=False)
    _beat_at: datetime | None = None

    async def ready(self) -> None:
        """Open the database once; an older one is brought up to date by the worker. Raises in words."""
        if self._opening is None or (self._opening.done() and self._opening.exception() is not None):
            self._opening = asyncio.ensure_future(self._open())
        await asyncio.shield(self._opening)

    async def _open(self) -> None:
        try:
            state = await self.database.run(self.database.state)
            if state == "older":
                await self.brain.ask("tools", {}, timeout_s=60.0)  # the worker migrates before it answers anything
                if await self.database.run(self.database.state) != "current":
                    raise StorageUnavailable(
                        "The database could not be brought up to date.", remedy="Look at the worker's log."
                    )
            if state == "absent":
                await self.database.run(self.database.create)
            await self.database.run(self.expire)
        except LindaError as error:
            self.log_problem(error)
            raise
        self.database_problem = None
        if self._watching is None:
            self._watching = asyncio.ensure_future(self._watch())

    def log_problem(self, error: LindaError) -> None:
        """Keep why the database does not open, for the status page."""
        self.database_problem = Problem(kind=error.kind, message=error.message, remedy=error.remedy)

    def expire(self) -> None:
        """Close every question past its time."""
        with self.log.transaction() as tx:
            questions.expire(tx)

    async def _watch(self) -> None:
        """Start the worker for runs that may go on; tell open tabs when the rules file changed or broke."""
        seen = self._law()
        while True:
            await asyncio.sleep(LOOK_S)
            await self._look_for_runs()
            homes = self.follower.homes()
            if not homes:
                continue
            now = self._law()
            if now != seen:
                seen = now
                with contextlib.suppress(LindaError):
                    await self.database.run(self._tell_rules, homes)

    async def _look_for_runs(self) -> None:
        """Ours, whose questions another window may answer, and those that servers which are gone left behind."""
        with contextlib.suppress(LindaError):
            await self.database.run(self._look_after_runs)
            if self.brain.state == "idle" and await self.database.run(self._has_work):
                self.brain.nudge("runs")

    def _look_after_runs(self) -> None:
        now = self.clock.now()
        with self.database.read() as connection:
            # A look before the lock: most looks find nothing, and a write transaction would hold up others.
            is_untold = bool(left.untold(connection, self.claimant(connection, now), now=now))
            is_due = self._beat_at is None or (now - self._beat_at).total_seconds() >= BEAT_S
            is_beat_due = is_due and queue.has_unfinished(connection, self.server_id)
        if is_untold:
            with self.log.transaction() as tx:
                left.tell(tx, self.claimant(tx.connection, tx.now))
        if is_beat_due:
            self._beat_at = now
            with self.database.write() as connection:
                servers.beat(connection, self.server_id, pid=self.server_pid, now=now)

    def claimant(self, connection: Connection, now: datetime) -> queue.Claimant:
        """Whose runs our worker may carry."""
        return queue.Claimant("", self.server_id, self.root_dir, servers.gone(connection, now=now))

    def _has_work(self) -> bool:
        with self.database.read() as connection:
            return queue.has_work(connection, self.claimant(connection, self.clock.now()))

    def _law(self) -> tuple[object, ...]:
        return self.rules.current(), self.rules.problem, self.policies.current(), self.policies.problem

    def rules_changed(self) -> RulesChanged:
        """What is told of rules and policies as they were last read."""
        return RulesChanged(problem=self.rules.problem, policy_problem=self.policies.problem)

    def _tell_rules(self, homes: set[str]) -> None:
        with self.log.transaction() as tx:
            for home in sorted(homes):
                tx.append(home, self.rules_changed())

    def _leave(self) -> None:
        with self.log.transaction() as tx:
            for worker_id in self.brain.worker_ids:
                queue.free(tx, worker_id)
            queue.obey_stops(tx, self.server_id)
            servers.leave(tx.connection, self.server_id)

    async def close(self) -> None:
        """End the worker, the followers and the database; whoever starts next may take the runs at once."""
        if self._watching is not None:
            self._watching.cancel()
        await self.follower.close()
        await self.brain.close()
        if self._opening is not None and self.database_problem is None:
            with contextlib.suppress(LindaError):
                await self.database.run(self._leave)
        await self.live.close()
        await asyncio.to_thread(self.database.close)
