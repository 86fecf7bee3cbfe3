"""Undo and redo: each entry by itself, newest first, around what people did since."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import CannotUndo, LindaError, StaleRevision
from ..permissions.approvals import give_again, revoke_grant
from . import store
from .cells import describe, take_back, to_keep
from .tasks import turn_task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..events.log import EventLog
    from ..ports import Json, Live
    from ..schemas import JournalEntry, Undo
    from .files import FileUndo
    from .store import Written

    Changes = Sequence[Mapping[str, Json]]

log = logging.getLogger(__name__)

TRIES = 4
"""A notebook that changes while an undo is planned is looked at again that often."""


@dataclass(frozen=True)
class Undoing:
    """Takes back what the journal holds, in the server whose root folder it was done in."""

    log: EventLog
    live: Live
    files: FileUndo
    root_dir: str

    async def undo(self, chat_id: str, owner_id: str, wish: Undo) -> list[JournalEntry]:
        """Undo entries that stand as done, newest first; an entry that cannot be undone says why and stays."""
        found = await self._find(chat_id, owner_id, wish)
        return [await self._turn(one, owner_id, is_undo=True) for one in reversed(found) if one.entry.state == "done"]

    async def redo(self, chat_id: str, owner_id: str, wish: Undo) -> list[JournalEntry]:
        """Do undone entries again, oldest first."""
        found = await self._find(chat_id, owner_id, wish)
        return [await self._turn(one, owner_id, is_undo=False) for one in found if one.entry.state == "undone"]

    async def _find(self, chat_id: str, owner_id: str, wish: Undo) -> list[Written]:
        def work() -> list[Written]:
            with self.log.database.read() as connection:
                return store.to_undo(connection, chat_id, owner_id=owner_id, **wish.model_dump())

        return await self.log.database.run(work)

    async def _turn(self, one: Written, owner_id: str, *, is_undo: bool) -> JournalEntry:
        """One entry, the one way or the other; what came of it is an event."""
        try:
            if one.root_dir != self.root_dir:
                raise CannotUndo("This was done in another notebook folder.", remedy="Undo it from a server there.")
            await self._take_back(one, owner_id, is_undo=is_undo)
        except LindaError as error:
            log.info("%s cannot be undone: %s", one.entry.entry_id, error.message)
            words = f"{error.message} {error.remedy}".strip()
            return await self._write(one, one.entry.state, words=words)
        return await self._write(one, "undone" if is_undo else "done")

    async def _take_back(self, one: Written, owner_id: str, *, is_undo: bool) -> None:
        changes = one.changes if is_undo else one.undo_changes or ()
        if one.entry.kind == "cells":
            await self._cells_back(one, changes, is_undo=is_undo)
        elif one.entry.kind == "file":
            done = await asyncio.to_thread(self.files.take_back, changes)
            if is_undo and done:
                await self._write(one, "done", undo_changes=done)
        elif one.entry.kind == "task":
            await self._tasks_back(one, changes, owner_id, is_undo=is_undo)
        elif one.entry.kind == "grant":
            await self._grants_back(changes, owner_id, is_undo=is_undo)
            if is_undo:
                await self._write(one, "done", undo_changes=changes)

    async def _cells_back(self, one: Written, changes: Changes, *, is_undo: bool) -> None:
        path = one.entry.path
        for attempt in range(TRIES):
            cells = (await self.live.read_notebook(path)).content["cells"]
            if len({cell["id"] for cell in cells}) != len(cells):
                raise CannotUndo(f"Several cells of {path!r} share an id, so nothing in it can be undone.")
            edits = take_back(cells, [dict(change) for change in changes])
            if not edits:
                return  # it is so already
            kept = await self.live.keep_cells(path, to_keep(edits)) if to_keep(edits) else ""
            if is_undo:  # before the effect: whoever is killed in between can still do it again
                await self._write(one, "done", undo_changes=describe(cells, edits, kept))
            try:
                await self.live.edit_notebook(path, edits)
            except StaleRevision:
                if attempt == TRIES - 1:
                    raise
                continue
            return

    async def _grants_back(self, changes: Changes, owner_id: str, *, is_undo: bool) -> None:
        def work() -> None:
            with self.log.transaction() as tx:
                for change in changes:
                    if is_undo:
                        revoke_grant(tx.connection, str(change["grant_id"]), owner_id, now=tx.now)
                    else:
                        give_again(tx.connection, str(change["grant_id"]), owner_id)

        await self.log.database.run(work)

    async def _tasks_back(self, one: Written, changes: Changes, owner_id: str, *, is_undo: bool) -> None:
        def work() -> list[Mapping[str, Json]]:
            with self.log.transaction() as tx:
                return [turn_task(tx, owner_id, change) for change in changes]

        turned = await self.log.database.run(work)
        if is_undo:
            await self._write(one, "done", undo_changes=turned)

    async def _write(
        self, one: Written, state: str, *, words: str = "", undo_changes: Changes | None = None
    ) -> JournalEntry:
        def work() -> JournalEntry:
            with self.log.transaction() as tx:
                entry = store.set_state(
                    tx.connection, one.entry.entry_id, state, words=words, now=tx.now, undo_changes=undo_changes
                )
                if undo_changes is None:
                    store.tell(tx, [entry])
                return entry

        return await self.log.database.run(work)
