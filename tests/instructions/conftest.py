"""A project folder as somebody left it, and the library over it."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_linda.instructions.library import Library
from jupyter_linda.instructions.reading import OwnFolder, Workspace
from jupyter_linda.permissions.law import Law
from jupyter_linda.permissions.paths import PathPolicy
from jupyter_linda.permissions.watch import RuleFile
from jupyter_linda.schemas import InstructionChoice, InstructionFile

ME = "local"


class Shelf:
    """A library, and what a person does with it."""

    def __init__(self, folder: Path, database, clock, ids, *, allow_hidden: bool = False) -> None:
        self.root = folder / "team"
        self.data_dir = folder / "own"
        self.root.mkdir(exist_ok=True)
        self.rules_path = folder / "rules.json"
        policy = PathPolicy(str(self.root), allow_hidden=allow_hidden, never=(str(self.data_dir),))
        rules = RuleFile(str(self.rules_path))
        workspace = Workspace(policy, lambda: Law(rules.current()))
        self.library = Library(database, clock, ids, workspace, OwnFolder(str(self.data_dir)), str(self.root))

    def put(self, path: str, content: str | bytes, *, own: bool = False) -> Path:
        file = (self.data_dir if own else self.root) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    async def files(self, path: str = "", *, chat_id: str = "", owner: str = ME) -> dict[str, InstructionFile]:
        return {one.path: one for one in await self.library.files(owner, chat_id, path)}

    async def choose(self, path: str, *, is_used: bool = True, chat_id: str = "", owner: str = ME) -> None:
        shown = await self.library.text(path)
        choice = InstructionChoice(path=path, digest=shown.digest, is_used=is_used, chat_id=chat_id)
        await self.library.choose(owner, choice)

    async def given(self, path: str = "", *, chat_id: str = "", budget: int = 18_750, owner: str = ME) -> list[str]:
        return [one.path for one in (await self.library.given(owner, chat_id, path, budget)).texts]


def skill(name: str, description: str = "Use it for tables.", body: str = "Draw no lines.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n\n{body}\n"


@pytest.fixture
def shelf(tmp_path, database, clock, ids) -> Shelf:
    return Shelf(tmp_path, database, clock, ids)
