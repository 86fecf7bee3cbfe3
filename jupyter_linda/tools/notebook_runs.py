"""Making a notebook and running its cells."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..errors import Conflict, NotFound, ToolRetry
from ..journal.files import GONE
from ..ports import ToolContext, ToolResult, Unknown
from ..ports.held import held
from ..schemas import Diff, Preview
from ..toolkit import tool
from .languages import code_language, seen_in
from .naming import (
    CellId,
    NotebookPath,
    api_path,
    check_approved,
    check_bare,
    check_version,
    find_cell,
    for_people,
    new_cell_id,
    notebook_resource,
)
from .rendering import cell_source, error_line, images_of, outputs_text, raised
from .text import amount

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..ports import Json, RunOutcome

RESULT_CHARS = 16_000


class NewCell(BaseModel):
    """A cell of a new notebook."""

    model_config = ConfigDict(extra="forbid")
    source: str
    cell_type: Literal["code", "markdown", "raw"] = "code"


def _content(context: ToolContext, cells: Sequence[Mapping[str, Json]], kernel: str) -> dict[str, Json]:
    made = []
    for number, cell in enumerate(cells):
        is_code = cell["cell_type"] == "code"
        lines = cell["source"].split("\n")
        made.append(
            {
                "cell_type": cell["cell_type"],
                **({"execution_count": None} if is_code else {}),
                "id": new_cell_id(context.request_id, number),
                "metadata": {},
                **({"outputs": []} if is_code else {}),
                "source": [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else []),
            }
        )
    title = "Python 3" if kernel == "python3" else kernel
    spec = {"display_name": title, "language": "python", "name": kernel} if kernel == "python3" else {}
    metadata: dict[str, Json] = {"kernelspec": spec or {"display_name": title, "name": kernel}} if kernel else {}
    return {"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _check_bare(cells: Sequence[Mapping[str, Json]]) -> None:
    for cell in cells:
        check_bare(cell["source"], cell["cell_type"])


def _plain(cells: Sequence[Mapping[str, Json]]) -> str:
    return "\n\n".join(f"# %% [{cell['cell_type']}]\n{cell['source']}" for cell in cells)


def _created(path: str, content: Mapping[str, Json], cells: Sequence[Mapping[str, Json]]) -> ToolResult:
    ids = [cell["id"] for cell in content["cells"]]
    return ToolResult(
        text=f"Created {path} with {amount(len(ids), 'cell')}. Their ids: {', '.join(ids) or 'none'}.",
        title=f"Created {path}, {amount(len(ids), 'cell')}",
        diffs=(Diff(label=path, old="", new=_plain(cells)),),
        data={"path": path, "cell_ids": ids},
    )


@tool(action="write", family="notebook", resource=notebook_resource, writes=("cells",), holds="words")
async def create_notebook(
    context: ToolContext,
    path: NotebookPath,
    cells: Annotated[list[NewCell], Field(max_length=500, description="The notebook's cells, in order.")] = [],  # noqa: B006
    kernel: Annotated[str, "Name of the kernel, as list_kernels or another notebook names it."] = "python3",
) -> ToolResult:
    """Create a notebook that does not exist yet. Nothing is run."""
    # `data` holds path, cell_ids
    name = api_path(context, path)
    plain: list[Mapping[str, Json]] = [dict(cell) for cell in cells]
    _check_bare(plain)
    content = _content(context, plain, kernel)
    made = json.dumps(content, indent=1, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
    real = context.admit_path(name, "write")
    change = {"op": "write", "path": name, "old": GONE, "new": await context.journal.keep(made), "real": real}
    entry = await context.journal.note("file", name, [change])
    try:
        await context.live.create_notebook(name, content)
    except Exception as error:
        await context.journal.forget(entry)
        if not isinstance(error, Conflict):
            raise
        raise ToolRetry(f"{name!r} exists already. Choose another name, or change it with insert_cell.") from None
    made_it = _created(name, content, plain)
    if await asyncio.to_thread(os.path.lexists, real):
        return made_it
    await context.journal.forget(entry)
    words = "This server keeps it in no file, so it cannot be undone; it can be deleted by hand."
    return replace(made_it, text=f"{made_it.text} {words}")


@create_notebook.previews
async def _preview_create(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    name, cells = api_path(context, arguments["path"]), arguments["cells"]
    _check_bare(cells)
    diff = Diff(label=name, old="", new=_plain(cells))
    return Preview(sentence=f"Create the notebook {name} with {amount(len(cells), 'cell')}.", diffs=(diff,))


@create_notebook.finds
async def _find_create(arguments: Mapping[str, Json], context: ToolContext) -> ToolResult | Unknown | None:
    name, cells = api_path(context, arguments["path"]), arguments["cells"]
    content = _content(context, cells, arguments["kernel"])
    try:
        there = (await context.live.read_notebook(name)).content["cells"]
    except NotFound:
        return None
    is_ours = [(c["id"], cell_source(c)) for c in there] == [(c["id"], cell_source(c)) for c in content["cells"]]
    return _created(name, content, cells) if is_ours else Unknown()


@tool(action="run", family="notebook", resource=notebook_resource, holds="words")
async def run_cell(
    context: ToolContext,
    path: NotebookPath,
    cell_id: CellId,
    version: Annotated[str, "The version reading the cell named: nothing else is run then. May be empty."] = "",
    timeout_s: Annotated[float, Field(gt=0, le=86_400, description="Seconds until it is interrupted.")] = 600.0,
) -> ToolResult:
    """Run one code cell in the notebook's kernel and get its outputs. They also land in the notebook."""
    # `data` holds path, cell_id, status, text, error, execution_count, duration_s, note
    name = api_path(context, path)
    notebook = await context.live.read_notebook(name)
    index, cell = find_cell(notebook, cell_id)
    if cell["cell_type"] != "code":
        raise ToolRetry(f"Cell {cell_id} is a {cell['cell_type']} cell; only code cells run.")
    check_version(cell, cell_id, version)
    source = cell_source(cell)
    if context.approved is not None:
        check_approved(context.approved.code, source, cell_id)
    outcome = await context.live.run_cell(
        name,
        cell_id,
        expect=source,
        timeout_s=timeout_s,
        request_id=context.request_id,
        on_progress=context.report,
    )
    return _ran(name, cell_id, index, outcome)


_WORDS: Mapping[str, str] = {
    "ok": "Ran",
    "error": "Error in",
    "timeout": "Timed out:",
    "interrupted": "Interrupted:",
    "kernel_died": "The kernel died in",
    "busy": "Kernel busy, did not run",
}


def _ran(path: str, cell_id: str, index: int, outcome: RunOutcome) -> ToolResult:
    text = outputs_text(outcome.outputs, RESULT_CHARS)
    error = error_line(outcome.outputs) if outcome.status == "error" else ""
    head = f"status: {outcome.status}, {outcome.duration_s:.1f} s" + (f". {outcome.note}" if outcome.note else "")
    head += f". {raised(outcome.outputs)}" if outcome.status == "error" else ""
    return ToolResult(
        text=f"{head}\n{held(text, 'values') or '(no output)'}",
        title=f"{_WORDS[outcome.status]} {for_people(index)} of {path}",
        outputs=tuple(outcome.outputs),
        data={
            "path": path,
            "cell_id": cell_id,
            "status": outcome.status,
            "text": text,
            "error": error or (outcome.note if outcome.status not in ("ok", "error") else ""),
            "execution_count": outcome.execution_count,
            "duration_s": round(outcome.duration_s, 3),
            "note": outcome.note,
        },
        images=images_of(outcome.outputs),
    )


@run_cell.previews
async def _preview_run(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    name = api_path(context, arguments["path"])
    notebook = await context.live.read_notebook(name)
    index, cell = find_cell(notebook, arguments["cell_id"])
    check_version(cell, arguments["cell_id"], arguments["version"])
    source = cell_source(cell)
    language = await code_language(context, notebook)
    return Preview(
        sentence=f"Run {for_people(index)} of {name}.",
        code=source,
        language=language,
        findings=seen_in(source, language),
    )


TOOLS = (create_notebook, run_cell)
"""The making and running half of the notebook family."""
