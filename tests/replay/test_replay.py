"""A run through the product, exported as a trace, does the same again in a fresh server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from jupyter_linda.client import FINAL, LindaClient
from jupyter_linda.evaluation.notebooks import code, notebook, read_cells, text
from tests.fakes.provider import Cut, End, Fail, Part, Say, Stall, Think, Use, in_turn, says, uses
from tests.fakes.replay import MADE_ID, outline, tries_of, trimmed
from tests.replay.conftest import MODEL, Place, Replay

pytestmark = pytest.mark.timeout(180)

FILES = {
    "lakes.ipynb": notebook(text("title", "# Lakes"), code("depths", "depths = [12, 40, 7]")),
    "notes.txt": "Measured in May.\n",
}


def record(client: LindaClient, asked: str, answers: Sequence[str] = (), *, stops_after: str = "") -> Any:
    """A run as a person would have it; returns its trace as it is downloaded."""
    left = list(answers)
    chat_id = client.new_chat(model=MODEL)
    run_id = client.send(chat_id, asked, model=MODEL)["run"]["run_id"]
    for event in client.follow(chat_id, after=0):
        payload = event["payload"]
        if event["kind"] == "question.changed" and payload["question"]["state"] == "open":
            client.answer(payload["question"]["question_id"], left.pop(0))
        if stops_after and stops_after in payload.get("text", ""):
            client.stop(chat_id)
        if event["kind"] == "run.changed" and payload["run"]["state"] in FINAL:
            break
    return json.loads(json.dumps(client.request("GET", f"runs/{run_id}/trace?download=1")))


def test_a_run_with_faults_questions_and_new_cells_does_the_same_again(recorder: Place, replay: Replay) -> None:
    recorder.lay_down(FILES)
    recorder.provider.script(
        "the deepest",
        in_turn([Fail(429, "slow down", (("Retry-After", "0"),))], uses(Use("read_notebook", {"path": "lakes.ipynb"}))),
        [Think("A cell then."), Say("I add a cell."),
         Use("insert_cell", {"path": "lakes.ipynb", "source": "deepest = min(depths)"}), End("tool_calls")],
        uses(Use("edit_cell", {"path": "lakes.ipynb", "cell_id": "THE_NEW_CELL", "old_text": "min", "new_text": "max"})),
        uses(Use("write_file", {"path": "notes.txt", "content": "gone"})),
        uses(Use("ask_user", {"question": "Shall I run it?", "choices": ["yes", "later"]})),
        says("Later then."),
    )  # fmt: skip
    recorded = record(recorder.client, "Add a cell with the deepest", ["once", "once", "no", "later"])
    assert recorded["run"]["state"] == "done"
    assert [tool["state"] for tool in recorded["tools"]] == ["done", "done", "done", "refused", "done"]

    played = replay(recorded, FILES)
    assert outline(played.trace) == outline(recorded)
    assert outline(recorded)["outcomes"][0] == "rate_limit"
    assert played.left_over == 0
    for name in FILES:
        new, old = played.root / name, recorder.root / name
        if name.endswith(".ipynb"):
            assert [cell.source for cell in read_cells(new.read_bytes()) or []][-1] == "deepest = max(depths)"
            assert MADE_ID.findall(new.read_text()) != MADE_ID.findall(old.read_text())
        else:
            assert new.read_text() == old.read_text() == FILES[name]

    again = replay(trimmed(recorded), FILES)  # what is kept with a test is enough
    assert outline(again.trace) == outline(recorded)


@pytest.mark.parametrize(
    ("reply", "state", "problem"),
    [
        ([Fail(401, "bad key")], "failed", "auth"),
        ([Say("The first half"), Cut()], "interrupted", "cut_stream"),
        ([Fail(400, "maximum context length exceeded")], "failed", "context_overflow"),
    ],
)
def test_a_fault_comes_back_as_that_fault(
    recorder: Place, replay: Replay, reply: list[Part], state: str, problem: str
) -> None:
    recorder.provider.script("what now", reply)
    recorded = record(recorder.client, "what now")
    assert (recorded["run"]["state"], recorded["run"]["problem"]["kind"]) == (state, problem)
    assert outline(replay(recorded, {}).trace) == outline(recorded)


def test_a_stopped_run_is_stopped_where_it_was(recorder: Place, replay: Replay) -> None:
    recorder.provider.script("a long story", [Say("Once upon a time"), Stall(60), End("stop")])
    recorded = record(recorder.client, "a long story", stops_after="Once")
    assert recorded["run"]["state"] == "stopped"
    played = replay(recorded, {})
    assert outline(played.trace) == outline(recorded)


def test_a_run_that_asks_more_than_was_recorded_says_so(recorder: Place, replay: Replay) -> None:
    recorder.provider.script("read it", uses(Use("read_file", {"path": "notes.txt"})), says("Read."))
    recorder.lay_down(FILES)
    recorded = record(recorder.client, "read it")
    shorter = {**recorded, "model_calls": recorded["model_calls"][:1]}
    played = replay(shorter, FILES)
    assert played.left_over == -1
    assert outline(played.trace) != outline(recorded)


def test_what_a_crash_cut_is_not_said_twice() -> None:
    call = {"message_id": "m", "purpose": "reply", "is_estimated": False, "input_tokens": 3, "output_tokens": 1}
    trace = {
        "replies": [{"message_id": "m", "text": "Hello.", "reasoning": "", "tool_calls": [], "status": "complete"}],
        "model_calls": [{**call, "message_id": "old", "outcome": "cut"}, {**call, "outcome": "done"}],
    }
    assert tries_of(trace) == [[Say("Hello."), End("stop", (3, 1))]]
