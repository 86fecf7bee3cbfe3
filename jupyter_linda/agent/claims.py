"""The worker's desk: claims runs, carries them, renews leases, stops, tidies, and knows when it is idle."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..errors import LeaseLost, LindaError
from ..runs import left, questions, queue, servers
from ..runs.lease import Lease
from .loop import Mind, Runner, end_in_bug

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import timedelta

    from ..events.log import EventLog
    from ..ports import Dispatcher
    from .hands import Hands

log = logging.getLogger(__name__)

STOP_WAIT_S = 0.1
"""How long a stopped run's task may take to let go before `stopped` is written anyway (the fence guards it)."""


class WatchedQueue:
    """Implements `ports.Dispatcher`: woken over the channel, looking at the database at least every second."""

    def __init__(self) -> None:
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """There may be work."""
        self._woken.set()

    async def wait(self, *, timeout_s: float) -> None:
        """See `ports.Dispatcher`."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._woken.wait()
        self._woken.clear()


@dataclass(frozen=True)
class Times:
    """Seconds between the desk's duties."""

    lease_s: float
    idle_s: float
    chunk_keep: timedelta
    look_s: float = 1.0
    heartbeat_s: float = 15.0
    expiry_s: float = 20.0
    fold_s: float = 600.0


@dataclass
class Held:
    """A run this worker carries."""

    lease: Lease
    task: asyncio.Task[None]


class Claims:
    """Claims and carries runs until it has been idle for long enough."""

    def __init__(
        self,
        log_: EventLog,
        mind: Mind,
        hands: Hands,
        dispatcher: Dispatcher,
        *,
        me: queue.Claimant,
        server_pid: int,
        times: Times,
        tidy: Callable[[], object] = lambda: None,
    ) -> None:
        self._log = log_
        self._mind = mind
        self._hands = hands
        self._dispatcher = dispatcher
        self._me = me
        self._server_pid = server_pid
        self._times = times
        self._tidy = tidy
        self._held: dict[str, Held] = {}
        self._last: dict[str, float] = {}
        self._busy_at = time.monotonic()

    @property
    def held(self) -> Sequence[str]:
        """Ids of the runs carried now."""
        return tuple(self._held)

    def touch(self) -> None:
        """Somebody asked something: not idle."""
        self._busy_at = time.monotonic()

    async def work(self) -> None:
        """Claim and carry; returns when idle for long enough."""
        while True:
            try:
                await self._duties()
                await self._claim_all()
            except LindaError as error:
                log.error("%s %s", error.message, error.remedy)  # noqa: TRY400  the cause is in the message
            if self._held:
                self.touch()
            elif time.monotonic() - self._busy_at > self._times.idle_s:
                return
            await self._dispatcher.wait(timeout_s=self._times.look_s)

    async def stop(self, run_id: str) -> None:
        """Stop a run this worker holds and write `stopped`."""
        held = self._held.get(run_id)
        if held is None:
            return
        held.task.cancel()
        await asyncio.wait({held.task}, timeout=STOP_WAIT_S)

        def work() -> None:
            with contextlib.suppress(LeaseLost), held.lease.transaction() as tx:
                queue.end(tx, run_id, "stopped")

        await self._log.database.run(work)
        self._dispatcher.wake()

    # ---- claiming ------------------------------------------------------------------------------------

    async def _claim_all(self) -> None:
        while (claim := await self._log.database.run(self._claim)) is not None:
            lease = Lease(self._log, claim, lease_s=self._times.lease_s)
            task = asyncio.create_task(self._carry(lease), name=claim.run.run_id)
            self._held[claim.run.run_id] = Held(lease, task)

    def _claim(self) -> queue.Claim | None:
        with self._log.database.read() as connection:
            # A look before the lock: most looks find nothing, and a write transaction would hold up others.
            gone = servers.gone(connection, now=self._log.clock.now())
            claimant = replace(self._me, gone=gone)
            if not queue.has_work(connection, claimant, self.held):
                return None
            dead = servers.dead_workers(connection)
        with self._log.transaction() as tx:
            for worker_id in dead:
                queue.free(tx, worker_id)
            left.give_way(tx, claimant, self._hands.ids)
            return queue.claim(tx, claimant, lease_s=self._times.lease_s, held=self.held)

    async def _carry(self, lease: Lease) -> None:
        run_id = lease.run.run_id
        try:
            await Runner(lease, self._mind, self._hands).run()
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            first = error.exceptions[0] if isinstance(error, BaseExceptionGroup) else error
            log.critical("run %s failed", run_id, exc_info=first)
            await end_in_bug(lease, first)
        finally:
            self._held.pop(run_id, None)
            self.touch()
            self._dispatcher.wake()

    # ---- duties --------------------------------------------------------------------------------------

    async def _duties(self) -> None:
        database = self._log.database
        if self._is_due("renew", self._times.lease_s / 3):
            for held in list(self._held.values()):
                await self._renew(held)
        for run_id in await database.run(self._stops_asked):
            await self.stop(run_id)
        if self._is_due("heartbeat", self._times.heartbeat_s):
            await database.run(self._beat)
        if self._is_due("expiry", self._times.expiry_s):
            await database.run(self._expire)
        if self._is_due("fold", self._times.fold_s):
            await database.run(lambda: self._log.fold(keep=self._times.chunk_keep))
            await database.run(self._tidy)

    def _is_due(self, duty: str, every_s: float) -> bool:
        now = time.monotonic()
        if now - self._last.get(duty, -1e9) < every_s:
            return False
        self._last[duty] = now
        return True

    async def _renew(self, held: Held) -> None:
        try:
            await self._log.database.run(held.lease.renew)
        except LeaseLost:
            held.task.cancel()

    def _stops_asked(self) -> list[str]:
        if not self._held:
            return []
        with self._log.database.read() as connection:
            return queue.stops_asked(connection, tuple(self._held))

    def _beat(self) -> None:
        with self._log.database.write() as connection:
            servers.beat(connection, self._me.server_id, pid=self._server_pid, now=self._log.clock.now())
            servers.beat_worker(connection, self._me.server_id, self._me.holder, pid=os.getpid())

    def _expire(self) -> None:
        with self._log.transaction() as tx:
            if questions.expire(tx):
                self._dispatcher.wake()
