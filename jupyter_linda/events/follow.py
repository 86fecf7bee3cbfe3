"""Following the log in the server: replay, then live, without a gap or a double."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import LindaError
from .log import is_home

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..schemas import Event
    from .log import EventLog

log = logging.getLogger(__name__)

QUEUE_EVENTS = 5000
"""Events a client may lag behind before it is dropped (it reconnects and resumes)."""
PAGE = 500
RETRY_S = 0.5
"""Pause after the database failed."""
LAST_SEQ = 2**62
"""More than any stream will ever hold; what a client says beyond it would not fit the database's integers."""


@dataclass(frozen=True)
class Encoded:
    """An event and its JSON, made once for all listeners."""

    event: Event
    json: str


@dataclass(eq=False)
class Listener:
    """One client: the seq it has of each chat, and what waits to be sent."""

    cursors: dict[str, int] = field(default_factory=dict)
    waiting: deque[Encoded] = field(default_factory=deque)
    behind: set[str] = field(default_factory=set)
    """Chats whose older events must be read first."""
    is_dropped: bool = False
    _ready: asyncio.Event = field(default_factory=asyncio.Event)

    def push(self, encoded: Encoded) -> None:
        """Queue an event if it is the next of its chat; note a gap else. A dropped client gets and keeps nothing."""
        if self.is_dropped:
            return
        cursor = self.cursors.get(encoded.event.chat_id)
        if cursor is None or (_first_seq(encoded.event) <= cursor and encoded.event.seq <= cursor):
            return
        if _first_seq(encoded.event) > cursor + 1:
            self.behind.add(encoded.event.chat_id)
            return
        self.cursors[encoded.event.chat_id] = encoded.event.seq
        self.waiting.append(encoded)
        if len(self.waiting) > QUEUE_EVENTS:
            self.waiting.clear()
            self.is_dropped = True
        self._ready.set()

    async def take(self, *, timeout_s: float) -> list[Encoded]:
        """Everything that waits; empty after the timeout (time for a heartbeat)."""
        if not self.waiting and not self.is_dropped:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(timeout_s):
                    await self._ready.wait()
        self._ready.clear()
        taken = list(self.waiting)
        self.waiting.clear()
        return taken

    def drop(self) -> None:
        """End this listener from outside."""
        self.is_dropped = True
        self._ready.set()


def _first_seq(event: Event) -> int:
    """A folded record stands for a whole range."""
    if event.kind == "folded":
        return int(str(event.payload["from_seq"]))
    return event.seq


class Follower:
    """Reads new events once for all listeners; runs only while somebody listens."""

    def __init__(self, event_log: EventLog, *, poll_s: float) -> None:
        self._log = event_log
        self._poll_s = poll_s
        self._listeners: set[Listener] = set()
        self._woken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def listen(self, cursors: dict[str, int]) -> Listener:
        """A new listener that has seen up to these seqs."""
        listener = Listener()
        self._listeners.add(listener)
        for chat_id, seq in cursors.items():
            self.follow(listener, chat_id, seq)
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._follow())
        return listener

    def follow(self, listener: Listener, chat_id: str, after: int) -> None:
        """Send this listener a chat's events after a seq, old ones first."""
        listener.cursors[chat_id] = max(0, min(after, LAST_SEQ))
        listener.behind.add(chat_id)
        self.wake()

    def unfollow(self, listener: Listener, chat_id: str) -> None:
        """No longer send a chat."""
        listener.cursors.pop(chat_id, None)
        listener.behind.discard(chat_id)

    def leave(self, listener: Listener) -> None:
        """The client is gone."""
        self._listeners.discard(listener)

    def homes(self) -> set[str]:
        """The home streams that somebody follows."""
        return {chat_id for listener in self._listeners for chat_id in listener.cursors if is_home(chat_id)}

    def wake(self) -> None:
        """There may be new events."""
        self._woken.set()

    async def close(self) -> None:
        """Drop every listener and stop."""
        for listener in list(self._listeners):
            listener.drop()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _follow(self) -> None:
        """Deliver until nobody listens. A database that fails is tried again: streams only fall behind."""
        while self._listeners:
            try:
                await self._follow_until_alone()
            except (LindaError, sqlite3.Error) as error:
                log.warning("following the events failed, and is tried again: %s", error)
                for listener in self._listeners:
                    listener.behind.update(listener.cursors)
                await asyncio.sleep(RETRY_S)
                self.wake()

    async def _follow_until_alone(self) -> None:
        last_id = await self._log.database.run(self._log.last_id)
        with contextlib.closing(sqlite3.connect(self._log.database.path, timeout=1.0)) as watch:
            version = -1
            while self._listeners:
                is_woken = await self._wait()
                changed = _data_version(watch)
                if is_woken or changed != version:
                    version = changed
                    last_id = await self._deliver(last_id)

    async def _wait(self) -> bool:
        try:
            async with asyncio.timeout(self._poll_s):
                await self._woken.wait()
        except TimeoutError:
            return False
        self._woken.clear()
        return True

    async def _deliver(self, last_id: int) -> int:
        """New events to everybody, then older ones to those who lag behind."""
        while True:
            rows = await self._log.database.run(self._read_since, last_id)
            for row_id, encoded in rows:
                last_id = row_id
                for listener in self._listeners:
                    listener.push(encoded)
            if len(rows) < PAGE:
                break
        for listener in list(self._listeners):
            for chat_id in list(listener.behind):
                await self._catch_up(listener, chat_id)
            if listener.is_dropped:  # its socket may take long to notice
                self._listeners.discard(listener)
        return last_id

    async def _catch_up(self, listener: Listener, chat_id: str) -> None:
        listener.behind.discard(chat_id)
        while chat_id in listener.cursors and not listener.is_dropped:
            page = await self._log.database.run(self._read_after, chat_id, listener.cursors[chat_id])
            for encoded in page:
                # What a fold took away lies before a folded record, which stands for it; nothing else is missing.
                if encoded.event.seq > listener.cursors.get(chat_id, encoded.event.seq):
                    listener.cursors[chat_id] = max(listener.cursors[chat_id], _first_seq(encoded.event) - 1)
                    listener.push(encoded)
            if len(page) < PAGE:
                return

    def _read_since(self, last_id: int) -> Sequence[tuple[int, Encoded]]:
        return [(row_id, _encode(event)) for row_id, event in self._log.read_since(last_id, limit=PAGE)]

    def _read_after(self, chat_id: str, after: int) -> Sequence[Encoded]:
        return [_encode(event) for event in self._log.read(chat_id, after, limit=PAGE)]


def _encode(event: Event) -> Encoded:
    return Encoded(event, event.model_dump_json())


def _data_version(watch: sqlite3.Connection) -> int:
    try:
        return int(watch.execute("PRAGMA data_version").fetchone()[0])
    except sqlite3.Error:
        return -1
