"""Instructions, skills and commands in files: what was found, and what a person chose about it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .nouns import Noun

InstructionKind = Literal["instructions", "skill", "command"]

InstructionState = Literal["new", "changed", "refused", "used", "off", "left_out"]
"""new: nobody said yet whether it may be used; changed: since they said so; refused: they said no; off: allowed, and
switched off in this chat; left_out: cannot be used, `fault` says why."""

InstructionFault = Literal["", "cut", "unreadable", "not_text", "closed", "malformed", "bad_name", "too_many", "taken"]
"""cut: longer than is used of a file; closed: a rule denies reading it; malformed: not the form of a skill;
too_many: more than are looked at; taken: `/name` calls something else."""


class InstructionFile(Noun):
    """A file of instructions, a skill or a command. Its text is not used before a person allowed this very content."""

    kind: InstructionKind
    source: Literal["workspace", "person"]
    """workspace: beside the notebooks, whoever wrote it; person: in their own folder of Linda's data."""
    path: str
    """Below the server's root, or below the data folder."""
    digest: str = ""
    """Of what is used of its content; empty where nothing can be."""
    name: str = ""
    """Of a skill or a command."""
    description: str = ""
    hint: str = ""
    """Of a command: what may stand behind its name."""
    tokens: int = 0
    """About what its text costs when it is used."""
    state: InstructionState
    fault: InstructionFault = ""
    is_callable: bool = False
    """Whether `/name` calls it now."""


class InstructionList(Noun):
    """GET instructions/files: in the order in which they are read, the nearest folder last."""

    files: tuple[InstructionFile, ...]


class InstructionText(Noun):
    """GET instructions/text: what would be used of a file, for a person to read before they say yes."""

    path: str
    digest: str
    text: str


class InstructionChoice(Noun):
    """PUT instructions/files: whether a file is used. With a chat only there, else wherever its folder is opened."""

    path: Annotated[str, Field(max_length=4_000)]
    digest: Annotated[str, Field(max_length=64)]
    """Of the text the person was shown: another text is not meant."""
    is_used: bool
    chat_id: str = ""
