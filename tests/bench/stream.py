"""Streaming: bytes written, bytes sent per tab, the server's longest stall; and many listeners at once."""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from jupyter_linda.events.follow import Follower
from jupyter_linda.events.log import EventLog
from jupyter_linda.events.payloads import MessageDelta
from jupyter_linda.seeds import SystemClock
from jupyter_linda.storage.database import Database
from tests.bench.report import Report, main, percentile
from tests.fakes.provider import End, FakeProvider, Say
from tests.ui.lab import Lab, Page

CHUNKS, CHUNK_CHARS, PER_SECOND = 2000, 4, 200
EARLIER, EARLIER_CHARS = 200, 1000


def measure(chosen: argparse.Namespace) -> Report:
    """An 8 kB reply in 2,000 chunks into a chat of 200 earlier messages; then 200 listeners x 50 events/s."""
    report = Report("stream")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, FakeProvider() as provider:
        _one_reply(report, Path(folder), provider)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        asyncio.run(_many_listeners(report, Path(folder), chosen.listeners, chosen.seconds))
    return report


# ---- one reply through server and worker -----------------------------------------------------------


def _one_reply(report: Report, folder: Path, provider: FakeProvider) -> None:
    lab = Lab(folder, app="jupyter_server")
    lab.connect(provider.base_url)
    reply = "".join(f"{number:03d} " for number in range(CHUNKS))[: CHUNKS * CHUNK_CHARS]
    provider.script("the long one", [Say(reply, size=CHUNK_CHARS, pause_s=1 / PER_SECOND), End("stop")])
    provider.script("warm up", [Say("warm"), End("stop")])
    lab.start()
    try:
        page = Page(lab)
        chat_id = page.call("POST", "chats", {})["chat_id"]
        page.call("POST", f"chats/{chat_id}/messages", {"text": "warm up", "client_id": "warm-up-1"})
        _until_done(page, chat_id)
        _fill(lab, chat_id)
        idle = _stall(lab, CHUNKS / PER_SECOND)
        found = asyncio.run(_watch(lab, page, chat_id))
        page.close()
    finally:
        lab.stop()
    assert found["text"] == reply, "the reply did not arrive whole"
    report.add("bytes written to disk by server and worker", found["written"] / 1e6, "MB", at_most=4.0)
    report.add("bytes sent to the tab", found["sent"] / 1e6, "MB", at_most=0.3)
    report.add("longest stall of the server's event loop", found["stall"] * 1000, "ms", at_most=50)
    report.add("the same while nothing runs, for comparison", idle * 1000, "ms")
    report.add("event frames for 2,000 chunks", found["frames"], "")


def _fill(lab: Lab, chat_id: str) -> None:
    """Earlier messages, as they would lie in the database."""
    import sqlite3

    with sqlite3.connect(lab.data_dir / "linda.sqlite") as connection:
        parent = connection.execute(
            "SELECT message_id FROM messages WHERE chat_id = ? ORDER BY position DESC LIMIT 1", (chat_id,)
        ).fetchone()[0]
        for number in range(EARLIER):
            message_id, role = f"message_bench_{number:04d}", "user" if number % 2 == 0 else "assistant"
            connection.execute(
                "INSERT INTO messages (message_id, chat_id, position, parent_id, role, text, reasoning, tool_calls, context, status, model, created_at)"
                " VALUES (?, ?, ?, ?, ?, ?, '', '[]', '[]', 'complete', '', 1)",
                (message_id, chat_id, 100 + number, parent, role, "x" * EARLIER_CHARS),
            )
            parent = message_id


def _until_done(page: Page, chat_id: str) -> dict[str, Any]:
    while True:
        view = page.call("GET", f"chats/{chat_id}")
        if view["runs"] and view["runs"][-1]["state"] in ("done", "failed", "interrupted"):
            return view
        time.sleep(0.05)


async def _watch(lab: Lab, page: Page, chat_id: str) -> dict[str, Any]:
    assert lab.process is not None
    server = psutil.Process(lab.process.pid)
    processes = [server, *server.children(recursive=True)]
    seq = page.call("GET", f"chats/{chat_id}")["seq"]
    url = f"ws://127.0.0.1:{lab.port}/linda/api/stream?token={lab.token}"
    socket = await websocket_connect(HTTPRequest(url), max_message_size=2**26)
    await socket.write_message(json.dumps({"type": "hello", "client_id": "bench", "home": 0, "chats": {chat_id: seq}}))
    before = sum(process.io_counters().write_bytes for process in processes)
    stalls = asyncio.create_task(asyncio.to_thread(_stall, lab, CHUNKS / PER_SECOND))
    body = {"text": "the long one", "client_id": "the-long-one"}
    await asyncio.to_thread(page.call, "POST", f"chats/{chat_id}/messages", body)
    sent = frames = 0
    text, is_over = "", False
    while not is_over:
        message = await socket.read_message()
        assert message is not None, "the server closed the socket"
        sent += len(message)
        frame = json.loads(message)
        for event in frame.get("events", ()):
            frames += 1
            if event["chat_id"] != chat_id:
                continue
            text += event["payload"].get("text", "") if event["kind"] == "message.delta" else ""
            is_over = event["kind"] == "run.changed" and event["payload"]["run"]["state"] in (
                "done",
                "failed",
                "interrupted",
            )
    written = sum(process.io_counters().write_bytes for process in processes) - before
    longest = await stalls
    socket.close()
    return {"written": written, "sent": sent, "frames": frames, "text": text, "stall": longest}


PROBE = """
import http.client, statistics, sys, time
host, seconds = sys.argv[1], float(sys.argv[2])
connection, times, end = http.client.HTTPConnection(host, timeout=30), [], time.monotonic() + seconds
while time.monotonic() < end:
    started = time.perf_counter()
    connection.request("GET", "/api")
    connection.getresponse().read()
    times.append(time.perf_counter() - started)
    time.sleep(0.005)
print(max(times) - statistics.median(times))
"""
"""A trivial request again and again, in a process of its own: its longest wait is the loop's longest stall."""


def _stall(lab: Lab, seconds: float) -> float:
    command = [sys.executable, "-c", PROBE, f"127.0.0.1:{lab.port}", str(seconds)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


# ---- many listeners -----------------------------------------------------------------------------------


async def _many_listeners(report: Report, folder: Path, listeners: int, seconds: float) -> None:
    database = Database(f"sqlite:///{(folder / 'linda.sqlite').as_posix()}")
    database.create()
    clock = SystemClock()
    follower: Follower | None = None
    loop = asyncio.get_running_loop()

    def tell(_chats: object) -> None:
        assert follower is not None
        loop.call_soon_threadsafe(follower.wake)

    log = EventLog(database, clock, tell)
    follower = Follower(log, poll_s=0.02)
    committed: dict[int, float] = {}
    late: list[float] = []
    gaps = 0

    async def listen() -> int:
        listener, last, missing = follower.listen({"chat": 0}), 0, 0
        while last < total:
            for encoded in await listener.take(timeout_s=5):
                late.append(time.perf_counter() - committed[encoded.event.seq])
                missing += encoded.event.seq != last + 1
                last = encoded.event.seq
        follower.leave(listener)
        return missing

    total = int(seconds * 50)
    tasks = [asyncio.create_task(listen()) for _ in range(listeners)]
    writer = Database(database.url)
    writing = EventLog(writer, clock, tell)

    def write(number: int) -> None:
        with writing.transaction() as tx:
            tx.append("chat", MessageDelta(message_id="m", text="some words "))
            committed[number] = time.perf_counter()

    started = time.perf_counter()
    for number in range(1, total + 1):
        await asyncio.to_thread(write, number)
        await asyncio.sleep(max(0.0, started + number / 50 - time.perf_counter()))
    gaps = sum(await asyncio.gather(*tasks))
    await follower.close()
    writer.close()
    database.close()
    report.add(f"{listeners} listeners x 50 events/s: commit to client, p50", percentile(late, 0.5) * 1000, "ms")
    report.add(
        f"{listeners} listeners x 50 events/s: commit to client, p95", percentile(late, 0.95) * 1000, "ms", at_most=30
    )
    report.add(f"{listeners} listeners x 50 events/s: gaps", gaps, "", equals=0)
    report.add("events delivered", len(late), "")


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--listeners", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10.0)


if __name__ == "__main__":
    raise SystemExit(main(measure, _options))
