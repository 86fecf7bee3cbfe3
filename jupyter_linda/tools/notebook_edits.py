"""Changing notebooks: insert, edit and delete cells, by id, only as they were read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from ..errors import ToolRetry
from ..ports import DeleteCell, InsertCell, ReplaceSource, ToolContext, ToolResult, Unknown
from ..schemas import Diff, Preview
from ..toolkit import tool
from .changing import change_cells
from .languages import cell_language
from .naming import (
    CellId,
    NotebookPath,
    api_path,
    check_approved,
    check_bare,
    check_version,
    find_cell,
    for_models,
    for_people,
    keeps_ids,
    language_of,
    new_cell_id,
    notebook_resource,
    saved_note,
    version_of,
)
from .rendering import cell_source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ports import Json


def _position(index: int, length: int) -> int:
    if index == -1:
        return length
    if index > length:
        raise ToolRetry(f"Index {index} is out of range: the allowed range is -1..{length}; -1 or {length} appends.")
    return index


@tool(action="write", family="notebook", resource=notebook_resource, writes=("source",), holds="words")
async def insert_cell(
    context: ToolContext,
    path: NotebookPath,
    source: Annotated[str, Field(max_length=200_000, description="The new cell's text.")],
    cell_type: Annotated[Literal["code", "markdown", "raw"], "Kind of the new cell."] = "code",
    index: Annotated[
        int,
        Field(
            ge=-1,
            description="Index of the new cell, from 0: what the person calls cell 1 has index 0. "
            "-1 or the number of cells appends at the end.",
        ),
    ] = -1,
) -> ToolResult:
    """Insert one new cell into a notebook. It is not run."""
    # `data` holds path, cell_id, index, version
    check_bare(source, cell_type)
    name = api_path(context, path)
    notebook = await context.live.read_notebook(name)
    at = _position(index, len(notebook.content["cells"]))
    cell_id = new_cell_id(context.request_id)
    place = -1 if at == len(notebook.content["cells"]) else at
    outcome = await change_cells(context, notebook, [InsertCell(place, cell_id, cell_type, source)])
    return _inserted(name, cell_id, at, cell_type, source, is_saved=outcome.is_saved)


def _inserted(path: str, cell_id: str, index: int, kind: str, source: str, *, is_saved: bool) -> ToolResult:
    return ToolResult(
        text=f"Inserted a {kind} cell as {for_models(index)} of {path}: id={cell_id} version={version_of(source)}."
        + saved_note(is_saved=is_saved),
        title=f"Inserted a {kind} cell into {path}",
        diffs=(Diff(label=f"{path}, {for_people(index)} (new)", old="", new=source),),
        data={"path": path, "cell_id": cell_id, "index": index, "version": version_of(source)},
    )


@insert_cell.previews
async def _preview_insert(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    name = api_path(context, arguments["path"])
    where = "at the end" if arguments["index"] == -1 else f"as {for_people(arguments['index'])}"
    kind, source = arguments["cell_type"], arguments["source"]
    check_bare(source, kind)
    language = await cell_language(context, await context.live.read_notebook(name), kind)
    return Preview(sentence=f"Insert a {kind} cell into {name} {where}.", code=source, language=language)


@insert_cell.finds
async def _find_insert(arguments: Mapping[str, Json], context: ToolContext) -> ToolResult | Unknown | None:
    name = api_path(context, arguments["path"])
    notebook = await context.live.read_notebook(name)
    cell_id = new_cell_id(context.request_id)
    for index, cell in enumerate(notebook.content["cells"]):
        if cell["id"] == cell_id:
            return _inserted(name, cell_id, index, cell["cell_type"], cell_source(cell), is_saved=True)
    # Formats below 4.5 keep no ids in the file: a new server cannot tell its own cell from an equal one.
    sources = [cell_source(cell) for cell in notebook.content["cells"]]
    is_unsure = not keeps_ids(notebook) and arguments["source"] in sources
    return Unknown() if is_unsure else None


def _edited_source(source: str, arguments: Mapping[str, Json]) -> str:
    """The new source by either way of asking; `ToolRetry` says what is missing."""
    whole, old, new = arguments["source"], arguments["old_text"], arguments["new_text"]
    if (whole is None) == (old is None and new is None):
        raise ToolRetry("Give either `source` (with `version`), or `old_text` and `new_text`.")
    if whole is not None:
        if not arguments["version"]:
            raise ToolRetry("To replace a whole cell, pass the `version` that reading it named.")
        return str(whole)
    if not old or new is None:
        raise ToolRetry("Give both `old_text` (not empty) and `new_text`.")
    times = source.count(old)
    if times != 1:
        raise ToolRetry(
            f"`old_text` occurs {times} times in the cell; it must occur exactly once. Read the cell again."
        )
    return source.replace(old, new)


@tool(action="write", family="notebook", resource=notebook_resource, writes=("source", "new_text"), holds="words")
async def edit_cell(
    context: ToolContext,
    path: NotebookPath,
    cell_id: CellId,
    source: Annotated[str | None, Field(max_length=200_000, description="The cell's whole new text.")] = None,
    old_text: Annotated[str | None, "Or: a passage that occurs exactly once in the cell …"] = None,
    new_text: Annotated[str | None, "… and what to put in its place."] = None,
    version: Annotated[str, "The version reading the cell named; needed with `source`."] = "",
) -> ToolResult:
    """Change a cell's text: all of it, or one passage. Refused if the cell changed since it was read."""
    # `data` holds path, cell_id, index, version
    name = api_path(context, path)
    notebook = await context.live.read_notebook(name)
    index, cell = find_cell(notebook, cell_id)
    before = cell_source(cell)
    check_version(cell, cell_id, version)
    wish = {"source": source, "old_text": old_text, "new_text": new_text, "version": version}
    after = _edited_source(before, wish)
    check_bare(source or "", cell["cell_type"])
    _check_seen(context, before, cell_id)
    outcome = await change_cells(context, notebook, [ReplaceSource(cell_id, before, after)])
    return _changed(name, cell_id, index, before, after, is_saved=outcome.is_saved)


def _check_seen(context: ToolContext, before: str, cell_id: str) -> None:
    if context.approved is not None and context.approved.diffs:
        check_approved(context.approved.diffs[0].old, before, cell_id)


def _changed(path: str, cell_id: str, index: int, before: str, after: str, *, is_saved: bool) -> ToolResult:
    return ToolResult(
        text=f"Changed {for_models(index)} of {path} (id={cell_id}), now version={version_of(after)}."
        + saved_note(is_saved=is_saved),
        title=f"Changed {for_people(index)} of {path}",
        diffs=(Diff(label=f"{path}, {for_people(index)}", old=before, new=after),),
        data={"path": path, "cell_id": cell_id, "index": index, "version": version_of(after)},
    )


@edit_cell.previews
async def _preview_edit(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    name = api_path(context, arguments["path"])
    notebook = await context.live.read_notebook(name)
    index, cell = find_cell(notebook, arguments["cell_id"])
    before = cell_source(cell)
    check_version(cell, arguments["cell_id"], arguments["version"])
    check_bare(arguments["source"] or "", cell["cell_type"])
    diff = Diff(label=f"{name}, {for_people(index)}", old=before, new=_edited_source(before, arguments))
    language = await cell_language(context, notebook, cell["cell_type"])
    return Preview(sentence=f"Change {for_people(index)} of {name}.", diffs=(diff,), language=language)


@edit_cell.finds
async def _find_edit(arguments: Mapping[str, Json], context: ToolContext) -> ToolResult | Unknown | None:
    name, cell_id = api_path(context, arguments["path"]), arguments["cell_id"]
    index, cell = find_cell(await context.live.read_notebook(name), cell_id)
    now = cell_source(cell)
    state = _edit_state(now, arguments)
    if state == "done":
        return _changed(name, cell_id, index, now, now, is_saved=True)
    return None if state == "untouched" else Unknown()


def _edit_state(now: str, arguments: Mapping[str, Json]) -> Literal["done", "untouched", "unknown"]:
    if arguments["source"] is not None:
        if now == arguments["source"]:
            return "done"
        return "untouched" if version_of(now) == arguments["version"] else "unknown"
    old, new = arguments["old_text"] or "", arguments["new_text"] or ""
    if version_of(now) == arguments["version"] or (now.count(old) == 1 and (not new or new not in now)):
        return "untouched"
    return "done" if new and new in now and old not in now.replace(new, "", 1) else "unknown"


@tool(action="write", family="notebook", resource=notebook_resource, holds="words")
async def delete_cell(
    context: ToolContext,
    path: NotebookPath,
    cell_id: CellId,
    version: Annotated[str, "The version reading the cell named."],
) -> ToolResult:
    """Delete one cell. Refused if it changed since it was read."""
    # `data` holds path, cell_id, index
    name = api_path(context, path)
    notebook = await context.live.read_notebook(name)
    index, cell = find_cell(notebook, cell_id)
    source = cell_source(cell)
    check_version(cell, cell_id, version or "none")
    _check_seen(context, source, cell_id)
    outcome = await change_cells(context, notebook, [DeleteCell(cell_id, source)])
    return ToolResult(
        text=f"Deleted {for_models(index)} of {name}." + saved_note(is_saved=outcome.is_saved),
        title=f"Deleted {for_people(index)} of {name}",
        diffs=(Diff(label=f"{name}, {for_people(index)} (deleted)", old=source, new=""),),
        data={"path": name, "cell_id": cell_id, "index": index},
    )


@delete_cell.previews
async def _preview_delete(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    name = api_path(context, arguments["path"])
    index, cell = find_cell(await context.live.read_notebook(name), arguments["cell_id"])
    diff = Diff(label=f"{name}, {for_people(index)}", old=cell_source(cell), new="")
    return Preview(
        sentence=f"Delete {for_people(index)} of {name}.", diffs=(diff,), language=language_of(cell["cell_type"])
    )


@delete_cell.finds
async def _find_delete(arguments: Mapping[str, Json], context: ToolContext) -> ToolResult | Unknown | None:
    name, cell_id = api_path(context, arguments["path"]), arguments["cell_id"]
    notebook = await context.live.read_notebook(name)
    if any(cell["id"] == cell_id for cell in notebook.content["cells"]):
        _, cell = find_cell(notebook, cell_id)
        return None if version_of(cell_source(cell)) == arguments["version"] else Unknown()
    # `id#index` names one of twins, and formats below 4.5 keep no ids: what is not found may stand there all the same.
    if "#" in cell_id or not keeps_ids(notebook):
        return Unknown()
    return ToolResult(text=f"Deleted cell {cell_id} of {name}.", data={"path": name, "cell_id": cell_id, "index": None})


TOOLS = (insert_cell, edit_cell, delete_cell)
"""The changing half of the notebook family."""
