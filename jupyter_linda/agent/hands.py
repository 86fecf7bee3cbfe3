"""What the dispatcher works with: tools, gate, limits, and the one tool that is not a tool."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..ports import Gate, GateCall, Ids, Json, Permit, Tool, ToolContext
from ..schemas import GrantScope, Preview, Run

if TYPE_CHECKING:
    from datetime import timedelta

    from ..instructions.finding import Found
    from ..storage.files import Results
    from .transcript import CallRow

ASK_USER = "ask_user"

ASK_USER_SCHEMA: Mapping[str, Json] = {
    "type": "function",
    "function": {
        "name": ASK_USER,
        "description": "Ask the person one short question and wait for the answer. Offer choices where there are few.",
        "parameters": {
            "type": "object",
            "properties": {
                "question": {"type": "string", "description": "The question, in the person's language."},
                "choices": {"type": "array", "items": {"type": "string"}, "description": "Up to six possible answers."},
            },
            "required": ["question"],
            "additionalProperties": False,
        },
    },
}


@dataclass(frozen=True)
class Limits:
    """Numbers of the dispatcher, from the settings."""

    result_chars: int
    question_expiry: timedelta


@dataclass(frozen=True)
class Ready:
    """A call that may run: parsed and permitted."""

    row: CallRow
    tool: Tool
    arguments: Mapping[str, Json]
    call: GateCall
    permit: Permit
    approved: Preview | None = None
    """What the person saw who allowed it."""
    instead: str = ""
    """What is done instead of what the model wanted, in words."""


ContextMaker = Callable[[str, Run, Callable[[str], None]], ToolContext]
"""(request_id, run, report) -> context"""


def _shows_any(_model: str, tool: Tool, arguments: Mapping[str, Json]) -> bool:
    return tool.shows_values(arguments) is not None


async def _no_skill(_owner_id: str, _chat_id: str, _name: str) -> Found | None:
    return None


ScopeMaker = Callable[[GateCall], tuple[GrantScope, ...]]


@dataclass(frozen=True)
class Hands:
    """What every run of a worker shares: the tools, the gate before them, and what they need."""

    tools: Mapping[str, Tool]
    gate: Gate
    make_context: ContextMaker
    scopes_for: ScopeMaker
    results: Results
    ids: Ids
    limits: Limits
    needs_leave: Callable[[str, Tool, Mapping[str, Json]], bool] = _shows_any
    """Whether a call would show this model more of the data than its level lets out: then that is asked about."""

    find_skill: Callable[[str, str, str], Awaitable[Found | None]] = _no_skill
    """(owner, chat, name) -> a skill that may be used there."""

    def known_tools(self) -> list[Tool]:
        """The tools but those that a rule denies everywhere: a model is not told of them."""
        hidden = self.gate.hidden_tools([(tool.name, tool.action) for tool in self.tools.values()])
        return [tool for tool in self.tools.values() if tool.name not in hidden]
