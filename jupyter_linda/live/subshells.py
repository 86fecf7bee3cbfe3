"""Subshells of ours in one kernel: a look has one to itself until the kernel has answered it."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import KernelUnavailable

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping

    from ..ports import Json

MOST_SUBSHELLS = 4
"""Threads of ours in a kernel. A look that never ends keeps its own; nobody can stop a thread from outside."""
ANSWER_S = 1.0
MAKING_S = 600.0
"""How long a kernel may take to make one (its threads stand still while a cell keeps Python's lock to itself)."""


class _Asks(Protocol):
    def __call__(
        self, kind: str, content: Mapping[str, Json], *, timeout_s: float
    ) -> Coroutine[Any, Any, Mapping[str, Json]]: ...


class Subshells:
    """Made when needed, used again, and bounded.

    One that is at work is never deleted: ipykernel's shell thread would wait for its end, deaf to every cell.
    """

    def __init__(self, ask: _Asks) -> None:
        self._ask = ask
        self._free: list[str] = []
        self._taken: set[str] = set()
        self._making: asyncio.Task[Mapping[str, Json]] | None = None
        self.lock = asyncio.Lock()
        """Held by the look that goes on: they go one after the other, and find a subshell that is not stuck."""

    async def take(self) -> str | None:
        """A subshell nobody is at; None if the kernel makes none. `KernelUnavailable` when all ours are stuck."""
        if not self._free and len(self._taken) >= MOST_SUBSHELLS:
            raise KernelUnavailable(
                f"{len(self._taken)} earlier looks into this kernel did not end and still run in it, "
                "so no other is begun.",
                remedy="Wait for them to end, or ask the user to restart the kernel: its variables are lost then.",
            )
        if not self._free:
            await self._make()
        if not self._free:
            return None
        self._taken.add(self._free[-1])
        return self._free.pop()

    async def _make(self) -> None:
        if self._making is None:
            self._making = asyncio.create_task(self._ask("create_subshell_request", {}, timeout_s=MAKING_S))
            self._making.add_done_callback(lambda made: made.cancelled() or made.exception())  # seen, if nobody looks
        await asyncio.wait([self._making], timeout=ANSWER_S)
        if not self._making.done():
            return  # asked once: the next look waits for this very one
        made, self._making = self._making, None
        if not made.cancelled() and made.exception() is None and made.result().get("subshell_id"):
            self._free.append(made.result()["subshell_id"])

    def give_back(self, subshell_id: str, answer: Mapping[str, Json]) -> None:
        """The kernel has answered: whatever was asked in it is over."""
        self._taken.discard(subshell_id)
        if answer.get("ename") != "UnknownSubshellError":  # else somebody deleted it
            self._free.append(subshell_id)

    async def close(self) -> None:
        """Delete those nobody is at; what is at work stays, and ends with the kernel."""
        if self._making is not None:
            self._making.cancel()
        while self._free:
            with contextlib.suppress(TimeoutError):
                await self._ask("delete_subshell_request", {"subshell_id": self._free.pop()}, timeout_s=ANSWER_S)
