"""A turn: from sending a message to the provider's first byte, and from its first chunk to the client."""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from tests.bench.report import Report, main, median
from tests.fakes.provider import End, FakeProvider, Say
from tests.ui.lab import Lab, Page


def measure(chosen: argparse.Namespace) -> Report:
    """Warm worker, against litellm called directly, turn by turn in the same run."""
    report = Report("turn")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, FakeProvider() as provider:
        provider.script("turn", [Say("first"), Say(" second"), End("stop")])
        lab = Lab(Path(folder), app="jupyter_server")
        lab.connect(provider.base_url)
        lab.start()
        try:
            found = asyncio.run(_turns(lab, provider, chosen.turns))
        finally:
            lab.stop()
    report.add(
        "message sent to request at the provider, median",
        median(found["to"]) * 1000,
        "ms",
        baseline=median(found["direct to"]) * 1000,
        at_most=60,
    )
    report.add(
        "provider's first chunk to the client, median",
        median(found["from"]) * 1000,
        "ms",
        baseline=median(found["direct from"]) * 1000,
        at_most=60,
    )
    report.add("turns", chosen.turns, "")
    return report


async def _turns(lab: Lab, provider: FakeProvider, turns: int) -> dict[str, list[float]]:
    from jupyter_linda.gateway.client import import_litellm

    litellm = await asyncio.to_thread(import_litellm)
    page = Page(lab)
    socket = await websocket_connect(HTTPRequest(f"ws://127.0.0.1:{lab.port}/linda/api/stream?token={lab.token}"))
    await socket.write_message(json.dumps({"type": "hello", "client_id": "bench", "home": 0, "chats": {}}))
    found: dict[str, list[float]] = {"to": [], "from": [], "direct to": [], "direct from": []}
    for turn in range(-2, turns):  # two to warm up
        chat_id = await asyncio.to_thread(lambda: page.call("POST", "chats", {})["chat_id"])
        await socket.write_message(json.dumps({"type": "follow", "chat_id": chat_id, "after": 0}))
        to, back = await _ours(page, provider, socket, chat_id, turn)
        direct_to, direct_back = await _direct(litellm, provider)
        if turn >= 0:
            for name, value in (("to", to), ("from", back), ("direct to", direct_to), ("direct from", direct_back)):
                found[name].append(value)
    socket.close()
    page.close()
    return found


async def _ours(page: Page, provider: FakeProvider, socket: Any, chat_id: str, turn: int) -> tuple[float, float]:
    count = len(provider.received_at)
    started = time.perf_counter()
    body = {"text": "turn", "client_id": f"turn-client-{turn}"}
    posting = asyncio.create_task(asyncio.to_thread(page.call, "POST", f"chats/{chat_id}/messages", body))
    seen = 0.0
    is_over = False
    while not is_over:
        frame = json.loads(await socket.read_message())
        for event in frame.get("events", ()):
            if event["chat_id"] != chat_id:
                continue
            if event["kind"] == "message.delta" and not seen:
                seen = time.perf_counter()
            is_over = is_over or (event["kind"] == "run.changed" and event["payload"]["run"]["state"] == "done")
    await posting
    return provider.received_at[count] - started, seen - provider.first_byte_at[count]


async def _direct(litellm: Any, provider: FakeProvider) -> tuple[float, float]:
    count = len(provider.received_at)
    started = time.perf_counter()
    stream = await litellm.acompletion(
        model="openai/scripted",
        api_base=provider.base_url,
        api_key="sk-test-0123456789abcdef",
        stream=True,
        messages=[{"role": "user", "content": "turn"}],
        stream_options={"include_usage": True},
    )
    seen = 0.0
    async for chunk in stream:
        if not seen and chunk.choices and chunk.choices[0].delta.content:
            seen = time.perf_counter()
    return provider.received_at[count] - started, seen - provider.first_byte_at[count]


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--turns", type=int, default=30)


if __name__ == "__main__":
    raise SystemExit(main(measure, _options))
