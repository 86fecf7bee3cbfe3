"""The one way a tool changes cells: written into the journal first, then done."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..journal.cells import describe, to_keep
from ..ports import InsertCell, ReplaceSource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..ports import CellEdit, EditOutcome, Json, Notebook, ToolContext


async def change_cells(context: ToolContext, notebook: Notebook, edits: Sequence[CellEdit]) -> EditOutcome:
    """Edit a notebook that was read, so that it can be undone."""
    edits = [_with_mark(edit, context.provenance) for edit in edits]
    ids = [cell["id"] for cell in notebook.content["cells"]]
    if len(set(ids)) < len(ids):  # twins cannot be told apart later
        return await context.live.edit_notebook(notebook.path, edits)
    wanted = to_keep(edits)
    kept = await context.live.keep_cells(notebook.path, wanted) if wanted else ""
    changes = describe(notebook.content["cells"], edits, kept)
    entry = await context.journal.note("cells", notebook.path, changes)
    try:
        return await context.live.edit_notebook(notebook.path, edits)
    except Exception:
        await context.journal.forget(entry)
        raise


def _with_mark(edit: CellEdit, mark: Mapping[str, Json]) -> CellEdit:
    """What she writes says so in its metadata, unless the setting is off (an empty mark)."""
    if not mark:
        return edit
    if isinstance(edit, InsertCell):
        return replace(edit, metadata={**edit.metadata, "linda": dict(mark)})
    return replace(edit, mark=dict(mark)) if isinstance(edit, ReplaceSource) else edit
