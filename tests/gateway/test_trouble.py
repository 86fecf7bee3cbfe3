"""Every fault of a provider, scripted and met through the real litellm, with tries and fallbacks before it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from jupyter_linda.errors import ProviderFault
from jupyter_linda.gateway.asking import Timeouts
from jupyter_linda.gateway.client import LitellmModel
from jupyter_linda.gateway.providers import Providers
from jupyter_linda.gateway.retrying import NO_TOOLS, Patience, RetryingModel
from jupyter_linda.ports import Finished, ModelEvent, ModelRequest, Notice, Retrying, Sending, TextDelta
from jupyter_linda.schemas import ProviderInput
from tests.fakes.provider import (
    Cut,
    End,
    Fail,
    FakeProvider,
    Hang,
    InTurn,
    Json,
    Raw,
    Say,
    Stall,
    Think,
    Use,
    When,
    in_turn,
    says,
    uses,
)

# litellm and its dependencies warn about their own deprecations; that is theirs to mend.
pytestmark = pytest.mark.filterwarnings("ignore")

TOOL = {
    "type": "function",
    "function": {"name": "look", "description": "Look.", "parameters": {"type": "object", "properties": {}}},
}
PATIENT = Timeouts(5, 5, 5)
HAPPY = [Say("All is well."), End("stop")]


@pytest.fixture(scope="module")
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as fake:
        yield fake


@dataclass
class Met:
    """What came of one request."""

    events: Sequence[ModelEvent]
    fault: ProviderFault | None
    requests: Sequence[dict[str, Any]]

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, TextDelta))

    @property
    def kinds(self) -> list[str]:
        return [event.kind for event in self.events if isinstance(event, Retrying)]

    @property
    def finished(self) -> Finished:
        return self.events[-1]


class Asker:
    def __init__(self, folder: Path, provider: FakeProvider, clock: Any, ids: Any) -> None:
        self._provider, self._ids = provider, ids
        self.providers = Providers(
            folder, clock, default_model="", allowed_models=(), is_demo_ready=lambda: False, environment={}
        )
        self.connect("fake", provider.base_url)
        self._count = 0

    def connect(self, name: str, base_url: str) -> None:
        self.providers.put(name, ProviderInput(kind="openai", base_url=base_url, key="sk-test-0123456789"))

    def __call__(
        self,
        *reply: Any,
        tries: int = 3,
        fallbacks: Sequence[str] = (),
        model: str = "fake/scripted",
        timeouts: Timeouts = PATIENT,
        **request: Any,
    ) -> Met:
        self._count += 1
        key = f"question {self._count} of {id(self)}"
        self._provider.script(key, reply[0] if isinstance(reply[0], list | InTurn | When) else list(reply))
        before = len(self._provider.requests)
        one = LitellmModel(self.providers, self._ids, None, timeouts=timeouts)
        patience = Patience(tries=tries, total_s=20, longest_wait_s=3, first_wait_s=0.01)
        patient = RetryingModel(one, self.providers, patience=patience, fallbacks=lambda: fallbacks)
        asked = ModelRequest(model, [{"role": "user", "content": key}], **request)
        events: list[ModelEvent] = []

        async def collect() -> None:
            async for event in patient.stream(asked):
                events.append(event)

        fault = None
        try:
            asyncio.run(collect())
        except ProviderFault as error:
            fault = error
        return Met(events, fault, self._provider.requests[before:])


@pytest.fixture
def ask(tmp_path, provider, clock, ids) -> Asker:
    return Asker(tmp_path, provider, clock, ids)


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        (Fail(401, "Incorrect API key provided"), "auth"),
        (Fail(402, "Insufficient credits"), "billing"),
        (Fail(403, "not for you"), "forbidden"),
        (Fail(404, "The model `scripted` does not exist"), "unknown_model"),
        (Fail(400, "temperature is out of range"), "bad_request"),
        (Fail(413, "payload too large"), "context_overflow"),
        (Fail(400, "This model's maximum context length is 8192 tokens"), "context_overflow"),
        (Fail(400, "prompt is too long: 208310 tokens > 200000 maximum"), "context_overflow"),
        (Fail(400, "Your request was rejected as a result of our safety system"), "refused"),
        (Fail(429, "You exceeded your current quota: insufficient_quota"), "billing"),
    ],
)
def test_what_time_does_not_cure_is_asked_once_and_told(ask, part, kind):
    met = ask(part)
    assert met.fault.kind_of_fault == kind
    assert len(met.requests) == 1
    assert met.fault.remedy


def test_a_request_that_cannot_be_processed_is_told(ask):
    assert ask(Fail(422, "no such field")).fault.kind_of_fault == "bad_request"


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
    ],
)
def test_what_time_may_cure_is_tried_again_and_cured(ask, part, kind):
    met = ask(in_turn([part], [part], HAPPY))
    assert met.fault is None
    assert met.text == "All is well."
    assert met.kinds == [kind, kind]
    assert len([event for event in met.events if isinstance(event, Sending)]) == len(met.requests) == 3
    met = ask(part, tries=2)
    assert (met.fault.kind_of_fault, len(met.requests)) == (kind, 2)
    assert met.fault.message.endswith("Tried 2 times.")
    if isinstance(part, Fail):
        assert part.message in met.fault.words
        assert part.message not in met.fault.message


@pytest.mark.parametrize("header", ["Retry-After", "retry-after-ms", "date"])
def test_the_wait_a_provider_asks_for_is_kept(ask, provider, header):
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
    asked = {"Retry-After": ("Retry-After", "1"), "retry-after-ms": (header, "600"), "date": ("Retry-After", at)}[
        header
    ]
    met = ask(in_turn([Fail(429, "wait", (asked,))], HAPPY))
    wait_s = next(event.wait_s for event in met.events if isinstance(event, Retrying))
    assert 0.6 <= wait_s <= 2.1
    assert provider.received_at[-1] - provider.received_at[-2] >= wait_s
    assert met.text == "All is well."


def test_a_wait_that_is_too_long_ends_with_the_time(ask):
    met = ask(Fail(429, "wait", (("Retry-After", "7200"),)))
    assert len(met.requests) == 1
    assert met.fault.message.endswith("It asks to wait 2 hours.")


def test_a_stream_that_breaks_before_its_first_word_is_tried_again(ask):
    met = ask(in_turn([Cut()], [Raw({"choices": []}), Cut()], HAPPY))
    assert met.fault is None
    assert met.kinds == ["cut_stream", "cut_stream"]


@pytest.mark.parametrize("begun", [[Say("Half a ")], [Think("Hm")], [Use("look", '{"path": "a')]])
@pytest.mark.parametrize("end", [[Cut()], [Raw(b"{nonsense")], [Stall()], []])
def test_after_the_first_piece_nothing_is_tried_again(ask, begun, end):
    met = ask(*begun, *end, timeouts=Timeouts(5, 5, 0.3), tools=[TOOL])
    assert met.fault.kind_of_fault == "cut_stream"
    assert "what arrived is kept" in met.fault.message
    assert len(met.requests) == 1


def test_an_error_in_the_stream_is_told(ask):
    error = {"error": {"message": "The server is overloaded", "code": 503, "type": "overloaded"}}
    met = ask(in_turn([Raw(error)], HAPPY))
    assert met.fault is None
    assert len(met.requests) == 2
    met = ask(Say("Half a "), Raw(error))
    assert met.fault.kind_of_fault == "cut_stream"
    assert len(met.requests) == 1


# ---- timeouts apart ------------------------------------------------------------------------------------


def test_no_first_word_in_time(ask):
    met = ask(in_turn([Hang()], HAPPY), timeouts=Timeouts(5, 0.4, 5))
    assert met.kinds == ["timeout"]
    assert met.text == "All is well."
    met = ask(Hang(), timeouts=Timeouts(5, 0.3, 5), tries=1)
    assert met.fault.message == "The provider gave no first word within 0.3 s."
    assert "provider_timeout_s" in met.fault.remedy


def test_signs_of_life_are_no_first_word(ask):
    empty = {
        "id": "c",
        "object": "chat.completion.chunk",
        "model": "m",
        "choices": [{"index": 0, "delta": {"role": "assistant"}}],
    }
    met = ask(Raw(empty), Stall(), timeouts=Timeouts(5, 0.4, 5), tries=1)
    assert met.fault.kind_of_fault == "timeout"


def test_silence_between_two_words_is_its_own(ask):
    met = ask(Say("Half a "), Stall(), timeouts=Timeouts(5, 5, 0.3))
    assert "nothing came for 0.3 s" in met.fault.message
    assert met.text == "Half a "


def test_slow_but_steady_is_fine(ask):
    met = ask(Say("one two three four five six", size=4, pause_s=0.15), End("stop"), timeouts=Timeouts(5, 0.6, 0.6))
    assert met.fault is None
    assert met.text == "one two three four five six"


def test_no_connection_in_time_is_unreachable(ask):
    with socket.socket() as full, contextlib.ExitStack() as stack:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for _ in range(3):  # the waiting line is full: the next connection is not answered
            one = stack.enter_context(socket.socket())
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        ask.connect("busy", f"http://127.0.0.1:{full.getsockname()[1]}/v1")
        met = ask(HAPPY, model="busy/x", timeouts=Timeouts(0.3, 20, 20), tries=1)
    assert met.fault.kind_of_fault == "unreachable"


def test_nobody_there_is_unreachable_and_the_next_is_asked(ask):
    ask.connect("gone", "http://127.0.0.1:9/v1")
    met = ask(HAPPY, model="gone/x", tries=2, fallbacks=["fake/scripted"])
    assert met.kinds == ["unreachable", "unreachable"]
    assert met.text == "All is well."
    (notice,) = [event.text for event in met.events if isinstance(event, Notice)]
    assert notice == "fake/scripted answered in place of gone/x. gone/x: The provider cannot be reached."


# ---- odd ends ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", ["stop", "tool_calls", "eos", "function_call", "weird"])
def test_calls_count_whatever_the_reason_says(ask, reason):
    met = ask(Say("Looking."), Use("look", {"x": 1}), End(reason), tools=[TOOL])
    assert [(call.name, call.is_whole) for call in met.finished.calls] == [("look", True)]


def test_tool_calls_as_reason_without_any_is_an_answer_where_there_is_text(ask):
    met = ask(Say("All is well."), End("tool_calls"), tools=[TOOL])
    assert met.fault is None
    assert met.finished.calls == ()


def test_arguments_cut_at_the_limit_are_not_whole(ask):
    met = ask(Use("look", '{"path": "a'), End("length"), tools=[TOOL])
    assert [call.is_whole for call in met.finished.calls] == [False]
    assert met.finished.reason == "length"


def test_double_encoded_arguments_are_taken(ask):
    met = ask(Use("look", '"{\\"x\\": 1}"'), End("tool_calls"), tools=[TOOL])
    assert [(call.arguments, call.is_whole) for call in met.finished.calls] == [('{"x": 1}', True)]


def test_a_model_that_repeats_itself_is_ended(ask):
    met = ask(Say("again " * 300, size=6), End("stop"))
    assert met.fault.kind_of_fault == "too_long"
    assert "repeated itself" in met.fault.message
    assert len(met.requests) == 1


def test_a_filter_ends_a_reply(ask):
    met = ask(Say("Half a "), End("content_filter"))
    assert met.fault.kind_of_fault == "refused"
    assert "what arrived is kept" in met.fault.message
    met = ask(End("content_filter"))
    assert met.fault.kind_of_fault == "refused"
    assert len(met.requests) == 1


def test_the_older_form_of_calls_is_understood(ask):
    def chunk(**function: str) -> Raw:
        choice = {"index": 0, "delta": {"function_call": function}, "finish_reason": None}
        return Raw({"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice]})

    met = ask(chunk(name="look", arguments='{"x"'), chunk(arguments=": 1}"), End("function_call"), tools=[TOOL])
    assert [(call.name, call.arguments) for call in met.finished.calls] == [("look", '{"x": 1}')]


# ---- what providers do not take ------------------------------------------------------------------------


def test_a_model_that_takes_no_tools_is_asked_without(ask):
    history = [
        {"role": "user", "content": "look at it"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "1", "name": "look", "content": "a lake"},
    ]
    refusal = [Fail(400, "registry.ollama.ai/library/gemma:latest does not support tools")]
    met = ask(When("tools", refusal, HAPPY), tools=[TOOL])
    assert met.text == "All is well."
    assert NO_TOOLS in [event.text for event in met.events if isinstance(event, Notice)]
    assert ["tools" in request for request in met.requests] == [True, False]
    assert history[1]["tool_calls"]


def test_a_provider_that_cannot_stream_is_asked_for_the_whole(ask):
    refusal = [Fail(400, "This model does not support streaming")]
    met = ask(When("stream", refusal, [Think("Hm."), *HAPPY]))
    assert met.text == "All is well."
    assert met.finished.reason == "stop"
    assert (met.finished.usage.input_tokens, met.finished.usage.output_tokens) == (100, 20)
    met = ask(When("stream", refusal, [Use("look", {"x": 1}), End("tool_calls")]), tools=[TOOL])
    assert [call.arguments for call in met.finished.calls] == ['{"x": 1}']


def test_a_provider_that_answers_with_a_document_is_asked_for_one(ask):
    met = ask(When("stream", [Json({"choices": []})], HAPPY))
    assert met.fault is None
    assert met.text == "All is well."
    assert len(met.requests) == 2


# ---- what it takes -------------------------------------------------------------------------------------


def test_usage_is_the_providers_where_it_gives_one(ask):
    met = ask(Say("hi"), End("stop", usage=(70, 3)))
    usage = met.finished.usage
    assert (usage.input_tokens, usage.output_tokens, usage.is_estimated, usage.cost_usd) == (70, 3, False, 0.0)


def test_usage_is_estimated_where_it_gives_none_and_counts_the_tools(ask):
    bare = ask(Say("one two three four"), End("stop", usage=None)).finished.usage
    assert bare.is_estimated
    assert 0 < bare.output_tokens <= 8
    assert 5 < bare.input_tokens < 40
    with_tools = ask(Say("one two three four"), End("stop", usage=None), tools=[TOOL]).finished.usage
    assert with_tools.input_tokens > bare.input_tokens


def test_a_call_of_tools_is_counted_too(ask):
    usage = ask(*uses(Use("look", {"x": "y" * 40}))[:-1], End("tool_calls", usage=None), tools=[TOOL]).finished.usage
    assert usage.output_tokens > 5


def test_says_is_happy(ask):
    assert ask(says("fine")).text == "fine"
