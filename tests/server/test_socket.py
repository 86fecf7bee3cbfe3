"""The panel's WebSocket: what cannot be read is answered, and the stream goes on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from jupyter_linda.events.payloads import MessageDelta

pytestmark = pytest.mark.filterwarnings("ignore")


class Socket:
    """One tab's connection."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    async def send(self, frame: object, *, binary: bool = False) -> None:
        text = frame if isinstance(frame, (str, bytes)) else json.dumps(frame)
        await self.connection.write_message(text, binary=binary)

    async def receive(self, *kinds: str) -> dict[str, Any]:
        """The next frame of one of these kinds; a socket that closed fails the test."""
        async with asyncio.timeout(10):
            while True:
                message = await self.connection.read_message()
                assert message is not None, "the socket was closed"
                frame = json.loads(message)
                if frame["type"] in kinds:
                    return frame

    async def is_alive(self) -> bool:
        await self.send({"type": "ping"})
        return bool(await self.receive("pong"))


@pytest.fixture
def connect(jp_ws_fetch, linda):
    @asynccontextmanager
    async def one() -> AsyncIterator[Socket]:
        connection = await jp_ws_fetch("linda", "api", "stream")
        try:
            yield Socket(connection)
        finally:
            connection.close()

    return one


HELLO = {"type": "hello", "client_id": "tab-1"}

MALFORMED = [
    "nonsense",
    "[1]",
    "3",
    "null",
    '"text"',
    "{}",
    '{"type": ["hello"]}',
    '{"type": 1e400}',
    '{"type": "close_called"}',
    '{"type": "hello", "client_id": NaN}',
    "[" * 100_000,
    "9" * 10_000,
    {"type": "hello"},
    {"type": "hello", "client_id": ""},
    {"type": "hello", "client_id": 7},
    {"type": "hello", "client_id": ["tab"]},
    {"type": "hello", "client_id": "x" * 65},
    {"type": "hello", "client_id": "tab", "home": "far"},
    {"type": "hello", "client_id": "tab", "chats": [1]},
    '{"type": "hello", "client_id": "tab", "home": 1e400}',
    '{"type": "hello", "client_id": "tab", "chats": {"a": 1e400}}',
    '{"type": "hello", "client_id": "\\ud800"}',
]

MALFORMED_LATER = [
    {"type": "follow"},
    {"type": "follow", "chat_id": 7},
    {"type": "follow", "chat_id": "chat_nowhere"},
    {"type": "follow", "chat_id": "home:somebody else"},
    '{"type": "follow", "chat_id": "a", "after": 1e400}',
    {"type": "follow", "chat_id": "a", "after": 1.5},
    {"type": "unfollow"},
    {"type": "presence"},
    {"type": "presence", "presence": [1]},
    {"type": "presence", "presence": {"notebooks": "a.ipynb"}},
    {"type": "presence", "presence": {"notebooks": [{}]}},
    {"type": "progress"},
    {"type": "reply", "request_id": ["x"]},
    {"type": "reply", "request_id": "x", "error": "text"},
]


@pytest.mark.parametrize("frame", MALFORMED, ids=lambda frame: str(frame)[:40])
async def test_a_malformed_frame_is_answered_and_hello_still_works(connect, frame):
    async with connect() as socket:
        await socket.send(frame)
        assert (await socket.receive("error"))["message"]
        await socket.send(HELLO)
        assert await socket.is_alive()


@pytest.mark.parametrize("frame", [*MALFORMED[:12], *MALFORMED_LATER], ids=lambda frame: str(frame)[:40])
async def test_a_malformed_frame_after_hello_breaks_nothing(connect, api, frame):
    async with connect() as socket:
        await socket.send(HELLO)
        await socket.send(frame)
        assert (await socket.receive("error"))["message"]
        await api.new_chat()
        (event,) = (await socket.receive("events"))["events"]
        assert event["kind"] == "chat.changed"


@pytest.mark.parametrize("data", [b"\xff\xfe", b'{"type": "ping"}', b""])
async def test_binary_is_answered_in_words(connect, data):
    async with connect() as socket:
        await socket.send(data, binary=True)
        assert "binary" in (await socket.receive("error"))["message"]
        assert await socket.is_alive()


async def test_a_fault_of_ours_is_answered_too(connect, linda, monkeypatch):
    async with connect() as socket:
        await socket.send(HELLO)
        assert await socket.is_alive()
        monkeypatch.setattr(linda.services().browsers, "presence", lambda *_args: 1 / 0)
        await socket.send({"type": "presence", "presence": {}})
        error = await socket.receive("error")
        assert (error["message"], error["of"]) == ("Linda failed here: ZeroDivisionError", "presence")
        assert await socket.is_alive()


async def test_nothing_but_hello_comes_first(connect):
    async with connect() as socket:
        for frame in (
            {"type": "follow", "chat_id": "a"},
            {"type": "presence", "presence": {}},
            {"type": "reply", "request_id": "x"},
        ):
            await socket.send(frame)
            assert "hello" in (await socket.receive("error"))["message"]
        assert await socket.is_alive()


async def test_a_tab_that_says_hello_follows_its_chats(connect, api):
    chat_id = await api.new_chat()
    async with connect() as socket:
        await socket.send({**HELLO, "home": 0, "chats": {chat_id: 0, "chat_gone": 4}})
        (event,) = (await socket.receive("events"))["events"]
        assert event["payload"]["chat"]["chat_id"] == chat_id
        await socket.send({"type": "presence", "presence": {"notebooks": ["a.ipynb"], "active": "a.ipynb"}})
        assert await socket.is_alive()
        assert api.linda.services().browsers.holder("a.ipynb") == "tab-1"


async def test_a_tab_that_reads_nothing_is_dropped_and_resumes_without_a_gap(connect, api):
    services = api.linda.services()
    chat_id = await api.new_chat()

    def tell(count: int) -> None:
        with services.log.transaction() as tx:
            for _ in range(count):
                tx.append(chat_id, MessageDelta(message_id="m", text="x" * 400))

    async with connect() as socket:
        await socket.send({**HELLO, "chats": {chat_id: 0}})
        assert await socket.is_alive()
        (slow,) = services.follower._listeners
        async with asyncio.timeout(60):
            while not slow.is_dropped:  # what no kernel holds back for it any more
                await services.database.run(tell, 2000)
                services.follower.wake()
                await api.call("GET", "status")  # and nobody else waits
        assert len(slow.waiting) == 0
        seqs = []
        while (frame := await socket.receive("events", "bye"))["type"] == "events":
            seqs += [event["seq"] for event in frame["events"] if event["chat_id"] == chat_id]
        assert "resume" in frame["reason"]
    last = (await api.view(chat_id))["seq"]
    assert seqs[-1] < last, "it has to resume"
    async with connect() as socket:
        await socket.send({**HELLO, "chats": {chat_id: seqs[-1]}})
        while seqs[-1] < last:
            frame = await socket.receive("events")
            seqs += [event["seq"] for event in frame["events"] if event["chat_id"] == chat_id]
    assert seqs == list(range(seqs[0], last + 1))
