"""Prompts: the transcript in the chat-completion form models take."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..schemas import ContextItem, Message
    from .transcript import CallRow, Transcript

Prompt = list[dict[str, Any]]  # the shape of a chat-completion prompt, any JSON

NOTES = {
    "interrupted": "[this reply was cut off by the provider]",
    "stopped": "[the user stopped this reply]",
    "failed": "[this reply failed]",
}


def system_prompt() -> str:
    """The instructions every model gets, from prompts/system.md."""
    return files("jupyter_linda.agent").joinpath("prompts/system.md").read_text(encoding="utf-8")


def build(transcript: Transcript, *, root_name: str) -> Prompt:
    """The whole prompt of a run's next model call."""
    by_message: dict[str, list[CallRow]] = {}
    for row in transcript.calls:
        by_message.setdefault(row.message_id, []).append(row)
    prompt: Prompt = [{"role": "system", "content": system_prompt().replace("{root_name}", root_name)}]
    for message in (*transcript.history, *transcript.replies):
        prompt.extend(_as_prompt(message, by_message.get(message.message_id, ())))
    return prompt


def _as_prompt(message: Message, rows: Sequence[CallRow]) -> Prompt:
    if message.role == "user":
        return [{"role": "user", "content": _with_context(message)}]
    note = NOTES.get(message.status, "")
    text = "\n".join(part for part in (message.text, note) if part)
    if not rows:
        return [{"role": "assistant", "content": text}] if text else []
    provider_ids = {call.call_id: call.provider_id or call.call_id for call in message.tool_calls}
    asked = [
        {
            "id": provider_ids.get(row.call_id, row.call_id),
            "type": "function",
            "function": {"name": row.name, "arguments": row.arguments if _is_object(row.arguments) else "{}"},
        }
        for row in rows
    ]
    results = [
        {
            "role": "tool",
            "tool_call_id": provider_ids.get(row.call_id, row.call_id),
            "name": row.name,
            "content": row.result or "(no result)",
            "data": row.data if row.problem is None else {"problem": row.problem},
        }
        for row in rows
    ]
    return [{"role": "assistant", "content": text or None, "tool_calls": asked}, *results]


def _is_object(text: str) -> bool:
    # Providers refuse a history whose arguments do not parse; the model is told about the fault in the result.
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _with_context(message: Message) -> str:
    lines = [line for item in message.context for line in _context_lines(item)]
    return "\n".join([*lines, "", message.text]) if lines else message.text


def _context_lines(item: ContextItem) -> list[str]:
    if item.kind == "cell":
        return [f"[context] cell: {item.cell_id} in {item.path}"]
    if item.kind == "selection":
        return [f"[context] selection in {item.path}: {item.text[:4000]!r}"]
    if item.kind == "variable":
        return [f"[context] variable: {item.name} in {item.path}"]
    return [f"[context] {item.kind}: {item.path}"]


def shorten(text: str, limit: int) -> str:
    """Head and tail of a long text, with a note of how much was left out between."""
    if len(text) <= limit:
        return text
    note = f"\n\n[… {len(text) - limit} of {len(text)} characters left out; ask for a part to see it …]\n\n"
    head = (limit - len(note)) * 2 // 3
    return text[:head] + note + text[len(text) - (limit - len(note) - head) :]
