"""The server's side of the worker: start at the first need, watch, restart with backoff, end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, Literal

from ..channel.pipes import Channel, Handler
from ..errors import ChannelClosed, LindaError, Unavailable, WorkerUnavailable
from ..schemas import Problem
from .process import end_group, popen_options

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ..ports import Json

log = logging.getLogger(__name__)

BACKOFF_S = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
"""Pause before a restart, by how many times in a row the worker died."""
STEADY_S = 60.0
"""A worker that lived this long has no bad history."""

PULSES_MISSED = 2
"""Unanswered pings in a row after which a worker counts as frozen."""

State = Literal["idle", "starting", "running", "restarting", "failed"]


class Supervisor:
    """Implements `ports.Brain`: asks the worker, starting it if needed.

    `on_death(worker_id)` runs in a thread after a worker ended: it frees what the dead one held and
    says whether work is left, in which case the next one is started.
    """

    def __init__(
        self,
        settings: Mapping[str, Json],
        handlers: Mapping[str, Handler],
        *,
        server_id: str,
        root_dir: str,
        log_file: Path,
        start_timeout_s: float,
        on_death: Callable[[str], bool],
        pulse_s: float = 10.0,
    ) -> None:
        self._settings = settings
        self._handlers = handlers
        self._server_id = server_id
        self._root_dir = root_dir
        self._log_file = log_file
        self._start_timeout_s = start_timeout_s
        self._on_death = on_death
        self._pulse_s = pulse_s
        self._command = (sys.executable, "-P", "-m", "jupyter_linda.worker")  # -P: no module of the folder it starts in
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: Channel | None = None
        self._starting: asyncio.Task[Channel] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._deaths = 0
        self._started_at = 0.0
        self.worker_ids: list[str] = []
        """Every worker this server ever had."""
        self._is_closing = False
        self.state: State = "idle"
        self.problem: Problem | None = None

    # ---- ports.Brain -------------------------------------------------------------------------------

    async def ask(self, method: str, params: Mapping[str, Json], *, timeout_s: float = 10.0) -> Json:
        """Call the worker; `WorkerUnavailable` when it does not come up in time."""
        channel = await self._ready()
        return await channel.call(method, params, timeout_s=timeout_s)

    def nudge(self, what: Literal["runs", "stop", "rules", "settings"], **params: Json) -> None:
        """Tell the worker; starts it for runs."""
        if self._channel is not None and not self._channel.is_closed:
            self._channel.note(what, params)
        elif what == "runs":
            self._own(asyncio.ensure_future(self._start_quietly()))

    @property
    def pid(self) -> int | None:
        """The worker's process id while it lives."""
        return None if self._process is None or self._process.poll() is not None else self._process.pid

    # ---- life ----------------------------------------------------------------------------------------

    async def _start_quietly(self) -> None:
        with contextlib.suppress(WorkerUnavailable):
            await self._ready()

    async def _ready(self) -> Channel:
        if self._channel is not None and not self._channel.is_closed:
            return self._channel
        if self._is_closing:
            raise WorkerUnavailable("The server is shutting down.")
        if self._starting is None or self._starting.done():
            self._starting = self._own(asyncio.ensure_future(self._start()))
        try:
            return await asyncio.wait_for(asyncio.shield(self._starting), self._start_timeout_s)
        except TimeoutError:
            raise WorkerUnavailable(
                f"Linda's worker did not answer within {self._start_timeout_s:g} s.",
                remedy=f"Try again; if it stays, read {self._log_file.name}, or run `jupyter linda doctor`.",
            ) from None

    async def _start(self) -> Channel:
        pause = BACKOFF_S[min(self._deaths, len(BACKOFF_S) - 1)]
        self.state = "restarting" if self._deaths else "starting"
        if pause:
            await asyncio.sleep(pause)
        worker_id = f"{self._server_id}-{os.getpid()}-{len(self.worker_ids) + 1}"
        self.worker_ids.append(worker_id)
        try:
            self._process = await asyncio.to_thread(self._spawn)
        except OSError as error:
            self._fail(
                f"Linda's worker cannot be started: {error}.",
                "Look at the server's log; `jupyter linda doctor` checks the installation.",
            )
            raise WorkerUnavailable(f"Linda's worker cannot be started: {error}.") from error
        assert self._process.stdin is not None  # noqa: S101  pipes were asked for
        assert self._process.stdout is not None  # noqa: S101  pipes were asked for
        process = self._process
        channel = Channel(
            os.dup(self._process.stdout.fileno()),
            os.dup(self._process.stdin.fileno()),
            self._handlers,
            on_close=lambda reason: self._died(worker_id, process, reason),
        )
        self._process.stdin.close()
        self._process.stdout.close()
        channel.start()
        self._started_at = time.monotonic()
        hello = {
            "settings": self._settings,
            "server_id": self._server_id,
            "worker_id": worker_id,
            "root_dir": self._root_dir,
            "server_pid": os.getpid(),
        }
        try:
            await channel.call("hello", hello, timeout_s=max(self._start_timeout_s, 30.0))
        except LindaError as error:
            channel.close()
            self._fail(f"Linda's worker did not start: {error.message}", error.remedy)
            raise WorkerUnavailable(f"Linda's worker did not start: {error.message}", remedy=error.remedy) from error
        self._channel = channel
        self.state, self.problem = "running", None
        self._own(asyncio.ensure_future(self._feel_pulse(channel, process)))
        return channel

    async def _feel_pulse(self, channel: Channel, process: subprocess.Popen[bytes]) -> None:
        """A worker that lives but answers nothing (stopped, or stuck in one instruction) is ended like a dead one."""
        missed = 0
        while not channel.is_closed:
            await asyncio.sleep(self._pulse_s)
            try:
                await channel.call("ping", timeout_s=self._pulse_s)
                missed = 0
            except ChannelClosed:
                return
            except Unavailable:
                missed += 1
            if missed >= PULSES_MISSED:
                log.warning("Linda's worker does not answer: it is ended")
                process.kill()
                channel.close()
                return

    def _spawn(self) -> subprocess.Popen[bytes]:
        self._log_file.parent.mkdir(parents=True, exist_ok=True)
        _rotate(self._log_file)
        with self._log_file.open("ab") as log_stream:
            return subprocess.Popen(  # noqa: S603  our own interpreter and module
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log_stream, **popen_options()
            )

    def _fail(self, message: str, remedy: str) -> None:
        self._deaths += 1
        self.state, self.problem = "failed", Problem(kind="WorkerUnavailable", message=message, remedy=remedy)

    def _died(self, worker_id: str, process: subprocess.Popen[bytes], reason: str) -> None:
        """The channel ended: reap the process group, free its runs, restart if work is left."""
        self._channel = None
        self._own(asyncio.ensure_future(self._bury(worker_id, process, reason)))

    async def _bury(self, worker_id: str, process: subprocess.Popen[bytes], reason: str) -> None:
        code = await asyncio.to_thread(end_group, process)
        lived_s = time.monotonic() - self._started_at
        if code == 0:
            self._deaths = 0
        else:
            self._deaths = 1 if lived_s > STEADY_S else self._deaths + 1
            log.warning("Linda's worker ended with %s after %.1f s (%s)", code, lived_s, reason)
        if self.state == "running":
            self.state = "idle"
        is_work_left = await asyncio.to_thread(self._on_death, worker_id)
        if is_work_left and not self._is_closing and self._deaths < len(BACKOFF_S):
            await self._start_quietly()

    def _own(self, task: asyncio.Task[Any]) -> asyncio.Task[Any]:
        self._tasks.add(task)
        task.add_done_callback(self._disown)
        return task

    def _disown(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None and not isinstance(task.exception(), LindaError):
            log.error("supervising the worker failed", exc_info=task.exception())

    async def close(self) -> None:
        """End the worker: it is asked first, then its whole process group."""
        self._is_closing = True
        process = self._process
        if self._channel is not None:
            self._channel.close()
        if process is not None:
            await asyncio.to_thread(end_group, process)
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _rotate(path: Path, *, limit_bytes: int = 2_000_000) -> None:
    """Keep one older log."""
    with contextlib.suppress(OSError):
        if path.stat().st_size > limit_bytes:
            path.replace(path.with_suffix(".1.log"))
