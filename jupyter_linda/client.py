"""HTTP client of a server's Linda API, for the command line and for scripts."""

from __future__ import annotations

import json
import re
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx
from httpx_sse import connect_sse

from .errors import LindaError, NotFound, Unavailable, from_wire

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Json = Any  # JSON of the API

FINAL = ("interrupted", "failed", "stopped", "done")


class LindaMissing(Unavailable):
    """The Jupyter server answers, and has no Linda."""


@dataclass(frozen=True)
class Server:
    """A running Jupyter server."""

    url: str
    """With its base_url, ending in a slash."""
    token: str
    root_dir: str


class LindaClient:
    """Calls one server. Answers to questions carry the one-time secret of the run that this client started."""

    def __init__(self, server: Server, *, timeout_s: float = 30.0) -> None:
        self._secret = secrets.token_urlsafe(32)
        headers = {"Authorization": f"token {server.token}"} if server.token else {}
        self._http = httpx.Client(
            base_url=server.url + "linda/api/",
            headers=headers,
            timeout=timeout_s,
            trust_env=False,
            follow_redirects=False,
        )

    def __enter__(self) -> LindaClient:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def request(self, method: str, path: str, body: Mapping[str, Json] | None = None, **headers: str) -> Json:
        """One call; errors come back as the exceptions they were."""
        try:
            answer = self._http.request(method, path, json=body, headers=headers)
        except httpx.HTTPError as error:
            raise Unavailable(
                f"The Jupyter server cannot be reached: {error}.", remedy="Is it still running?"
            ) from None
        if answer.status_code >= 400:
            raise _as_error(answer)
        return answer.json() if answer.content else None

    def status(self) -> Json:
        """GET status."""
        return self.request("GET", "status")

    def new_chat(self, *, model: str = "") -> str:
        """A fresh chat's id."""
        return str(self.request("POST", "chats", {"model": model})["chat_id"])

    def send(self, chat_id: str, text: str, *, model: str = "", context: Sequence[Mapping[str, Json]] = ()) -> Json:
        """Send a message; returns {message, run}."""
        body = {"text": text, "client_id": secrets.token_hex(12), "model": model, "context": list(context)}
        return self.request("POST", f"chats/{_part(chat_id)}/messages", body, **{"X-Linda-Answer-Secret": self._secret})

    def last_seq(self, chat_id: str) -> int:
        """The chat's newest sequence number."""
        return int(self.request("GET", f"chats/{_part(chat_id)}")["seq"])

    def stop(self, chat_id: str) -> None:
        """Stop whatever of the chat runs."""
        self.request("POST", f"chats/{_part(chat_id)}/stop", {})

    def answer(self, question_id: str, answer: str) -> Json:
        """Answer a question of a run this client started."""
        return self.request(
            "POST",
            f"questions/{_part(question_id)}/answer",
            {"answer": answer},
            **{"X-Linda-Answer-Secret": self._secret},
        )

    def follow(self, chat_id: str, *, after: int) -> Iterator[Json]:
        """Events after a seq, the end of the chat being the last; reconnects and resumes where the stream broke off."""
        failures = 0
        while True:
            try:
                with connect_sse(
                    self._http,
                    "GET",
                    f"chats/{_part(chat_id)}/events",
                    headers={"Last-Event-ID": str(after)},
                    timeout=60.0,
                ) as source:
                    if source.response.status_code >= 400:
                        source.response.read()
                        raise _as_error(source.response)
                    for event in source.iter_sse():
                        failures = 0
                        if event.event == "bye":
                            break
                        if not event.data:
                            continue  # a heartbeat
                        value = json.loads(event.data)
                        after = value["seq"]
                        yield value
                        if value["kind"] == "chat.deleted" and value["chat_id"] == chat_id:
                            return
            except httpx.HTTPError as error:
                failures += 1
                time.sleep(min(0.1 * 2**failures, 5.0))
                if failures > 5:
                    raise Unavailable(
                        f"The stream broke off: {error}.", remedy="The run goes on; look at it in the panel."
                    ) from None


def _part(name: str) -> str:
    """An id as one part of an address; what leads elsewhere names nothing."""
    if not re.search(r"[^./\\]", name) or "/" in name:
        raise NotFound(f"There is no {name!r}.", remedy="Copy the id from the panel, or from --json.")
    return quote(name, safe=":")


def _as_error(answer: httpx.Response) -> LindaError:
    try:
        body = answer.json()
        return from_wire(str(body.get("kind", "")), str(body.get("message", "")), remedy=str(body.get("remedy", "")))
    except ValueError:
        if answer.status_code == 404:
            return LindaMissing(
                "This Jupyter server does not have Linda.",
                remedy="Install jupyter_linda where it runs, and restart it.",
            )
        return Unavailable(f"The Jupyter server answered {answer.status_code}.", remedy="Look at its log.")
