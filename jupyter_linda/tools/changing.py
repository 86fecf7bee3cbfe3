"""The one way a tool changes cells: written into the journal first, then done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..journal.cells import describe, to_keep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ports import CellEdit, EditOutcome, Notebook, ToolContext


async def change_cells(context: ToolContext, notebook: Notebook, edits: Sequence[CellEdit]) -> EditOutcome:
    """Edit a notebook that was read, so that it can be undone."""
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
