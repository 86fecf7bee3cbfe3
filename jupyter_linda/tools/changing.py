"""The one way a tool changes cells: written into the journal first, then done."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import LindaError
from ..journal.cells import describe, to_keep
from ..ports import ChangeType, DeleteCell, InsertCell, MoveCell, ReplaceSource
from .rendering import cell_source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..ports import CellEdit, EditOutcome, Json, Notebook, ToolContext

    Cells = Mapping[str, Mapping[str, Json]]


async def change_cells(context: ToolContext, notebook: Notebook, edits: Sequence[CellEdit]) -> EditOutcome:
    """Edit a notebook that was read, so that it can be undone."""
    edits = [_with_mark(edit, context.provenance) for edit in edits]
    ids = [cell["id"] for cell in notebook.content["cells"]]
    if len(set(ids)) < len(ids):  # twins cannot be told apart later
        return await context.live.edit_notebook(notebook.path, edits)
    edits = [replace(edit, cell_id=own_id(ids, edit.cell_id)) for edit in edits]
    wanted = to_keep(edits)
    kept = await context.live.keep_cells(notebook.path, wanted) if wanted else ""
    changes = describe(notebook.content["cells"], edits, kept)
    entry = await context.journal.note("cells", notebook.path, changes)
    try:
        return await context.live.edit_notebook(notebook.path, edits)
    except Exception:
        if not await _may_be_done(context, notebook, edits):
            await context.journal.forget(entry)
        raise


async def _may_be_done(context: ToolContext, notebook: Notebook, edits: Sequence[CellEdit]) -> bool:
    """Whether an edit that failed left something behind: somebody typed on at once, or its answer was lost."""
    before = {cell["id"]: cell for cell in notebook.content["cells"]}
    try:
        now = {cell["id"]: cell for cell in (await context.live.read_notebook(notebook.path)).content["cells"]}
    except LindaError:
        return True  # what cannot be seen may be
    return any(_is_done(edit, before, now) for edit in edits)


def _is_done(edit: CellEdit, before: Cells, now: Cells) -> bool:
    if isinstance(edit, InsertCell | DeleteCell):
        return (edit.cell_id in now) != (edit.cell_id in before)
    if isinstance(edit, MoveCell):
        return [*now].index(edit.cell_id) != [*before].index(edit.cell_id) if edit.cell_id in now else False
    if edit.cell_id not in now or edit.cell_id not in before:
        return False
    was, cell = before[edit.cell_id], now[edit.cell_id]
    if isinstance(edit, ReplaceSource):
        return edit.source != edit.expect and _lines_of(edit, cell)
    if isinstance(edit, ChangeType):
        return bool(cell.get("cell_type") == edit.cell_type != was.get("cell_type"))
    return bool(was.get("outputs")) and not cell.get("outputs")


def _lines_of(edit: ReplaceSource, cell: Mapping[str, Json]) -> bool:
    """Whether a line that she wrote stands in the cell."""
    new = set(edit.source.splitlines()) - set(edit.expect.splitlines())
    source = cell_source(cell)
    return source == edit.source or bool(new & set(source.splitlines()))


def own_id(ids: Sequence[str], cell_id: str) -> str:
    """The id of the cell that `id#index` names too, where no other has it."""
    name, _, place = cell_id.rpartition("#")
    is_other_name = cell_id not in ids and place.isdigit() and int(place) < len(ids) and ids[int(place)] == name
    return name if is_other_name else cell_id


def _with_mark(edit: CellEdit, mark: Mapping[str, Json]) -> CellEdit:
    """What she writes says so in its metadata, unless the setting is off (an empty mark)."""
    if not mark:
        return edit
    if isinstance(edit, InsertCell):
        return replace(edit, metadata={**edit.metadata, "linda": dict(mark)})
    return replace(edit, mark=dict(mark)) if isinstance(edit, ReplaceSource) else edit
