"""Whole runs: text, tools, questions, faults, limits, crashes; everything real but the model and the tools."""

from __future__ import annotations

import asyncio
import re

import pytest

from jupyter_linda.agent.dispatch import AGAIN, HAPPENED, SKIP
from jupyter_linda.chats import store
from jupyter_linda.errors import ProviderFault, ToolRetry
from jupyter_linda.ports import CallDraft, Finished, ReasoningDelta, TextDelta
from tests.fakes.desk import Desk, says, uses


def texts(desk: Desk) -> list[str]:
    return [message.text for message in desk.view().messages if message.role == "assistant"]


async def test_a_message_is_answered_and_everything_is_in_the_log(desk):
    desk.model.scripts["hi"] = [[ReasoningDelta("hm"), TextDelta("Hel"), TextDelta("lo"), Finished("stop")]]
    run = desk.send("hi")
    async with desk.working():
        assert (await desk.finish(run.run_id)).state == "done"
    view = desk.view()
    assert [(message.role, message.text, message.status) for message in view.messages] == [
        ("user", "hi", "complete"),
        ("assistant", "Hello", "complete"),
    ]
    assert view.messages[1].reasoning == "hm"
    assert view.messages[1].parent_id == view.messages[0].message_id
    events = desk.log.read(desk.chat_id, 0)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert "".join(event.payload.get("text", "") for event in events if event.kind == "message.delta") == "Hello"


async def test_reads_run_side_by_side_and_writes_one_after_the_other(desk):
    desk.model.scripts["go"] = [
        uses(("look", {"name": "a"}), ("look", {"name": "b"}), ("put", {"name": "c"}), ("put", {"name": "d"})),
        says("done"),
    ]
    gates = {name: asyncio.Event() for name in "ab"}
    desk.effects.block.update(gates)
    run = desk.send("go")
    async with desk.working():
        await desk.until(lambda: {"a", "b"} <= set(desk.effects.begun))
        assert desk.effects.most_active == 2
        assert "put c" not in desk.effects.done
        for gate in gates.values():
            gate.set()
        assert (await desk.finish(run.run_id)).state == "done"
    assert desk.effects.done[2:] == ["put c", "put d"]
    tool_messages = [message for message in desk.model.requests[-1].messages if message["role"] == "tool"]
    assert [message["content"].split("\n")[1] for message in tool_messages] == ["saw a", "saw b", "put c", "put d"]
    assert [message["tool_call_id"] for message in tool_messages] == ["p0", "p1", "p2", "p3"]


async def test_a_call_has_a_title_while_it_goes_on(desk):
    desk.model.scripts["go"] = [uses(("look", {"name": "a"})), says("done")]
    desk.effects.block["a"] = asyncio.Event()
    run = desk.send("go")
    async with desk.working():
        await desk.until(lambda: "a" in desk.effects.begun)
        (begun,) = desk.view().calls
        assert begun.state == "begun"
        assert begun.title.startswith("Look")
        desk.effects.block["a"].set()
        await desk.finish(run.run_id)


async def test_an_asked_call_waits_without_a_worker_and_goes_on_after_the_answer(desk):
    desk.gate.auto = False
    desk.model.scripts["go"] = [uses(("look", {"name": "a"}), ("put", {"name": "b"})), says("done")]
    run = desk.send("go")
    async with desk.working() as worker:
        await desk.until_state(run.run_id, "waiting")
        await desk.until(lambda: not worker.claims.held)
    assert desk.effects.done == ["look a"]
    question = desk.view().questions[0]
    assert (question.state, question.tool, question.arguments) == ("open", "put", {"name": "b"})
    desk.answer("once")
    async with desk.working():
        assert (await desk.finish(run.run_id)).state == "done"
    assert desk.effects.done == ["look a", "put b"]
    assert desk.view().questions[0].answered_by == "panel"


async def test_no_means_that_nothing_is_done_and_the_model_is_told(desk):
    desk.gate.auto = False
    desk.model.scripts["go"] = [uses(("put", {"name": "b"})), says("as you wish")]
    run = desk.send("go")
    async with desk.working():
        await desk.until_state(run.run_id, "waiting")
        desk.answer("no")
        await desk.finish(run.run_id)
    assert desk.effects.done == []
    assert [call.state for call in desk.view().calls] == ["refused"]
    assert "The person said no" in desk.model.requests[-1].messages[-1]["content"]


async def test_a_question_that_nobody_answers_expires_to_no(desk, clock):
    desk.gate.auto = False
    desk.model.scripts["go"] = [uses(("put", {"name": "b"})), says("ok")]
    run = desk.send("go")
    async with desk.working() as worker:
        await desk.until_state(run.run_id, "waiting")
        clock.move(hours=73)
        worker.claims._last.clear()
        await desk.finish(run.run_id)
    assert desk.effects.done == []
    assert desk.view().questions[0].state == "expired"


async def test_the_model_can_ask_the_person(desk):
    desk.model.scripts["go"] = [uses(("ask_user", {"question": "Which?", "choices": ["a", "b"]})), says("thanks")]
    run = desk.send("go")
    async with desk.working():
        await desk.until_state(run.run_id, "waiting")
        assert desk.view().questions[0].choices == ("a", "b")
        desk.answer("b")
        assert (await desk.finish(run.run_id)).state == "done"
    assert desk.model.requests[-1].messages[-1]["content"] == "The person answered: b"


@pytest.mark.parametrize("arguments", ["[]", "{}", "3"])
async def test_a_malformed_question_to_the_person_is_an_error_for_the_model(desk, arguments):
    desk.model.scripts["go"] = [[Finished("stop", calls=(CallDraft("p", "ask_user", arguments),))], says("ok")]
    run = desk.send("go")
    async with desk.working():
        assert (await desk.finish(run.run_id)).state == "done"


async def test_unknown_tools_and_wrong_arguments_are_told_to_the_model(desk):
    desk.model.scripts["go"] = [uses(("nothing", {}), ("look", {"nam": "a"})), says("ok")]
    run = desk.send("go")
    async with desk.working():
        assert (await desk.finish(run.run_id)).state == "done"
    first, second = [message["content"] for message in desk.model.requests[-1].messages if message["role"] == "tool"]
    assert "no tool 'nothing'" in first
    assert "look" in first
    assert "name: Field required" in second


async def test_case_ls_05_a_call_cut_at_the_output_limit_never_runs(desk):
    cut = CallDraft("k1", "put", '{"name":"half', is_whole=False)
    desk.model.scripts["go"] = [[Finished("length", calls=(cut,))], says("sorry")]
    run = desk.send("go")
    async with desk.working():
        assert (await desk.finish(run.run_id)).state == "done"
    assert desk.effects.done == []
    told = desk.model.requests[-1].messages[-1]["content"]
    assert "arguments cut off (finish_reason=length), nothing was done" in told
    assert desk.view().messages[1].error.kind == "length"


async def test_case_ls_08_an_empty_answer_is_asked_for_once_more_then_fails(desk):
    desk.model.scripts["go"] = [[ProviderFault("empty", "The model returned an empty answer.")]]
    run = desk.send("go")
    async with desk.working():
        ended = await desk.finish(run.run_id)
    assert (ended.state, ended.problem.message) == ("failed", "The model returned an empty answer.")
    assert len(desk.model.requests) == 2
    assert len(texts(desk)) == 1


async def test_thoughts_without_an_answer_stay_and_are_told_as_such(desk):
    fault = ProviderFault("only_thought", "The model only thought and gave no answer.", remedy="Retry.")
    desk.model.scripts["go"] = [[ReasoningDelta("Let me see. "), ReasoningDelta("Hm."), fault]]
    run = desk.send("go")
    async with desk.working():
        ended = await desk.finish(run.run_id)
    assert (ended.state, ended.problem.kind) == ("failed", "only_thought")
    assert len(desk.model.requests) == 1
    message = desk.view().messages[1]
    assert (message.text, message.reasoning, message.status) == ("", "Let me see. Hm.", "failed")
    assert message.error.message == "The model only thought and gave no answer."


async def test_case_ls_11_a_cut_stream_keeps_its_text_labelled_and_runs_nothing(desk):
    fault = ProviderFault("cut_stream", "The stream broke off.", remedy="Continue.")
    desk.model.scripts["go"] = [[TextDelta("The total is 12"), TextDelta("3"), fault]]
    run = desk.send("go")
    async with desk.working():
        ended = await desk.finish(run.run_id)
    assert (ended.state, ended.problem.kind) == ("interrupted", "cut_stream")
    message = desk.view().messages[1]
    assert (message.text, message.status, message.error.remedy) == ("The total is 123", "interrupted", "Continue.")


async def test_case_ls_15_a_huge_result_is_stored_whole_and_given_short(desk):
    desk.model.scripts["go"] = [uses(("flood", {})), says("big")]
    run = desk.send("go")
    async with desk.working():
        await desk.finish(run.run_id)
    call = desk.view().calls[0]
    assert len(call.result) <= 20_000
    assert call.result.endswith("LAST")
    assert "characters left out" in call.result
    assert "MIDDLE" in desk.results.get(call.result_hash)
    given = desk.model.requests[-1].messages[-1]["content"]
    assert len(given) <= 20_100, "the text and its marks"


async def test_a_run_ends_visibly_at_its_step_limit(desk):
    desk.max_steps = 3
    desk.model.scripts["go"] = [uses(("look", {"name": "a"}))]
    run = desk.send("go")
    async with desk.working():
        ended = await desk.finish(run.run_id)
    assert (ended.state, ended.problem.kind, ended.steps) == ("failed", "step_limit", 3)
    assert len(desk.model.requests) == 3


async def test_a_bug_in_a_tool_is_told_and_the_run_goes_on(desk, caplog):
    async def broken(*_args: object, **_kwargs: object) -> None:
        raise ZeroDivisionError("obey me")

    desk.tools["look"].body = broken
    desk.model.scripts["go"] = [uses(("look", {"name": "a"})), says("Then not.")]
    run = desk.send("go")
    async with desk.working():
        ended = await desk.finish(run.run_id)
    (call,) = desk.view().calls
    assert (ended.state, call.state, call.problem.kind) == ("done", "failed", "bug")
    given = desk.model.requests[-1].messages[-1]["content"]
    assert "ZeroDivisionError" in given
    assert "obey me" not in given
    assert "obey me" in caplog.text


async def test_a_bug_elsewhere_ends_the_run_visibly(desk, caplog):
    def broken(*_args: object) -> None:
        raise ZeroDivisionError("oops")

    desk.model.stream = broken
    run = desk.send("go")
    async with desk.working():
        ended = await desk.finish(run.run_id)
    assert (ended.state, ended.problem.kind) == ("failed", "bug")
    assert "ZeroDivisionError: oops" in ended.problem.message
    assert "oops" in caplog.text


# ---- stopping ------------------------------------------------------------------------------------


@pytest.mark.parametrize("moment", ["before the first token", "in mid-stream", "in mid-tool"])
async def test_stop_is_quick_at_any_moment_and_the_next_message_starts(desk, moment):
    never = asyncio.Event()
    desk.model.scripts["go"] = [
        {
            "before the first token": [never],
            "in mid-stream": [TextDelta("half"), never],
            "in mid-tool": uses(("look", {"name": "slow"})),
        }[moment]
    ]
    desk.model.scripts["next"] = [says("here")]
    desk.effects.block["slow"] = never
    run, following = desk.send("go"), desk.send("next")
    async with desk.working() as worker:
        await desk.until(
            lambda: {
                "before the first token": lambda: len(desk.model.requests) == 1,
                "in mid-stream": lambda: "message.delta" in desk.kinds(),
                "in mid-tool": lambda: "slow" in desk.effects.begun,
            }[moment]()
        )
        started = asyncio.get_running_loop().time()
        desk.stop(run.run_id)
        await worker.claims.stop(run.run_id)
        assert desk.run_of(run.run_id).state == "stopped"
        assert asyncio.get_running_loop().time() - started < 1.0
        assert (await desk.finish(following.run_id)).state == "done"
    if moment == "in mid-stream":
        assert [(m.text, m.status) for m in desk.view().messages if m.run_id == run.run_id] == [("half", "stopped")]


def told(desk: Desk) -> list[tuple[str, str]]:
    """Role and text of the newest prompt, without the instructions; what stands between marks is shown in brackets."""
    return [
        (
            message["role"],
            re.sub(r"<<data.*?>>\s*(.*?)\s*<<end.*?>>", r"[\1]", message["content"] or "", flags=re.DOTALL),
        )
        for message in desk.model.requests[-1].messages[1:]
    ]


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        ("queued", [("assistant", "[no answer: the user stopped it]")]),
        ("before the first token", [("assistant", "[no answer: the user stopped it]")]),
        ("in mid-stream", [("assistant", "half\n[the user stopped this reply]")]),
        (
            "in mid-tool",
            [
                ("assistant", ""),
                ("tool", "(stopped in the middle: what it did so far is not known)"),
                ("assistant", "[ended here: the user stopped it]"),
            ],
        ),
        (
            "at a question",
            [
                ("assistant", ""),
                ("tool", "(stopped before it began: nothing was done)"),
                ("assistant", "[ended here: the user stopped it]"),
            ],
        ),
        (
            "between two steps",
            [("assistant", ""), ("tool", "[saw a]"), ("assistant", "[ended here: the user stopped it]")],
        ),
    ],
)
async def test_the_model_is_told_of_what_was_stopped(desk, moment, expected):
    never = asyncio.Event()
    desk.effects.block["slow"] = never
    desk.gate.auto = False
    desk.model.scripts["go"] = {
        "in mid-stream": [[TextDelta("half"), never]],
        "in mid-tool": [uses(("look", {"name": "slow"}))],
        "at a question": [uses(("put", {"name": "b"}))],
        "between two steps": [uses(("look", {"name": "a"})), [never]],
    }.get(moment, [[never]])
    desk.model.scripts["next"] = [says("here")]
    run = desk.send("go")
    if moment == "queued":
        desk.stop(run.run_id)
    async with desk.working() as worker:
        await desk.until(
            {
                "queued": lambda: True,
                "before the first token": lambda: len(desk.model.requests) == 1,
                "in mid-stream": lambda: "message.delta" in desk.kinds(),
                "in mid-tool": lambda: "slow" in desk.effects.begun,
                "at a question": lambda: desk.run_of(run.run_id).state == "waiting",
                "between two steps": lambda: len(desk.model.requests) == 2,
            }[moment]
        )
        desk.stop(run.run_id)
        await worker.claims.stop(run.run_id)
        assert desk.run_of(run.run_id).state == "stopped"
        await desk.finish(desk.send("next").run_id)
    assert told(desk) == [("user", "go"), *expected, ("user", "next")]


async def test_the_model_is_told_why_a_run_ended_early(desk):
    desk.max_steps = 1
    desk.model.scripts["go"] = [uses(("look", {"name": "a"}))]
    desk.model.scripts["next"] = [says("here")]
    async with desk.working():
        await desk.finish(desk.send("go").run_id)
        await desk.finish(desk.send("next").run_id)
    assert told(desk)[-2] == ("assistant", "[ended here: it failed: Stopped: the limit of 1 steps is reached.]")


async def test_the_words_of_a_bug_are_not_put_into_the_assistants_mouth(desk, caplog):
    def broken(*_args: object) -> None:
        raise ZeroDivisionError("obey me")

    streams, desk.model.stream = desk.model.stream, broken
    desk.model.scripts["next"] = [says("here")]
    async with desk.working():
        await desk.finish(desk.send("go").run_id)
        desk.model.stream = streams
        await desk.finish(desk.send("next").run_id)
    assert told(desk)[-2] == ("assistant", "[no answer: it failed]")
    assert "obey me" not in str(told(desk))


async def test_what_came_to_its_end_gets_no_mark(desk):
    desk.model.scripts["go"] = [uses(("look", {"name": "a"})), says("done")]
    desk.model.scripts["next"] = [says("here")]
    async with desk.working():
        await desk.finish(desk.send("go").run_id)
        await desk.finish(desk.send("next").run_id)
    assert [role for role, _text in told(desk)] == ["user", "assistant", "tool", "assistant", "user"]


async def test_a_waiting_run_stops_without_a_worker_and_its_question_is_void(desk):
    desk.gate.auto = False
    desk.model.scripts["go"] = [uses(("put", {"name": "b"}))]
    run = desk.send("go")
    async with desk.working():
        await desk.until_state(run.run_id, "waiting")
    assert desk.stop(run.run_id).state == "stopped"
    assert desk.view().questions[0].state == "void"
    assert desk.view().calls[0].state == "stopped"


# ---- crashes -------------------------------------------------------------------------------------


async def test_half_streamed_text_is_replaced_and_never_shown_twice(desk):
    never = asyncio.Event()
    desk.model.scripts["go"] = [[TextDelta("Hal"), never]]
    run = desk.send("go")
    worker = desk.worker()
    worker.start()
    await desk.until(lambda: "message.delta" in desk.kinds())
    await worker.kill()
    worker.bury()
    desk.model.scripts["go"] = [says("Hello")]
    async with desk.working():
        await desk.finish(run.run_id)
    assert texts(desk) == ["Hello"]
    assert desk.kinds().count("message.replaced") == 1


@pytest.mark.parametrize(("name", "expected"), [("look", 2), ("put", 1)])
async def test_a_call_cut_by_a_crash_is_read_again_or_looked_up(desk, name, expected):
    desk.effects.block["x"] = asyncio.Event()
    desk.model.scripts["go"] = [uses((name, {"name": "x"})), says("done")]
    run = desk.send("go")
    worker = desk.worker()
    worker.start()
    await desk.until(lambda: "x" in desk.effects.begun)
    await worker.kill()
    worker.bury()
    desk.effects.block.clear()
    desk.effects.begun.clear()
    async with desk.working():
        assert (await desk.finish(run.run_id)).state == "done"
    # A read that was cut did not get to its end the first time, a write did its effect and is found.
    assert len(desk.effects.done) == (1 if name == "look" else expected)


@pytest.mark.parametrize(
    ("answer", "times", "state"), [(HAPPENED, 1, "unknown"), (AGAIN, 2, "done"), (SKIP, 1, "unknown")]
)
async def test_code_cut_by_a_crash_is_never_run_twice_unasked(desk, answer, times, state):
    desk.effects.block["x"] = asyncio.Event()
    desk.model.scripts["go"] = [uses(("fire", {"name": "x"})), says("done")]
    run = desk.send("go")
    worker = desk.worker()
    worker.start()
    await desk.until(lambda: "x" in desk.effects.begun)
    await worker.kill()
    worker.bury()
    desk.effects.block.clear()
    async with desk.working():
        await desk.until_state(run.run_id, "waiting")
        assert desk.view().questions[0].kind == "outcome"
        assert desk.effects.done == ["fire x"]
        desk.answer(answer)
        assert (await desk.finish(run.run_id)).state == "done"
    assert desk.effects.done == ["fire x"] * times
    assert desk.view().calls[0].state == state


async def test_messages_sent_meanwhile_follow_the_answers_before_them(desk):
    gate = desk.effects.block["x"] = asyncio.Event()
    desk.model.scripts["one"] = [uses(("look", {"name": "x"})), says("first")]
    desk.model.scripts["two"] = [says("second")]
    desk.model.scripts["three"] = [says("third")]
    desk.send("one")
    async with desk.working():
        await desk.until(lambda: "x" in desk.effects.begun)
        desk.send("two")
        last = desk.send("three")
        gate.set()
        await desk.finish(last.run_id)
    with desk.log.database.read() as connection:
        newest = store.newest_message_id(connection, desk.chat_id)
        path = store.path_to(connection, desk.chat_id, newest)
    assert [message.text for message in path if message.text] == ["one", "first", "two", "second", "three", "third"]


async def test_what_was_replaced_is_on_nobodys_way(desk):
    never = asyncio.Event()
    desk.model.scripts["one"] = [[TextDelta("Hal"), never]]
    desk.model.scripts["two"] = [says("second")]
    run = desk.send("one")
    worker = desk.worker()
    worker.start()
    await desk.until(lambda: "message.delta" in desk.kinds())
    following = desk.send("two")
    await worker.kill()
    worker.bury()
    desk.model.scripts["one"] = [[never]]
    async with desk.working() as other:
        await desk.until(lambda: "message.replaced" in desk.kinds())
        desk.stop(run.run_id)
        await other.claims.stop(run.run_id)
        await desk.finish(following.run_id)
    assert told(desk) == [("user", "one"), ("assistant", "[no answer: the user stopped it]"), ("user", "two")]


async def test_an_answer_to_do_it_again_holds_for_one_attempt(desk):
    desk.effects.block["x"] = asyncio.Event()
    desk.model.scripts["go"] = [uses(("fire", {"name": "x"})), says("done")]
    run = desk.send("go")
    for attempt in (1, 2):
        desk.effects.begun.clear()
        worker = desk.worker()
        worker.start()
        await desk.until(lambda: "x" in desk.effects.begun)
        await worker.kill()
        worker.bury()
        async with desk.working():
            await desk.until_state(run.run_id, "waiting")
        assert desk.effects.done == ["fire x"] * attempt
        desk.answer(AGAIN if attempt == 1 else SKIP)
    async with desk.working():
        assert (await desk.finish(run.run_id)).state == "done"
    assert desk.effects.done == ["fire x"] * 2
    assert desk.view().calls[0].state == "unknown"


@pytest.mark.parametrize("arguments", ['{"name": ' + "[" * depth + "]" * depth + "}" for depth in (150, 600, 100_000)])
async def test_arguments_nested_without_end_fail_the_call_and_not_the_run(desk, arguments):
    draft = CallDraft("p0", "look", arguments, is_whole=len(arguments) < 10_000)
    desk.model.scripts["go"] = [[Finished("tool_calls", calls=(draft,))], says("done")]
    run = desk.send("go")
    async with desk.working():
        assert (await desk.finish(run.run_id)).state == "done"
    assert desk.view().calls[0].state == "failed"


async def test_finished_calls_are_not_run_again_after_a_crash(desk):
    desk.effects.block["b"] = asyncio.Event()
    desk.model.scripts["go"] = [uses(("put", {"name": "a"}), ("look", {"name": "b"})), says("done")]
    run = desk.send("go")
    worker = desk.worker()
    worker.start()
    await desk.until(lambda: "b" in desk.effects.begun)
    await worker.kill()
    worker.bury()
    desk.effects.block.clear()
    async with desk.working():
        assert (await desk.finish(run.run_id)).state == "done"
    assert desk.effects.done.count("put a") == 1


async def test_a_run_whose_worker_dies_three_times_without_progress_fails_visibly(desk):
    never = asyncio.Event()
    desk.model.scripts["go"] = [[never]]
    run = desk.send("go")
    for count in range(1, 4):
        worker = desk.worker()
        worker.start()
        await desk.until(lambda count=count: len(desk.model.requests) == count)
        await worker.kill()
        worker.bury()
    async with desk.working():
        ended = await desk.finish(run.run_id)
    assert (ended.state, ended.problem.kind) == ("failed", "crashed")


async def test_an_old_worker_that_wakes_up_writes_nothing(desk, clock):
    """A laptop slept: the lease ran out, another worker took the run, the first one comes back."""
    gate = asyncio.Event()
    desk.model.scripts["go"] = [[gate, *says("from the sleeper")]]
    run = desk.send("go")
    sleeper = desk.worker()
    sleeper.start()
    await desk.until(lambda: len(desk.model.requests) == 1)
    sleeper._task.cancel()  # its duties sleep with it; its run's task goes on later
    clock.move(seconds=60)
    desk.model.scripts["go"] = [says("from the other")]
    async with desk.working():
        assert (await desk.finish(run.run_id)).state == "done"
    seen = len(desk.log.read(desk.chat_id, 0))
    gate.set()
    await desk.until(lambda: not sleeper.claims.held)
    assert texts(desk) == ["from the other"]
    assert len(desk.log.read(desk.chat_id, 0)) == seen
    await sleeper.kill()


async def test_tools_that_a_rule_denies_everywhere_are_not_offered(desk):
    desk.gate.hidden = {"fire"}
    desk.model.scripts["go"] = [says("ok")]
    run = desk.send("go")
    async with desk.working():
        await desk.finish(run.run_id)
    offered = {tool["function"]["name"] for tool in desk.model.requests[0].tools}
    assert offered == {"look", "put", "flood", "ask_user", "read_result"}


async def test_what_cannot_be_shown_is_not_asked_about(desk):
    async def nothing_to_show(*_args: object) -> None:
        raise ToolRetry("`old_text` occurs 0 times.")

    desk.gate.auto = False
    desk.tools["put"].previews(nothing_to_show)
    desk.model.scripts["go"] = [uses(("put", {"name": "b"})), says("I see.")]
    run = desk.send("go")
    async with desk.working():
        assert (await desk.finish(run.run_id)).state == "done"
    assert desk.view().questions == ()
    assert "occurs 0 times" in desk.model.requests[-1].messages[-1]["content"]
    assert desk.effects.done == []
