"""Notebooks: listing, reading, opening; and the whole family of notebook tools."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from ..ports import ToolContext, ToolResult, kernelspec_of
from ..ports.held import held
from ..toolkit import tool
from . import notebook_edits, notebook_runs, notebook_series, notebook_structure
from .folders import Bounds, is_listed, walk
from .naming import (
    CellId,
    NotebookPath,
    api_path,
    find_cell,
    folder_path,
    folder_resource,
    for_models,
    for_people,
    notebook_resource,
    version_of,
)
from .rendering import cell_source, error_line, images_of, outputs_text
from .staleness import notes_on_order
from .text import amount

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ports import Json, Notebook

READ_CHARS = 18_000
"""After that many characters a reading goes on with first lines only."""
LIST_TIME_S = 3.0
LIST_LIMIT = 200
RESULT_CHARS = 16_000


@tool(action="read", family="notebook", resource=folder_resource, holds="names")
async def list_notebooks(
    context: ToolContext, path: Annotated[str, "Folder to look in; empty for the whole notebook folder."] = ""
) -> ToolResult:
    """List notebooks: the open ones (the active one first), then those in the folder and below it."""
    # `data` holds notebooks (path, is_open, is_active), truncated
    opened = [entry for entry in await context.live.list_notebooks() if is_listed(context, entry["path"])]
    folder = folder_path(context, path)
    opened = [entry for entry in opened if not folder or entry["path"].startswith(f"{folder}/")]
    bounds = Bounds(most_entries=20_000, until=time.monotonic() + LIST_TIME_S)
    names = {entry["path"] for entry in opened}
    below = [name for name in await asyncio.to_thread(_walk_notebooks, context, folder, bounds) if name not in names]
    listed = [{"path": e["path"], "is_open": True, "is_active": bool(e.get("active"))} for e in opened]
    listed += [{"path": name, "is_open": False, "is_active": False} for name in below]
    is_cut = bounds.is_cut or len(listed) > LIST_LIMIT
    lines = [entry["path"] + _marks(entry) for entry in listed[:LIST_LIMIT]]
    lines += ["(There may be more: name a folder to look in.)"] if is_cut else []
    return ToolResult(
        text="\n".join(lines) or "There are no notebooks.",
        title=f"Listed notebooks, {len(listed)} found",
        data={"notebooks": listed[:LIST_LIMIT], "truncated": is_cut},
    )


def _walk_notebooks(context: ToolContext, folder: str, bounds: Bounds) -> list[str]:
    return [entry.path for entry in walk(context, folder, bounds) if entry.path.lower().endswith(".ipynb")]


def _marks(entry: Mapping[str, Json]) -> str:
    return "  (open, active)" if entry["is_active"] else "  (open)" if entry["is_open"] else ""


@tool(action="read", family="notebook", resource=notebook_resource, holds="source")
async def read_notebook(
    context: ToolContext,
    path: NotebookPath,
    detail: Annotated[
        Literal["brief", "detailed"], "brief: first lines only; detailed: sources and outputs."
    ] = "detailed",
    start: Annotated[int, Field(ge=0, description="Index of the first cell to read, from 0.")] = 0,
    count: Annotated[int, Field(ge=1, le=2000, description="Most cells to read.")] = 2000,
) -> ToolResult:
    """Read a notebook as it is now, unsaved changes included: each cell's number, index, id, version, type and source.

    The person counts cells from 1; `index` and `start` count from 0. Edits need the id and the version.
    Pictures are shown as their type and size. Notes say which cells are stale or ran out of order.
    """
    # `data` holds path, total_cells, cells (cell_id, index, cell_type, source, version), notes
    notebook = await context.live.read_notebook(api_path(context, path))
    cells = list(enumerate(notebook.content["cells"]))[start : start + count]
    total = len(notebook.content["cells"])
    head = f"{notebook.path}: {amount(total, 'cell')}" + _language_note(notebook)
    shown = f"{head}; these are cells {start + 1} to {start + len(cells)}" if len(cells) != total and cells else head
    notes = notes_on_order(notebook.content["cells"])
    parts, used = ["\n".join([shown, *(f"Note: {note}" for note in notes)])], 0
    for index, cell in cells:
        is_brief = detail == "brief" or used > READ_CHARS
        part = _cell_part(index, cell, is_brief=is_brief)
        used += len(part)
        parts.append(part)
    return ToolResult(
        text="\n\n".join(parts),
        title=f"Read {notebook.path}, {total} {'cell' if total == 1 else 'cells'}",
        data={
            "path": notebook.path,
            "total_cells": total,
            "cells": [_cell_data(i, c) for i, c in cells],
            "notes": notes,
        },
    )


def _language_note(notebook: Notebook) -> str:
    spec = kernelspec_of(notebook.content)
    note = f", kernel {spec['name']}" if spec.get("name") else ""
    return note + (", an old format that is converted for reading only" if notebook.is_upgraded else "")


def _cell_part(index: int, cell: Mapping[str, Json], *, is_brief: bool) -> str:
    source = cell_source(cell)
    head = f"[{for_models(index)}] {cell['cell_type']} id={cell['id']} version={version_of(source)}"
    outputs = cell.get("outputs") or []
    if is_brief:
        first = next((line for line in source.split("\n") if line.strip()), "")
        more = f" (+{amount(source.count(chr(10)), 'line')})" if "\n" in source else ""
        said = error_line(outputs)
        return f"{head}\n{first[:160]}{more}" + (f"\n-> {held(said, 'values')}" if said else "")
    text = outputs_text(outputs)
    return f"{head}\n{source}" + (f"\n-> output:\n{held(text, 'values')}" if text else "")


def _cell_data(index: int, cell: Mapping[str, Json]) -> dict[str, Json]:
    source = cell_source(cell)
    return {
        "cell_id": cell["id"],
        "index": index,
        "cell_type": cell["cell_type"],
        "source": source,
        "version": version_of(source),
    }


@tool(action="read", family="notebook", resource=notebook_resource, holds="source")
async def read_cell(context: ToolContext, path: NotebookPath, cell_id: CellId) -> ToolResult:
    """Read one cell: its whole source and its outputs as text."""
    # `data` holds path, cell_id, index, cell_type, source, version, outputs_text
    notebook = await context.live.read_notebook(api_path(context, path))
    index, cell = find_cell(notebook, cell_id)
    outputs = cell.get("outputs") or []
    text = outputs_text(outputs, RESULT_CHARS)
    return ToolResult(
        text=_cell_part(index, {**cell, "outputs": []}, is_brief=False)
        + (f"\n-> output:\n{held(text, 'values')}" if text else ""),
        title=f"Read {for_people(index)} of {notebook.path}",
        data={"path": notebook.path, **_cell_data(index, cell), "outputs_text": text},
        images=images_of(outputs),
    )


@tool(action="read", family="notebook", resource=notebook_resource, holds="words")
async def open_notebook(
    context: ToolContext, path: NotebookPath, cell_id: Annotated[str, "Cell to scroll to; may be empty."] = ""
) -> ToolResult:
    """Show a notebook in the user's JupyterLab, at a cell if one is named."""
    # `data` holds path, opened
    notebook = await context.live.read_notebook(api_path(context, path))
    if cell_id:
        find_cell(notebook, cell_id)
    is_open = await context.live.open_document(notebook.path, cell_id=cell_id or None)
    text = f"{notebook.path} is open in JupyterLab." if is_open else "No JupyterLab page is connected to show it."
    return ToolResult(text=text, title=f"Opened {notebook.path}", data={"path": notebook.path, "opened": is_open})


TOOLS = (
    list_notebooks,
    read_notebook,
    read_cell,
    *notebook_edits.TOOLS,
    *notebook_structure.TOOLS,
    *notebook_runs.TOOLS,
    *notebook_series.TOOLS,
    open_notebook,
)
"""The family, as `worker` registers it."""
