"""Prompts for models that take no tools: earlier calls and their results told as plain messages (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..ports import Json


def without_tools(messages: Sequence[Mapping[str, Json]]) -> list[dict[str, Json]]:
    """The same conversation without tool calls; a prompt that has none is left as it is."""
    made: list[dict[str, Json]] = []
    results: list[str] = []
    for message in messages:
        if message.get("role") == "tool":
            results.append(f"[result of {message.get('name') or 'a tool'}]\n{message.get('content') or ''}")
            continue
        _add_results(made, results)
        calls = message.get("tool_calls")
        if not calls:
            made.append(dict(message))
            continue
        told = [f"[called {call['function']['name']} with {call['function']['arguments']}]" for call in calls]
        content = "\n".join([*([str(message["content"])] if message.get("content") else ()), *told])
        made.append({"role": "assistant", "content": content})
    _add_results(made, results)
    return made


def _add_results(made: list[dict[str, Json]], results: list[str]) -> None:
    if results:
        made.append({"role": "user", "content": "\n\n".join(results)})
        results.clear()
