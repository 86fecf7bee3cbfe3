"""What of all these files counts for a chat now: shown to the person, given to prompts, chosen by them."""

from __future__ import annotations

import asyncio
import posixpath
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..chats import store
from ..errors import Conflict, InvalidInput, NotFound
from ..gateway.tokens import estimate
from ..permissions.instructing import FOLDER
from ..schemas import ContextItem, InstructionFile, InstructionText
from . import choices
from .finding import Found, instructions_for, named_in
from .forms import with_arguments

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import Connection

    from ..ports import Clock, Ids
    from ..schemas import InstructionChoice, InstructionState
    from ..storage.database import Database
    from .choices import Choices
    from .reading import OwnFolder, Workspace

BUILT_IN = frozenset(["explain", "fix", "improve", "document", "test", "continue", "compact", "new", "help"])
"""Slash commands of the panel itself: no file takes their names."""
MOST_TOKENS = 12_000
"""Of the project's instructions together; and never more than a quarter of the window."""
SKILL_TOKENS = 3_000
"""Of the names of skills and what they are for."""
LEAST_TOKENS = 100
"""Less than this is not worth a beginning of a file."""
CALLED_CHARS = 100_000
_CALLED = re.compile(r"/([a-z0-9-]+)(?:\s+(.*))?", re.DOTALL)


@dataclass(frozen=True)
class Given:
    """What prompts get: texts of instructions, the nearest last, and the skills there are."""

    texts: tuple[Found, ...] = ()
    skills: tuple[Found, ...] = ()


class Library:
    """The files of one server's root and of the person, read at every use: any editor may change them."""

    def __init__(
        self, database: Database, clock: Clock, ids: Ids, workspace: Workspace | None, own: OwnFolder, root_dir: str
    ) -> None:
        self._database = database
        self._clock = clock
        self._ids = ids
        self._workspace = workspace
        """None on a server without a root folder on this machine."""
        self._own = own
        self._root_dir = root_dir

    async def files(self, owner_id: str, chat_id: str, path: str) -> tuple[InstructionFile, ...]:
        """All there is for a chat about the notebook at `path` ("" for none), and how each stands."""
        found, chosen = await self._look(owner_id, chat_id, path)
        callable_ones = {one.path for one in _callable(found, chosen)}
        return tuple(_as_file(one, chosen, is_callable=one.path in callable_ones) for one in found)

    async def given(self, owner_id: str, chat_id: str, path: str, budget: int) -> Given:
        """What counts, within `budget` tokens: the nearest folder's instructions first, and at most two parts in three.

        Only what a person allowed as it is now, and did not switch off in this chat.
        """
        found, chosen = await self._look(owner_id, chat_id, path)
        used = _used(found, chosen)
        texts = _within([one for one in used if one.kind == "instructions"], min(MOST_TOKENS, budget * 2 // 3))
        skills = {one.name: one for one in reversed(_by_precedence(used)) if one.kind == "skill"}
        left = min(SKILL_TOKENS, budget // 3)
        listed = []
        for one in skills.values():
            left -= _cost(one)
            if left >= 0:
                listed.append(one)
        return Given(tuple(texts), tuple(sorted(listed, key=lambda one: one.name)))

    async def skill(self, owner_id: str, chat_id: str, name: str) -> Found | None:
        """The skill of that name, if it may be used in this chat."""
        found, chosen = await self._look(owner_id, chat_id, "")
        skills = [one for one in _used(found, chosen) if one.kind == "skill"]
        return next((one for one in _by_precedence(skills) if one.name == name), None)

    async def called(self, owner_id: str, chat_id: str, text: str) -> ContextItem | None:
        """What a message that begins with `/name` calls, with its arguments put in; None for any other message."""
        match = _CALLED.fullmatch(text.strip())
        if match is None:
            return None
        found, chosen = await self._look(owner_id, chat_id, "")
        one = next((one for one in _callable(found, chosen) if one.name == match[1]), None)
        if one is None:
            return None
        body = with_arguments(one.body, (match[2] or "").strip())
        if len(body) > CALLED_CHARS:
            raise InvalidInput(
                f"/{one.name} with these arguments has {len(body):,} characters; {CALLED_CHARS:,} is the most.",
                remedy="Attach long text as a file instead.",
            )
        path = one.path if one.source == "workspace" else ""
        return ContextItem(kind="skill" if one.kind == "skill" else "command", path=path, name=one.name, text=body)

    async def text(self, path: str) -> InstructionText:
        """What would be used of a file, for a person to read."""
        one = await asyncio.to_thread(self._one, path)
        return InstructionText(path=one.path, digest=one.digest, text=one.whole)

    async def choose(self, owner_id: str, choice: InstructionChoice) -> None:
        """Write down whether a file is used: this content wherever the folder is opened, or the file in one chat.

        Raises `NotFound` for what cannot be used, `Conflict` where it is another text than the person was shown.
        """
        one = await asyncio.to_thread(self._one, choice.path)
        if one.digest != choice.digest:
            raise Conflict(f"{choice.path} changed meanwhile.", remedy="Read it again before you say yes.")
        if one.source == "person" and not choice.chat_id:
            raise InvalidInput(
                f"{choice.path} is your own, and always there.", remedy="Switch it off in a chat, or delete the file."
            )
        await self._database.run(self._save, owner_id, one, choice)

    def _save(self, owner_id: str, one: Found, choice: InstructionChoice) -> None:
        with self._database.write() as connection:
            if choice.chat_id:
                store.get(connection, choice.chat_id, owner_id)
                chosen = self._chosen(connection, owner_id, choice.chat_id)
                if _state(one, chosen) not in ("used", "off"):
                    raise Conflict(f"{choice.path} has not been allowed yet.", remedy="Read it and allow it first.")
            made = choices.Choice(
                choice_id=self._ids.new("choice"),
                owner_id=owner_id,
                root_dir=self._root_dir,
                path=one.path,
                digest="" if choice.chat_id else one.digest,
                chat_id=choice.chat_id or None,
                is_used=choice.is_used,
                at=self._clock.now(),
            )
            choices.save(connection, made)

    def _one(self, path: str) -> Found:
        folder = path.split(f"{FOLDER}/", 1)[0] if f"{FOLDER}/" in path else posixpath.dirname(path)
        found = self._find(posixpath.join(folder, "notebook"))
        one = next((one for one in found if one.path == path and one.digest), None)
        if one is None:
            raise NotFound(f"There is no {path} that could be used.", remedy="Look at the list of instructions again.")
        return one

    async def _look(self, owner_id: str, chat_id: str, path: str) -> tuple[list[Found], Choices]:
        found = await asyncio.to_thread(self._find, path)

        def work() -> Choices:
            with self._database.read() as connection:
                return self._chosen(connection, owner_id, chat_id)

        return found, await self._database.run(work)

    def _chosen(self, connection: Connection, owner_id: str, chat_id: str) -> Choices:
        return choices.load(connection, owner_id, self._root_dir, chat_id)

    def _find(self, path: str) -> list[Found]:
        own = named_in(self._own, "person", "")
        if self._workspace is None:
            return own
        return [*instructions_for(self._workspace, path), *named_in(self._workspace, "workspace", FOLDER), *own]


def _state(one: Found, chosen: Choices) -> InstructionState:
    if not one.digest:
        return "left_out"
    return chosen.own_state(one.path) if one.source == "person" else chosen.state(one.path, one.digest)


def _used(found: Iterable[Found], chosen: Choices) -> list[Found]:
    used = [one for one in found if _state(one, chosen) == "used"]
    return [replace(one, seal=chosen.seal(one.path, one.digest)) for one in used]


def _as_file(one: Found, chosen: Choices, *, is_callable: bool) -> InstructionFile:
    state, fault = _state(one, chosen), one.fault
    if one.name and not fault and not is_callable and (state == "used" or one.name in BUILT_IN):
        fault = "taken"
    return InstructionFile(
        kind=one.kind,
        source=one.source,
        path=one.path,
        digest=one.digest,
        name=one.name,
        description=one.description,
        hint=one.hint,
        tokens=_cost(one),
        state=state,
        fault=fault,
        is_callable=is_callable,
    )


def _callable(found: Iterable[Found], chosen: Choices) -> list[Found]:
    """What `/name` calls, one a name: the panel's own words first, then the person's, then the workspace's."""
    used = [one for one in _used(found, chosen) if one.name and one.name not in BUILT_IN]
    return list({one.name: one for one in reversed(_by_precedence(used))}.values())


def _by_precedence(found: Iterable[Found]) -> list[Found]:
    return sorted(found, key=lambda one: (one.source != "person", one.kind != "command", one.name))


def _cost(one: Found) -> int:
    return estimate(f"- {one.name}: {one.description}\n" if one.kind == "skill" else one.body)


def _within(texts: Sequence[Found], budget: int) -> list[Found]:
    """As many as fit, the nearest folder's first; one that does not fit is cut, and those before it are left out."""
    kept: list[Found] = []
    for one in reversed(texts):
        cost = _cost(one)
        if cost > budget:
            kept += [replace(one, body=_cut(one.body, budget), fault="cut")] if budget >= LEAST_TOKENS else []
            break
        budget -= cost
        kept.append(one)
    return kept[::-1]


def _cut(text: str, budget: int) -> str:
    while (cost := estimate(text)) > budget:
        text = text[: min(len(text) - 1, len(text) * budget // cost)]
    return text
