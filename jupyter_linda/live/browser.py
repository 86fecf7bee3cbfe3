"""The browser tabs that are connected: what each has open, and requests to one of them."""

from __future__ import annotations

import asyncio
import copy
import itertools
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import Conflict, from_wire

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..ports import Json


@dataclass
class Tab:
    """One connected browser tab. `used` orders tabs by when they last said something; the newest is largest."""

    client_id: str
    send: Callable[[dict[str, Json]], None]
    used: int
    owner_id: str
    notebooks: tuple[str, ...] = ()
    active: str = ""


@dataclass
class _Pending:
    client_id: str
    answer: asyncio.Future[Json]
    on_progress: Callable[[str], None] | None = None


def api_path(path: str) -> str:
    """A tab's path as an API path: collaboration's drive is a view of the same files."""
    return path.removeprefix("RTC:").lstrip("/")


class Browsers:
    """Presence, and one request at a time to one named tab. Lives on the server's event loop.

    On a server that several people share, `of` narrows it to the tabs of one of them.
    """

    def __init__(self) -> None:
        self._owner_id: str | None = None
        self._tabs: dict[str, Tab] = {}
        self._pending: dict[str, _Pending] = {}
        self._moments = itertools.count(1)

    def of(self, owner_id: str) -> Browsers:
        """The same tabs, of which only this person's are asked for anything."""
        narrowed = copy.copy(self)
        narrowed._owner_id = owner_id
        return narrowed

    # ---- called by the WebSocket handler -------------------------------------------------------

    def connect(self, client_id: str, send: Callable[[dict[str, Json]], None], owner_id: str) -> None:
        """A tab said hello; a second hello of the same tab replaces the first connection."""
        old = self._tabs.get(client_id)
        if old is not None and old.owner_id != owner_id:
            raise Conflict("This tab id belongs to somebody else.", remedy="Reload the page.")
        self._tabs[client_id] = Tab(client_id, send, next(self._moments), owner_id)
        if old is not None:
            self._drop_pending(client_id)
            self._tabs[client_id].notebooks, self._tabs[client_id].active = old.notebooks, old.active

    def disconnect(self, client_id: str, send: Callable[[dict[str, Json]], None] | None = None) -> None:
        """A tab's socket closed: its documents are not open any more, its requests end.

        With `send` only that very connection ends, so that a late goodbye does not drop a tab that came back.
        """
        tab = self._tabs.get(client_id)
        if tab is None or (send is not None and tab.send != send):
            return
        del self._tabs[client_id]
        self._drop_pending(client_id)

    def presence(self, client_id: str, presence: Mapping[str, Json]) -> None:
        """What a tab has open, as it said."""
        tab = self._tabs.get(client_id)
        if tab is None:
            return
        tab.notebooks = tuple(api_path(str(path)) for path in presence.get("notebooks") or ())
        tab.active = api_path(str(presence.get("active") or ""))
        tab.used = next(self._moments)

    def reply(self, frame: Mapping[str, Json]) -> None:
        """A tab's answer to a request; one that nobody waits for is dropped."""
        pending = self._pending.get(str(frame.get("request_id")))
        if pending is None or pending.answer.done():
            return
        error = frame.get("error")
        if isinstance(error, dict):
            kind, message = str(error.get("kind")), str(error.get("message"))
            pending.answer.set_exception(from_wire(kind, message, remedy=str(error.get("remedy") or "")))
        else:
            pending.answer.set_result(frame.get("result"))

    def progress(self, frame: Mapping[str, Json]) -> None:
        """Live text of a request that runs a cell."""
        pending = self._pending.get(str(frame.get("request_id")))
        if pending is not None and pending.on_progress is not None:
            pending.on_progress(str(frame.get("text") or ""))

    # ---- called by documents and kernels -------------------------------------------------------

    def tabs(self) -> list[Tab]:
        """Everybody's connected tabs, the newest active first."""
        return sorted(self._tabs.values(), key=lambda tab: -tab.used)

    def own_tabs(self) -> list[Tab]:
        """The tabs that may be asked, the newest active first."""
        return [tab for tab in self.tabs() if self._owner_id in (None, tab.owner_id)]

    def is_connected(self, client_id: str) -> bool:
        """Whether a tab is still there."""
        return client_id in self._tabs

    def holder(self, path: str) -> str | None:
        """The one tab an operation on an open document goes to: where it is active, else the newest."""
        holding = [tab for tab in self.own_tabs() if api_path(path) in tab.notebooks]
        active = [tab for tab in holding if tab.active == api_path(path)]
        return (active or holding)[0].client_id if holding else None

    def refuse_foreign(self, path: str) -> None:
        """`Conflict` where only somebody else's tab has the document: what they typed there is not saved yet."""
        if self.holder(path) is None and any(api_path(path) in tab.notebooks for tab in self.tabs()):
            raise Conflict(
                f"{path!r} is open in another person's tab.",
                remedy="Ask them to close it, or open it together through jupyter-collaboration.",
            )

    async def request(
        self,
        client_id: str,
        operation: str,
        params: Mapping[str, Json],
        *,
        timeout_s: float,
        on_progress: Callable[[str], None] | None = None,
        grace_s: float = 0.0,
    ) -> Json:
        """Ask one tab and wait. Raises the tab's own error, `ConnectionError` when it goes, `TimeoutError`.

        When the caller gives up (timeout, cancelled) the tab is told to stop. With `grace_s` its answer to that
        is waited for, and the result is a pair: (result, whether it was late).
        """
        tab = self._tabs.get(client_id)
        if tab is None:
            raise ConnectionError("the tab is gone")
        request_id = f"req_{uuid.uuid4().hex}"
        pending = _Pending(client_id, asyncio.get_running_loop().create_future(), on_progress)
        self._pending[request_id] = pending
        tab.send({"type": "request", "request_id": request_id, "operation": operation, "params": dict(params)})
        try:
            async with asyncio.timeout(timeout_s):
                result = await asyncio.shield(pending.answer)
                return (result, False) if grace_s else result
        except TimeoutError:
            self._cancel(client_id, request_id)
            if not grace_s:
                raise
            async with asyncio.timeout(grace_s):
                return await pending.answer, True
        except asyncio.CancelledError:
            self._cancel(client_id, request_id)
            raise
        finally:
            del self._pending[request_id]
            pending.answer.cancel()

    def _cancel(self, client_id: str, request_id: str) -> None:
        tab = self._tabs.get(client_id)
        if tab is not None:
            tab.send({"type": "cancel", "request_id": request_id})

    def _drop_pending(self, client_id: str) -> None:
        for pending in self._pending.values():
            if pending.client_id == client_id and not pending.answer.done():
                pending.answer.set_exception(ConnectionError("the tab is gone"))
