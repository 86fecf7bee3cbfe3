"""Calls over the worker's pipes: length-prefixed JSON both ways, with timeout and cancel per call."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import queue
import struct
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ..errors import BadFrame, ChannelClosed, LindaError, Unavailable, from_wire, to_wire

log = logging.getLogger(__name__)

FRAME_LIMIT_BYTES = 8 * 1024 * 1024
SEND_QUEUE_FRAMES = 10_000

Handler = Callable[..., Awaitable[Any]]
"""`async def handler(progress, **params) -> JSON`; `progress(text)` sends progress to the caller."""

LENGTH = struct.Struct(">I")


def encode(frame: Mapping[str, Any]) -> bytes:
    """A frame as bytes: 4 bytes big-endian length, then UTF-8 JSON."""
    data = json.dumps(frame, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode(
        "utf-8", "surrogatepass"
    )
    if len(data) > FRAME_LIMIT_BYTES:
        raise BadFrame(f"a frame of {len(data)} bytes is over the limit of {FRAME_LIMIT_BYTES}")
    return LENGTH.pack(len(data)) + data


def read_frame(read_exactly: Callable[[int], bytes]) -> dict[str, Any] | None:
    """The next frame, None at the end of the stream. Raises `BadFrame`."""
    head = read_exactly(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    if length > FRAME_LIMIT_BYTES:
        raise BadFrame(f"a frame of {length} bytes was announced; the limit is {FRAME_LIMIT_BYTES}")
    data = read_exactly(length)
    if len(data) < length:
        return None
    try:
        frame = json.loads(data)
    except ValueError as error:
        raise BadFrame(f"a frame is not JSON: {error}") from None
    if not isinstance(frame, dict):
        raise BadFrame("a frame is not a JSON object")
    return frame


class _Call:
    """A call of ours that waits for its answer."""

    def __init__(self, future: asyncio.Future[Any], on_progress: Callable[[str], None] | None) -> None:
        self.future = future
        self.on_progress = on_progress


async def _unknown(_progress: object, **_params: object) -> None:
    raise LindaError(
        "The other process does not know this method.",
        remedy="Restart JupyterLab: its parts are of different versions.",
    )


class Channel:
    """One end of the pipes. `handlers` answer the other end's calls; `on_close` is told on the loop when it is
    gone, `on_end` in the reader's thread even when the loop is stuck.
    """

    def __init__(
        self,
        read_fd: int,
        write_fd: int,
        handlers: Mapping[str, Handler],
        *,
        on_close: Callable[[str], None] = lambda _reason: None,
        on_end: Callable[[], None] = lambda: None,
    ) -> None:
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._handlers = handlers
        self._on_close = on_close
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._calls: dict[int, _Call] = {}
        self._serving: dict[int, asyncio.Task[None]] = {}
        self._next_id = 0
        self._outgoing: queue.Queue[bytes | None] = queue.Queue(SEND_QUEUE_FRAMES)
        self.is_closed = False
        self._reader = threading.Thread(target=self._read_all, name="linda-channel-reader", daemon=True)
        self._writer = threading.Thread(target=self._write_all, name="linda-channel-writer", daemon=True)

    def start(self) -> None:
        """Begin to read and write."""
        self._reader.start()
        self._writer.start()

    async def call(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout_s: float | None = 10.0,
        on_progress: Callable[[str], None] | None = None,
    ) -> Any:
        """Call the other end. Cancelling, and a timeout, cancel it there too."""
        if self.is_closed:
            raise ChannelClosed("The other process is gone.")
        self._next_id += 1
        call_id = self._next_id
        call = _Call(self._loop.create_future(), on_progress)
        self._calls[call_id] = call
        try:
            self._send({"id": call_id, "call": method, "params": dict(params or {})})
            async with asyncio.timeout(timeout_s):
                return await call.future
        except TimeoutError:
            self._send_quietly({"cancel": call_id})
            raise Unavailable(
                f"{method} did not answer within {timeout_s:g} s.", remedy="Try again in a moment."
            ) from None
        except asyncio.CancelledError:
            self._send_quietly({"cancel": call_id})
            raise
        finally:
            self._calls.pop(call_id, None)

    def note(self, name: str, params: Mapping[str, Any] | None = None) -> None:
        """Tell the other end something; no answer, may be lost."""
        self._send_quietly({"note": name, "params": dict(params or {})})

    def close(self) -> None:
        """Close our side; the other end sees the end of the stream."""
        self._closed("closed here")
        with contextlib.suppress(queue.Full):
            self._outgoing.put_nowait(None)

    # ---- sending -----------------------------------------------------------------------------------

    def _send(self, frame: Mapping[str, Any]) -> None:
        try:
            self._outgoing.put_nowait(encode(frame))
        except queue.Full:
            self._closed("the other end does not read")
            raise ChannelClosed("The other process does not read its pipe.") from None

    def _send_quietly(self, frame: Mapping[str, Any]) -> None:
        if not self.is_closed:
            with contextlib.suppress(LindaError):
                self._send(frame)

    def _write_all(self) -> None:
        while (data := self._outgoing.get()) is not None:
            view = memoryview(data)
            try:
                while view:
                    view = view[os.write(self._write_fd, view) :]
            except OSError:
                break
        with contextlib.suppress(OSError):
            os.close(self._write_fd)

    # ---- receiving ---------------------------------------------------------------------------------

    def _read_exactly(self, size: int) -> bytes:
        parts: list[bytes] = []
        while size:
            try:
                part = os.read(self._read_fd, min(size, 1 << 20))
            except OSError:
                part = b""
            if not part:
                break
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _read_all(self) -> None:
        reason = "the other end closed"
        try:
            while (frame := read_frame(self._read_exactly)) is not None:
                self._loop.call_soon_threadsafe(self._received, frame)
        except BadFrame as error:
            reason = error.message
            log.error("channel closed: %s", error.message)  # noqa: TRY400  the cause is in the message
        except RuntimeError:
            reason = "the event loop is gone"  # call_soon_threadsafe after the loop closed
        self._on_end()
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._closed, reason)

    def _received(self, frame: dict[str, Any]) -> None:
        if self.is_closed:  # it was on its way when we closed: nobody could be answered
            return
        if "call" in frame or "note" in frame:
            self._serve(frame)
        elif "cancel" in frame:
            task = self._serving.get(frame["cancel"])
            if task is not None:
                task.cancel()
        else:
            self._answered(frame)

    def _answered(self, frame: dict[str, Any]) -> None:
        call = self._calls.get(frame.get("id", -1))
        if call is None or call.future.done():
            return
        if "progress" in frame:
            if call.on_progress is not None:
                call.on_progress(frame["progress"])
        elif "error" in frame:
            error = frame["error"]
            call.future.set_exception(
                from_wire(
                    error.get("kind", ""),
                    error.get("message", ""),
                    remedy=error.get("remedy", ""),
                    words=error.get("words", ""),
                    detail=error.get("detail", ""),
                )
            )
        else:
            call.future.set_result(frame.get("result"))

    def _serve(self, frame: dict[str, Any]) -> None:
        call_id = frame.get("id", 0)
        task = asyncio.ensure_future(
            self._handle(call_id, frame.get("call") or frame.get("note") or "", frame.get("params") or {})
        )
        if call_id:
            self._serving[call_id] = task
            task.add_done_callback(lambda _done: self._serving.pop(call_id, None))

    async def _handle(self, call_id: int, method: str, params: dict[str, Any]) -> None:
        def progress(text: str) -> None:
            if call_id:
                self._send_quietly({"id": call_id, "progress": text})

        try:
            handler = self._handlers.get(method, _unknown)
            result = await handler(progress, **params)
            answer = {"id": call_id, "result": result}
        except asyncio.CancelledError:
            return
        except LindaError as error:
            answer = {"id": call_id, "error": to_wire(error)}
        except Exception as error:
            log.exception("%s failed", method)
            answer = {"id": call_id, "error": to_wire(LindaError(f"{method} failed: {type(error).__name__}: {error}"))}
        if call_id:
            self._answer(call_id, answer)

    def _answer(self, call_id: int, answer: Mapping[str, Any]) -> None:
        try:
            self._send(answer)
        except ChannelClosed:
            return
        except (BadFrame, ValueError, TypeError) as error:
            self._send_quietly({"id": call_id, "error": to_wire(LindaError(f"The answer cannot be sent: {error}"))})

    def _closed(self, reason: str) -> None:
        if self.is_closed:
            return
        self.is_closed = True
        for call in self._calls.values():
            if not call.future.done():
                call.future.set_exception(ChannelClosed(f"The other process is gone ({reason})."))
        for task in self._serving.values():
            task.cancel()
        with contextlib.suppress(queue.Full):
            self._outgoing.put_nowait(None)
        self._on_close(reason)
