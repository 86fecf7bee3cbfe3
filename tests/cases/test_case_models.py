"""Cases LS-*: odd streams and trouble with providers, through server and worker. HB-06 is in tests/cli/test_support."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.fakes.provider import Cut, Fail, Raw, Use, in_turn, says, uses
from tests.trouble.product import Product, product

pytestmark = pytest.mark.timeout(240)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with product(tmp_path_factory.mktemp("home") / "inner", model_wait_first_s=0.5) as made:
        yield made


def chunk(reason: str | None = None, **delta: Any) -> Raw:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return Raw({"id": "c1", "object": "chat.completion.chunk", "model": "scripted", "choices": [choice]})


def call(call_id: str, **function: str) -> Raw:
    return chunk(tool_calls=[{"function": function, "index": 0, "id": call_id, "type": "function"}])


DONE = Raw(b"[DONE]")


def test_ls_03_index_0_and_placeholder_ids_make_one_call(here):
    pieces = [
        call("null", name="list_files", arguments=""),
        call("", arguments='{"path"'),
        call("null", arguments=':""}'),
        chunk("tool_calls"),
        DONE,
    ]
    turn = here.ask(pieces, says("Here they are."))
    (made,) = turn.calls
    assert (made["name"], made["arguments"], made["state"]) == ("list_files", {"path": ""}, "done")
    sent_back = [message for message in turn.requests[1]["messages"] if message.get("tool_calls")][-1]
    assert sent_back["tool_calls"][0]["id"] not in ("", "null")
    assert turn.text == "Here they are."


def test_ls_05_truncated_arguments_never_run(here):
    report = here.lab.root / "report.py"
    report.write_text("the good one\n")
    cut = '{"path":"report.py","content":"import pandas as pd\\ndf = pd.re'
    turn = here.ask([call("k1", name="write_file", arguments=cut), chunk("length"), DONE], says("Too long."))
    assert report.read_text() == "the good one\n"
    (made,) = turn.calls
    assert (made["state"], made["problem"]["kind"]) == ("failed", "CutArguments")
    told = [message["content"] for message in turn.requests[1]["messages"] if message["role"] == "tool"]
    assert "arguments cut off (finish_reason=length), nothing was done" in told[-1]
    assert turn.replies[0]["error"]["message"] == "The reply was cut at the model's output limit."


def test_ls_07_finish_reason_stop_with_tool_calls_runs_them(here):
    pieces = [
        chunk(content="Looking it up."),
        call("k1", name="list_files", arguments='{"path":""}'),
        chunk("stop"),
        DONE,
    ]
    turn = here.ask(pieces, says("Found it."))
    assert [message["text"] for message in turn.replies] == ["Looking it up.", "Found it."]
    assert [made["state"] for made in turn.calls] == ["done"]


def test_ls_08_tool_calls_as_reason_without_calls_is_asked_twice_at_most(here):
    turn = here.ask([chunk(role="assistant", content=""), chunk("tool_calls"), DONE])
    assert len(turn.requests) == 2
    assert (turn.run["state"], turn.run["problem"]["message"]) == ("failed", "The model returned an empty answer.")


def test_ls_11_a_dropped_stream_is_not_a_finished_one(here):
    turn = here.ask([chunk(content="The total for Q1 is 12"), chunk(content="3"), Cut()], says("123,000"))
    (reply,) = turn.replies
    assert (reply["text"], reply["status"], turn.run["state"]) == (
        "The total for Q1 is 123",
        "interrupted",
        "interrupted",
    )
    assert turn.calls == []
    assert "continue" in reply["error"]["remedy"]
    assert turn.outcomes == ["cut_stream"]
    after = here.ask(says("123,000"), chat_id=turn.view["chat"]["chat_id"])
    assert any("cut off by the provider" in str(message["content"]) for message in after.requests[0]["messages"])


def test_ls_13_a_429_in_the_middle_of_a_turn_waits_and_runs_nothing_twice(here):
    wait = [Fail(429, "slow down", (("Retry-After", "2"),))]
    note = {"path": "note.txt", "content": "once"}
    started = len(here.provider.received_at)
    turn = here.ask(uses(Use("write_file", note)), in_turn(wait, says("done")), answers=["once"])
    assert (turn.run["state"], turn.text) == ("done", "done")
    assert [made["state"] for made in turn.calls] == ["done"]
    first, refused, again = here.provider.received_at[started:]
    assert again - refused >= 2.0
    assert refused > first
    assert turn.outcomes == ["done", "rate_limit", "done"]
    assert [one["kind"] for one in turn.retryings] == ["rate_limit"]


def test_ls_13_a_429_for_ever_ends_with_a_clear_message(here):
    started = time.perf_counter()
    turn = here.ask([Fail(429, "slow down", (("Retry-After", "0.2"),))])
    assert len(turn.requests) == 4
    assert time.perf_counter() - started < 90
    assert turn.run["problem"]["kind"] == "rate_limit"
    assert "asks to wait" in turn.run["problem"]["message"]
    assert len(here.ask([Fail(400, "no such option")]).requests) == 1, "a 400 is never sent again unchanged"


def test_ls_15_a_huge_result_is_kept_whole_and_given_short(here):
    (here.lab.root / "huge.txt").write_text("".join(f"line {at}\n" for at in range(160_000)))
    turn = here.ask(uses(Use("read_file", {"path": "huge.txt"})), says("Read."))
    told = [message["content"] for message in turn.requests[-1]["messages"] if message["role"] == "tool"]
    assert len(told[-1]) <= 21_000
    after = here.ask(says("2"), chat_id=turn.view["chat"]["chat_id"])
    assert (after.run["state"], after.text) == ("done", "2")


def test_ls_15_an_overflow_ends_with_a_clear_message_and_not_in_a_loop(here):
    turn = here.ask([Fail(400, "This model's maximum context length is 8192 tokens")])
    assert turn.run["state"] == "failed"
    assert turn.run["problem"]["kind"] == "context_overflow"
    assert turn.run["problem"]["remedy"]
    assert len([row for row in turn.rows if row["purpose"] == "reply"]) <= 2
    assert len(turn.requests) <= 4
