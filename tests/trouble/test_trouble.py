"""Each fault of a provider through server and worker: how the run ends, what is said, what was asked how often."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.fakes.provider import Cut, End, Fail, Hang, Json, Raw, Say, Stall, Think, Use, When, in_turn, says, uses
from tests.trouble.product import Product, product

pytestmark = pytest.mark.timeout(240)

HAPPY = [Say("All is well."), End("stop")]
KEY = "sk-test-0123456789abcdef"


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with product(tmp_path_factory.mktemp("home") / "inner") as made:
        yield made


@pytest.mark.parametrize(
    ("part", "kind", "words"),
    [
        (Fail(401, f"Incorrect API key provided: {KEY}"), "auth", "Check the key"),
        (Fail(402), "billing", "your account"),
        (Fail(403), "forbidden", "another model"),
        (Fail(404, "The model `scripted` does not exist"), "unknown_model", "another model"),
        (Fail(400, "temperature is out of range"), "bad_request", "settings"),
        (Fail(400, "Your request was rejected as a result of our safety system"), "refused", "another way"),
        (Fail(429, "insufficient_quota"), "billing", "your account"),
        (Fail(429, "slow down", (("Retry-After", "7200"),)), "rate_limit", "in a moment"),
    ],
)
def test_what_time_does_not_cure_is_asked_once_and_told_with_what_to_do(here, part, kind, words):
    turn = here.ask([part])
    assert turn.run["state"] == "failed"
    problem = turn.run["problem"]
    assert problem["kind"] == kind
    assert words in problem["remedy"]
    assert KEY not in str(turn.view)
    assert turn.outcomes == [kind]
    assert len(turn.requests) == 1
    assert turn.retryings == []


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        (Fail(408), "timeout"),
        (Fail(429, "slow down"), "rate_limit"),
        (Fail(500), "server"),
        (Fail(502), "server"),
        (Fail(503), "overloaded"),
        (Fail(504), "timeout"),
        (Fail(529), "overloaded"),
        (Cut(), "cut_stream"),
        (Raw({"error": {"message": "overloaded", "code": 503}}), "cut_stream"),
        (Raw(b"{nonsense"), "cut_stream"),
    ],
)
def test_what_time_may_cure_is_tried_again(here, part, kind):
    turn = here.ask(in_turn([part], [part], HAPPY))
    assert (turn.run["state"], turn.text) == ("done", "All is well.")
    assert turn.outcomes == [kind, kind, "done"]
    assert [one["kind"] for one in turn.retryings] == [kind, kind]
    assert len(turn.requests) == 3


@pytest.mark.parametrize(("part", "kind"), [(Fail(500), "server"), (Fail(429), "rate_limit"), (Cut(), "cut_stream")])
def test_a_fault_for_ever_ends_after_four_tries(here, part, kind):
    turn = here.ask([part])
    assert turn.run["state"] == ("interrupted" if kind == "cut_stream" else "failed")
    assert turn.run["problem"]["kind"] == kind
    assert turn.run["problem"]["message"].endswith("Tried 4 times.")
    assert turn.outcomes == [kind] * 4


@pytest.mark.parametrize("begun", [[Say("Half a ")], [Think("Hm."), Say("Half a ")]])
@pytest.mark.parametrize("end", [[Cut()], [Raw(b"{nonsense")], [Stall()], []])
def test_after_the_first_piece_nothing_is_tried_again_and_what_came_is_kept(here, begun, end):
    turn = here.ask([*begun, *end])
    assert turn.run["state"] == "interrupted"
    assert (turn.text, turn.replies[-1]["status"]) == ("Half a ", "interrupted")
    assert turn.replies[-1]["error"]["kind"] == "cut_stream"
    assert turn.outcomes == ["cut_stream"]


BROKEN_USAGE = {"id": "c", "choices": [], "usage": {"prompt_tokens": "many", "completion_tokens": None}}


@pytest.mark.parametrize("behind", [[Cut()], [Stall()], [Raw(b"{nonsense")], [Raw(BROKEN_USAGE)]])
def test_what_breaks_behind_a_whole_reply_ends_nothing(here, behind):
    ended = Raw({"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    turn = here.ask([Use("list_files", {"path": ""}), ended, *behind], says("Here they are."))
    assert (turn.run["state"], turn.text) == ("done", "Here they are.")
    assert [call["state"] for call in turn.calls] == ["done"]
    assert turn.outcomes == ["done", "done"]
    assert all(row["begun_at"] <= row["first_at"] <= row["ended_at"] for row in turn.rows), "a call is a first piece"


def test_two_calls_of_one_id_are_two(here):
    calls = (Use("list_files", {"path": ""}, call_id="one"), Use("no_such", {}, index=1, call_id="one"))
    turn = here.ask(uses(*calls), says("Here they are."))
    assert [(call["name"], call["state"]) for call in turn.calls] == [("list_files", "done"), ("no_such", "failed")]
    ids = [call["id"] for call in turn.requests[-1]["messages"][-3]["tool_calls"]]
    assert len(set(ids)) == 2
    assert [message["tool_call_id"] for message in turn.requests[-1]["messages"][-2:]] == ids


def test_a_model_that_gives_no_first_word_in_time(here):
    turn = here.ask(in_turn([Hang()], HAPPY))
    assert turn.outcomes == ["timeout", "done"]
    assert "no first word within 3 s" in turn.retryings[0]["message"]


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ([End("stop")], "empty"),
        ([Raw({"id": "c", "choices": []}), End("stop")], "empty"),
        ([End("tool_calls")], "empty"),
        ([Think("Hm."), End("stop")], "only_thought"),
        ([Think("Hm."), End("length")], "only_thought"),
        ([End("content_filter")], "refused"),
    ],
)
def test_a_reply_that_is_none_is_told(here, reply, kind):
    turn = here.ask(reply)
    assert (turn.run["state"], turn.run["problem"]["kind"]) == ("failed", kind)
    assert turn.run["problem"]["remedy"]
    assert len(turn.requests) == (2 if kind == "empty" else 1)


def test_a_filter_in_the_middle_keeps_what_came(here):
    turn = here.ask([Say("Half a "), End("content_filter")])
    assert (turn.text, turn.replies[-1]["status"]) == ("Half a ", "interrupted")
    assert turn.replies[-1]["error"]["kind"] == "refused"


def test_a_reply_cut_at_its_limit_offers_to_go_on(here):
    turn = here.ask([Say("Half a "), End("length")])
    assert turn.replies[-1]["error"]["kind"] == "length"
    assert "continue" in turn.replies[-1]["error"]["remedy"]


def test_arguments_that_are_no_json_are_asked_for_again(here):
    bad = [Use("list_files", '{"path": ""'), End("tool_calls")]
    turn = here.ask(bad, uses(Use("list_files", {"path": ""})), says("Here they are."))
    assert [call["state"] for call in turn.calls] == ["failed", "done"]
    assert turn.text == "Here they are."
    told = [message["content"] for message in turn.requests[1]["messages"] if message["role"] == "tool"]
    assert "nothing was done" in told[0]


@pytest.mark.parametrize("number", ["NaN", "1e999"])
def test_a_number_that_is_none_is_asked_for_again_and_breaks_no_reply(here, number):
    bad = [Say("I look."), Use("list_files", f'{{"path": "", "depth": {number}}}'), End("tool_calls")]
    turn = here.ask(bad, says("Here they are."))
    assert (turn.run["state"], turn.text) == ("done", "I look.Here they are.")
    assert [(call["state"], call["problem"]["kind"]) for call in turn.calls] == [("failed", "CutArguments")]


def test_double_encoded_arguments_are_taken(here):
    turn = here.ask([Use("list_files", '"{\\"path\\": \\"\\"}"'), End("tool_calls")], says("Here they are."))
    assert [(call["state"], call["arguments"]) for call in turn.calls] == [("done", {"path": ""})]


def test_a_tool_that_does_not_exist_is_answered_and_a_loop_of_them_ended(here):
    turn = here.ask(uses(Use("read_fil", {"path": "x"})))
    assert (turn.run["state"], turn.run["problem"]["kind"]) == ("failed", "useless_calls")
    assert len(turn.requests) == 3
    assert "read_file" in turn.calls[0]["result"]


def test_usage_that_nobody_gave_is_estimated_and_marked(here):
    turn = here.ask([Say("one two three"), End("stop", usage=None)])
    usage = turn.replies[-1]["usage"]
    assert usage["is_estimated"]
    assert usage["input_tokens"] > 500, "the tools count too"
    assert (turn.rows[0]["is_estimated"], turn.rows[0]["cost_usd_micros"]) == (1, 0)


# ---- stop, and other models ------------------------------------------------------------------------------


def test_a_stop_in_a_wait_ends_the_run_at_once(here):
    chat_id = here.new_chat()
    here.send(chat_id, here.script([Fail(429, "wait", (("Retry-After", "4"),))]))
    view = here.until(chat_id, "running")
    deadline = time.monotonic() + 20
    while not [event for event in here.events(chat_id) if event["kind"] == "model.retrying"]:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    started = time.perf_counter()
    here.page.call("POST", f"chats/{chat_id}/stop", {})
    here.until(chat_id, "stopped")
    assert time.perf_counter() - started < 1.0
    assert here.rows(view["runs"][-1]["run_id"])[0]["outcome"] == "rate_limit"


def test_another_model_here_answers_none_elsewhere_and_the_reply_says_which_and_why(tmp_path):
    fallbacks = ["openai/gpt-5", "fake/nobody", "fake/other"]
    allowed = ["fake/scripted", "fake/other", "openai/*"]
    with product(tmp_path / "inner", fallback_models=fallbacks, allowed_models=allowed) as made:
        turn = made.ask(in_turn([Fail(401)], HAPPY))
        assert (turn.run["state"], turn.text) == ("done", "All is well.")
        reply = turn.replies[-1]
        assert reply["model"] == "fake/other"
        why = "fake/other answered in place of fake/scripted. fake/scripted: The provider refused the key."
        assert reply["notice"].startswith(why)
        assert "openai/gpt-5 was not asked: it runs elsewhere" in reply["notice"]
        assert "fake/nobody was not asked" in reply["notice"]
        assert [(row["model"], row["outcome"]) for row in turn.rows] == [
            ("fake/scripted", "auth"),
            ("fake/other", "done"),
        ]
        assert [request["model"] for request in turn.requests] == ["scripted", "other"]
        turn = made.ask([Fail(401)])
        assert turn.run["state"] == "failed"
        assert "openai/gpt-5 was not asked: it runs elsewhere" in turn.run["problem"]["message"]
        assert "fake/other did not answer either" in turn.run["problem"]["message"]


def test_models_that_take_no_tools_or_cannot_stream_answer_and_that_is_remembered(here):
    no_tools = [Fail(400, "registry.ollama.ai/library/gemma does not support tools")]
    no_streaming = [Fail(400, "This model does not support streaming")]
    turn = here.ask(When("tools", no_tools, When("stream", no_streaming, HAPPY)), model="fake/other")
    assert (turn.run["state"], turn.text) == ("done", "All is well.")
    assert turn.outcomes == ["no_tools", "no_streaming", "done"]
    assert "takes no tools" in turn.replies[-1]["notice"]
    assert turn.replies[-1]["usage"]["input_tokens"] == 100
    turn = here.ask(says("Again."), model="fake/other")
    assert turn.outcomes == ["done"]
    assert "takes no tools" in turn.replies[-1]["notice"]
    assert here.ask(says("With tools.")).requests[-1]["tools"], "the other model keeps its own"


def test_a_document_where_a_stream_was_asked_for_is_asked_for(here):
    turn = here.ask(When("stream", [Json({"choices": []})], HAPPY), model="fake/odd")
    assert (turn.run["state"], turn.text) == ("done", "All is well.")
    assert turn.outcomes == ["no_streaming", "done"]
