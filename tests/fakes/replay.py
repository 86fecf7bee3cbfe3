"""A run as its trace has it, played again: the provider says the same, the person answers the same.

`python -m tests.fakes.replay TRACE.json` prints the part of a trace that this needs: small enough to keep with a test.
"""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from jupyter_linda.client import FINAL, LindaClient
from tests.fakes.provider import Cut, End, Fail, FakeProvider, Part, Say, Stall, Think, Use

Trace = Mapping[str, Any]

MADE_ID = re.compile(r"\blinda-[0-9a-f]{16}\b")
"""Ids of cells that a call made come from the call's own id: in another run they are others."""

FAULTS: Mapping[str, Part] = {
    "auth": Fail(401, "bad key"),
    "billing": Fail(402, "payment required"),
    "forbidden": Fail(403, "forbidden"),
    "unknown_model": Fail(404, "model_not_found"),
    "timeout": Fail(408, "timeout"),
    "context_overflow": Fail(400, "maximum context length exceeded"),
    "rate_limit": Fail(429, "too many requests"),
    "overloaded": Fail(503, "overloaded"),
    "server": Fail(500, "internal error"),
    "unreachable": Fail(502, "connection refused"),
    "bad_request": Fail(400, "bad request"),
    "refused": Fail(400, "content_policy"),
    "no_tools": Fail(400, "this model does not support tools"),
    "no_streaming": Fail(400, "streaming is not supported"),
    "empty": End("stop"),
    "too_long": End("length"),
    "only_thought": End("stop"),
    "cut_stream": Cut(),
    "stopped": Stall(),
}
"""Outcome of a try -> what the provider did, after what it had said."""


def tries_of(trace: Trace) -> list[Sequence[Part]]:
    """What the provider said to each request of the run, in order. What a crash cut was asked for again, and is left out."""
    replies = {reply["message_id"]: reply for reply in trace["replies"]}
    summaries = iter(trace.get("summaries", ()))
    made: list[Sequence[Part]] = []
    for call in trace["model_calls"]:
        if call["purpose"] == "summary":
            made.append([Say(next(summaries, {"text": ""})["text"]), End("stop")])
        elif call["outcome"] not in ("", "cut"):
            made.append(_parts(replies.get(call["message_id"], {}), call))
    return made


def _parts(reply: Mapping[str, Any], call: Mapping[str, Any]) -> list[Part]:
    is_done = call["outcome"] == "done"
    said: list[Part] = []
    if is_done or reply.get("status") in ("interrupted", "stopped"):  # else the message is of a later try
        said += [Think(reply["reasoning"])] if reply.get("reasoning") else []
        said += [Say(reply["text"])] if reply.get("text") else []
    if not is_done:
        return [*said, FAULTS[call["outcome"]]]
    uses = [
        Use(used["name"], used["arguments"], index=index, call_id=used["provider_id"] or f"call_{index}")
        for index, used in enumerate(reply.get("tool_calls", ()))
    ]
    usage = None if call["is_estimated"] else (call["input_tokens"], call["output_tokens"])
    return [*said, *uses, End("tool_calls" if uses else "stop", usage)]


class ReplayProvider(FakeProvider):
    """Answers the n-th request as the trace's n-th was answered, with the ids of cells as they are in this run."""

    def __init__(self) -> None:
        super().__init__()
        self._counting = threading.Lock()
        self.load({"replies": (), "model_calls": (), "tools": ()})

    def load(self, trace: Trace) -> None:
        """The trace of the run that comes next."""
        with self._counting:
            self._tries = tries_of(trace)
            self._recorded = [tool["result"] or "" for tool in trace["tools"]]
            self._next = 0

    @property
    def left_over(self) -> int:
        """Recorded replies that nobody asked for; negative: more was asked than was recorded."""
        return len(self._tries) - self._next

    def _reply_to(self, request: dict[str, Any]) -> Sequence[Part]:
        with self._counting:
            number, self._next = self._next, self._next + 1
        if number >= len(self._tries):
            return [Fail(400, "the trace has no further reply")]
        ids = new_ids(self._recorded, request["messages"])
        return [_with_ids(part, ids) for part in self._tries[number]]


def new_ids(recorded: Sequence[str], messages: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Recorded id -> this run's, from the results that both have, in their order."""
    last_user = max((at for at, message in enumerate(messages) if message["role"] == "user"), default=0)
    results = [str(message["content"]) for message in messages[last_user:] if message["role"] == "tool"]
    found: dict[str, str] = {}
    for old, new in zip(recorded, results, strict=False):
        found |= dict(zip(MADE_ID.findall(old), MADE_ID.findall(new), strict=False))
    return found


def _with_ids(part: Part, ids: Mapping[str, str]) -> Part:
    def put(text: str) -> str:
        return MADE_ID.sub(lambda match: ids.get(match[0], match[0]), text)

    if isinstance(part, Say | Think):
        return replace(part, text=put(part.text))
    if isinstance(part, Use) and isinstance(part.arguments, str):
        return replace(part, arguments=put(part.arguments))
    return part


def play(client: LindaClient, trace: Trace, *, model: str) -> Trace:
    """Send what was asked, answer as it was answered, stop where it was stopped; returns the new run's trace."""
    answers = [str(question["answer"] or "no") for question in trace["questions"]]
    said = sum(len(reply["text"]) for reply in trace["replies"])
    chat_id = client.new_chat(model=model)
    asked = trace["asked"]
    run_id = client.send(chat_id, asked["text"], model=model, context=asked["context"])["run"]["run_id"]
    heard = 0
    for event in client.follow(chat_id, after=0):
        payload = event["payload"]
        if event["kind"] == "question.changed" and payload["question"]["state"] == "open":
            answer = answers.pop(0) if answers else "no"
            client.answer(payload["question"]["question_id"], "once" if answer == "always" else answer)
        heard += len(payload.get("text", "")) if event["kind"] == "message.delta" else 0
        if event["kind"] == "run.changed" and payload["run"]["run_id"] == run_id and payload["run"]["state"] in FINAL:
            break
        if trace["run"]["state"] == "stopped" and heard >= said > 0:
            client.stop(chat_id)
    made: Trace = client.request("GET", f"runs/{run_id}/trace")
    return made


def outline(trace: Trace) -> dict[str, Any]:
    """What two runs have in common that did the same: states, texts, calls, questions, faults. Ids are numbered."""
    problem = trace["run"].get("problem") or {}
    replies = [(one["text"], one["status"]) for one in trace["replies"] if one["status"] != "replaced"]
    tools = [(one["name"], one["arguments"], one["state"], one["title"], one["result"]) for one in trace["tools"]]
    questions = [(one["kind"], one["tool"], one["state"], one["answer"]) for one in trace["questions"]]
    found = {
        "state": trace["run"]["state"],
        "problem": problem.get("kind", ""),
        "replies": replies,
        "tools": tools,
        "questions": questions,
        "outcomes": [one["outcome"] for one in trace["model_calls"] if one["outcome"] != "cut"],
    }
    numbers: dict[str, str] = {}
    text = MADE_ID.sub(
        lambda match: numbers.setdefault(match[0], f"made-{len(numbers) + 1}"), json.dumps(found, ensure_ascii=False)
    )
    made: dict[str, Any] = json.loads(text)
    return made


KEPT: Mapping[str, Sequence[str]] = {
    "run": ("state", "problem"),
    "asked": ("text", "context"),
    "replies": ("message_id", "text", "reasoning", "tool_calls", "status"),
    "model_calls": ("message_id", "purpose", "outcome", "input_tokens", "output_tokens", "is_estimated"),
    "tools": ("name", "arguments", "state", "title", "result"),
    "questions": ("kind", "tool", "state", "answer"),
    "summaries": ("text",),
}
"""What a replay needs: nothing of it says who or where, except what the texts themselves say."""


def trimmed(trace: Trace) -> Trace:
    """The trace without what a replay does not need."""

    def part(held: Any, names: Sequence[str]) -> Any:
        if isinstance(held, list):
            return [part(one, names) for one in held]
        return {name: held[name] for name in names if name in held}

    return {name: part(trace[name], names) for name, names in KEPT.items()}


if __name__ == "__main__":
    print(json.dumps(trimmed(json.loads(Path(sys.argv[1]).read_text("utf-8"))), indent=1, ensure_ascii=False))
