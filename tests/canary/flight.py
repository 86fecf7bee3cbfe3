"""The canaries flown through the whole product: every tool called by a model elsewhere, every byte looked at."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.canary import world
from tests.fakes.provider import FakeProvider, Use, says, uses
from tests.ui.lab import Lab, Page

ELSEWHERE, HERE = "big-cloud", "small"
"""Two models of one scripted provider; a name that ends in -cloud counts as one that runs elsewhere."""


@dataclass
class Found:
    """What a flight saw."""

    bytes_inspected: int = 0
    requests: int = 0
    leaks: list[str] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    calls: dict[str, set[str]] = field(default_factory=dict)
    """How the calls of each tool ended."""
    asked: list[tuple[str, str]] = field(default_factory=list)


class Flight:
    """One Jupyter server over a folder of canaries."""

    def __init__(self, folder: Path, provider: FakeProvider, levels: Mapping[str, Any] = world.LEVELS) -> None:
        self.provider = provider
        self.lab = Lab(folder, app="jupyter_server")
        self.lab.connect(provider.base_url, models=(ELSEWHERE, HERE))
        (self.lab.data_dir / "privacy.json").write_text(json.dumps(levels))
        world.build(self.lab.root)
        self.found = Found()

    def __enter__(self) -> Flight:
        self.lab.start()
        self.page = Page(self.lab)
        return self

    def __exit__(self, *_: object) -> None:
        self.page.close()
        self.lab.stop()

    def fly(self, groups: Iterable[Any] = world.GROUPS, *, first_here: bool = False, send: str = "no") -> Found:
        """Call every tool; `first_here`: by a model on this machine, and the chats then go on elsewhere."""
        for number, group in enumerate(groups):
            key = f"flight {number} {first_here}"
            replies = [uses(Use(name, arguments)) for name, arguments in group]
            quoted = (
                f"I saw {world.VALUES['row']} and {world.LOCAL['diary']}."
                if first_here and group is not world.ENDING
                else "Done."
            )
            self.provider.script(key, *replies, says(quoted))
            chat_id = self.page.call("POST", "chats", {})["chat_id"]
            self._send(chat_id, key, HERE if first_here else ELSEWHERE, send)
            if first_here:
                self.provider.script(f"go on {number}", says("Gone on."))
                self._send(chat_id, f"go on {number}", ELSEWHERE, send)
        return self.found

    def _send(self, chat_id: str, text: str, model: str, send: str) -> None:
        body = {"text": text, "client_id": f"{chat_id}-{text}", "model": f"fake/{model}"}
        self.page.call("POST", f"chats/{chat_id}/messages", body)
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            view = self.page.call("GET", f"chats/{chat_id}")
            for question in view["questions"]:
                if question["state"] == "open":
                    self._answer(question, send)
            if view["runs"][-1]["state"] in ("done", "failed", "stopped", "interrupted"):
                self.found.states.append(view["runs"][-1]["state"])
                for call in view["calls"]:
                    self.found.calls.setdefault(call["name"], set()).add(call["state"])
                return
            time.sleep(0.03)
        raise TimeoutError(f"{text} did not end")

    def _answer(self, question: Mapping[str, Any], send: str) -> None:
        self.found.asked.append((question["kind"], question["action"]))
        if question["kind"] == "consent":
            self._look("the question", question["preview"]["code"].encode(), world.IDENTITIES.values())
            said = "always"
        elif question["kind"] == "approval":
            said = send if question["action"] == "send" else "once"
        else:
            said = "yes"
        self.page.call("POST", f"questions/{question['question_id']}/answer", {"answer": said})

    def inspect(self, canaries: Iterable[str]) -> Found:
        """Look for canaries in every byte that went to the model elsewhere, headers too."""
        wanted = list(canaries)
        for raw in self.provider.raw:
            if f'"{ELSEWHERE}"'.encode() not in raw:
                continue
            self.found.requests += 1
            self.found.bytes_inspected += len(raw)
            self._look("a request", raw, wanted)
        return self.found

    def _look(self, where: str, raw: bytes, canaries: Iterable[str]) -> None:
        decoded = (
            json.dumps(json.loads(raw.partition(b"\r\n\r\n")[2]), ensure_ascii=False).encode()
            if b"\r\n\r\n" in raw
            else raw
        )
        for canary in canaries:
            for form in world.encoded(canary):
                for text in (raw, decoded):
                    if form.lower() in text.lower():
                        at = text.lower().index(form.lower())
                        around = text[max(0, at - 300) : at + len(form) + 80].decode(errors="replace")
                        self.found.leaks.append(f"{canary} in {where}: …{around}…")


ALL = (*world.VALUES.values(), *world.LOCAL.values(), *world.IDENTITIES.values())
