"""Marks for providers that keep the beginning of a prompt only where they are told to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..ports import Json

WANTS_MARKS = re.compile(r"(?:^|/)(?:[\w.-]+\.)?(?:anthropic[./])?claude-|(?:^|/)anthropic/")
"""Models that keep nothing unmarked. OpenAI, DeepSeek, Gemini and others keep what begins alike by themselves."""
MARK = {"type": "ephemeral"}


def wants_marks(litellm: Any, model: str) -> bool:
    """Whether a model keeps prompts where they are marked, and only there."""
    if not WANTS_MARKS.search(model):
        return False
    try:
        return bool(litellm.utils.supports_prompt_caching(model=model))
    except Exception:  # noqa: BLE001  its table raises many things for names it does not know
        return False


def with_marks(messages: Sequence[Mapping[str, Json]]) -> list[Mapping[str, Json]]:
    """The same messages, with marks where a prompt is worth keeping: after the instructions, and at its end.

    The first keeps instructions and tools (tools come before them there) for every chat; the second what the next
    call of this chat begins with. Two of the four marks that are allowed.
    """
    at = {0} if messages and messages[0].get("role") == "system" else set()
    last = next((n for n in range(len(messages) - 1, -1, -1) if _has_text(messages[n])), None)
    at |= set() if last is None else {last}
    return [_marked(message) if n in at else message for n, message in enumerate(messages)]


def _has_text(message: Mapping[str, Json]) -> bool:
    content = message.get("content")
    return bool(content.strip() if isinstance(content, str) else content)


def _marked(message: Mapping[str, Json]) -> Mapping[str, Json]:
    content = message["content"]
    parts: list[dict[str, Json]] = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    parts[-1] = {**parts[-1], "cache_control": MARK}
    return {**message, "content": parts}
