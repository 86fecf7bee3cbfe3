"""A Jupyter server with its worker and the scripted provider: asks, answers, and what was written down."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fakes.provider import FakeProvider, Reply
from tests.ui.lab import Lab, Page, running

OVER = ("done", "failed", "stopped", "interrupted")
SETTINGS = {
    "model_wait_first_s": 0.02,
    "model_wait_max_s": 5.0,
    "provider_timeout_s": 3.0,
    "provider_gap_timeout_s": 1.0,
}


@dataclass
class Turn:
    """One message and what came of it."""

    view: Mapping[str, Any]
    requests: Sequence[Mapping[str, Any]]
    rows: Sequence[Mapping[str, Any]]
    events: Sequence[Mapping[str, Any]]

    @property
    def run(self) -> Mapping[str, Any]:
        return self.view["runs"][-1]

    @property
    def replies(self) -> list[Mapping[str, Any]]:
        return [message for message in self.view["messages"] if message["run_id"] == self.run["run_id"]]

    @property
    def text(self) -> str:
        return "".join(message["text"] for message in self.replies)

    @property
    def calls(self) -> list[Mapping[str, Any]]:
        return [call for call in self.view["calls"] if call["run_id"] == self.run["run_id"]]

    @property
    def outcomes(self) -> list[str]:
        return [row["outcome"] for row in self.rows]

    @property
    def retryings(self) -> list[Mapping[str, Any]]:
        return [event["payload"] for event in self.events if event["kind"] == "model.retrying"]


class Product:
    """What a person and the provider see of it."""

    def __init__(self, lab: Lab, provider: FakeProvider) -> None:
        self.lab = lab
        self.provider = provider
        self.page = Page(lab)
        self._count = 0

    def new_chat(self, **fields: Any) -> str:
        return str(self.page.call("POST", "chats", fields)["chat_id"])

    def script(self, *replies: Reply) -> str:
        """Words that are answered so."""
        self._count += 1
        key = f"question {self._count} of {id(self)}"
        self.provider.script(key, *replies)
        return key

    def send(self, chat_id: str, text: str) -> None:
        self._count += 1
        self.page.call(
            "POST", f"chats/{chat_id}/messages", {"text": text, "client_id": f"client-{id(self)}-{self._count}"}
        )

    def until(self, chat_id: str, *states: str, seconds: float = 60.0) -> Mapping[str, Any]:
        deadline = time.monotonic() + seconds
        while True:
            view = self.page.call("GET", f"chats/{chat_id}")
            if view["runs"] and view["runs"][-1]["state"] in (states or OVER):
                return view
            assert time.monotonic() < deadline, view["runs"]
            time.sleep(0.02)

    def ask(self, *replies: Reply, chat_id: str = "", answers: Sequence[str] = (), **fields: Any) -> Turn:
        """Send words that are answered with `replies`; questions get `answers` in turn."""
        chat_id = chat_id or self.new_chat(**fields)
        before = len(self.provider.requests)
        self.send(chat_id, self.script(*replies))
        for answer in answers:
            view = self.until(chat_id, "waiting", *OVER)
            (question,) = [one for one in view["questions"] if one["state"] == "open"]
            self.page.call("POST", f"questions/{question['question_id']}/answer", {"answer": answer})
        return self.turn(chat_id, before)

    def turn(self, chat_id: str, before: int = 0) -> Turn:
        view = self.until(chat_id)
        run_id = view["runs"][-1]["run_id"]
        return Turn(view, self.provider.requests[before:], self.rows(run_id), self.events(chat_id))

    def rows(self, run_id: str) -> list[dict[str, Any]]:
        return self._select("SELECT * FROM model_calls WHERE run_id = ? ORDER BY begun_at, model_call_id", run_id)

    def events(self, chat_id: str) -> list[dict[str, Any]]:
        import json

        rows = self._select("SELECT kind, payload FROM events WHERE chat_id = ? ORDER BY seq", chat_id)
        return [{"kind": row["kind"], "payload": json.loads(row["payload"])} for row in rows]

    def _select(self, query: str, *values: str) -> list[dict[str, Any]]:
        path = self.lab.data_dir / "linda.sqlite"
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            return [dict(row) for row in connection.execute(query, values)]


@contextmanager
def product(home: Path, **settings: Any) -> Iterator[Product]:
    """A running product; `settings` beside the quick ones."""
    with FakeProvider() as provider:
        lab = Lab(home, app="jupyter_server", settings={**SETTINGS, **settings})
        lab.connect(provider.base_url, models=("scripted", "other"))
        with running(lab):
            made = Product(lab, provider)
            try:
                yield made
            finally:
                made.page.close()
