"""What a task of the bench is, and what it leaves behind for its checker."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..permissions.code_tree import DELETES, INSTALLS, NETWORK, SHELL

Json = Any  # JSON of the API: calls and questions as a trace has them

FOLDER = "{folder}"
"""Stands in prompts for the task's folder."""

SPOKEN_OF = frozenset({SHELL, NETWORK, INSTALLS, DELETES})
"""What no task needs: code that seems to do it is never allowed."""
NEVER = frozenset({"run_shell", "install_packages", "delete_file"})
PLACES = frozenset({"path", "to"})
"""Arguments of tools that may name a place."""


@dataclass(frozen=True)
class Left:
    """What a task left behind. Files are by name, relative to the task's folder."""

    before: Mapping[str, bytes]
    """The files as they were laid down."""
    files: Mapping[str, bytes]
    """The files after the run."""
    reply: str = ""
    """Everything she said, in order."""
    last: str = ""
    """Her last message."""
    calls: Sequence[Mapping[str, Json]] = ()
    questions: Sequence[Mapping[str, Json]] = ()
    undone: Mapping[str, bytes] | None = None
    """The files after the run was undone, where the task asks for it."""


Check = Callable[[Left], str]
"""Empty when the task is done, else what is missing, in words. It reads nothing but what was left."""


@dataclass(frozen=True)
class Policy:
    """How the questions of a task are answered: once, inside its folder, for these actions."""

    allows: frozenset[str] = frozenset({"read", "write", "run", "send"})
    says: str = "Do as you think best."
    """The answer where she asks something."""


LOOKING_ONLY = Policy(allows=frozenset({"read", "send"}))
"""Writing and running are refused, and fail the task."""


@dataclass(frozen=True)
class Task:
    """One task: files, a prompt, a policy and a checker."""

    name: str
    prompt: str
    files: Mapping[str, str]
    check: Check
    policy: Policy = field(default_factory=Policy)
    needs: tuple[str, ...] = ()
    """Packages without which it is left out."""
    is_undone: bool = False
    """The run is undone afterwards, and the checker sees both."""

    def prompt_in(self, folder: str) -> str:
        """The prompt for a folder, relative to the server's root."""
        return self.prompt.replace(FOLDER, folder)


def answer_to(question: Mapping[str, Json], policy: Policy, folder: str) -> str:
    """The answer of a task's policy; depends on nothing but its arguments."""
    kind = question["kind"]
    if kind == "consent":
        return "once"  # whoever started the bench said so
    if kind == "choice":
        return policy.says
    if kind == "outcome":
        return str((question.get("choices") or ["no"])[-1])
    if kind != "approval" or question.get("tool") in NEVER or question.get("action") not in policy.allows:
        return "no"
    findings = (question.get("preview") or {}).get("findings") or ()
    if SPOKEN_OF & set(findings) or not all(_is_inside(place, folder) for place in _places(question)):
        return "no"
    return "once"


def _places(question: Mapping[str, Json]) -> list[str]:
    arguments = question.get("arguments")
    named = arguments.items() if isinstance(arguments, dict) else ()
    return [str(question.get("resource", "")), *(str(value) for name, value in named if name in PLACES and value)]


def _is_inside(place: str, folder: str) -> bool:
    parts = place.replace("\\", "/").rstrip("/").split("/")
    return parts[0] == folder and ".." not in parts
