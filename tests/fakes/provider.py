"""A scripted OpenAI-compatible HTTP server: text, tool calls, and every way a provider can fail."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Say:
    """Visible text, in chunks of `size` characters, `pause_s` apart."""

    text: str
    size: int = 0
    pause_s: float = 0.0


@dataclass(frozen=True)
class Think:
    """Reasoning text."""

    text: str


@dataclass(frozen=True)
class Use:
    """A tool call, its arguments in two pieces."""

    name: str
    arguments: dict[str, Any] | str = field(default_factory=dict)
    index: int = 0
    call_id: str | None = None


@dataclass(frozen=True)
class Raw:
    """A chunk exactly as given (a dict), or bytes that are not even JSON."""

    chunk: dict[str, Any] | bytes


@dataclass(frozen=True)
class End:
    """The reason, usage and [DONE]."""

    reason: str | None = None
    usage: tuple[int, int] | None = (100, 20)


@dataclass(frozen=True)
class Fail:
    """An HTTP status instead of a stream."""

    status: int
    message: str = "scripted failure"
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Hang:
    """No byte until the client or the test gives up."""


@dataclass(frozen=True)
class Stall:
    """Nothing for a while, or until `provider.go()`."""

    seconds: float = 3600.0


@dataclass(frozen=True)
class Cut:
    """The connection ends here, without a reason or [DONE]."""


@dataclass(frozen=True)
class Json:
    """One JSON document with status 200, whatever was asked for."""

    body: dict[str, Any]


Part = Say | Think | Use | Raw | End | Fail | Hang | Stall | Cut | Json


@dataclass
class InTurn:
    """Another reply for each request of the same conversation; the last repeats."""

    replies: Sequence[Sequence[Part] | When]
    count: int = 0


@dataclass(frozen=True)
class When:
    """One reply to requests whose `field` is set, another to the rest."""

    field: str
    then: Sequence[Part] | When
    otherwise: Sequence[Part] | When


Reply = Sequence[Part] | InTurn | When


def in_turn(*replies: Sequence[Part] | When) -> InTurn:
    """The n-th reply to the n-th request."""
    return InTurn(replies)


def says(text: str, **options: Any) -> Sequence[Part]:
    """A plain reply."""
    return [Say(text, **options), End("stop")]


def uses(*calls: Use, text: str = "") -> Sequence[Part]:
    """A reply that calls tools."""
    return [*([Say(text)] if text else []), *calls, End("tool_calls")]


class FakeProvider:
    """Which reply comes depends only on the conversation: `script(key, …)` holds for conversations whose last
    user message contains `key`; its n-th reply answers a prompt with n assistant messages after that message.
    """

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.raw: list[bytes] = []
        """Headers and body of every request, as they came."""
        self.authorizations: list[str] = []
        self.listing: Fail | Json = Json({"object": "list", "data": [{"id": "scripted", "object": "model"}]})
        """What is answered to who asks for the models."""
        self.first_byte_at: list[float] = []
        self.received_at: list[float] = []
        self._scripts: list[tuple[str, Sequence[Reply]]] = []
        self._gate = threading.Event()
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def base_url(self) -> str:
        """What goes into a provider's settings."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def script(self, key: str, *replies: Reply) -> None:
        """What to say in conversations about `key`; the last reply repeats. A later script of a key wins."""
        with self._lock:
            self._scripts.insert(0, (key, replies))

    def go(self) -> None:
        """Let every stalled reply go on."""
        self._gate.set()

    def hold(self) -> None:
        """Stall again."""
        self._gate.clear()

    def __enter__(self) -> FakeProvider:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._gate.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    # ---- serving -----------------------------------------------------------------------------------

    def _reply_to(self, request: dict[str, Any]) -> Sequence[Part]:
        messages = request["messages"]
        last_user = max((i for i, message in enumerate(messages) if message["role"] == "user"), default=0)
        content = messages[last_user]["content"]
        text = content if isinstance(content, str) else json.dumps(content)
        answered = sum(1 for message in messages[last_user + 1 :] if message["role"] == "assistant")
        with self._lock:
            replies = next((replies for key, replies in self._scripts if key in text), None)
        if replies is None:
            return says(f"You said: {text[-200:]}")
        reply = replies[min(answered, len(replies) - 1)]
        if isinstance(reply, InTurn):
            with self._lock:
                reply.count += 1
                reply = reply.replies[min(reply.count, len(reply.replies)) - 1]
        while isinstance(reply, When):
            reply = reply.then if request.get(reply.field) else reply.otherwise
        return reply

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                """Quiet."""

            def do_GET(self) -> None:
                match provider.listing:
                    case Fail() as fail:
                        self._fail(fail)
                    case Json(body):
                        self._document(200, body)

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                request = json.loads(body)
                with provider._lock:
                    provider.received_at.append(time.perf_counter())
                    provider.requests.append(request)
                    provider.raw.append(f"{self.headers}\r\n\r\n".encode() + body)
                    provider.authorizations.append(self.headers.get("Authorization", ""))
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    self._play(provider._reply_to(request), is_streamed=bool(request.get("stream")))

            def _play(self, reply: Sequence[Part], *, is_streamed: bool) -> None:
                self.close_connection = True
                if reply and isinstance(reply[0], Fail):
                    self._fail(reply[0])
                    return
                if reply and isinstance(reply[0], Hang):
                    self._wait(3600)
                    return
                if reply and isinstance(reply[0], Json):
                    self._document(200, reply[0].body)
                    return
                if not is_streamed:
                    self._document(200, _whole(reply))
                    return
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                for part in reply:
                    if not self._send_part(part):
                        return

            def _send_part(self, part: Part) -> bool:
                match part:
                    case Say(text, size, pause_s):
                        for piece in _pieces(text, size):
                            self._chunk({"content": piece})
                            if pause_s:
                                time.sleep(pause_s)
                    case Think(text):
                        self._chunk({"reasoning_content": text})
                    case Use():
                        self._use(part)
                    case Raw(chunk):
                        self._write(
                            b"data: " + (chunk if isinstance(chunk, bytes) else json.dumps(chunk).encode()) + b"\n\n"
                        )
                    case End(reason, usage):
                        self._chunk({}, reason)
                        if usage is not None:
                            self._usage(*usage)
                        self._write(b"data: [DONE]\n\n")
                    case Stall(seconds):
                        self._wait(seconds)
                    case Cut():
                        with contextlib.suppress(OSError):
                            self.connection.shutdown(socket.SHUT_RDWR)
                        return False
                return not provider._closing.is_set()

            def _wait(self, seconds: float) -> None:
                """Until the gate opens; a client that leaves is noticed at the next write."""
                provider._gate.wait(seconds)

            def _fail(self, part: Fail) -> None:
                error = {"message": part.message, "type": "scripted", "code": part.status}
                self._document(part.status, {"error": error}, part.headers)

            def _document(self, status: int, content: Any, headers: Sequence[tuple[str, str]] = ()) -> None:
                body = json.dumps(content).encode()
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(body)

            def _use(self, call: Use) -> None:
                text = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
                half = len(text) // 2
                call_id = call.call_id if call.call_id is not None else f"call_{call.index}"
                first = {
                    "index": call.index,
                    "id": call_id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": text[:half]},
                }
                self._chunk({"tool_calls": [first]})
                self._chunk({"tool_calls": [{"index": call.index, "function": {"arguments": text[half:]}}]})

            def _chunk(self, delta: dict[str, Any], reason: str | None = None) -> None:
                self._write(b"data: " + json.dumps(_chunk(delta, reason)).encode() + b"\n\n")

            def _usage(self, prompt: int, completion: int) -> None:
                usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
                self._write(b"data: " + json.dumps({**_chunk({}), "choices": [], "usage": usage}).encode() + b"\n\n")

            def _write(self, data: bytes) -> None:
                if not getattr(self, "_has_written", False):
                    self._has_written = True
                    provider.first_byte_at.append(time.perf_counter())
                self.wfile.write(data)
                self.wfile.flush()

        return Handler


def _whole(reply: Sequence[Part]) -> dict[str, Any]:
    """A reply as one document, for requests that want no stream."""
    calls = [
        {
            "id": part.call_id or f"call_{part.index}",
            "type": "function",
            "function": {
                "name": part.name,
                "arguments": part.arguments if isinstance(part.arguments, str) else json.dumps(part.arguments),
            },
        }
        for part in reply
        if isinstance(part, Use)
    ]
    text = "".join(part.text for part in reply if isinstance(part, Say))
    thought = "".join(part.text for part in reply if isinstance(part, Think))
    message = {"role": "assistant", "content": text or None, "reasoning_content": thought or None}
    end = next((part for part in reply if isinstance(part, End)), End("stop"))
    made = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "message": {**message, **({"tool_calls": calls} if calls else {})},
                "finish_reason": end.reason,
            }
        ],
    }
    if end.usage is not None:
        prompt, completion = end.usage
        made["usage"] = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    return made


def _pieces(text: str, size: int) -> Iterator[str]:
    size = size or max(1, len(text))
    return (text[start : start + size] for start in range(0, len(text), size))


def _chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": [choice]}
