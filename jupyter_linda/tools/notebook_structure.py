"""The order and kinds of cells: move, split, merge, change type, clear outputs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from ..errors import ToolRetry
from ..ports import (
    ChangeType,
    DeleteCell,
    InsertCell,
    MoveCell,
    ReplaceSource,
    SetOutputs,
    ToolContext,
    ToolResult,
    Unknown,
)
from ..schemas import Diff, Preview
from ..toolkit import tool
from .changing import change_cells
from .languages import cell_language
from .naming import (
    CellId,
    NotebookPath,
    api_path,
    check_approved,
    check_version,
    find_cell,
    for_models,
    for_people,
    keeps_ids,
    language_of,
    names_of,
    new_cell_id,
    notebook_resource,
    saved_note,
    version_of,
)
from .rendering import cell_source
from .text import amount

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..ports import CellEdit, Json, Notebook

Version = Annotated[str, "The version reading the cell named; refused if it changed since. May be empty."]
GLUE = {"code": "\n", "markdown": "\n\n", "raw": "\n"}
"""What stands between the parts of merged cells, as in JupyterLab."""


async def _named(context: ToolContext, arguments: Mapping[str, Json]) -> tuple[str, Notebook, int, Mapping[str, Json]]:
    """Path, notebook, index and cell that a call names, the cell being as it was read."""
    name = api_path(context, arguments["path"])
    notebook = await context.live.read_notebook(name)
    index, cell = find_cell(notebook, arguments["cell_id"])
    check_version(cell, arguments["cell_id"], arguments.get("version", ""))
    return name, notebook, index, cell


def _check_seen(context: ToolContext, cell: Mapping[str, Json], cell_id: str) -> None:
    """Refuse where the cell is not as the person saw it who allowed this."""
    if context.approved is not None:
        seen = context.approved.diffs[0].old if context.approved.diffs else context.approved.code
        check_approved(seen, cell_source(cell), cell_id)


async def _refuse_lost(context: ToolContext, arguments: Mapping[str, Json]) -> None:
    """After a crash: `ToolRetry` where the cell is not found, so that nobody can tell what became of it."""
    find_cell(await context.live.read_notebook(api_path(context, arguments["path"])), arguments["cell_id"])


# ---- move --------------------------------------------------------------------------------------


def _target(index: int, length: int) -> int:
    """Where a moved cell will stand; -1 is the end."""
    if index == -1:
        return length - 1
    if index >= length:
        raise ToolRetry(f"Index {index} is out of range: the notebook has {length} cells, from 0 to {length - 1}.")
    return index


@tool(action="write", family="notebook", resource=notebook_resource, holds="words")
async def move_cell(
    context: ToolContext,
    path: NotebookPath,
    cell_id: CellId,
    index: Annotated[int, Field(ge=-1, description="Index where the cell shall stand, from 0; -1 is the end.")],
) -> ToolResult:
    """Move one cell to another place of its notebook. Its text, outputs and id stay."""
    # `data` holds path, cell_id, index
    name, notebook, at, cell = await _named(context, {"path": path, "cell_id": cell_id})
    _check_seen(context, cell, cell_id)
    to = _target(index, len(notebook.content["cells"]))
    note = ""
    if to != at:
        outcome = await change_cells(context, notebook, [MoveCell(cell_id, to)])
        note = saved_note(is_saved=outcome.is_saved)
    return ToolResult(
        text=f"Cell {cell_id} of {name} is now {for_models(to)}.{note}",
        title=f"Moved {for_people(at)} of {name} to place {to + 1}",
        data={"path": name, "cell_id": cell_id, "index": to},
    )


@move_cell.previews
async def _preview_move(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    name, notebook, at, cell = await _named(context, arguments)
    to = _target(arguments["index"], len(notebook.content["cells"]))
    return Preview(
        sentence=f"Move {for_people(at)} of {name} to place {to + 1}.",
        code=cell_source(cell),
        language=language_of(cell["cell_type"]),
    )


@move_cell.finds
async def _find_move(arguments: Mapping[str, Json], context: ToolContext) -> ToolResult | Unknown | None:
    await _refuse_lost(context, arguments)
    return None  # moving to a place twice is moving once


# ---- split and merge ---------------------------------------------------------------------------


def _halves(source: str, line: int, cell_id: str) -> tuple[str, str]:
    lines = source.split("\n")
    if not 2 <= line <= len(lines):
        raise ToolRetry(
            f"Cell {cell_id} has {len(lines)} lines; it can be split before line 2 to {len(lines)}, not {line}."
        )
    return "\n".join(lines[: line - 1]), "\n".join(lines[line - 1 :])


@tool(action="write", family="notebook", resource=notebook_resource, holds="words")
async def split_cell(
    context: ToolContext,
    path: NotebookPath,
    cell_id: CellId,
    line: Annotated[int, Field(ge=2, description="The new cell begins with this line; lines count from 1.")],
    version: Version = "",
) -> ToolResult:
    """Split one cell in two. The first part keeps id and outputs; the rest becomes a new cell right below it."""
    # `data` holds path, cell_id, new_cell_id, index
    name, notebook, at, cell = await _named(context, {"path": path, "cell_id": cell_id, "version": version})
    _check_seen(context, cell, cell_id)
    source = cell_source(cell)
    first, rest = _halves(source, line, cell_id)
    fresh = new_cell_id(context.request_id)
    part = InsertCell(at + 1, fresh, cell["cell_type"], rest)
    if cell.get("attachments"):
        part = replace(part, kept=await context.live.keep_cells(name, [cell_id]), is_part=True)
    edits: list[CellEdit] = [ReplaceSource(cell_id, source, first), part]
    outcome = await change_cells(context, notebook, edits)
    return _split(name, cell_id, fresh, at, (source, first, rest), is_saved=outcome.is_saved)


def _split(name: str, cell_id: str, fresh: str, at: int, texts: tuple[str, str, str], *, is_saved: bool) -> ToolResult:
    source, first, rest = texts
    return ToolResult(
        text=f"Split {for_models(at)} of {name}: id={cell_id} version={version_of(first)}, and below it "
        f"id={fresh} version={version_of(rest)}." + saved_note(is_saved=is_saved),
        title=f"Split {for_people(at)} of {name}",
        diffs=_split_diffs(name, at, source, first, rest),
        data={"path": name, "cell_id": cell_id, "new_cell_id": fresh, "index": at},
    )


def _split_diffs(name: str, at: int, source: str, first: str, rest: str) -> tuple[Diff, ...]:
    return (
        Diff(label=f"{name}, {for_people(at)}", old=source, new=first),
        Diff(label=f"{name}, {for_people(at + 1)} (new)", old="", new=rest),
    )


@split_cell.previews
async def _preview_split(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    name, notebook, at, cell = await _named(context, arguments)
    first, rest = _halves(cell_source(cell), arguments["line"], arguments["cell_id"])
    return Preview(
        sentence=f"Split {for_people(at)} of {name} before its line {arguments['line']}.",
        diffs=_split_diffs(name, at, cell_source(cell), first, rest),
        language=await cell_language(context, notebook, cell["cell_type"]),
    )


@split_cell.finds
async def _find_split(arguments: Mapping[str, Json], context: ToolContext) -> ToolResult | Unknown | None:
    name = api_path(context, arguments["path"])
    notebook = await context.live.read_notebook(name)
    fresh = new_cell_id(context.request_id)
    cells = notebook.content["cells"]
    found = next((at for at, cell in enumerate(cells) if cell["id"] == fresh), None)
    if found is not None:
        at, cell = find_cell(notebook, arguments["cell_id"])
        first, rest = cell_source(cell), cell_source(cells[found])
        return _split(name, arguments["cell_id"], fresh, at, (f"{first}\n{rest}", first, rest), is_saved=True)
    _, cell = find_cell(notebook, arguments["cell_id"])
    is_older = not keeps_ids(notebook)  # the new cell has another one then
    return Unknown() if is_older or cell_source(cell).count("\n") < arguments["line"] - 1 else None


def _run_of_cells(notebook: Notebook, cell_ids: Sequence[str]) -> tuple[int, list[Mapping[str, Json]]]:
    """Index of the first, and the cells; refused unless they stand below each other and are of one kind."""
    found = [find_cell(notebook, cell_id) for cell_id in cell_ids]
    first = found[0][0]
    if [at for at, _ in found] != list(range(first, first + len(found))):
        raise ToolRetry("Only cells that stand directly below each other can be merged, named from top to bottom.")
    cells = [cell for _, cell in found]
    if len({cell["cell_type"] for cell in cells}) > 1:
        raise ToolRetry("Cells of different types cannot be merged. Change the type of some first.")
    if any(cell.get("attachments") for cell in cells[1:]):
        raise ToolRetry("One of these cells carries pictures of its own, which a merge would lose.")
    return first, cells


CellIds = Annotated[
    list[str], Field(min_length=2, max_length=200, description="Ids of two or more cells, top to bottom.")
]


@tool(action="write", family="notebook", resource=notebook_resource, holds="words")
async def merge_cells(context: ToolContext, path: NotebookPath, cell_ids: CellIds) -> ToolResult:
    """Merge neighbouring cells of one type into the first of them. The outputs of the others go."""
    # `data` holds path, cell_id, index, version
    name = api_path(context, path)
    notebook = await context.live.read_notebook(name)
    at, cells = _run_of_cells(notebook, cell_ids)
    sources = [cell_source(cell) for cell in cells]
    _check_merge_seen(context, sources, cell_ids[0])
    merged = GLUE[cells[0]["cell_type"]].join(sources)
    edits: list[CellEdit] = [ReplaceSource(cell_ids[0], sources[0], merged)]
    edits += [DeleteCell(cell_id, source) for cell_id, source in zip(cell_ids[1:], sources[1:], strict=True)]
    outcome = await change_cells(context, notebook, edits)
    return ToolResult(
        text=f"Merged {len(cells)} cells into {for_models(at)} of {name}: id={cell_ids[0]} "
        f"version={version_of(merged)}." + saved_note(is_saved=outcome.is_saved),
        title=f"Merged {len(cells)} cells of {name} into {for_people(at)}",
        diffs=_merge_diffs(name, at, sources, merged),
        data={"path": name, "cell_id": cell_ids[0], "index": at, "version": version_of(merged)},
    )


def _check_merge_seen(context: ToolContext, sources: Sequence[str], cell_id: str) -> None:
    seen = [diff.old for diff in context.approved.diffs] if context.approved is not None else []
    if seen and seen != list(sources):
        raise ToolRetry(f"The cells from {cell_id} on changed since this was asked. Read them and ask again.")


def _merge_diffs(name: str, at: int, sources: Sequence[str], merged: str) -> tuple[Diff, ...]:
    first = Diff(label=f"{name}, {for_people(at)}", old=sources[0], new=merged)
    others = [
        Diff(label=f"{name}, {for_people(at + step)} (merged)", old=source, new="")
        for step, source in enumerate(sources[1:], start=1)
    ]
    return (first, *others)


@merge_cells.previews
async def _preview_merge(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    name = api_path(context, arguments["path"])
    notebook = await context.live.read_notebook(name)
    at, cells = _run_of_cells(notebook, arguments["cell_ids"])
    sources = [cell_source(cell) for cell in cells]
    merged = GLUE[cells[0]["cell_type"]].join(sources)
    return Preview(
        sentence=f"Merge {len(cells)} cells of {name}, from {for_people(at)} on, into one.",
        diffs=_merge_diffs(name, at, sources, merged),
        language=await cell_language(context, notebook, cells[0]["cell_type"]),
    )


@merge_cells.finds
async def _find_merge(arguments: Mapping[str, Json], context: ToolContext) -> ToolResult | Unknown | None:
    name, cell_ids = api_path(context, arguments["path"]), arguments["cell_ids"]
    notebook = await context.live.read_notebook(name)
    there = {cell["id"] for cell in notebook.content["cells"]}
    if there.issuperset(cell_ids):
        return None
    if cell_ids[0] not in there or there.intersection(cell_ids[1:]):
        return Unknown()
    at, cell = find_cell(notebook, cell_ids[0])
    source = cell_source(cell)
    text = f"Merged the cells into {for_models(at)} of {name}: id={cell_ids[0]} version={version_of(source)}."
    data = {"path": name, "cell_id": cell_ids[0], "index": at, "version": version_of(source)}
    return ToolResult(text=text, title=f"Merged cells of {name} into {for_people(at)}", data=data)


# ---- type and outputs --------------------------------------------------------------------------


@tool(action="write", family="notebook", resource=notebook_resource, holds="words")
async def change_cell_type(
    context: ToolContext,
    path: NotebookPath,
    cell_id: CellId,
    cell_type: Annotated[Literal["code", "markdown", "raw"], "What it shall be."],
    version: Version = "",
) -> ToolResult:
    """Make a code cell a text cell, or the other way round. A code cell loses its outputs by it."""
    # `data` holds path, cell_id, index, cell_type
    name, notebook, at, cell = await _named(context, {"path": path, "cell_id": cell_id, "version": version})
    _check_seen(context, cell, cell_id)
    was, note = cell["cell_type"], ""
    if was != cell_type:
        if cell_type == "code" and cell.get("attachments"):
            raise ToolRetry(f"Cell {cell_id} carries pictures of its own, which a code cell cannot keep.")
        outcome = await change_cells(context, notebook, [ChangeType(cell_id, cell_source(cell), cell_type)])
        note = saved_note(is_saved=outcome.is_saved)
    return ToolResult(
        text=f"{for_models(at).capitalize()} of {name} is a {cell_type} cell now.{note}",
        title=f"Made {for_people(at)} of {name} a {cell_type} cell",
        data={"path": name, "cell_id": cell_id, "index": at, "cell_type": cell_type},
    )


@change_cell_type.previews
async def _preview_type(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    name, notebook, at, cell = await _named(context, arguments)
    loses = " Its outputs go." if cell.get("outputs") and arguments["cell_type"] != "code" else ""
    return Preview(
        sentence=f"Make {for_people(at)} of {name} a {arguments['cell_type']} cell; "
        f"it is a {cell['cell_type']} cell.{loses}",
        code=cell_source(cell),
        language=await cell_language(context, notebook, arguments["cell_type"]),
    )


@change_cell_type.finds
async def _find_type(arguments: Mapping[str, Json], context: ToolContext) -> ToolResult | Unknown | None:
    await _refuse_lost(context, arguments)
    return None  # it becomes what it is, if it is it already


@tool(action="write", family="notebook", resource=notebook_resource, holds="words")
async def clear_outputs(
    context: ToolContext,
    path: NotebookPath,
    cell_id: Annotated[str, "The cell's id; empty for every cell of the notebook."] = "",
) -> ToolResult:
    """Clear the outputs and execution counts of one code cell, or of all."""
    # `data` holds path, cell_ids
    notebook, cells = await _with_outputs(context, {"path": path, "cell_id": cell_id})
    name = notebook.path
    ids = [str(cell["id"]) for cell in cells]
    names = names_of(notebook)
    chosen = {id(cell) for cell in cells}
    wanted = [name for name, cell in zip(names, notebook.content["cells"], strict=True) if id(cell) in chosen]
    note = ""
    if ids:
        outcome = await change_cells(context, notebook, [SetOutputs(name) for name in wanted])
        note = saved_note(is_saved=outcome.is_saved)
    what = (
        "There were no outputs to clear."
        if not ids
        else f"Cleared the outputs of {amount(len(ids), 'cell')} of {name}.{note}"
    )
    return ToolResult(text=what, title=f"Cleared outputs of {name}", data={"path": name, "cell_ids": ids})


async def _with_outputs(
    context: ToolContext, arguments: Mapping[str, Json]
) -> tuple[Notebook, list[Mapping[str, Json]]]:
    notebook = await context.live.read_notebook(api_path(context, arguments["path"]))
    cells = notebook.content["cells"]
    if arguments["cell_id"]:
        _, cell = find_cell(notebook, arguments["cell_id"])
        if cell["cell_type"] != "code":
            raise ToolRetry(f"Cell {arguments['cell_id']} is a {cell['cell_type']} cell: it has no outputs.")
        cells = [cell]
    return notebook, [cell for cell in cells if cell.get("outputs") or cell.get("execution_count") is not None]


@clear_outputs.previews
async def _preview_clear(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    notebook, cells = await _with_outputs(context, arguments)
    return Preview(sentence=f"Clear the outputs of {amount(len(cells), 'cell')} of {notebook.path}.")


@clear_outputs.finds
async def _find_clear(arguments: Mapping[str, Json], context: ToolContext) -> ToolResult | Unknown | None:
    if arguments["cell_id"]:
        await _refuse_lost(context, arguments)
    return None  # clearing twice is clearing once


TOOLS = (move_cell, split_cell, merge_cells, change_cell_type, clear_outputs)
"""The part of the notebook family that changes its structure."""
