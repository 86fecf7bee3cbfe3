"""What there is: files of instructions from the root to a notebook's folder, skills and commands."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from ..permissions.instructing import AGENTS, FOLDER
from .forms import command_from, is_name, skill_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..schemas import InstructionFault, InstructionKind
    from .forms import Form
    from .reading import Text, Workspace

MOST_FOLDERS = 20
MOST_FILES = 20
"""Of `.linda/instructions/` in one folder."""
MOST_SKILLS = 50
MOST_COMMANDS = 100

Source = Literal["workspace", "person"]


class Files(Protocol):
    """Where skills and commands are."""

    def read(self, path: str) -> Text | None:
        """A file's text; None where there is none."""

    def names(self, folder: str) -> list[str]:
        """What is in a folder."""


@dataclass(frozen=True)
class Found:
    """A file as it is now. Without a digest it cannot be used, and `fault` says why."""

    kind: InstructionKind
    source: Source
    path: str
    body: str = ""
    """What a model is given of it."""
    whole: str = ""
    """What a person is shown."""
    digest: str = ""
    fault: InstructionFault = ""
    name: str = ""
    description: str = ""
    hint: str = ""
    seal: str = ""
    """Of what may be used: something its writer could not know, for the marks around it."""


def instructions_for(workspace: Workspace, path: str) -> list[Found]:
    """Files of instructions that count for a notebook, those of the nearest folder last."""
    found = []
    for folder in folders_to(path):
        if folder and not workspace.is_open(folder):
            break
        for name in _instruction_files(workspace, folder):
            text = workspace.read(name)
            if text is not None and (text.text or text.fault):
                found.append(Found("instructions", "workspace", name, text.text, text.text, text.digest, text.fault))
    return found


def folders_to(path: str) -> list[str]:
    """The folders from the root ("") to that of a notebook; only the root for what is no plain path."""
    folder = posixpath.dirname(path)
    parts = folder.split("/") if folder else []
    if any(part in ("", ".", "..") for part in parts):
        return [""]
    return ["", *("/".join(parts[: depth + 1]) for depth in range(min(len(parts), MOST_FOLDERS)))]


def named_in(files: Files, source: Source, base: str) -> list[Found]:
    """Skills and commands below a folder."""
    return [*_skills(files, source, base), *_commands(files, source, base)]


def _instruction_files(workspace: Workspace, folder: str) -> Iterator[str]:
    inner = posixpath.join(folder, FOLDER, "instructions")
    yield posixpath.join(folder, AGENTS)
    yield f"{inner}.md"
    names = [name for name in workspace.names(inner) if name.endswith(".md") and not name.startswith(".")]
    yield from (f"{inner}/{name}" for name in names[:MOST_FILES])


def _skills(files: Files, source: Source, base: str) -> Iterator[Found]:
    folder = posixpath.join(base, "skills")
    names = [name for name in files.names(folder) if not name.startswith(".")]
    for at, name in enumerate(names):
        yield from _named(files, "skill", source, f"{folder}/{name}/SKILL.md", name, at >= MOST_SKILLS, skill_from)


def _commands(files: Files, source: Source, base: str) -> Iterator[Found]:
    folder = posixpath.join(base, "commands")
    names = [name for name in files.names(folder) if name.endswith(".md") and not name.startswith(".")]
    for at, name in enumerate(names):
        stem, is_beyond = name.removesuffix(".md"), at >= MOST_COMMANDS
        yield from _named(files, "command", source, f"{folder}/{name}", stem, is_beyond, command_from)


def _named(
    files: Files,
    kind: InstructionKind,
    source: Source,
    path: str,
    name: str,
    is_beyond: bool,
    form_of: Callable[[str, str], Form | None],
) -> Iterator[Found]:
    if is_beyond:
        yield Found(kind, source, path, fault="too_many")
        return
    text = files.read(path)
    if text is None:
        return
    if not text.digest or not is_name(name):
        yield Found(kind, source, path, fault=text.fault if not text.digest else "bad_name")
        return
    form = form_of(text.text, name)
    if form is None:
        yield Found(kind, source, path, fault="malformed")
        return
    yield Found(
        kind,
        source,
        path,
        body=form.body,
        whole=text.text,
        digest=text.digest,
        fault=text.fault,
        name=form.name,
        description=form.description,
        hint=form.hint,
    )
