"""What trouble with a model leaves behind: rows of its calls, events, notices, and an end for loops."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
from types import SimpleNamespace

import pytest
from sqlalchemy import select

from jupyter_linda.agent.stream import Draft, ModelCaller
from jupyter_linda.errors import LeaseLost, ProviderFault
from jupyter_linda.ports import CallDraft, Finished, Notice, ReasoningDelta, Retrying, Sending, TextDelta
from jupyter_linda.schemas import Usage
from jupyter_linda.storage.tables import model_calls, traces
from tests.fakes.desk import Desk, says, uses

SENT = Sending("fake", False, "chosen for this chat")
WAIT = Retrying("rate_limit", "The provider asks to wait.", 4.04, "fake")


def rows(desk: Desk) -> list[dict]:
    with desk.log.database.read() as connection:
        return [dict(row._mapping) for row in connection.execute(select(model_calls).order_by(model_calls.c.begun_at))]


def retryings(desk: Desk) -> list[dict]:
    return [event.payload for event in desk.log.read(desk.chat_id, 0) if event.kind == "model.retrying"]


async def test_a_call_is_written_down_before_it_goes_out_and_closed_with_what_it_took(desk, clock):
    gate = asyncio.Event()
    usage = Usage(input_tokens=7, output_tokens=3, cached_tokens=2, is_estimated=True, cost_usd=0.0123456789)
    desk.model.scripts["hello"] = [[SENT, gate, TextDelta("hi"), Finished("stop", usage=usage)]]
    run = desk.send("hello")
    async with desk.working():
        await desk.until(lambda: bool(rows(desk)))
        (row,) = rows(desk)
        assert (row["outcome"], row["ended_at"], row["first_at"]) == ("", None, None)
        assert (row["model"], row["asked_model"], row["is_local"], row["purpose"]) == ("fake", "fake", False, "reply")
        clock.move(seconds=2)
        gate.set()
        await desk.finish(run.run_id)
    (row,) = rows(desk)
    assert (row["outcome"], row["input_tokens"], row["output_tokens"], row["cached_tokens"]) == ("done", 7, 3, 2)
    assert (row["is_estimated"], row["cost_usd_micros"]) == (True, 12346)
    assert row["first_at"] == row["ended_at"] > row["begun_at"]
    assert row["message_id"] == desk.view().messages[-1].message_id


async def test_an_unknown_price_stays_unknown(desk):
    desk.model.scripts["hello"] = [[SENT, TextDelta("hi"), Finished("stop", usage=Usage(input_tokens=7))]]
    run = desk.send("hello")
    async with desk.working():
        await desk.finish(run.run_id)
    assert rows(desk)[0]["cost_usd_micros"] is None


async def test_each_try_has_its_row_and_the_wait_its_event(desk):
    desk.model.scripts["hello"] = [[SENT, WAIT, SENT, TextDelta("hi"), Finished("stop")]]
    run = desk.send("hello")
    async with desk.working():
        await desk.finish(run.run_id)
    assert [row["outcome"] for row in rows(desk)] == ["rate_limit", "done"]
    (told,) = retryings(desk)
    assert told == {
        "message_id": desk.view().messages[-1].message_id,
        "kind": "rate_limit",
        "message": "The provider asks to wait.",
        "wait_s": 4.0,
        "model": "fake",
        "next_model": "fake",
    }
    kinds = desk.kinds()
    assert kinds.index("model.retrying") < kinds.index("message.delta")


async def test_the_last_fault_closes_its_row(desk):
    desk.model.scripts["hello"] = [[SENT, WAIT, SENT, ProviderFault("server", "It failed.")]]
    run = desk.send("hello")
    async with desk.working():
        await desk.finish(run.run_id)
    assert [row["outcome"] for row in rows(desk)] == ["rate_limit", "server"]


async def test_details_of_what_left_go_into_the_trace(desk):
    desk.model.scripts["hello"] = [[Sending("fake", False, "why", {"left": 3}), TextDelta("hi"), Finished("stop")]]
    run = desk.send("hello")
    async with desk.working():
        await desk.finish(run.run_id)
    with desk.log.database.read() as connection:
        (trace,) = connection.execute(select(traces)).all()
    assert (trace.model_call_id, trace.details) == (rows(desk)[0]["model_call_id"], {"left": 3})


async def test_the_reply_says_who_answered_and_why(desk):
    other = Retrying("server", "It failed.", 0.0, "other", "in place of fake")
    desk.model.scripts["hello"] = [
        [SENT, other, Sending("other", True, "in place of fake"), Notice("other answered."), Notice("other answered."),
         ReasoningDelta("hm"), TextDelta("hi"), Finished("stop")]
    ]  # fmt: skip
    run = desk.send("hello")
    async with desk.working():
        await desk.finish(run.run_id)
    message = desk.view().messages[-1]
    assert (message.model, message.notice, message.status) == ("other", "other answered.", "complete")
    done = [event.payload for event in desk.log.read(desk.chat_id, 0) if event.kind == "message.done"]
    assert [one["notice"] for one in done] == ["other answered."]
    assert [(row["model"], row["asked_model"], row["is_local"]) for row in rows(desk)] == [
        ("fake", "fake", False),
        ("other", "fake", True),
    ]


# ---- a wait that is cut --------------------------------------------------------------------------------


async def test_a_worker_killed_in_a_wait_is_resumed_and_the_row_ends_as_cut(desk):
    never = asyncio.Event()
    desk.model.scripts["hello"] = [[SENT, WAIT, never]]
    run = desk.send("hello")
    worker = desk.worker()
    worker.start()
    await desk.until(lambda: bool(retryings(desk)))
    await worker.kill()
    worker.bury()
    desk.model.scripts["hello"] = [[SENT, TextDelta("hi"), Finished("stop")]]
    async with desk.working():
        assert (await desk.finish(run.run_id)).state == "done"
    assert [row["outcome"] for row in rows(desk)] == ["rate_limit", "done"]


async def test_a_worker_killed_in_a_call_leaves_a_row_that_says_so(desk):
    desk.model.scripts["hello"] = [[SENT, TextDelta("half"), asyncio.Event()]]
    run = desk.send("hello")
    worker = desk.worker()
    worker.start()
    await desk.until(lambda: "message.delta" in desk.kinds())
    await worker.kill()
    worker.bury()
    desk.model.scripts["hello"] = [[SENT, TextDelta("whole"), Finished("stop")]]
    async with desk.working():
        await desk.finish(run.run_id)
    assert [row["outcome"] for row in rows(desk)] == ["cut", "done"]
    assert all(row["ended_at"] for row in rows(desk))


async def test_a_stop_in_a_wait_ends_at_once(desk):
    desk.model.scripts["hello"] = [[SENT, WAIT, SENT, asyncio.Event()]]
    run = desk.send("hello")
    async with desk.working() as worker:
        await desk.until(lambda: len(rows(desk)) == 2)
        desk.stop(run.run_id)
        async with asyncio.timeout(0.5):
            await worker.claims.stop(run.run_id)
        assert desk.run_of(run.run_id).state == "stopped"
    assert [row["outcome"] for row in rows(desk)] == ["rate_limit", "stopped"]


# ---- calls that cannot be used ---------------------------------------------------------------------------


async def test_a_tool_that_does_not_exist_is_answered_with_the_nearest(desk):
    desk.model.scripts["hello"] = [uses(("lok", {"name": "a"})), says("sorry")]
    run = desk.send("hello")
    async with desk.working():
        assert (await desk.finish(run.run_id)).state == "done"
    (call,) = desk.view().calls
    assert (call.state, call.problem.kind) == ("failed", "UnknownTool")
    assert "The nearest are: look." in call.result
    assert "'lok'" in call.result


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("ask_user", {"question": "a \ud83d b", "choices": ["\udc00"]}),
        ("more_tools", {"family": "\ud83d"}),
        ("read_result", {"mark": "\ud83d"}),
        ("use_skill", {"name": "\ud83d"}),
    ],
)
async def test_half_a_character_in_arguments_ends_no_run(desk, name, arguments):
    desk.model.scripts["hello"] = [uses((name, arguments)), says("sorry")]
    run = desk.send("hello")
    async with desk.working():
        await desk.until(lambda: desk.run_of(run.run_id).state in ("waiting", "done", "failed"))
    assert desk.run_of(run.run_id).state == ("waiting" if name == "ask_user" else "done")
    assert [one.preview.sentence for one in desk.view().questions] == (["a \ufffd b"] if name == "ask_user" else [])


@pytest.mark.parametrize("name", ["", "look at it!", "x" * 100, "名"])
async def test_a_name_that_breaks_the_rules_of_providers_is_not_sent_back(desk, name):
    desk.model.scripts["hello"] = [uses((name, {"name": "a"})), says("sorry")]
    async with desk.working():
        assert (await desk.finish(desk.send("hello").run_id)).state == "done"
    asked, result = desk.model.requests[-1].messages[-2:]
    assert asked["tool_calls"][0]["function"]["name"] == result["name"] == "unknown_tool"
    assert "There is no tool" in result["content"]
    assert desk.view().calls[0].name == name, "the person sees what it called"


@pytest.mark.parametrize("name", ["functions.look", "default_api:look", "look_at"])
def test_the_nearest_is_found_behind_prefixes_and_endings(name):
    from jupyter_linda.agent.wording import no_such_tool

    assert "look" in no_such_tool(name, ["look", "put", "fire"]).remedy


def test_where_nothing_is_near_all_are_named():
    from jupyter_linda.agent.wording import no_such_tool

    assert no_such_tool("zzz", ["look", "put"]).remedy == "The tools are: look, put."


@pytest.mark.parametrize("kind", ["unknown", "cut"])
async def test_a_model_that_only_makes_calls_that_cannot_be_used_is_ended(desk, kind):
    draft = (
        CallDraft("p", "nothing_like_it", "{}") if kind == "unknown" else CallDraft("p", "look", '{"na', is_whole=False)
    )
    desk.model.scripts["hello"] = [[Finished("tool_calls", calls=(draft,))]]
    run = desk.send("hello")
    async with desk.working():
        ended = await desk.finish(run.run_id)
    assert (ended.state, ended.problem.kind, len(desk.model.requests)) == ("failed", "useless_calls", 3)
    assert "no tool call that can be used" in ended.problem.message
    assert desk.effects.done == []


async def test_one_usable_call_between_begins_the_count_again(desk):
    bad, good = uses(("nothing_like_it", {})), uses(("look", {"name": "a"}))
    desk.model.scripts["hello"] = [bad, bad, good, bad, bad, says("done")]
    run = desk.send("hello")
    async with desk.working():
        assert (await desk.finish(run.run_id)).state == "done"
    assert len(desk.model.requests) == 6
    assert json.dumps(desk.effects.done) == '["look a"]'


async def test_a_write_that_fails_after_its_reply_was_cut_leaves_no_traceback():
    told: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: told.append(context))
    begun, gate = asyncio.Event(), asyncio.Event()

    async def run(*_work: object) -> None:
        begun.set()
        await gate.wait()
        raise LeaseLost("its chat was deleted")

    lease = SimpleNamespace(log=SimpleNamespace(database=SimpleNamespace(run=run)))
    caller = ModelCaller(lease, None, None, join_s=0.0)
    flush = asyncio.create_task(caller._flush_after(0.0, "parent", Draft("message", "fake", None, pending_text="hi")))
    await begun.wait()
    flush.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await flush
    gate.set()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    gc.collect()
    assert told == []
