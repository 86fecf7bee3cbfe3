"""Running one cell: sent once, followed to its end, its time limit, a death or a cancel."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..ports import RunOutcome
from .outputs import OutputCollector

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..ports import Json
    from .kernels import KernelLink

BUSY_WAIT_S = 2.0
"""How long a run waits for a kernel that somebody else uses before it says so."""
INTERRUPT_WAIT_S = 5.0
"""How long an interrupted cell may take to stop before it counts as ignoring the interrupt."""
IDLE_WAIT_S = 5.0
"""After the reply: how long the last outputs may take to arrive."""
PROGRESS_S = 0.3
DIED = "The kernel died while the cell ran. Its variables are lost; the next run starts afresh."

Status = Literal["ok", "error", "timeout", "interrupted", "kernel_died", "busy"]


@dataclass
class Execution:
    """One execute request and what came of it."""

    link: KernelLink
    collector: OutputCollector
    on_progress: Callable[[str], None] | None = None

    def __post_init__(self) -> None:
        self._idle = asyncio.Event()
        self._told_at = self._heard_at = 0.0

    async def run(self, code: str, *, timeout_s: float, stop_on_error: bool) -> tuple[Status, str]:
        """Send and follow. Returns the status and a note; a cancel interrupts only what is ours."""
        msg_id, reply = self.link.send_execute(
            code, self._hear, silent=False, store_history=True, stop_on_error=stop_on_error
        )
        try:
            return await self._within(msg_id, reply, timeout_s)
        except asyncio.CancelledError:
            await asyncio.shield(self.link.stop(msg_id))
            raise
        finally:
            self.link.forget(msg_id)

    async def _within(
        self, msg_id: str, reply: asyncio.Future[Mapping[str, Json]], timeout_s: float
    ) -> tuple[Status, str]:
        if not await self._ends(reply, timeout_s):
            return await self._stop_late(msg_id, reply, timeout_s)
        status = await self._outcome(reply)
        return status, DIED if status == "kernel_died" else ""

    def _hear(self, kind: str, content: Mapping[str, Json]) -> None:
        if kind == "status":
            if content.get("execution_state") == "idle":
                self._idle.set()
            return
        self.collector.take(kind, content)
        self._heard_at = now = time.monotonic()
        if kind == "stream" and self.on_progress is not None and now - self._told_at > PROGRESS_S:
            self._told_at = now
            self.on_progress(self.collector.last_text())

    async def _ends(self, reply: asyncio.Future[Mapping[str, Json]], timeout_s: float) -> bool:
        """Whether the code, or the kernel, comes to its end in that time."""
        died: asyncio.Future[Any] = asyncio.ensure_future(self.link.died.wait())
        try:
            done, _ = await asyncio.wait([reply, died], timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            died.cancel()
        return bool(done)

    async def _outcome(self, reply: asyncio.Future[Mapping[str, Json]]) -> Status:
        """What became of it, once it has ended. No time limit holds then: an interrupt would hit what runs next."""
        if not reply.done() or reply.cancelled():  # cancelled: the link was closed after the death
            return "kernel_died"
        # The reply may overtake the last outputs, which come on another channel; while they still come, wait.
        self._heard_at = time.monotonic()
        while not self._idle.is_set() and time.monotonic() - self._heard_at < IDLE_WAIT_S:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._idle.wait(), IDLE_WAIT_S / 10)
        return _status_of(reply.result(), self.collector)

    async def _stop_late(
        self, msg_id: str, reply: asyncio.Future[Mapping[str, Json]], timeout_s: float
    ) -> tuple[Status, str]:
        said = f"The cell timed out after {timeout_s:g} s"
        if not self.link.is_running(msg_id) and not reply.done():
            return "timeout", f"{said}; it had not begun, and the kernel still has it in its queue."
        await self.link.interrupt()
        if not await self._ends(reply, INTERRUPT_WAIT_S):
            return "timeout", (
                f"{said}; the interrupt was ignored and the cell still runs. "
                "Nothing else is run in this kernel until it stops or is restarted."
            )
        status = await self._outcome(reply)
        if status == "kernel_died":
            return status, f"{said}; the kernel died when it was interrupted. Its variables are lost."
        return "timeout", f"{said} and was interrupted."


def _status_of(reply: Mapping[str, Json], collector: OutputCollector) -> Status:
    if collector.execution_count is None:
        collector.execution_count = reply.get("execution_count")
    if reply.get("status") == "ok":
        return "ok"
    if reply.get("status") == "error":
        if not collector.has_error:
            collector.take("error", reply)
        return "interrupted" if reply.get("ename") == "KeyboardInterrupt" else "error"
    return "interrupted"  # aborted: an earlier request failed and took this one with it


async def run_in_kernel(
    link: KernelLink,
    code: str,
    *,
    timeout_s: float,
    limit_bytes: int,
    may_raise: bool,
    on_progress: Callable[[str], None] | None,
) -> RunOutcome:
    """Run code in the main shell, one of ours at a time; never behind somebody else's long cell."""
    started = time.monotonic()
    async with link.lock:
        if not await link.wait_idle(BUSY_WAIT_S):
            note = "The kernel is busy with another cell, so this one was not sent. Wait, or interrupt that one."
            return RunOutcome("busy", [], None, time.monotonic() - started, note)
        collector = OutputCollector(limit_bytes)
        execution = Execution(link, collector, on_progress)
        status, note = await execution.run(code, timeout_s=timeout_s, stop_on_error=not may_raise)
    if status == "error" and may_raise:
        status, note = "ok", "It raised, as its tag raises-exception expects."
    return RunOutcome(status, collector.outputs(), collector.execution_count, time.monotonic() - started, note)
