"""What a person chose: which contents may be used, kept by their hash, and what is switched off in one chat."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select

from ..storage.tables import instruction_choices as rows

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy import Connection

    from ..schemas import InstructionState


@dataclass(frozen=True)
class Choices:
    """Of one owner and one root folder, as one chat sees them."""

    contents: Mapping[tuple[str, str], tuple[bool, str]]
    """(path, digest) -> whether this content may be used, and the id of that choice."""
    off: frozenset[str]
    """Paths that are switched off in this chat."""

    def state(self, path: str, digest: str) -> InstructionState:
        """How a file of the workspace stands."""
        said = self.contents.get((path, digest))
        if said is None:
            return "changed" if any(known == path for known, _ in self.contents) else "new"
        if not said[0]:
            return "refused"
        return "off" if path in self.off else "used"

    def seal(self, path: str, digest: str) -> str:
        """The id of the choice: whoever wrote the file could not know it."""
        return self.contents.get((path, digest), (False, digest))[1]

    def own_state(self, path: str) -> InstructionState:
        """How a file of the person's own stands: nobody need allow it."""
        return "off" if path in self.off else "used"


def load(connection: Connection, owner_id: str, root_dir: str, chat_id: str) -> Choices:
    """What was chosen so far."""
    found = connection.execute(select(rows).where(rows.c.owner_id == owner_id, rows.c.root_dir == root_dir)).all()
    return Choices(
        {(row.path, row.digest): (row.is_used, row.choice_id) for row in found if row.chat_id is None},
        frozenset(row.path for row in found if row.chat_id is not None and row.chat_id == chat_id and not row.is_used),
    )


@dataclass(frozen=True)
class Choice:
    """One that is written down. Without a chat it is about this content, everywhere."""

    choice_id: str
    owner_id: str
    root_dir: str
    path: str
    digest: str
    chat_id: str | None
    is_used: bool
    at: datetime


def save(connection: Connection, choice: Choice) -> None:
    """Put a choice in the place of the one before."""
    same = (rows.c.owner_id == choice.owner_id) & (rows.c.root_dir == choice.root_dir) & (rows.c.path == choice.path)
    if choice.chat_id is None:
        same = same & rows.c.chat_id.is_(None) & (rows.c.digest == choice.digest)
    else:
        same = same & (rows.c.chat_id == choice.chat_id)
    connection.execute(delete(rows).where(same))
    connection.execute(insert(rows).values(**asdict(choice)))
