"""Streams: one WebSocket per panel, server-sent events for any other client."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from typing import TYPE_CHECKING, Any

from jupyter_server.auth.decorator import ws_authenticated
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.base.websocket import WebSocketMixin
from tornado.iostream import StreamClosedError
from tornado.web import HTTPError
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from ..chats import store
from ..errors import InvalidInput, LindaError, NotFound
from ..events.log import home_of, is_home
from . import frames
from .base import SERVICES, LindaHandler, check_access, owner_of

if TYPE_CHECKING:
    from ..events.follow import Listener
    from .services import Services

log = logging.getLogger(__name__)

CLIENT_FRAME_BYTES = 16 * 1024 * 1024
"""A whole notebook may come back in one frame."""


class EventsHandler(LindaHandler):
    """GET chats/{chat_id}/events"""

    def update_api_activity(self) -> None:
        """An open stream is not activity: it must not keep an idle server from being culled."""

    async def get(self, chat_id: str) -> None:
        """Replay after `Last-Event-ID` (or `after`), then follow; a chat that is deleted ends its stream."""
        owner = self.owner_id
        resumed = self.request.headers.get("Last-Event-ID", "")
        after = int(resumed[:20]) if resumed.isdecimal() else self.number("after", 0) or 0
        if not is_home(chat_id):
            await self.services.database.run(self._check, chat_id, owner)
        elif chat_id != home_of(owner):
            raise HTTPError(404)
        self.set_header("Content-Type", "text/event-stream")
        self.set_header("Cache-Control", "no-cache")
        self.set_header("X-Accel-Buffering", "no")
        listener = self.services.follower.listen({chat_id: after})
        try:
            await self._pump(listener, chat_id)
        except StreamClosedError:
            log.debug("a client of %s left", chat_id)
        finally:
            self.services.follower.leave(listener)

    def _check(self, chat_id: str, owner: str) -> None:
        with self.services.database.read() as connection:
            store.get(connection, chat_id, owner)

    async def _pump(self, listener: Listener, chat_id: str) -> None:
        self.write(": connected\n\n")
        await self.flush()
        while not listener.is_dropped:
            taken = await listener.take(timeout_s=self.services.settings.heartbeat_s)
            for encoded in taken:
                self.write(f"id: {encoded.event.seq}\nevent: {encoded.event.kind}\ndata: {encoded.json}\n\n")
                if encoded.event.kind == "chat.deleted" and not is_home(chat_id):
                    return
            if not taken:
                self.write(": heartbeat\n\n")
            await self.flush()
        self.write('event: bye\ndata: {"reason": "too slow, or the server is ending: reconnect and resume"}\n\n')


class PanelSocket(WebSocketMixin, WebSocketHandler, JupyterHandler):
    """GET stream: every chat of one browser tab, and the server's requests to the notebooks open in it."""

    client_id = ""
    listener: Listener | None = None
    pump: asyncio.Task[None] | None = None

    @property
    def services(self) -> Services:
        """What the server holds."""
        services: Services = self.settings[SERVICES]
        return services

    @property
    def max_message_size(self) -> int:
        """The largest frame a client may send, in bytes."""
        return CLIENT_FRAME_BYTES

    def update_api_activity(self) -> None:
        """See `EventsHandler`."""

    async def prepare(self, **kwargs: Any) -> None:
        """Only for people this server knows, from its own pages."""
        await super().prepare(**kwargs)
        await check_access(self)

    @ws_authenticated
    async def get(self, *args: str, **kwargs: str) -> None:
        """Upgrade, once the database is open."""
        try:
            await self.services.ready()
        except LindaError as error:
            raise HTTPError(error.status, error.message) from None
        await super().get(*args, **kwargs)

    async def on_message(self, message: str | bytes) -> None:
        """A frame of the client; one that cannot be read or done is answered, and the stream goes on."""
        kind = None
        try:
            value = frames.parse(message)
            kind = value["type"] if isinstance(value.get("type"), str) else None
            await self._do(frames.read(value), value)
        except LindaError as error:
            await self._send({"type": "error", "message": error.message, "of": kind})
        except Exception as error:
            log.exception("a frame of %s failed", self.client_id or "a new tab")
            await self._send({"type": "error", "message": f"Linda failed here: {type(error).__name__}", "of": kind})

    def on_close(self) -> None:
        """The tab is gone: what was asked of it goes elsewhere."""
        if self.pump is not None:
            self.pump.cancel()
        if self.listener is not None:
            self.services.follower.leave(self.listener)
        if self.client_id:
            self.services.browsers.disconnect(self.client_id, self._send_soon)
        super().on_close()

    # ---- frames of the client -------------------------------------------------------------------------

    async def _do(self, frame: frames.Frame, value: dict[str, Any]) -> None:
        browsers = self.services.browsers
        match frame:
            case frames.Ping():
                await self._send({"type": "pong"})
            case frames.Hello():
                await self._greet(frame)
            case _ if self.listener is None:
                raise InvalidInput("hello must be the first frame")
            case frames.Follow():
                await self._check_owner(frame.chat_id)
                self.services.follower.follow(self.listener, frame.chat_id, frame.after)
            case frames.Unfollow():
                self.services.follower.unfollow(self.listener, frame.chat_id)
            case frames.Present():
                browsers.presence(self.client_id, frame.presence.model_dump())
            case frames.Progress():
                browsers.progress(value)
            case frames.Reply():
                browsers.reply(value)

    async def _greet(self, hello: frames.Hello) -> None:
        if self.listener is not None:
            return
        cursors = {home_of(owner_of(self)): hello.home}
        for chat_id, seq in hello.chats.items():
            with contextlib.suppress(NotFound):  # it was deleted meanwhile: the home stream says so
                await self._check_owner(chat_id)
                cursors[chat_id] = seq
        self.client_id = hello.client_id
        self.listener = self.services.follower.listen(cursors)
        self.services.browsers.connect(self.client_id, self._send_soon, owner_of(self))
        self.pump = asyncio.ensure_future(self._pump(self.listener))

    # ---- frames to the client ---------------------------------------------------------------------------

    async def _check_owner(self, chat_id: str) -> None:
        owner = owner_of(self)

        def work() -> None:
            with self.services.database.read() as connection:
                store.get(connection, chat_id, owner)

        if chat_id != home_of(owner):
            await self.services.database.run(work)

    async def _pump(self, listener: Listener) -> None:
        with contextlib.suppress(WebSocketClosedError):
            while not listener.is_dropped:
                taken = await listener.take(timeout_s=self.services.settings.heartbeat_s)
                if taken:
                    body = ",".join(encoded.json for encoded in taken)
                    await self.write_message(f'{{"type":"events","events":[{body}]}}')
                else:
                    await self.write_message('{"type":"heartbeat"}')
            await self.write_message(
                '{"type":"bye","reason":"too slow, or the server is ending: reconnect and resume"}'
            )
            self.close()

    async def _send(self, frame: dict[str, Any]) -> None:
        with contextlib.suppress(WebSocketClosedError):
            await self.write_message(json.dumps(frame, allow_nan=False))

    def _send_soon(self, frame: dict[str, Any]) -> None:
        with contextlib.suppress(WebSocketClosedError):
            self.write_message(json.dumps(frame, allow_nan=False))
