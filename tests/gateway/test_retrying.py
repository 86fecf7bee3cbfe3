"""Tries again before the first piece only, as long as asked, then other models; never from here to elsewhere."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from jupyter_linda.errors import ProviderFault
from jupyter_linda.gateway.retrying import CURED_BY_TIME, NO_TOOLS, Patience, RetryingModel
from jupyter_linda.ports import (
    CallDraft,
    Finished,
    ModelEvent,
    ModelRequest,
    Notice,
    ReasoningDelta,
    Retrying,
    Sending,
    TextDelta,
)

QUICK = Patience(tries=4, total_s=5.0, longest_wait_s=1.0, first_wait_s=0.01)
TOOL = {"type": "function", "function": {"name": "look"}}
DONE = Finished("stop")


def fault(kind: str, **options: Any) -> ProviderFault:
    return ProviderFault(kind, f"It is {kind}.", remedy="Do something.", **options)


class Scripted:
    """The n-th list of steps of a model for its n-th request; the last repeats."""

    def __init__(self, **scripts: Sequence[Sequence[Any]]) -> None:
        self.scripts = scripts
        self.asked: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        count = sum(1 for one in self.asked if one.model == request.model)
        self.asked.append(request)
        script = self.scripts[request.model]
        for step in script[min(count, len(script) - 1)]:
            if isinstance(step, Exception):
                raise step
            yield step


class Places:
    """Models whose names begin with `here` are here; one named `closed` may not be used."""

    def stays_here(self, model_id: str) -> bool:
        return model_id.startswith("here")

    def connect(self, model_id: str) -> Any:
        if model_id == "closed":
            raise ProviderFault("forbidden", "closed is not on the list.")


def run(
    scripted: Scripted, *, patience: Patience = QUICK, fallbacks: Sequence[str] = (), **request: Any
) -> tuple[list[ModelEvent], ProviderFault | None]:
    model = RetryingModel(scripted, Places(), patience=patience, fallbacks=lambda: fallbacks)
    return again(model, **request)


def again(patient: RetryingModel, **request: Any) -> tuple[list[ModelEvent], ProviderFault | None]:
    events: list[ModelEvent] = []
    asked = ModelRequest(**{"model": "a", "messages": [{"role": "user", "content": "hi"}], **request})

    async def collect() -> None:
        async for event in patient.stream(asked):
            events.append(event)

    try:
        asyncio.run(collect())
    except ProviderFault as error:
        return events, error
    return events, None


def kinds(events: Sequence[ModelEvent]) -> list[str]:
    return [type(event).__name__ for event in events]


@pytest.mark.parametrize("kind", sorted(CURED_BY_TIME))
def test_what_time_may_cure_is_tried_again(kind):
    scripted = Scripted(a=[[fault(kind)], [fault(kind)], [TextDelta("hi"), DONE]])
    events, error = run(scripted)
    assert error is None
    assert kinds(events) == ["Sending", "Retrying", "Sending", "Retrying", "Sending", "TextDelta", "Finished"]
    assert [event.kind for event in events if isinstance(event, Retrying)] == [kind, kind]
    assert {event.next_model for event in events if isinstance(event, Retrying)} == {"a"}


@pytest.mark.parametrize(
    "kind",
    [
        "auth",
        "billing",
        "forbidden",
        "unknown_model",
        "bad_request",
        "refused",
        "context_overflow",
        "empty",
        "too_long",
    ],
)
def test_what_time_does_not_cure_is_not(kind):
    scripted = Scripted(a=[[fault(kind)]])
    events, error = run(scripted)
    assert error.kind_of_fault == kind
    assert error.message == f"It is {kind}."
    assert kinds(events) == ["Sending"]


@pytest.mark.parametrize("piece", [TextDelta("so far"), ReasoningDelta("hm")])
def test_nothing_is_tried_again_after_a_piece(piece):
    scripted = Scripted(a=[[piece, fault("server", has_begun=True)]], b=[[TextDelta("no"), DONE]])
    events, error = run(scripted, fallbacks=["b"])
    assert error.kind_of_fault == "server"
    assert len(scripted.asked) == 1
    assert kinds(events)[-1] == type(piece).__name__


def test_the_tries_are_counted_and_said():
    scripted = Scripted(a=[[fault("overloaded")]])
    _, error = run(scripted)
    assert len(scripted.asked) == 4
    assert error.message == "It is overloaded. Tried 4 times."
    assert error.remedy


def test_one_try_is_one_try():
    scripted = Scripted(a=[[fault("overloaded")]])
    _, error = run(scripted, patience=Patience(tries=1, total_s=5, longest_wait_s=1))
    assert (len(scripted.asked), error.message) == (1, "It is overloaded.")


def test_a_wait_is_at_least_what_the_provider_asks():
    scripted = Scripted(a=[[fault("rate_limit", retry_after_s=0.15)], [TextDelta("hi"), DONE]])
    started = time.perf_counter()
    events, _ = run(scripted)
    assert time.perf_counter() - started >= 0.15
    assert next(event for event in events if isinstance(event, Retrying)).wait_s >= 0.15


def test_a_provider_that_asks_for_long_is_not_waited_for():
    scripted = Scripted(a=[[fault("rate_limit", retry_after_s=300)]])
    events, error = run(scripted)
    assert kinds(events) == ["Sending"]
    assert error.message.endswith("It asks to wait 5 minutes.")


def test_no_try_begins_after_the_time_is_over():
    scripted = Scripted(a=[[fault("rate_limit", retry_after_s=0.3)]])
    _, error = run(scripted, patience=Patience(tries=20, total_s=0.5, longest_wait_s=1, first_wait_s=0.01))
    assert len(scripted.asked) == 2
    assert error.kind_of_fault == "rate_limit"


def test_waits_grow_and_differ():
    scripted = Scripted(a=[[fault("server")]])
    waits = []
    for _ in range(3):
        events, _ = run(scripted, patience=Patience(tries=4, total_s=5, longest_wait_s=1, first_wait_s=0.02))
        waits.append([event.wait_s for event in events if isinstance(event, Retrying)])
    assert all(one == sorted(one) for one in waits)
    assert len({tuple(one) for one in waits}) == 3


def test_a_stop_ends_a_wait_at_once():
    scripted = Scripted(a=[[fault("rate_limit", retry_after_s=60)]])
    model = RetryingModel(scripted, Places(), patience=Patience(tries=4, total_s=900, longest_wait_s=60))
    seen: list[ModelEvent] = []

    async def stop() -> float:
        async def collect() -> None:
            async for event in model.stream(ModelRequest("a", [])):
                seen.append(event)

        task = asyncio.create_task(collect())
        while not any(isinstance(event, Retrying) for event in seen):
            await asyncio.sleep(0)
        started = time.perf_counter()
        task.cancel()
        await asyncio.wait({task})
        return time.perf_counter() - started

    assert asyncio.run(stop()) < 0.2


# ---- other models ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["server", "rate_limit", "unknown_model", "billing", "auth", "forbidden"])
def test_another_model_answers_and_the_reply_says_so(kind):
    scripted = Scripted(a=[[fault(kind)]], b=[[TextDelta("hi"), DONE]])
    events, error = run(scripted, fallbacks=["a", "b"])
    assert error is None
    assert scripted.asked[-1].model == "b"
    sent = [event for event in events if isinstance(event, Sending)][-1]
    assert sent.model == "b"
    assert sent.reason.startswith("in place of a: ")
    (notice,) = [event.text for event in events if isinstance(event, Notice)]
    assert notice.startswith("b answered in place of a. a: ")
    last = [event for event in events if isinstance(event, Retrying)][-1]
    assert (last.kind, last.wait_s, last.next_model) == (kind, 0.0, "b")


@pytest.mark.parametrize("kind", ["refused", "context_overflow", "bad_request"])
def test_what_another_model_does_not_cure_goes_to_none(kind):
    scripted = Scripted(a=[[fault(kind)]], b=[[TextDelta("hi"), DONE]])
    _, error = run(scripted, fallbacks=["b"])
    assert (error.kind_of_fault, len(scripted.asked)) == (kind, 1)


def test_a_model_here_is_never_replaced_by_one_elsewhere():
    scripted = Scripted(**{"here/a": [[fault("server")]], "here/b": [[TextDelta("hi"), DONE]], "cloud": [[DONE]]})
    events, error = run(scripted, model="here/a", fallbacks=["cloud", "here/b"])
    assert error is None
    assert "cloud" not in {request.model for request in scripted.asked}
    (notice,) = [event.text for event in events if isinstance(event, Notice)]
    assert "cloud was not asked: it runs elsewhere" in notice
    assert {event.is_local for event in events if isinstance(event, Sending)} == {True}
    _, error = run(scripted, model="here/a", fallbacks=["cloud"])
    assert "cloud was not asked: it runs elsewhere" in error.message


def test_a_model_elsewhere_may_be_replaced_by_one_here():
    scripted = Scripted(**{"a": [[fault("server")]], "here/b": [[TextDelta("hi"), DONE]]})
    events, error = run(scripted, fallbacks=["here/b"])
    assert error is None
    assert [event.is_local for event in events if isinstance(event, Sending)][-1] is True


async def nobody_agreed(model):
    return f"nobody agreed to {model}."


def test_who_asks_may_close_a_fallback_and_lists_do_too():
    scripted = Scripted(a=[[fault("server")]], b=[[TextDelta("hi"), DONE]], closed=[[DONE]])
    _, error = run(scripted, fallbacks=["closed", "b"], may_go_to=nobody_agreed)
    assert {request.model for request in scripted.asked} == {"a"}
    assert "closed was not asked: closed is not on the list." in error.message
    assert "b was not asked: nobody agreed to b." in error.message


def test_when_nobody_answers_the_first_fault_is_told_with_the_others():
    scripted = Scripted(a=[[fault("billing")]], b=[[fault("auth")]], c=[[fault("overloaded")]])
    _, error = run(scripted, fallbacks=["b", "c"])
    assert error.kind_of_fault == "billing"
    assert error.message.startswith("It is billing. b did not answer either: The provider refused the key.")
    assert "c did not answer either" in error.message


def test_a_fallback_that_breaks_off_is_told_as_that():
    scripted = Scripted(a=[[fault("billing")]], b=[[TextDelta("so"), fault("cut_stream", has_begun=True)]])
    events, error = run(scripted, fallbacks=["b"])
    assert error.kind_of_fault == "cut_stream"
    assert any(isinstance(event, Notice) for event in events)


# ---- what a model does not take ------------------------------------------------------------------------


def test_a_model_without_tools_is_asked_without_and_that_is_said_and_remembered():
    scripted = Scripted(a=[[fault("no_tools")], [TextDelta("hi"), DONE]])
    model = RetryingModel(scripted, Places(), patience=QUICK)
    events, error = again(model, tools=[TOOL])
    assert error is None
    assert [len(request.tools) for request in scripted.asked] == [1, 0]
    assert NO_TOOLS in [event.text for event in events if isinstance(event, Notice)]
    events, _ = again(model, tools=[TOOL])
    assert [len(request.tools) for request in scripted.asked] == [1, 0, 0]
    assert NO_TOOLS in [event.text for event in events if isinstance(event, Notice)]


def test_a_provider_without_streaming_is_asked_for_the_whole():
    scripted = Scripted(a=[[fault("no_streaming")], [TextDelta("hi"), DONE]])
    events, error = run(scripted)
    assert error is None
    assert [request.is_streamed for request in scripted.asked] == [True, False]
    assert kinds(events) == ["Sending", "Retrying", "Sending", "TextDelta", "Finished"]


def test_what_fails_without_tools_too_is_not_remembered():
    scripted = Scripted(
        a=[[fault("no_tools")], [fault("bad_request")], [Finished("stop", (CallDraft("1", "f", "{}"),))]]
    )
    model = RetryingModel(scripted, Places(), patience=QUICK)
    _, error = again(model, tools=[TOOL])
    assert error.kind_of_fault == "bad_request"
    _, error = again(model, tools=[TOOL])
    assert [len(request.tools) for request in scripted.asked] == [1, 0, 1]
