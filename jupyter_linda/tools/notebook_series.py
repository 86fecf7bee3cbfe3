"""Running several cells, one after the other, and looking for text in the cells of many notebooks."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from ..errors import LindaError, StaleRevision, ToolRetry
from ..permissions.paths import open_checked
from ..ports import ToolContext, ToolResult
from ..ports.held import held
from ..schemas import Preview
from ..toolkit import tool
from .folders import Bounds, told_over, walk
from .languages import code_language, seen_in
from .naming import (
    NotebookPath,
    api_path,
    find_cell,
    folder_path,
    folder_resource,
    for_people,
    names_of,
    notebook_resource,
)
from .rendering import cell_source, error_line, images_of, output_text, outputs_text, raised
from .searching import Match, make_finder
from .text import amount

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..ports import Json, Notebook, RunOutcome
    from .searching import Finder

SEARCH_TIME_S = 5.0
SEARCH_BYTES = 30_000_000
"""Largest notebook file that is looked through."""
EACH_CHARS = 4_000
"""Most characters of one cell's outputs in the answer."""

Which = Annotated[
    Literal["all", "from", "until", "range"],
    "all cells; from `cell_id` to the end; from the start until `cell_id`; or range: `cell_id` to `end_cell_id`.",
]


def _chosen(notebook: Notebook, arguments: Mapping[str, Json]) -> list[tuple[int, Mapping[str, Json]]]:
    """Index and cell of the code cells that shall run, in order; empty ones are left out."""
    cells = notebook.content["cells"]
    first, last = 0, len(cells) - 1
    which, cell_id, end = arguments["which"], arguments["cell_id"], arguments["end_cell_id"]
    if which != "all" and not cell_id:
        raise ToolRetry(f"`which` is {which!r}, so name the cell in `cell_id`.")
    if which in ("from", "range"):
        first = find_cell(notebook, cell_id)[0]
    if which == "until":
        last = find_cell(notebook, cell_id)[0]
    if which == "range":
        if not end:
            raise ToolRetry("`which` is 'range', so name the last cell in `end_cell_id`.")
        last = find_cell(notebook, end)[0]
    if last < first and cells:
        raise ToolRetry(f"Cell {end} stands above {cell_id}: name them from top to bottom.")
    found = [(at, cells[at]) for at in range(first, last + 1)] if cells else []
    return [(at, cell) for at, cell in found if cell["cell_type"] == "code" and cell_source(cell).strip()]


@tool(action="run", family="notebook", resource=notebook_resource, holds="words")
async def run_cells(
    context: ToolContext,
    path: NotebookPath,
    which: Which = "all",
    cell_id: Annotated[str, "The cell to begin or end with; not needed for all."] = "",
    end_cell_id: Annotated[str, "The last cell of a range."] = "",
    timeout_s: Annotated[float, Field(gt=0, le=86_400, description="Seconds until a cell is interrupted.")] = 600.0,
) -> ToolResult:
    """Run several code cells from top to bottom, and stop at the first that fails. Outputs land in the notebook."""
    # `data` holds path, ran (cell_id, index, status, text, error), left (cell ids that did not run), stopped
    name = api_path(context, path)
    wish = {"which": which, "cell_id": cell_id, "end_cell_id": end_cell_id}
    notebook = await context.live.read_notebook(name)
    chosen, names = _chosen(notebook, wish), names_of(notebook)
    _check_seen(context, chosen)
    ran: list[tuple[int, str, RunOutcome]] = []
    stopped = ""
    for number, (at, cell) in enumerate(chosen, start=1):
        context.report(f"Running {for_people(at)}, {number} of {len(chosen)} …")
        try:
            if "#" in names[at]:  # twins get ids of their own with the first outputs that are saved
                names = names_of(await context.live.read_notebook(name))
            # Each cell is a request of its own: what was sent once is never sent again.
            outcome = await context.live.run_cell(
                name,
                names[at] if at < len(names) else str(cell["id"]),
                expect=cell_source(cell),
                timeout_s=timeout_s,
                request_id=f"{context.request_id}/{number}",
                on_progress=context.report,
            )
        except LindaError as error:
            if not ran:
                raise
            stopped = f"{for_people(at).capitalize()} did not run: {error.message}"
            break
        ran.append((at, str(cell["id"]), outcome))
        if outcome.status != "ok":
            break
    return _ran(name, ran, [str(cell["id"]) for _, cell in chosen[len(ran) :]], stopped)


def _check_seen(context: ToolContext, chosen: list[tuple[int, Mapping[str, Json]]]) -> None:
    if context.approved is not None and context.approved.code != _code_of(chosen):
        raise StaleRevision("The cells changed since this was asked, so none was run.", remedy="Ask again.")


def _code_of(chosen: list[tuple[int, Mapping[str, Json]]]) -> str:
    return "\n\n".join(f"# {for_people(at)}\n{cell_source(cell)}" for at, cell in chosen)


def _ran(path: str, ran: list[tuple[int, str, RunOutcome]], left: list[str], stopped: str) -> ToolResult:
    """What the cells gave. `stopped`: why the first that is left did not run, where that is no fault of a cell."""
    parts, data = [], []
    for at, cell_id, outcome in ran:
        text = outputs_text(outcome.outputs, EACH_CHARS)
        note = f". {outcome.note}" if outcome.note else ""
        head = f"{for_people(at)} (id={cell_id}): {outcome.status}, {outcome.duration_s:.1f} s{note}"
        head += f" {raised(outcome.outputs)}" if outcome.status == "error" else ""
        parts.append(f"{head}\n{held(text, 'values')}" if text else head)
        error = error_line(outcome.outputs) if outcome.status == "error" else outcome.note
        data.append({"cell_id": cell_id, "index": at, "status": outcome.status, "text": text, "error": error})
    failed = bool(ran) and ran[-1][2].status != "ok"
    if not ran:
        parts.append("There is no code cell to run.")
    if stopped:
        parts.append(stopped)
    if left:
        parts.append(f"{amount(len(left), 'cell')} below it did not run: {', '.join(left[:20])}.")
    ok = len(ran) - failed
    return ToolResult(
        text="\n\n".join(parts),
        title=f"Ran {amount(ok, 'cell')} of {path}"
        + (f", stopped at {for_people(ran[-1][0])}" if failed else "")
        + (", then stopped" if stopped else ""),
        outputs=tuple(output for _, _, outcome in ran for output in outcome.outputs)[-40:],
        data={"path": path, "ran": data, "left": left, "stopped": stopped},
        images=tuple(image for _, _, outcome in ran for image in images_of(outcome.outputs))[:3],
    )


@run_cells.previews
async def _preview_run(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    name = api_path(context, arguments["path"])
    notebook = await context.live.read_notebook(name)
    chosen = _chosen(notebook, arguments)
    language = await code_language(context, notebook)
    code = _code_of(chosen)
    findings = sorted({one for _, cell in chosen for one in seen_in(cell_source(cell), language)})
    return Preview(
        sentence=f"Run {amount(len(chosen), 'cell')} of {name}.",
        code=code,
        language=language,
        findings=tuple(findings),
    )


# ---- search ------------------------------------------------------------------------------------


@tool(action="read", family="notebook", resource=folder_resource, holds="names")
async def search_notebooks(
    context: ToolContext,
    query: Annotated[str, Field(max_length=500, description="Text to look for in cells and their outputs.")],
    path: Annotated[str, "Folder to search in; empty for the whole notebook folder."] = "",
    where: Annotated[Literal["both", "sources", "outputs"], "Where to look."] = "both",
    is_regex: Annotated[bool, "Take the query as a regular expression."] = False,
    is_case_sensitive: Annotated[bool, "Tell upper from lower case."] = False,
    max_matches: Annotated[int, Field(ge=1, le=500, description="Most matches to give.")] = 50,
) -> ToolResult:
    """Find lines in the cells of notebooks and in their outputs, unsaved changes of open ones included."""
    # `data` holds matches (path, cell_id, line, text, is_output), truncated, passed_over (paths)
    finder = make_finder(query, is_regex=is_regex, is_case_sensitive=is_case_sensitive)
    bounds = Bounds(most_entries=20_000, until=time.monotonic() + SEARCH_TIME_S)
    folder = folder_path(context, path)
    opened = {str(entry["path"]) for entry in await context.live.list_notebooks()}
    found: list[tuple[Match, bool]] = []
    for name in await asyncio.to_thread(_names, context, folder, bounds):
        content = await _content_of(context, name, is_open=name in opened)
        if content is None:
            bounds.passed_over.append(name)
            continue
        found += await asyncio.to_thread(_matches, name, content, finder, where)
        if len(found) > max_matches or time.monotonic() > bounds.until:
            bounds.is_cut = True
            break
    found = found[:max_matches]
    lines = [
        f"{m.path}, cell {m.cell_id}, {'output ' if is_out else ''}line {m.line}: "
        + held(m.text, "values" if is_out else "source", m.path)
        for m, is_out in found
    ]
    lines = lines or [f"No cell contains {query!r}."]
    lines += ["(There may be more: the search was cut. Narrow it with `path`.)"] if bounds.is_cut else []
    lines += told_over(bounds, "Too large to be searched, or not readable")
    return ToolResult(
        text="\n".join(lines),
        title=f"Searched notebooks for {query!r}, {amount(len(found), 'match', 'matches')}",
        data={
            "matches": [{**m.as_json(), "is_output": is_out} for m, is_out in found],
            "truncated": bounds.is_cut,
            "passed_over": bounds.passed_over,
        },
    )


def _names(context: ToolContext, folder: str, bounds: Bounds) -> list[str]:
    return [entry.path for entry in walk(context, folder, bounds) if entry.path.lower().endswith(".ipynb")]


async def _content_of(context: ToolContext, name: str, *, is_open: bool) -> Json | None:
    """The cells of one notebook; None where it cannot be read or is none."""
    try:
        if is_open:
            context.admit_path(name, "read")
            return (await context.live.read_notebook(name)).content["cells"]
        return await asyncio.to_thread(_cells_in_file, context.admit_path(name, "read"), name)
    except LindaError:
        return None


def _cells_in_file(real: str, name: str) -> Json | None:
    with open_checked(real, label=name) as stream:
        content = stream.read(SEARCH_BYTES + 1)
    if len(content) > SEARCH_BYTES:
        return None
    try:
        whole = json.loads(content)
        cells = whole["cells"] if "cells" in whole else whole["worksheets"][0]["cells"]
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None
    return [cell for cell in cells if isinstance(cell, dict)] if isinstance(cells, list) else None


def _matches(name: str, cells: Json, finder: Finder, where: str) -> list[tuple[Match, bool]]:
    found: list[tuple[Match, bool]] = []
    for at, cell in enumerate(cells):
        cell_id = str(cell.get("id") or f"#{at}")
        if where != "outputs":
            found += [(match, False) for match in _lines(name, cell_id, cell_source(cell), finder)]
        outputs = cell.get("outputs") if where != "sources" else ()
        for output in outputs if isinstance(outputs, list) else ():
            if isinstance(output, dict):
                found += [(match, True) for match in _lines(name, cell_id, output_text(output), finder)]
    return found


def _lines(name: str, cell_id: str, text: str, finder: Finder) -> Iterator[Match]:
    for number, line in enumerate(text.splitlines(), start=1):
        if finder(line):
            yield Match(name, number, line.strip()[:240], cell_id)


TOOLS = (run_cells, search_notebooks)
"""The part of the notebook family that goes over many cells."""
