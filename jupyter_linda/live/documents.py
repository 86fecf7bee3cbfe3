"""Notebooks by the route that loses nothing: the room it is shared in, the one tab that has it, else the file."""

from __future__ import annotations

import asyncio
import copy
import logging
import time
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakValueDictionary

from ..errors import AmbiguousCell, InvalidInput, LindaError, NotFound, StaleRevision, ToolFailed
from ..ports import ChangeType, DeleteCell, EditOutcome, InsertCell, MoveCell, Notebook, ReplaceSource, SetOutputs
from .cells import (
    MARK,
    RestoreCell,
    RestoreOutputs,
    RestoreType,
    SessionIds,
    Sheet,
    apply_edits,
    has_native_ids,
    kept_cell,
    revision_of,
    with_outputs,
    with_written_ids,
)
from .files import refuse_upgrade
from .rooms import Rooms

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping, Sequence

    from ..ports import CellEdit, Json, Route
    from .browser import Browsers
    from .files import NotebookFiles, Snapshot
    from .rooms import Room

log = logging.getLogger(__name__)

T = TypeVar("T")

READ_TIMEOUT_S = 20.0
EDIT_TIMEOUT_S = 30.0
ROOM_SAVE_TIMEOUT_S = 5.0
"""How long a room that everybody left may take to save an edit; it does after a second, unless told otherwise."""
ROOM_SAVE_POLL_S = 0.2
WORDS = {
    InsertCell: "insert", RestoreCell: "insert", ReplaceSource: "replace", DeleteCell: "delete", MoveCell: "move",
    ChangeType: "change_type", RestoreType: "change_type", SetOutputs: "outputs", RestoreOutputs: "outputs",
}  # fmt: skip
"""A tab's word for each edit."""
CHECKED_BY_TABS = (InsertCell, ReplaceSource, DeleteCell)
"""Edits that a tab checks whole before it does the first: no look at the notebook is needed, as long as it agrees."""
APPEND = 1_000_000_000
"""An index past every end: a tab appends there, even if the user adds a cell meanwhile."""


def new_cell_id() -> str:
    """A fresh cell id, as nbformat makes them."""
    return uuid.uuid4().hex[:8]


class Documents:
    """Reading and editing notebooks of one server."""

    def __init__(self, files: NotebookFiles, browsers: Browsers, rooms: Rooms | None = None) -> None:
        self._files = files
        self._browsers = browsers
        self._rooms = rooms or Rooms(None)
        self._ids = SessionIds(new_cell_id)
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._writing: set[asyncio.Task[Any]] = set()

    def of(self, browsers: Browsers, real: str = "") -> Documents:
        """The same documents, asked for in other tabs; with `real` only where the file is the one there."""
        narrowed = copy.copy(self)
        narrowed._browsers = browsers
        narrowed._files = self._files.only(real) if real else self._files
        return narrowed

    def lock(self, path: str) -> asyncio.Lock:
        """One writer at a time per path."""
        return self._locks.setdefault(path, asyncio.Lock())

    async def read(self, path: str) -> Notebook:
        """The notebook as it is now, unsaved edits included."""
        room = await self._rooms.find(path)
        if room is not None:
            content = await room.notebook.content()
            self._remember(path, content)
            return Notebook(path, content, "shared", revision_of(content), await self._files.is_old(path))
        holder = self._browsers.holder(path)
        if holder is not None:
            try:
                notebook = await self._read_in(holder, path)
                return replace(notebook, is_upgraded=await self._files.is_old(path))
            except (ConnectionError, TimeoutError) as error:
                if self._browsers.is_connected(holder):
                    raise StaleRevision(
                        f"The browser tab that has {path!r} open does not answer.",
                        remedy="Bring that tab to the front, or close it, and try again.",
                    ) from error
            except NotFound:
                log.info("the tab that was said to have %s open has closed it", path)
        snapshot = await self._files.read(path)
        return await asyncio.to_thread(self._notebook, path, snapshot)

    def _notebook(self, path: str, snapshot: Snapshot) -> Notebook:
        view = self._view(path, snapshot.content)
        return Notebook(path, view, "file", revision_of(view), snapshot.is_upgraded)

    def cell(self, notebook: Notebook, cell_id: str) -> Json:
        """One cell of a notebook that was read; `NotFound`, `AmbiguousCell`."""
        cells = notebook.content["cells"]
        sheet = Sheet(notebook.path, cells, [cell["id"] for cell in cells], writes_ids=False)
        return cells[sheet.find(cell_id)]

    async def edit(self, path: str, edits: Sequence[CellEdit]) -> EditOutcome:
        """Apply all edits or none, then read back."""
        return await self._to_the_end(self._edit(path, edits))

    async def _to_the_end(self, work: Coroutine[Any, Any, T]) -> T:
        """A caller that goes away leaves no write in a thread behind a lock that is free again."""
        task = asyncio.ensure_future(work)
        self._writing.add(task)
        task.add_done_callback(self._written)
        return await asyncio.shield(task)

    def _written(self, task: asyncio.Task[Any]) -> None:
        self._writing.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.debug("a write failed: %s", task.exception())  # its caller, if still there, has the error too

    async def _edit(self, path: str, edits: Sequence[CellEdit]) -> EditOutcome:
        async with self.lock(path):
            room = await self._rooms.find(path)
            holder = self._browsers.holder(path)
            if (room or holder) and await self._files.is_old(path):
                raise refuse_upgrade(path, is_open=True)
            if room is not None:
                return await self._edit_in_room(room, path, edits)
            if holder is None:
                return await self._edit_file(path, edits)
            try:
                return await self._edit_in(holder, path, edits)
            except (ConnectionError, TimeoutError) as error:
                log.info("the tab with %s did not confirm an edit: %s", path, error)
                return await self._after_silence(holder, path, edits)
            except NotFound:
                if self._browsers.is_connected(holder) and await self._is_open_in(holder, path):
                    raise
                return await self._edit_file(path, edits)

    async def create(self, path: str, content: Json) -> None:
        """A new notebook file."""
        await self._to_the_end(self._create(path, content))

    async def _create(self, path: str, content: Json) -> None:
        async with self.lock(path):
            await self._files.create(path, content)

    async def store_outputs(
        self, path: str, cell_id: str, *, expect: str, outputs: Json, execution_count: int | None
    ) -> None:
        """Put what a cell gave into the room or the file, if the cell still is what ran; else `StaleRevision`."""
        await self._to_the_end(self._store_outputs(path, cell_id, expect, outputs, execution_count))

    async def _store_outputs(
        self, path: str, cell_id: str, expect: str, outputs: Json, execution_count: int | None
    ) -> None:
        async with self.lock(path):
            room = await self._rooms.find(path)
            if room is None and self._browsers.holder(path) is None:
                async with self._rooms.kept_shut(path) as is_shut:
                    if is_shut:
                        return await self._store_in_file(path, cell_id, expect, outputs, execution_count)
                room = await self._rooms.find(path)
            if room is None:
                raise StaleRevision(f"{path!r} was opened while the cell ran, so its outputs were not stored.")
            if not room.notebook.put_outputs(cell_id, expect, outputs, execution_count):
                raise _changed_while_it_ran(cell_id)
            return None

    async def _store_in_file(
        self, path: str, cell_id: str, expect: str, outputs: Json, execution_count: int | None
    ) -> None:
        self._browsers.refuse_foreign(path)
        snapshot = await self._files.read(path)
        sheet = self._sheet(path, snapshot.content)
        at = sheet.find(cell_id)
        if sheet.source(cell_id) != expect:
            raise _changed_while_it_ran(cell_id)
        await self._save(snapshot, with_outputs(sheet, at, outputs, execution_count))

    # ---- the room --------------------------------------------------------------------------------

    async def _edit_in_room(self, room: Room, path: str, edits: Sequence[CellEdit]) -> EditOutcome:
        wanted, view = room.notebook.edit(edits)
        if [cell["id"] for cell in view["cells"]] != wanted.ids or revision_of(view) != revision_of(wanted.view(view)):
            raise StaleRevision(f"{path!r} is not as it should be after the edit.", remedy="Read it again.")
        self._remember(path, view)
        if not room.has_clients:  # else it saves before it goes, and the people in it see what is not saved
            return await self._saved_by_room(path, edits, view)
        return _outcome(view, edits, route="shared", is_saved=False)

    async def _saved_by_room(self, path: str, edits: Sequence[CellEdit], view: Json) -> EditOutcome:
        """An abandoned room goes with what it has not saved: wait until the file has the edit, or put it there."""
        deadline = time.monotonic() + ROOM_SAVE_TIMEOUT_S
        while time.monotonic() < deadline:
            await asyncio.sleep(ROOM_SAVE_POLL_S)
            if await self._rooms.find(path) is None:
                return await self._redone(path, edits)
            try:
                snapshot = await self._files.read(path)
            except ToolFailed:  # Jupyter's own saving shows half a file for a moment
                continue
            saved = await asyncio.to_thread(self._view, path, snapshot.content)
            if _essence(saved, edits) == _essence(view, edits):
                return _outcome(view, edits, route="shared", is_saved=True)
        return _outcome(view, edits, route="shared", is_saved=False)

    def _remember(self, path: str, view: Json) -> None:
        """The ids of a format that keeps none in the file: they are needed when the room or the tab is closed."""
        if not has_native_ids(view):
            self._ids.remember(path, view["cells"], [cell["id"] for cell in view["cells"]])

    # ---- the browser route ---------------------------------------------------------------------

    async def _read_in(self, holder: str, path: str) -> Notebook:
        result = await self._browsers.request(holder, "read_notebook", {"path": path}, timeout_s=READ_TIMEOUT_S)
        view = self._view(path, result["content"])
        self._remember(path, view)
        return Notebook(path, view, "browser", revision_of(view))

    async def _edit_in(self, holder: str, path: str, edits: Sequence[CellEdit]) -> EditOutcome:
        if _is_checked_by_tabs(edits):
            try:
                result = await self._ask(holder, path, [_frame(edit) for edit in edits])
            except (AmbiguousCell, InvalidInput, NotFound, StaleRevision) as error:
                log.info("the tab with %s refused an edit, and did nothing of it: %s", path, error)
            else:
                return self._read_back(path, result, edits)
        before = await self._read_in(holder, path)
        sheet = self._sheet(path, before.content)
        apply_edits(sheet, edits)  # refuses what does not fit, in our words
        deleted = {edit.cell_id for edit in edits if isinstance(edit, DeleteCell)}  # these may come again
        is_there = [
            isinstance(edit, InsertCell) and edit.cell_id not in deleted and sheet.has_happened(edit) for edit in edits
        ]
        missing = [_frame(edit, sheet) for edit, done in zip(edits, is_there, strict=True) if not done]
        return self._read_back(path, await self._ask(holder, path, missing), edits)

    async def _ask(self, holder: str, path: str, edits: Sequence[Mapping[str, Json]]) -> Json:
        params = {"path": path, "edits": edits}
        return await self._browsers.request(holder, "edit_notebook", params, timeout_s=EDIT_TIMEOUT_S)

    def _read_back(self, path: str, result: Json, edits: Sequence[CellEdit]) -> EditOutcome:
        """Success is what is there afterwards, not what was said. Sources may differ: the user may be typing."""
        view = self._view(path, result["content"])
        self._remember(path, view)
        there = {cell["id"] for cell in view["cells"]}
        stays = {edit.cell_id: not isinstance(edit, DeleteCell) for edit in edits}
        for cell_id, is_there in stays.items():
            if (cell_id in there) != is_there:
                raise StaleRevision(f"Cell {cell_id} is not as it should be after the edit.", remedy="Read it again.")
        return _outcome(view, edits, route="browser", is_saved=bool(result.get("saved")))

    async def _is_open_in(self, holder: str, path: str) -> bool:
        try:
            await self._read_in(holder, path)
        except (LindaError, ConnectionError, TimeoutError):
            return False
        return True

    async def _after_silence(self, holder: str, path: str, edits: Sequence[CellEdit]) -> EditOutcome:
        """A tab went, or said nothing, during an edit: look what became of it, and never do it twice."""
        if self._browsers.is_connected(holder):
            # Frames arrive in order: a tab that answers this has seen the edit, or will not do it any more.
            view = (await self.read(path)).content
            sheet = self._sheet(path, view)
            if all(sheet.has_happened(edit) for edit in edits):
                return _outcome(view, edits, route="browser", is_saved=False)
            raise StaleRevision(f"The tab that has {path!r} open did not confirm the edit.", remedy="Read it again.")
        return await self._redone(path, edits)

    async def _redone(self, path: str, edits: Sequence[CellEdit]) -> EditOutcome:
        """The tab or room of an edit is gone: do it where the notebook is now, if it was not done."""
        again = self._browsers.holder(path)
        notebook = await self.read(path)
        sheet = self._sheet(path, notebook.content)
        if all(sheet.has_happened(edit) for edit in edits):
            return _outcome(notebook.content, edits, route=notebook.route, is_saved=notebook.route == "file")
        if not all(sheet.is_untouched(edit) for edit in edits):
            raise StaleRevision(f"{path!r} changed while it was closed.", remedy="Read it again.")
        room = await self._rooms.find(path)
        if room is not None:
            return await self._edit_in_room(room, path, edits)
        return await (self._edit_file(path, edits) if again is None else self._edit_in(again, path, edits))

    # ---- the file route ------------------------------------------------------------------------

    async def _edit_file(self, path: str, edits: Sequence[CellEdit]) -> EditOutcome:
        self._browsers.refuse_foreign(path)
        async with self._rooms.kept_shut(path) as is_shut:
            if is_shut:
                return await self._edit_shut(path, edits)
        room = await self._rooms.find(path)
        if room is None:
            raise StaleRevision(f"{path!r} was opened just now.", remedy="Try again.")
        return await self._edit_in_room(room, path, edits)

    async def _edit_shut(self, path: str, edits: Sequence[CellEdit]) -> EditOutcome:
        snapshot = await self._files.read(path)
        if snapshot.is_upgraded:
            raise refuse_upgrade(path)
        sheet = await asyncio.to_thread(self._edited, path, snapshot, edits)
        await self._save(snapshot, sheet, keeps_trust=True)
        saved = await self._files.read(path)
        return await asyncio.to_thread(self._saved_outcome, path, saved, edits)

    def _edited(self, path: str, snapshot: Snapshot, edits: Sequence[CellEdit]) -> Sheet:
        return apply_edits(self._sheet(path, snapshot.content), edits)

    def _saved_outcome(self, path: str, saved: Snapshot, edits: Sequence[CellEdit]) -> EditOutcome:
        return _outcome(self._view(path, saved.content), edits, route="file", is_saved=True)

    async def _save(self, snapshot: Snapshot, sheet: Sheet, *, keeps_trust: bool = False) -> None:
        if snapshot.is_upgraded:
            raise refuse_upgrade(snapshot.path)
        saved = with_written_ids(sheet, new_cell_id)
        await self._files.replace(snapshot, {**snapshot.content, "cells": saved.cells}, keeps_trust=keeps_trust)
        if not saved.writes_ids:
            self._ids.remember(snapshot.path, saved.cells, saved.ids)

    def _sheet(self, path: str, content: Json) -> Sheet:
        cells = list(content.get("cells", []))
        return Sheet(path, cells, self._ids.of(path, cells), has_native_ids(content))

    def _view(self, path: str, content: Json) -> Json:
        return self._sheet(path, content).view(content)


def _is_checked_by_tabs(edits: Sequence[CellEdit]) -> bool:
    """Whether a tab's own check is enough: it looks at each cell as it was before the first edit."""
    is_one_each = len({edit.cell_id for edit in edits}) == len(edits)
    return is_one_each and all(type(edit) in CHECKED_BY_TABS for edit in edits)


def _frame(edit: CellEdit, sheet: Sheet | None = None) -> dict[str, Json]:
    """One edit as the tab knows it. What comes from a kept cell goes along, around the tags that it has by now."""
    frame = {
        "op": WORDS[type(edit)],
        **{name: value for name, value in vars(edit).items() if name not in ("kept", "cell", "is_part")},
    }
    if isinstance(edit, InsertCell | MoveCell) and edit.index == -1:
        frame["index"] = APPEND
    before = kept_cell(edit)
    if before is not None:
        names = ("metadata", "attachments", "outputs", "execution_count")
        frame |= {name: before[name] for name in names if name in before}
        if isinstance(edit, RestoreType) and sheet is not None and edit.cell_id in sheet.ids:
            frame["metadata"] = sheet.cells[sheet.find(edit.cell_id)].get("metadata") or {}
    return frame


def _changed_while_it_ran(cell_id: str) -> StaleRevision:
    return StaleRevision(f"Cell {cell_id} changed while it ran, so its outputs were not stored.")


def _essence(view: Json, edits: Sequence[CellEdit]) -> tuple[str, list[Json]]:
    """What an edit can change, to compare a room with its file: their texts are split differently."""
    touched = {edit.cell_id for edit in edits}
    cells = [cell for cell in view["cells"] if cell["id"] in touched]
    marks = [(cell["metadata"] or {}).get(MARK) for cell in cells]
    results = [(cell.get("execution_count"), len(cell.get("outputs") or ())) for cell in cells]
    return revision_of(view), [*marks, *results]


def _outcome(view: Json, edits: Sequence[CellEdit], *, route: Route, is_saved: bool) -> EditOutcome:
    by_id = {cell["id"]: cell for cell in view["cells"]}
    by_place = {f"#{at}": cell for at, cell in enumerate(view["cells"])}
    touched = []
    for edit in edits:
        cell = by_id.get(edit.cell_id) or by_place.get("#" + edit.cell_id.rpartition("#")[2])
        if cell is not None and not isinstance(edit, DeleteCell):
            touched.append(cell)
    return EditOutcome(route=route, is_saved=is_saved, revision=revision_of(view), cells=touched)
