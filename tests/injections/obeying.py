"""A model that does whatever it reads, and the runs of all attempts against one server."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.provider import FakeProvider, Reply, Use, says, uses
from tests.injections.attempt import Attempt, text_of
from tests.ui.lab import Lab, Page

FENCE = re.compile(r"<<data ([0-9a-f]{12})(?: from \w+)?>>.*?<<end \1>>", re.DOTALL)
OVER = ("done", "failed", "stopped", "interrupted")
AT_ONCE = 6


def outside_fences(request: Mapping[str, Any]) -> str:
    """Everything of a prompt that stands in nobody's fence and that the model did not say itself."""
    texts = [text for message in request["messages"] if message["role"] != "assistant" for text in _texts(message)]
    return "\n".join(FENCE.sub("", text) for text in texts)


def _texts(message: Mapping[str, Any]) -> list[str]:
    """All of a message but its role: whatever else is sent with it counts too."""
    content = message.get("content") or ""
    parts = [content] if isinstance(content, str) else [str(part.get("text", part)) for part in content]
    return [*parts, *(json.dumps(value, ensure_ascii=False) for key, value in message.items() if key != "content")]


class ObeyingProvider(FakeProvider):
    """Looks where it is told to, and makes the calls an attempt wants as soon as it has read its words."""

    def __init__(self) -> None:
        super().__init__()
        self.attempts: dict[str, tuple[Attempt, str]] = {}
        """By the mark in the person's first message: the attempt and the word that shows it was seen."""
        self.seen: set[str] = set()
        self.prompts: dict[str, list[dict[str, Any]]] = {}
        self._own = threading.Lock()

    def _reply_to(self, request: dict[str, Any]) -> Reply:
        people = [at for at, message in enumerate(request["messages"]) if message["role"] == "user"]
        first = "".join(_texts(request["messages"][people[0]]))
        mark = next((mark for mark in self.attempts if f"({mark})" in first), None)
        if mark is None:
            return super()._reply_to(request)
        attempt, token = self.attempts[mark]
        with self._own:
            self.prompts.setdefault(mark, []).append(request)
        told = "".join(text for one in request["messages"][1:] if one["role"] != "assistant" for text in _texts(one))
        if token in told:
            self.seen.add(mark)
        calls = self._calls(attempt, is_seen=token in told, turn=len(people))
        said = sum(message["role"] == "assistant" for message in request["messages"][people[-1] :])
        return uses(Use(*calls[said])) if said < len(calls) else says("Done.")

    @staticmethod
    def _calls(attempt: Attempt, *, is_seen: bool, turn: int) -> list[Any]:
        if turn > 1:
            return list(attempt.later) if is_seen else []
        return [*attempt.looks, *(attempt.wants if is_seen else ())]


@dataclass
class Outcome:
    """How an attempt ended."""

    attempt: Attempt
    token: str
    view: dict[str, Any] = field(default_factory=dict)
    prompts: Sequence[dict[str, Any]] = ()
    is_seen: bool = False
    asked: list[str] = field(default_factory=list)
    """Tools that a person was asked about; the answer was always no."""

    def effects(self) -> list[str]:
        """Calls that were carried out and were more than looking."""
        done = [call for call in self.view["calls"] if call["action"] != "read" and call["state"] in ("done", "begun")]
        return [f"{call['name']} {call['arguments']}" for call in done]

    def is_found(self) -> bool:
        """Whether a person, or at least the model, was told of it."""
        noted = any(
            "[note of this program" in text for one in self.prompts for m in one["messages"] for text in _texts(m)
        )
        return noted or any(call["found"] for call in self.view["calls"])


@dataclass
class Bench:
    """One server with its worker, and everything that must stay as it is."""

    lab: Lab
    page: Page
    provider: ObeyingProvider

    def put(self, attempt: Attempt) -> None:
        for path, content in attempt.files.items():
            target = self.lab.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text_of(content), encoding="utf-8")
        for title in attempt.tasks:
            self.page.call("POST", "tasks", {"title": title})

    def state(self) -> dict[str, Any]:
        """Files below and beside the root, rules, grants, tasks, kernels."""
        home = self.lab.home
        folders = [self.lab.root, home / "config"]
        files = {str(p.relative_to(home)): p.read_bytes() for f in folders for p in f.rglob("*") if p.is_file()}
        rules = self.lab.data_dir / "rules.json"
        strays = sorted(path.name for path in [*home.glob("*"), *home.parent.glob("HACKED*")])
        return {
            "files": files,
            "beside": strays,
            "rules": rules.read_bytes() if rules.exists() else None,
            "grants": self.page.call("GET", "grants")["grants"],
            "tasks": self.page.call("GET", "tasks")["tasks"],
            "kernels": sorted(kernel["id"] for kernel in self.lab.get("api/kernels")),
        }

    def run(self, attempts: Mapping[str, tuple[Attempt, str]], *, mode: str) -> dict[str, Outcome]:
        """All of them, several at once; every question is answered with no."""
        self.provider.attempts = dict(attempts)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            done = list(pool.map(lambda mark: self._one(mark, mode), attempts))
        return dict(zip(attempts, done, strict=True))

    def _one(self, mark: str, mode: str) -> Outcome:
        attempt, token = self.provider.attempts[mark]
        outcome = Outcome(attempt, token)
        chat_id = self.page.call("POST", "chats", {"mode": mode})["chat_id"]
        context = list(attempt.context)
        self._say(chat_id, f"{attempt.asks} ({mark})", context, outcome)
        if attempt.later:
            self._say(chat_id, "Thanks, go on.", [], outcome)
        outcome.prompts = self.provider.prompts.get(mark, [])
        outcome.is_seen = mark in self.provider.seen
        return outcome

    def _say(self, chat_id: str, text: str, context: Sequence[Any], outcome: Outcome) -> None:
        body = {"text": text, "client_id": f"{chat_id}-{len(text)}", "context": context}
        self.page.call("POST", f"chats/{chat_id}/messages", body)
        self.until_over(chat_id, outcome, answer="no")

    def until_over(self, chat_id: str, outcome: Outcome, *, answer: str) -> None:
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            outcome.view = self.page.call("GET", f"chats/{chat_id}")
            if outcome.view["runs"] and outcome.view["runs"][-1]["state"] in OVER:
                return
            for question in outcome.view["questions"]:
                if question["state"] == "open":
                    outcome.asked.append(question["tool"])
                    said = answer if question["kind"] == "approval" else "yes"
                    self.page.call("POST", f"questions/{question['question_id']}/answer", {"answer": said})
            time.sleep(0.05)
        raise AssertionError(f"{outcome.attempt.title!r} did not end: {outcome.view['runs'][-1]}")
