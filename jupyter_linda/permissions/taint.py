"""What a run has read from outside, and what it may then still do without being asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ports import Asked
from .code import DYNAMIC, INSTALLS, NETWORK, SHELL, UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..schemas import Action, Message

MOST_SOURCES = 5
LEAVING = frozenset({NETWORK, SHELL, INSTALLS, DYNAMIC, UNREADABLE})
"""Findings of code after which nobody can say that it stays on this machine."""


def asked_in(messages: Sequence[Message]) -> Asked:
    """What the person's messages of a branch point at."""
    mine = [message for message in messages if message.role == "user"]
    paths = frozenset(item.path for message in mine for item in message.context if item.path)
    return Asked(paths, "\n".join(message.text for message in mine).casefold())


def needs_question(action: Action, path: str, asked: Asked, findings: Sequence[str]) -> bool:
    """Whether a run that has read content from outside must ask, whatever the rules say."""
    if action == "read":
        return False
    if action == "send" or not asked.about(path):
        return True
    return action == "run" and not LEAVING.isdisjoint(findings)
