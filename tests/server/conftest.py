"""A real Jupyter server with the extension, its real worker process, and the scripted provider."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyter_linda.schemas import ProviderInput
from tests.fakes.provider import FakeProvider


@pytest.fixture(scope="module")
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as fake:
        yield fake


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "linda"


@pytest.fixture
def jp_server_config(data_dir: Path) -> dict[str, Any]:
    return {
        "ServerApp": {"jpserver_extensions": {"jupyter_linda": True}},
        "LindaSettings": {"data_dir": str(data_dir), "heartbeat_s": 1.0},
    }


@pytest.fixture
def linda(jp_serverapp):
    """The extension's app."""
    (app,) = jp_serverapp.extension_manager.extension_apps["jupyter_linda"]
    return app


class Api:
    """Calls the server as the panel would; `answer` uses the cookie way."""

    def __init__(self, fetch: Callable[..., Any], linda: Any, provider: FakeProvider) -> None:
        self.fetch = fetch
        self.linda = linda
        self.provider = provider

    async def call(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        data = None if body is None else json.dumps(body)
        if method in ("POST", "PUT", "PATCH") and data is None:
            data = "{}"
        answer = await self.fetch("linda", "api", *path.split("/"), method=method, body=data, **options)
        return json.loads(answer.body) if answer.body else None

    def connect(self, *, default: bool = True) -> None:
        """Connect the scripted provider."""
        providers = self.linda.services().providers
        providers.put(
            "fake",
            ProviderInput(
                kind="openai", base_url=self.provider.base_url, models=("scripted",), key="sk-test-0123456789"
            ),
        )
        if default:
            providers.choose_default("fake/scripted")

    async def new_chat(self) -> str:
        return (await self.call("POST", "chats", {}))["chat_id"]

    async def send(self, chat_id: str, text: str, **fields: Any) -> dict[str, Any]:
        body = {"text": text, "client_id": f"client-{id(object())}-{text[:20]}", **fields}
        return await self.call("POST", f"chats/{chat_id}/messages", body)

    async def view(self, chat_id: str) -> dict[str, Any]:
        return await self.call("GET", f"chats/{chat_id}")

    async def until(self, chat_id: str, *states: str, seconds: float = 40.0) -> dict[str, Any]:
        """The chat once its newest run is in one of these states (default: over)."""
        wanted = states or ("done", "failed", "stopped", "interrupted")
        async with asyncio.timeout(seconds):
            while True:
                view = await self.view(chat_id)
                if view["runs"] and view["runs"][-1]["state"] in wanted:
                    return view
                await asyncio.sleep(0.02)

    async def answer(self, question_id: str, answer: str, scope: Any = None) -> None:
        """As the page does it: in the database, since pytest's fetch always carries the token (see test_answers)."""
        services = self.linda.services()
        from jupyter_linda.runs import questions

        def work() -> None:
            with services.log.transaction() as tx:
                questions.answer(tx, question_id, "local", answer=answer, by="panel")

        await services.database.run(work)
        services.brain.nudge("runs")


@pytest.fixture
def api(jp_fetch, linda, provider) -> Api:
    return Api(jp_fetch, linda, provider)
