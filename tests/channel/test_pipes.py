"""Calls over real pipes."""

from __future__ import annotations

import asyncio
import os
import struct
from collections.abc import Mapping
from typing import Any

import pytest

from jupyter_linda.channel.pipes import FRAME_LIMIT_BYTES, Channel, Handler, encode
from jupyter_linda.errors import ChannelClosed, ConsentNeeded, LindaError, NotFound, ToolFailed, Unavailable


class Pair:
    """Two ends in one loop; `theirs` answers with the given handlers."""

    def __init__(self, handlers: Mapping[str, Handler], mine: Mapping[str, Handler] | None = None) -> None:
        read_a, self.write_a = os.pipe()
        self.read_b, write_b = os.pipe()
        self.reasons: list[str] = []
        self.mine = Channel(self.read_b, self.write_a, mine or {}, on_close=self.reasons.append)
        self.theirs = Channel(read_a, write_b, handlers, on_close=self.reasons.append)

    async def __aenter__(self) -> Channel:
        self.mine.start()
        self.theirs.start()
        return self.mine

    async def __aexit__(self, *_: object) -> None:
        self.mine.close()
        self.theirs.close()


async def echo(_progress: object, **params: Any) -> Any:
    return params


async def test_a_call_is_answered_both_ways():
    async def ask_back(_progress: object) -> Any:
        return await pair.theirs.call("name")

    async def name(_progress: object) -> str:
        return "mine"

    pair = Pair({"echo": echo, "ask_back": ask_back}, {"name": name})
    async with pair as channel:
        assert await channel.call("echo", {"text": "ü 中", "n": [1, None]}) == {"text": "ü 中", "n": [1, None]}
        assert await channel.call("ask_back") == "mine"


async def test_a_megabyte_and_many_calls_at_once():
    async with Pair({"echo": echo}) as channel:
        big = "x" * 1_000_000
        answers = await asyncio.gather(*(channel.call("echo", {"text": big, "n": n}) for n in range(8)))
        assert [answer["n"] for answer in answers] == list(range(8))
        assert answers[-1]["text"] == big


async def test_errors_keep_their_branch_words_and_detail():
    async def missing(_progress: object) -> None:
        raise NotFound("There is no x.", remedy="Make one.")

    async def failed(_progress: object) -> None:
        raise ToolFailed("dead", kind_of_failure="kernel_died")

    async def bug(_progress: object) -> None:
        raise ZeroDivisionError("oops")

    async def unasked(_progress: object) -> None:
        raise ConsentNeeded("openai", "openai/x", reason="nobody said yes", preview="…")

    handlers = {"missing": missing, "failed": failed, "bug": bug, "unasked": unasked}
    async with Pair(handlers) as channel:
        with pytest.raises(ConsentNeeded, match="nobody said yes"):
            await asyncio.wait_for(channel.call("unasked"), 5)
        with pytest.raises(NotFound) as caught:
            await channel.call("missing")
        assert (caught.value.message, caught.value.remedy) == ("There is no x.", "Make one.")
        with pytest.raises(ToolFailed) as failure:
            await channel.call("failed")
        assert failure.value.kind_of_failure == "kernel_died"
        with pytest.raises(LindaError, match="ZeroDivisionError: oops"):
            await channel.call("bug")
        with pytest.raises(LindaError, match="does not know"):
            await channel.call("nothing")


async def test_progress_reaches_the_caller_while_the_call_goes_on():
    async def work(progress: Any) -> str:
        progress("half")
        await asyncio.sleep(0)
        progress("whole")
        return "done"

    seen: list[str] = []
    async with Pair({"work": work}) as channel:
        assert await channel.call("work", on_progress=seen.append) == "done"
    assert seen == ["half", "whole"]


@pytest.mark.parametrize("how", ["cancel", "timeout"])
async def test_cancelling_and_timing_out_cancel_the_other_end_too(how):
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def slow(_progress: object) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    async with Pair({"slow": slow}) as channel:
        call = asyncio.ensure_future(channel.call("slow", timeout_s=0.05 if how == "timeout" else None))
        await begun.wait()
        if how == "cancel":
            call.cancel()
        with pytest.raises(asyncio.CancelledError if how == "cancel" else Unavailable):
            await call
        async with asyncio.timeout(2):
            await cancelled.wait()


@pytest.mark.parametrize(
    "data",
    [struct.pack(">I", FRAME_LIMIT_BYTES + 1), struct.pack(">I", 3) + b"{x}", struct.pack(">I", 2) + b"[]"],
    ids=["too long", "not JSON", "not an object"],
)
async def test_a_malformed_frame_closes_the_channel_and_fails_open_calls(data):
    async def never(_progress: object) -> None:
        await asyncio.Event().wait()

    pair = Pair({"never": never})
    async with pair as channel:
        call = asyncio.ensure_future(channel.call("never"))
        await asyncio.sleep(0)
        os.write(pair.theirs._write_fd, data)
        with pytest.raises(ChannelClosed):
            await call
        with pytest.raises(ChannelClosed):
            await channel.call("never")


async def test_the_other_end_going_away_fails_open_calls():
    async def never(_progress: object) -> None:
        await asyncio.Event().wait()

    pair = Pair({"never": never})
    async with pair as channel:
        call = asyncio.ensure_future(channel.call("never"))
        await asyncio.sleep(0)
        pair.theirs.close()
        with pytest.raises(ChannelClosed):
            await call
    assert pair.reasons


async def test_an_answer_that_cannot_be_sent_is_an_error_not_silence():
    async def huge(_progress: object) -> str:
        return "x" * (FRAME_LIMIT_BYTES + 1)

    async def strange(_progress: object) -> object:
        return object()

    async with Pair({"huge": huge, "strange": strange}) as channel:
        with pytest.raises(LindaError, match="cannot be sent"):
            await channel.call("huge")
        with pytest.raises(LindaError, match="cannot be sent"):
            await channel.call("strange")


async def test_what_comes_after_closing_is_not_begun():
    begun = []

    async def note_it(_progress: object) -> None:
        begun.append(True)

    pair = Pair({"note_it": note_it})
    async with pair:
        pair.theirs.close()
        os.write(pair.write_a, encode({"note": "note_it"}))
        await asyncio.sleep(0.1)
    assert begun == []
