"""What a run has read from outside, and what it may then still do without being asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ports import Asked
from .plain import is_plain
from .written import added, find_in_written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..schemas import Action, Message, Preview

MOST_SOURCES = 5
BEYOND = "does more than compute and draw"
"""Of code: nobody can say that it stays in its notebook."""
LOSES = "takes a file from its place"
_LOSING = frozenset(["delete_file", "move_file"])


def asked_in(messages: Sequence[Message]) -> Asked:
    """What the person's messages of a branch point at."""
    mine = [message for message in messages if message.role == "user"]
    paths = frozenset(item.path for message in mine for item in message.context if item.path)
    return Asked(paths, "\n".join(message.text for message in mine).casefold())


def needs_question(action: Action, path: str, asked: Asked, findings: Sequence[str]) -> bool:
    """Whether a run that has read content from outside must ask, whatever the rules say."""
    if action == "read":
        return False
    return action == "send" or not asked.about(path) or bool(findings)


def findings_of(tool: str, action: Action, preview: Preview) -> tuple[str, ...]:
    """Why a call would reach further than the notebook or file that the person pointed at; empty if it would not."""
    if action == "run":
        beyond = () if is_plain(preview.code, preview.language) else (BEYOND,)
        return tuple(dict.fromkeys((*preview.findings, *beyond)))
    if tool in _LOSING:
        return (LOSES,)
    return find_in_written([*([preview.code] if tool == "insert_cell" else []), *added(preview.diffs)])
