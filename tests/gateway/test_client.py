"""Model calls through the real litellm against the scripted provider."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from jupyter_linda.errors import ProviderFault
from jupyter_linda.gateway.asking import Timeouts
from jupyter_linda.gateway.client import LitellmModel
from jupyter_linda.gateway.providers import Providers
from jupyter_linda.ports import Finished, ModelEvent, ModelRequest, ReasoningDelta, TextDelta
from jupyter_linda.schemas import ProviderInput
from tests.fakes.provider import Cut, End, Fail, FakeProvider, Hang, Raw, Reply, Say, Stall, Think, Use, says, uses

# litellm and its dependencies warn about their own deprecations; that is theirs to mend.
pytestmark = pytest.mark.filterwarnings("ignore")

KEY = "sk-test-0123456789abcdef"


class NoDemo:
    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        raise AssertionError("the demo model was not asked for")
        yield


@pytest.fixture(scope="module")
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as fake:
        yield fake


def make_model(folder: Path, provider: FakeProvider, clock, ids, *, timeout_s: float = 20.0) -> LitellmModel:
    timeouts = Timeouts(connect_s=timeout_s, first_s=timeout_s, gap_s=timeout_s)
    providers = Providers(
        folder, clock, default_model="", allowed_models=(), is_demo_ready=lambda: False, environment={}
    )
    providers.put("fake", ProviderInput(kind="openai", base_url=provider.base_url, models=("scripted",), key=KEY))
    return LitellmModel(providers, ids, NoDemo(), timeouts=timeouts)


@pytest.fixture
def model(tmp_path, provider, clock, ids) -> LitellmModel:
    return make_model(tmp_path, provider, clock, ids)


async def collect(model: LitellmModel, key: str) -> list[ModelEvent]:
    request = ModelRequest("fake/scripted", [{"role": "user", "content": key}], tools=[])
    return [event async for event in model.stream(request)]


def run(model: LitellmModel, provider: FakeProvider, reply: Reply) -> list[ModelEvent]:
    provider.script("the question", reply)
    return asyncio.run(collect(model, "the question"))


def text_of(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def test_text_reasoning_and_usage_arrive_in_order(model, provider):
    events = run(model, provider, [Think("hm"), Say("Hello there", size=3), End("stop", usage=(7, 3))])
    assert events[0] == ReasoningDelta("hm")
    assert text_of(events) == "Hello there"
    assert isinstance(events[-1], Finished)
    assert events[-1].reason == "stop"
    assert (events[-1].usage.input_tokens, events[-1].usage.output_tokens) == (7, 3)


def test_the_key_is_sent_as_a_bearer_and_our_own_fields_are_not(model, provider):
    provider.script("secret fields", says("ok"))
    request = ModelRequest("fake/scripted", [{"role": "user", "content": "secret fields", "data": {"x": 1}}])

    async def ask() -> None:
        [event async for event in model.stream(request)]

    asyncio.run(ask())
    assert provider.authorizations[-1] == f"Bearer {KEY}"
    assert provider.requests[-1]["messages"] == [{"role": "user", "content": "secret fields"}]


def test_parallel_calls_are_kept_apart(model, provider):
    calls = run(model, provider, uses(Use("a", {"x": 1}), Use("b", {"y": "ü"}, index=1)))[-1].calls
    assert [(call.name, call.arguments, call.is_whole) for call in calls] == [
        ("a", '{"x": 1}', True),
        ("b", '{"y": "\\u00fc"}', True),
    ]


def test_case_ls_03_index_0_and_placeholder_ids_make_one_call(model, provider):
    def piece(call_id: str, **function: str) -> Raw:
        tool = {"function": function, "index": 0, "id": call_id, "type": "function"}
        return Raw(
            {
                "id": "c1",
                "object": "chat.completion.chunk",
                "model": "scripted",
                "choices": [{"index": 0, "delta": {"tool_calls": [tool]}, "finish_reason": None}],
            }
        )

    parts = [
        piece("null", name="list_cells", arguments=""),
        piece("", arguments='{"limit"'),
        piece("null", arguments=":5}"),
        End("tool_calls"),
    ]
    (call,) = run(model, provider, parts)[-1].calls
    assert (call.name, call.arguments) == ("list_cells", '{"limit":5}')
    assert call.call_id not in ("", "null")


def test_case_ls_05_cut_arguments_are_marked_not_whole(model, provider):
    parts = [Use("write_file", '{"path":"report.py","text":"import pandas as pd\\ndf = pd.re'), End("length")]
    finished = run(model, provider, parts)[-1]
    assert finished.reason == "length"
    assert [call.is_whole for call in finished.calls] == [False]


def test_case_ls_07_stop_with_tool_calls_keeps_the_calls(model, provider):
    events = run(model, provider, [Say("Looking it up."), Use("read_cell", {"id": "aa"}), End("stop")])
    assert text_of(events) == "Looking it up."
    assert [call.name for call in events[-1].calls] == ["read_cell"]


def test_case_ls_08_tool_calls_without_calls_is_an_empty_answer(model, provider):
    with pytest.raises(ProviderFault) as caught:
        run(model, provider, [Say(""), End("tool_calls")])
    assert caught.value.kind_of_fault == "empty"


@pytest.mark.parametrize("blank", ["", "\n\n"])
@pytest.mark.parametrize(
    ("reason", "words"), [("stop", "only thought and gave no answer"), ("length", "up to its output limit")]
)
def test_a_reply_of_thoughts_alone_is_told_as_such(model, provider, reason, words, blank):
    with pytest.raises(ProviderFault, match=words) as caught:
        run(model, provider, [Think("Let me see."), Say(blank), End(reason)])
    assert caught.value.kind_of_fault == "only_thought"
    assert "reasoning is kept" in caught.value.remedy


def test_a_reply_of_blanks_alone_is_empty(model, provider):
    with pytest.raises(ProviderFault) as caught:
        run(model, provider, [Say("\n \n"), End("stop")])
    assert caught.value.kind_of_fault == "empty"


def test_case_ls_11_a_dropped_stream_is_never_a_finished_one(model, provider):
    provider.script("dropped", [Say("The total for Q1 is 12"), Say("3"), Cut()])
    seen: list[ModelEvent] = []

    async def ask() -> None:
        async for event in model.stream(ModelRequest("fake/scripted", [{"role": "user", "content": "dropped"}])):
            seen.append(event)

    with pytest.raises(ProviderFault) as caught:
        asyncio.run(ask())
    assert caught.value.kind_of_fault == "cut_stream"
    assert text_of(seen) == "The total for Q1 is 123"
    assert not any(isinstance(event, Finished) for event in seen)


def test_a_stream_that_ends_without_a_reason_is_cut(model, provider):
    with pytest.raises(ProviderFault) as caught:
        run(model, provider, [Say("half")])
    assert caught.value.kind_of_fault == "cut_stream"


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        (Fail(401, "Incorrect API key provided: sk-test-0123456789abcdef"), "auth"),
        (Fail(402), "billing"),
        (Fail(403), "forbidden"),
        (Fail(404, "The model `scripted` does not exist"), "unknown_model"),
        (Fail(413), "context_overflow"),
        (Fail(429, headers=(("Retry-After", "2"),)), "rate_limit"),
        (Fail(500), "server"),
        (Fail(503), "overloaded"),
    ],
)
def test_each_status_has_its_words_and_never_the_key(model, provider, part, kind):
    with pytest.raises(ProviderFault) as caught:
        run(model, provider, [part])
    assert caught.value.kind_of_fault == kind
    assert caught.value.remedy
    assert KEY not in caught.value.message + caught.value.words
    assert "litellm" not in caught.value.message + caught.value.words
    assert "status" in caught.value.words


def test_429_tells_how_long_to_wait(model, provider):
    with pytest.raises(ProviderFault) as caught:
        run(model, provider, [Fail(429, headers=(("Retry-After", "2"),))])
    assert caught.value.retry_after_s == 2.0


def test_a_malformed_chunk_after_text_is_a_cut_stream(model, provider):
    with pytest.raises(ProviderFault) as caught:
        run(model, provider, [Say("so far"), Raw(b"{nonsense"), End("stop")])
    assert caught.value.kind_of_fault == "cut_stream"


def test_a_provider_that_never_answers_times_out(tmp_path, provider, clock, ids):
    model = make_model(tmp_path, provider, clock, ids, timeout_s=1.0)
    with pytest.raises(ProviderFault) as caught:
        run(model, provider, [Hang()])
    assert caught.value.kind_of_fault == "timeout"


def test_a_stream_that_stalls_times_out(tmp_path, provider, clock, ids):
    model = make_model(tmp_path, provider, clock, ids, timeout_s=1.0)
    with pytest.raises(ProviderFault) as caught:
        run(model, provider, [Say("and then"), Stall(), End("stop")])
    assert caught.value.kind_of_fault in ("timeout", "cut_stream")


def test_nobody_there_is_unreachable(tmp_path, clock, ids):
    providers = Providers(
        tmp_path, clock, default_model="", allowed_models=(), is_demo_ready=lambda: False, environment={}
    )
    providers.put("fake", ProviderInput(kind="openai", base_url="http://127.0.0.1:9/v1", key=KEY))
    model = LitellmModel(providers, ids, NoDemo(), timeouts=Timeouts(5, 5, 5))
    with pytest.raises(ProviderFault) as caught:
        asyncio.run(collect(model, "anybody?"))
    assert caught.value.kind_of_fault == "unreachable"


def test_a_character_cut_between_two_chunks_is_put_together(model, provider):
    halves = [
        b'{"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": '
        b'[{"index": 0, "delta": {"content": "%s"}, "finish_reason": null}]}' % piece
        for piece in (b"a \\ud83d", b"\\ude00 b \\udc00")
    ]
    events = run(model, provider, [*map(Raw, halves), End("stop")])
    assert text_of(events) == "a 😀 b \ufffd"


@pytest.mark.parametrize("part", ["text", "arguments", "calls"])
def test_a_reply_without_end_is_ended(model, provider, part):
    endless = {
        "text": [Say("ab " * 100_000, size=100_000) for _ in range(10)],
        "arguments": [Use("put", '{"x": "' + "y" * 2_500_000 + '"}')],
        "calls": [Use("look", {}, index=index, call_id=f"id{index}") for index in range(200)],
    }
    with pytest.raises(ProviderFault) as caught:
        run(model, provider, [*endless[part], End("stop")])
    assert caught.value.kind_of_fault == "too_long"


def test_it_knows_the_words_of_litellm_once_that_is_loaded(tmp_path, provider, clock, ids):
    model = make_model(tmp_path, provider, clock, ids)
    assert model.knows("nobody")

    async def load():
        return await model.library()

    litellm = asyncio.run(load())
    assert model.knows("openai")
    assert model.knows("ollama_chat")
    assert not model.knows("nobody")
    assert all(model.knows(str(getattr(word, "value", word))) for word in litellm.provider_list)
