"""Marks for kept prompts: only where a provider wants them, and what they change is nothing else."""

from __future__ import annotations

import pytest

from jupyter_linda.gateway.asking import Timeouts, arguments_for
from jupyter_linda.gateway.caching import MARK, wants_marks, with_marks
from jupyter_linda.gateway.client import import_litellm
from jupyter_linda.gateway.providers import Connection
from jupyter_linda.ports import ModelRequest

# litellm and its dependencies warn about their own deprecations; that is theirs to mend.
pytestmark = pytest.mark.filterwarnings("ignore")

PROMPT = [
    {"role": "system", "content": "Instructions."},
    {"role": "user", "content": "hello"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "x", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "a", "content": "the result"},
]


@pytest.fixture(scope="module")
def litellm():
    return import_litellm()


@pytest.mark.parametrize(
    ("model", "wanted"),
    [
        ("anthropic/claude-sonnet-4-5", True),
        ("claude-sonnet-4-5", True),
        ("bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0", True),
        ("openai/gpt-4o", False),
        ("deepseek/deepseek-chat", False),
        ("gemini/gemini-2.5-pro", False),
        ("openai/my-own", False),
        ("ollama/qwen3", False),
    ],
)
def test_only_models_that_want_marks_get_them(litellm, model, wanted) -> None:
    assert wants_marks(litellm, model) == wanted


def test_the_instructions_and_the_end_are_marked_and_nothing_else_changes() -> None:
    made = with_marks(PROMPT)
    assert made[0]["content"] == [{"type": "text", "text": "Instructions.", "cache_control": MARK}]
    assert made[-1] == {**PROMPT[-1], "content": [{"type": "text", "text": "the result", "cache_control": MARK}]}
    assert made[1:3] == PROMPT[1:3]
    assert PROMPT[0]["content"] == "Instructions."


def test_pictures_stay_beside_the_mark() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
    (made,) = with_marks([{"role": "user", "content": [{"type": "text", "text": "see"}, picture]}])
    assert made["content"] == [{"type": "text", "text": "see"}, {**picture, "cache_control": MARK}]
    assert with_marks([]) == []


@pytest.mark.parametrize(("model", "marks"), [("anthropic/claude-sonnet-4-5", 2), ("openai/gpt-4o", 0)])
def test_what_litellm_is_called_with_carries_the_marks(litellm, model, marks) -> None:
    request = ModelRequest(model, PROMPT, tools=[{"type": "function", "function": {"name": "x"}}])
    timeouts = Timeouts(connect_s=1, first_s=1, gap_s=1)
    connection = Connection(litellm_model=model, base_url="", key="k", proxy="", ca_file="")
    assert str(arguments_for(litellm, request, connection, timeouts)["messages"]).count("cache_control") == marks
