"""Which branch a message goes to while something is answered, and where it ends."""

from __future__ import annotations

import asyncio

from jupyter_linda.ports import TextDelta
from jupyter_linda.runs import queue
from jupyter_linda.schemas import Run
from tests.fakes.desk import Desk, says


def retry(desk: Desk, message_id: str) -> Run:
    with desk.log.transaction() as tx:
        run = Run(
            run_id=desk.ids.new("run"),
            chat_id=desk.chat_id,
            owner_id="local",
            state="queued",
            model="fake",
            message_id=message_id,
            queued_at=tx.now,
        )
        return queue.enqueue(tx, run, server_id="s1", root_dir="/root", client_id=desk.ids.new("client"))


async def test_a_message_right_after_a_retry_follows_the_new_answer(desk):
    gate = asyncio.Event()
    desk.model.scripts["first"] = [says("old answer")]
    desk.model.scripts["second"] = [says("to the second")]
    first = desk.send("first")
    async with desk.working():
        await desk.finish(first.run_id)
        desk.model.scripts["first"] = [[gate, *says("new answer")]]
        again = retry(desk, first.message_id)
        await desk.until_state(again.run_id, "running")
        second = desk.send("second")
        gate.set()
        assert (await desk.finish(second.run_id)).state == "done"
    prompt = [message["content"] for message in desk.model.requests[-1].messages[1:]]
    assert prompt == ["first", "new answer", "second"]


async def test_a_message_in_mid_answer_follows_its_end(desk):
    gate = asyncio.Event()
    desk.model.scripts["first"] = [[TextDelta("new "), gate, *says("answer")]]
    desk.model.scripts["second"] = [says("to the second")]
    desk.send("first")
    async with desk.working():
        await desk.until(lambda: desk.view().messages[-1].text == "new ")
        second = desk.send("second")
        gate.set()
        assert (await desk.finish(second.run_id)).state == "done"
    prompt = [message["content"] for message in desk.model.requests[-1].messages[1:]]
    assert prompt == ["first", "new answer", "second"]
