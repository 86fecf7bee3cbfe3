"""A conversation that outgrows its window: condensed, kept, pinned, measured, and never lost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import select, update

from jupyter_linda.agent.condensing import Condensing
from jupyter_linda.agent.fence import mark_of
from jupyter_linda.agent.loop import desk_of
from jupyter_linda.chats import store, summaries
from jupyter_linda.errors import Conflict, NotFound, ProviderFault
from jupyter_linda.events.log import EventLog
from jupyter_linda.ports import Finished, ModelEvent, ModelRequest, Sending, TextDelta
from jupyter_linda.ports import held as held_by
from jupyter_linda.ports.held import passages, released
from jupyter_linda.schemas import ContextMeter, Message, Summary, Usage
from jupyter_linda.storage.tables import calls, model_calls
from tests.fakes.desk import Desk, says, uses

CONDENSE = "Condense the conversation"
LONG = "word " * 400  # 500 tokens of four characters


def small(desk: Desk, *, window: int = 8_000) -> Desk:
    desk.window_tokens = window
    desk.model.scripts[CONDENSE] = [says("- the person likes blue")]
    desk.model.scripts["turn"] = [says(LONG)]
    return desk


async def turns(desk: Desk, count: int, *, first: int = 0) -> None:
    for number in range(first, first + count):
        run = desk.send(f"turn {number}")
        assert (await desk.finish(run.run_id)).state == "done"


def written(desk: Desk) -> tuple[Summary, ...]:
    with desk.log.database.read() as connection:
        return summaries.of_chat(connection, desk.chat_id)


def meter(desk: Desk) -> ContextMeter:
    with desk.log.database.read() as connection:
        found = summaries.last_meter(connection, desk.chat_id)
    assert found is not None
    return found


def answering(desk: Desk) -> list[list[dict[str, object]]]:
    """The prompts that answered the person, without those for summaries."""
    return [list(r.messages) for r in desk.model.requests if CONDENSE not in str(r.messages[-1]["content"])]


def pin(desk: Desk, message: Message, *, is_pinned: bool = True) -> None:
    with desk.log.transaction() as tx:
        summaries.pin(tx, desk.chat_id, message.message_id, is_pinned=is_pinned)


async def test_at_three_quarters_older_messages_become_a_summary_and_the_last_six_stay(desk):
    small(desk)
    async with desk.working():
        await turns(desk, 12)
    (made,) = written(desk)
    assert (made.text, made.made_by) == ("- the person likes blue", "fake")
    assert made.tokens_before > 20 * made.tokens_after
    prompts = answering(desk)
    at = next(n for n, prompt in enumerate(prompts) if made.text in str(prompt[1]["content"]))
    assert prompts[at - 1][1]["content"] == "turn 0"
    view = desk.view()
    newest = [message.text for message in view.messages if message.text != LONG]
    assert [m["content"] for m in prompts[at][2:] if m["role"] == "user"] == newest[at - 2 : at + 1]
    assert len(prompts[at][2:]) == 6
    assert [f"- {text}" in prompts[at][1]["content"] for text in newest] == [True] * (at - 2) + [False] * (14 - at)
    assert len(view.messages) == 24  # the originals are all there
    assert meter(desk).used <= meter(desk).window == 8_000
    assert "summary.added" in desk.kinds()


async def test_a_summary_is_asked_for_with_the_prompt_that_the_provider_knows_already(desk):
    small(desk)
    async with desk.working():
        await turns(desk, 12)
    at = next(n for n, one in enumerate(desk.model.requests) if CONDENSE in str(one.messages[-1]["content"]))
    asked, before = desk.model.requests[at], desk.model.requests[at - 1]
    shared = min(len(asked.messages) - 1, len(before.messages))
    assert list(asked.messages[:shared]) == list(before.messages[:shared])
    assert asked.tools == before.tools


@pytest.mark.parametrize("broken", ["no writer", "fault", "silence"])
async def test_without_a_model_for_it_sentences_are_picked(desk, broken):
    small(desk)
    desk.writes_summaries = broken != "no writer"
    fault = ProviderFault("server", "The provider failed.", remedy="Try again.")
    desk.model.scripts[CONDENSE] = [[fault]] if broken == "fault" else [says("")]
    desk.model.scripts["turn"] = [
        uses(("look", {"name": "data/sales.csv"})),
        says(f"The mean is 42. {LONG}"),
    ]
    async with desk.working():
        await turns(desk, 14)
    made = written(desk)[0]
    assert made.made_by == "extract"
    assert "- Linda: The mean is 42." in made.text
    assert "- Looked at data/sales.csv" in made.text
    assert made.text.startswith("Files: data/sales.csv")
    assert meter(desk).used <= 8_000


async def test_killed_in_the_middle_of_a_summary_it_is_made_again_and_nothing_is_lost(desk):
    small(desk)
    async with desk.working():
        await turns(desk, 3)
    gate = asyncio.Event()
    desk.model.scripts[CONDENSE] = [[gate, *says("never")]]
    worker = desk.worker()
    worker.start()
    for number in range(3, 14):
        run = desk.send(f"turn {number}")
        await desk.until(
            lambda run=run: (
                desk.run_of(run.run_id).state == "done" or CONDENSE in str(desk.model.requests[-1].messages[-1])
            )
        )
        if desk.run_of(run.run_id).state != "done":
            break
    await worker.kill()
    worker.bury()
    assert written(desk) == ()
    desk.model.scripts[CONDENSE] = [says("- made again")]
    async with desk.working():
        assert (await desk.finish(run.run_id)).state == "done"
    assert [one.text for one in written(desk)] == ["- made again"]
    assert "- made again" in answering(desk)[-1][1]["content"]


async def test_a_summary_grows_by_what_came_after_it(desk):
    small(desk)
    async with desk.working():
        await turns(desk, 12)
        desk.model.scripts[CONDENSE] = [says("- second")]
        await turns(desk, 10, first=12)
    first, second = written(desk)[0], written(desk)[-1]
    assert (first.text, second.text) == ("- the person likes blue", "- second")
    again = [r for r in desk.model.requests if CONDENSE in str(r.messages[-1]["content"])][-1]
    assert "- the person likes blue" in again.messages[1]["content"]  # the new one is made with the old one
    assert "- the person likes blue" not in str(answering(desk)[-1])


async def test_a_summary_holds_only_on_its_own_branch(desk, event_log: EventLog):
    small(desk)
    async with desk.working():
        await turns(desk, 12)
    with event_log.database.read() as connection:
        (made,) = summaries.of_chat(connection, desk.chat_id)
        ids = [message.message_id for message in desk.view().messages]
        at = ids.index(made.upto_message_id)
        assert summaries.newest_of(connection, desk.chat_id, ids) == made
        assert summaries.newest_of(connection, desk.chat_id, [*ids[:at], "elsewhere"]) is None


async def test_a_pinned_message_stays_word_for_word(desk):
    small(desk)
    async with desk.working():
        desk.model.scripts = {"turn 0": [says("My own words of long ago.")], **desk.model.scripts}
        await turns(desk, 1)
        pin(desk, desk.view().messages[1])
        await turns(desk, 12, first=1)
    assert written(desk)
    prompt = answering(desk)[-1]
    assert ("assistant", "My own words of long ago.") in [(one["role"], one["content"]) for one in prompt]
    assert "message.pinned" in desk.kinds()
    pin(desk, desk.view().messages[1], is_pinned=False)
    async with desk.working():
        await turns(desk, 1, first=13)
    assert {"role": "assistant", "content": "My own words of long ago."} not in answering(desk)[-1]


async def test_a_run_of_many_steps_keeps_its_question_and_its_last_steps(desk):
    small(desk)
    desk.max_steps = 12
    desk.model.scripts["go"] = [uses(("look", {"name": LONG}))]  # it never ends by itself
    run = desk.send("go and look")
    async with desk.working():
        ended = await desk.finish(run.run_id)
    assert ended.problem.kind == "step_limit"
    prompt = answering(desk)[-1]
    users = [message["content"] for message in prompt if message["role"] == "user"]
    assert users[-1] == "go and look"
    for at, message in enumerate(prompt):
        calls = [call["id"] for call in message.get("tool_calls") or ()]
        results = [one["tool_call_id"] for one in prompt[at + 1 : at + 1 + len(calls)]]
        assert calls == results  # a call is never parted from its result
    assert sum(message["role"] == "tool" for message in prompt) == 6
    assert meter(desk).used <= 8_000


async def test_a_prompt_that_the_provider_finds_too_long_is_condensed_and_sent_once_more(desk):
    small(desk, window=40_000)
    async with desk.working():
        await turns(desk, 8)
        assert written(desk) == ()
        answer = desk.model.stream

        async def limited(request: ModelRequest) -> AsyncIterator[ModelEvent]:
            if len(str(request.messages)) > 15_000:
                raise ProviderFault("context_overflow", "Too long for this model.", remedy="Choose another.")
            async for event in answer(request):
                yield event

        desk.model.stream = limited
        desk.model.scripts = {"last one": [says("It fits now.")], **desk.model.scripts}
        run = desk.send("last one")
        assert (await desk.finish(run.run_id)).state == "done"
    assert [one.made_by for one in written(desk)] == ["extract"]  # it could not be sent to be condensed either
    assert [m.text for m in desk.view().messages if m.role == "assistant"][-1] == "It fits now."
    assert [m.status for m in desk.view().messages if m.status == "failed"] == []


async def test_a_prompt_that_stays_too_long_ends_the_run_honestly(desk):
    small(desk, window=40_000)
    overflow = ProviderFault("context_overflow", "Too long for this model.", remedy="Choose another.")
    desk.model.scripts = {"last one": [[overflow]], **desk.model.scripts}
    async with desk.working():
        await turns(desk, 8)
        run = desk.send("last one")
        ended = await desk.finish(run.run_id)
    assert (ended.state, ended.problem.kind) == ("failed", "context_overflow")
    assert sum("last one" in str(r.messages[-1]) for r in desk.model.requests) == 2


async def test_a_message_that_cannot_fit_alone_is_refused_before_anything_is_sent(desk):
    small(desk)
    run = desk.send("turn " + "x" * 40_000)
    async with desk.working():
        ended = await desk.finish(run.run_id)
    assert ended.state == "failed"
    assert "This message alone has about 10,0" in ended.problem.message
    assert ended.problem.remedy
    assert desk.model.requests == []


async def test_the_window_is_never_above_the_models_own(desk):
    small(desk, window=75_000)
    desk.max_input_tokens = 8_000
    async with desk.working():
        await turns(desk, 1)
    assert meter(desk).window == 6_000


async def test_instructions_and_tools_are_the_same_bytes_in_every_turn(desk):
    small(desk)
    desk.model.scripts["turn"] = [uses(("look", {"name": "a"})), says("ok")]
    async with desk.working():
        await turns(desk, 2)
    async with desk.working():  # another process
        await turns(desk, 1, first=2)
    starts = {json.dumps([r.messages[0], list(r.tools)]) for r in desk.model.requests}
    assert len(starts) == 1
    for before, after in zip(desk.model.requests, desk.model.requests[1:], strict=False):
        assert list(after.messages[: len(before.messages)]) == list(before.messages)  # it only grows


async def test_the_meter_says_what_a_prompt_is_made_of(desk):
    small(desk, window=20_000)
    desk.model.scripts["turn"] = [uses(("look", {"name": "a"})), says("ok")]
    async with desk.working():
        await turns(desk, 1)
    found = meter(desk)
    assert [part.kind for part in found.parts] == ["instructions", "tools", "messages", "results"]
    assert found.used == sum(part.tokens for part in found.parts)
    assert (found.counted_by, found.is_estimate) == ("four characters each", True)
    real = sum(len(str(m["content"] or "")) for m in desk.model.requests[-1].messages) / 4
    assert 0 <= found.used - found.parts[1].tokens - real < 60


async def test_a_long_result_is_read_on_where_it_was_cut(desk):
    desk.model.scripts["go"] = [uses(("flood", {})), says("ok")]
    run = desk.send("go")
    async with desk.working():
        await desk.finish(run.run_id)
    (flood,) = desk.view().calls
    mark = mark_of(flood.call_id)
    assert f"read_result with mark {mark} and start" in flood.result
    desk.model.scripts = {
        "more": [
            uses(
                ("read_result", {"mark": mark, "start": 999_990}), ("read_result", {"mark": mark, "start": 2_000_006})
            ),
            says("ok"),
        ]
    }
    run = desk.send("more")
    async with desk.working():
        await desk.finish(run.run_id)
    first, second = [call for call in desk.view().calls if call.name == "read_result"]
    assert first.state == second.state == "done"
    assert "xxxxMIDDLEyyyy" in first.result
    assert "Start 1009990 reads on." in first.result
    assert second.result.endswith("LAST")
    assert "It ends there." in second.result


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"mark": "0000"}, "No result has the mark"),
        ({"start": 3}, "needs"),
        ({"mark": "M", "start": 10**9}, "nothing begins"),
        ({"mark": "M", "start": float("inf")}, "needs"),
    ],
)
async def test_a_wrong_reading_is_told_to_the_model(desk, arguments, words):
    desk.model.scripts["go"] = [uses(("flood", {})), says("ok")]
    run = desk.send("go")
    async with desk.working():
        await desk.finish(run.run_id)
        if arguments.get("mark") == "M":
            arguments = {**arguments, "mark": mark_of(desk.view().calls[0].call_id)}
        desk.model.scripts = {"more": [uses(("read_result", arguments)), says("ok")]}
        run = desk.send("more")
        assert (await desk.finish(run.run_id)).state == "done"
    call = desk.view().calls[-1]
    assert call.state == "failed"
    assert words in call.result


async def test_nothing_of_another_chat_can_be_read(desk):
    desk.model.scripts["go"] = [uses(("flood", {})), says("ok")]
    run = desk.send("go")
    async with desk.working():
        await desk.finish(run.run_id)
        mark = mark_of(desk.view().calls[0].call_id)
        desk.new_chat()
        desk.model.scripts = {"more": [uses(("read_result", {"mark": mark})), says("ok")]}
        run = desk.send("more")
        await desk.finish(run.run_id)
    assert "No result has the mark" in desk.view().calls[-1].result


def test_a_deleted_chat_takes_its_summaries_with_it(desk, event_log: EventLog):
    desk.new_chat()
    with event_log.transaction() as tx:
        made = Summary(
            summary_id="s",
            chat_id=desk.chat_id,
            upto_message_id="m",
            text="t",
            made_by="extract",
            tokens_before=2,
            tokens_after=1,
            at=tx.now,
        )
        summaries.add(tx, made)
        store.remove(tx, desk.chat_id, "local")
    assert written(desk) == ()


@pytest.mark.parametrize("is_released", [True, False])
async def test_what_is_read_on_counts_as_values_unless_it_was_let_go_before(desk, event_log: EventLog, is_released):
    desk.model.scripts["go"] = [uses(("flood", {})), says("ok")]
    run = desk.send("go")
    async with desk.working():
        await desk.finish(run.run_id)
        (flood,) = desk.view().calls
        if is_released:
            with event_log.database.write() as connection:
                connection.execute(update(calls).values(result=released(flood.result)))
        desk.model.scripts = {"more": [uses(("read_result", {"mark": mark_of(flood.call_id)})), says("ok")]}
        run = desk.send("more")
        await desk.finish(run.run_id)
    with event_log.database.read() as connection:
        text = connection.execute(select(calls.c.result).where(calls.c.name == "read_result")).scalar() or ""
    assert held_by.is_released(text) == is_released
    assert {one.holds for one in passages(text) if "xxx" in one.text} == ({None} if is_released else {"values"})


def condensing(desk: Desk) -> Condensing:
    worker = desk.worker()
    return Condensing(desk.log, desk_of(worker.claims._mind, worker.claims._hands), lambda model: model or "fake")


async def test_nothing_is_condensed_on_request_while_a_run_is_not_over(desk):
    small(desk, window=75_000)
    async with desk.working():
        await turns(desk, 5)
    last = desk.view().messages[-1].message_id
    run = desk.send("turn 5")
    with pytest.raises(Conflict, match="working"):
        await condensing(desk).condense(desk.chat_id, "local", last)
    desk.stop(run.run_id)
    made = await condensing(desk).condense(desk.chat_id, "local", last)
    assert made is not None
    assert written(desk) == (made,)
    with pytest.raises(NotFound):
        await condensing(desk).condense(desk.chat_id, "somebody else", last)


async def test_a_call_for_a_summary_is_written_down_like_any_other(desk):
    small(desk)
    desk.model.scripts[CONDENSE] = [
        [
            Sending("fake", is_local=False, reason="asked"),
            TextDelta("- all"),
            Finished("stop", usage=Usage(input_tokens=7)),
        ]
    ]
    async with desk.working():
        await turns(desk, 12)
    with desk.log.database.read() as connection:
        (row,) = connection.execute(select(model_calls).where(model_calls.c.purpose == "summary")).all()
    assert (row.outcome, row.input_tokens, row.chat_id, row.owner_id) == ("done", 7, desk.chat_id, "local")


async def test_standing_instructions_stand_behind_ours_and_are_measured(desk):
    small(desk, window=20_000)
    desk.standing = "Answer in German."
    async with desk.working():
        await turns(desk, 1)
    system = str(desk.model.requests[0].messages[0]["content"])
    assert system.endswith("Standing instructions of the person, for every chat\nAnswer in German.\n")
    assert {part.kind for part in meter(desk).parts} == {"instructions", "standing", "tools", "messages"}
