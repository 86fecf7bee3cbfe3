"""Token counts: the model's own tokenizer where it is here, a stated estimate elsewhere, and never the network."""

from __future__ import annotations

import asyncio
import json
import socket
from pathlib import Path

import pytest

from jupyter_linda.gateway.client import import_litellm
from jupyter_linda.gateway.providers import DEMO_MODEL
from jupyter_linda.gateway.tokens import BY_CHARACTERS, BY_REFERENCE, Cache, ModelTokens, estimate
from jupyter_linda.ports import Counter

# litellm and its dependencies warn about their own deprecations; that is theirs to mend.
pytestmark = pytest.mark.filterwarnings("ignore")

REPOSITORY = Path(__file__).parents[2]
CHINESE = json.loads((REPOSITORY / "labextension" / "src" / "zh_CN.json").read_text(encoding="utf-8"))
TEXTS = {
    "prose": (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8"),
    "code": (REPOSITORY / "jupyter_linda" / "agent" / "dispatch.py").read_text(encoding="utf-8"),
    "Chinese": "".join(words[0] for key, words in CHINESE.items() if key),
    "numbers": "\n".join(f"{n * 1.2345:.4f},{n * 7919}" for n in range(500)),
    "table": "\n".join(f"{n}   {n * 3.7:.2f}   name_{n}" for n in range(400)),
}
TOOL = {"type": "function", "function": {"name": "look", "description": "Look.", "parameters": {"type": "object"}}}


@pytest.fixture(scope="module")
def litellm():
    return import_litellm()


def counter(litellm, name: str) -> Counter:
    async def library() -> object:
        return litellm

    return asyncio.run(ModelTokens(lambda model: model, library).counter(name))


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def refuse(*_args: object, **_options: object) -> None:
        raise AssertionError("a tokenizer was looked for on the network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.parametrize("kind", TEXTS)
def test_an_estimate_from_characters_is_near_and_rather_above(litellm, kind) -> None:
    real = litellm.token_counter(model="gpt-4o", text=TEXTS[kind])
    assert 0.9 <= estimate(TEXTS[kind]) / real <= 1.34


@pytest.mark.parametrize(
    ("name", "by"),
    [
        ("openai/gpt-4o", "(o200k)"),
        ("gpt-4", "(cl100k)"),
        ("azure/o3-mini", "(o200k)"),
        ("deepseek/deepseek-chat", "(deepseek)"),
    ],
)
def test_a_model_whose_tokenizer_is_here_is_counted_with_it(litellm, name, by) -> None:
    made = counter(litellm, name)
    assert by in made.counted_by
    assert not made.is_estimate
    assert made.count("hello world") == 2


@pytest.mark.parametrize("name", ["anthropic/claude-sonnet-4-5", "openai/llama-3-8b", "ollama/qwen3", "replicate/x"])
def test_every_other_model_gets_an_estimate_that_says_so(litellm, name) -> None:
    made = counter(litellm, name)
    assert (made.counted_by, made.is_estimate) == (BY_REFERENCE, True)
    real = litellm.token_counter(model="gpt-4o", text=TEXTS["prose"])
    assert 1.19 * real < made.count(TEXTS["prose"]) < 1.21 * real
    assert made.count_tools([TOOL]) > 10


def test_the_demo_model_needs_no_litellm() -> None:
    async def library() -> object:
        raise AssertionError("litellm was loaded")

    made = asyncio.run(ModelTokens(lambda model: model, library).counter(DEMO_MODEL))
    assert (made.counted_by, made.max_input_tokens) == (BY_CHARACTERS, None)
    assert made.count("hello world") == 2
    assert made.count_tools([]) == 0


def test_what_a_model_takes_comes_from_the_table_where_it_is_known(litellm) -> None:
    known = counter(litellm, "anthropic/claude-sonnet-4-5")
    assert (known.max_input_tokens, known.max_output_tokens, known.takes_pictures) == (200_000, 64_000, True)
    unknown = counter(litellm, "openai/my-own")
    assert (unknown.max_input_tokens, unknown.takes_pictures) == (None, False)


def test_a_text_is_counted_once_and_the_cache_stays_small() -> None:
    counted: list[str] = []
    cache = Cache(most=2)

    def count(text: str) -> int:
        counted.append(text[0])
        return len(text)

    for first in ("a", "b", "a", "c", "a", "b"):
        assert cache.count("x", first * 300, count) == 300
    assert counted == ["a", "b", "c", "b"]
    cache.count("other", "a" * 300, count)
    assert counted[-1] == "a"


def test_half_a_character_is_counted_too(litellm) -> None:
    assert counter(litellm, "gpt-4o").count("x" * 300 + "\ud83d") > 30
