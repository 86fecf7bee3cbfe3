"""Undo and redo: each entry by itself, newest first, around what people did since."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from ..errors import CannotUndo, LindaError, StaleRevision
from ..permissions.approvals import give_again, revoke_grant
from . import store
from .cells import plan, to_keep, with_known_ids
from .files import GONE
from .tasks import turn_task
from .turning import NOTHING_LEFT, Turned

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..events.log import EventLog
    from ..ports import Json, Live
    from ..schemas import JournalEntry, Undo
    from .files import FileUndo
    from .store import Written

    Changes = Sequence[Mapping[str, Json]]

log = logging.getLogger(__name__)

IDS_SINCE = (4, 5)
"""The first notebook format whose files keep the ids of cells."""
TRIES = 4
"""A notebook that changes while an undo is planned is looked at again that often."""


@dataclass(frozen=True)
class Undoing:
    """Takes back what the journal holds, in the server whose root folder it was done in."""

    log: EventLog
    live_of: Callable[[str], Live]
    """The server's notebooks as a person sees them."""
    files: FileUndo
    root_dir: str
    _locks: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    """One turn at a time in a chat: what is asked meanwhile sees how it ended."""

    async def undo(self, chat_id: str, owner_id: str, wish: Undo) -> list[JournalEntry]:
        """Undo entries that stand as done, newest first; an entry that cannot be undone says why and stays."""
        async with self._lock(chat_id):
            found = [one for one in await self._find(chat_id, owner_id, wish) if one.entry.state == "done"]
            return [await self._turn(one, owner_id, is_undo=True) for one in reversed(found)]

    async def redo(self, chat_id: str, owner_id: str, wish: Undo) -> list[JournalEntry]:
        """Do undone entries again, oldest first."""
        async with self._lock(chat_id):
            found = [one for one in await self._find(chat_id, owner_id, wish) if one.entry.state == "undone"]
            return [await self._turn(one, owner_id, is_undo=False) for one in found]

    def _lock(self, chat_id: str) -> asyncio.Lock:
        return self._locks.setdefault(chat_id, asyncio.Lock())

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
            turned = await self._take_back_whole(one, owner_id, is_undo=is_undo)
        except LindaError as error:
            log.info("%s cannot be undone: %s", one.entry.entry_id, error.message)
            words = f"{error.message} {error.remedy}".strip()
            return await self._write(one, one.entry.state, words=words)
        if is_undo:
            await self._write(one, "done", undo_changes=turned.changes)
        return await self._write(one, "undone" if is_undo else "done", words=turned.words)

    async def _take_back_whole(self, one: Written, owner_id: str, *, is_undo: bool) -> Turned:
        """`_take_back`, in whose way the system may stand: a full disk, a folder that nobody may write into."""
        try:
            return await self._take_back(one, owner_id, is_undo=is_undo)
        except OSError as error:
            log.info("%s: %s", one.entry.entry_id, error)
            why = error.strerror or "the system refuses"
            words = f"{one.entry.path!r} cannot be changed back: {why}."
            raise CannotUndo(words, remedy="Mend that, and try again.") from None
        except LindaError:
            raise
        except Exception as error:  # a fault of ours: the others of the reply are taken back all the same
            log.exception("%s failed inside", one.entry.entry_id)
            words = f"Taking this back failed inside ({type(error).__name__})."
            raise CannotUndo(words, remedy="Look at what is there, and take the rest out by hand.") from None

    async def _take_back(self, one: Written, owner_id: str, *, is_undo: bool) -> Turned:
        changes = one.changes if is_undo else one.undo_changes or ()
        if not changes:
            raise CannotUndo("What would have to be done again was not written down.", remedy="Ask her for it again.")
        if one.entry.kind == "cells":
            return await self._cells_back(one, changes, self.live_of(owner_id), is_undo=is_undo)
        if one.entry.kind == "file":
            await self._refuse_open(changes, self.live_of(owner_id))
            return await asyncio.to_thread(self.files.take_back, changes)
        if one.entry.kind == "task":
            return await self._tasks_back(changes, owner_id)
        await self._grants_back(changes, owner_id, is_undo=is_undo)
        return Turned(changes)

    async def _refuse_open(self, changes: Changes, live: Live) -> None:
        """What a tab holds would be saved at its old place again."""
        paths = {str(change["path"]) for change in changes if change.get("old") == GONE}
        paths |= {str(change["to"]) for change in changes if change["op"] == "move"}
        for entry in await live.list_notebooks() if paths else ():
            if await asyncio.to_thread(self.files.lies_in, str(entry["path"]), paths):
                raise CannotUndo(f"{entry['path']!r} is open in JupyterLab.", remedy="Close it first.")

    async def _cells_back(self, one: Written, changes: Changes, live: Live, *, is_undo: bool) -> Turned:
        path = one.entry.path
        for attempt in range(TRIES):
            content = (await live.read_notebook(path)).content
            cells = content["cells"]
            if len({cell["id"] for cell in cells}) != len(cells):
                raise CannotUndo(f"Several cells of {path!r} share an id, so nothing in it can be undone.")
            wanted = [dict(change) for change in changes]
            if (content.get("nbformat", 4), content.get("nbformat_minor", 0)) < IDS_SINCE:
                wanted = with_known_ids(cells, wanted)
            planned = plan(cells, wanted)
            edits = planned.edits
            kept = await live.keep_cells(path, to_keep(edits)) if to_keep(edits) else ""
            turned = Turned(planned.again(cells, kept), planned.words if edits else NOTHING_LEFT)
            if not edits:
                return turned
            if is_undo:  # before the effect: whoever is killed in between can still do it again
                await self._write(one, "done", undo_changes=turned.changes)
            try:
                await live.edit_notebook(path, edits)
            except StaleRevision:
                if attempt == TRIES - 1:
                    raise
                continue
            return turned
        raise AssertionError  # the last try returns or raises

    async def _grants_back(self, changes: Changes, owner_id: str, *, is_undo: bool) -> None:
        def work() -> None:
            with self.log.transaction() as tx:
                for change in changes:
                    if is_undo:
                        revoke_grant(tx.connection, str(change["grant_id"]), owner_id, now=tx.now)
                    else:
                        give_again(tx.connection, str(change["grant_id"]), owner_id, now=tx.now)

        await self.log.database.run(work)

    async def _tasks_back(self, changes: Changes, owner_id: str) -> Turned:
        def work() -> list[Mapping[str, Json]]:
            with self.log.transaction() as tx:
                return [turn_task(tx, owner_id, change) for change in changes]

        turned = await self.log.database.run(work)
        is_idle = all(change["old"] == change["new"] for change in turned)
        if is_idle:  # taken back by hand: doing it again is her own change; of a new task only its fields are known
            turned = [{**one, "old": one["new"], "new": one["old"]} for one in changes if one["old"] is not None]
        return Turned(turned, NOTHING_LEFT if is_idle else "")

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
