"""Looking into a data file: its columns and first rows."""

from __future__ import annotations

import asyncio
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ..permissions.paths import open_checked
from ..ports import Resource, ToolContext, ToolResult
from ..ports.held import Holds, held
from ..schemas import Preview
from ..toolkit import tool
from .file import named
from .frames import MOST_CELLS, rows_text
from .peeking import peek_apart
from .text import amount, human_size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ports import Json
    from .data_formats import Peek

MOST_COLUMNS = 300


def _file(arguments: Mapping[str, Json]) -> Resource:
    return Resource("file", named(arguments["path"]))


def _shows_rows(arguments: Mapping[str, Json]) -> Holds | None:
    return "samples" if arguments["rows"] > 0 else None


@tool(action="read", family="file", resource=_file, shows_values=_shows_rows, holds="names")
async def peek_data_file(
    context: ToolContext,
    path: Annotated[str, "The data file, relative to the notebook folder."],
    rows: Annotated[int, Field(ge=0, le=100, description="First rows to show; 0: names and types only.")] = 5,
    sheet: Annotated[str, "Of an Excel file: the sheet. Empty: the first."] = "",
) -> ToolResult:
    """Show columns, types and first rows of a CSV, TSV, JSON, JSON Lines, Parquet or Excel file, without loading it."""
    # `data` holds path, format, size_bytes, columns (name, type), total_columns, rows, rows_total, sheets, notes
    real = context.admit_path(path, "read")
    found, size = await asyncio.to_thread(_peek, real, path, rows, sheet)
    shown = found.columns[:MOST_COLUMNS]
    wide = max(1, MOST_CELLS // max(1, len(found.rows)))
    body = [row[:wide] for row in found.rows]
    total = "an unknown number of" if found.rows_total is None else str(found.rows_total)
    count = len(found.columns)
    lines = [f"{path}: {found.format}, {human_size(size)}, {total} rows x {count} columns"]
    if found.sheets:
        lines.append("sheets: " + ", ".join(found.sheets))
    lines += [f"- {name}: {kind}" for name, kind in shown]
    if len(shown) < count:
        lines.append(f"({len(shown)} of {count} columns shown.)")
    lines.append(held(rows_text([name for name, _ in found.columns[:wide]], body, first=""), "samples"))
    data = {
        **asdict(found), "path": path, "size_bytes": size, "rows": body, "total_columns": count,
        "columns": [{"name": name, "type": kind} for name, kind in shown],
    }  # fmt: skip
    return ToolResult(
        text="\n".join(filter(None, [*lines, *found.notes])),
        title=f"Looked into {path}, {amount(count, 'column')}",
        data=data,
    )


def _peek(real: str, path: str, rows: int, sheet: str) -> tuple[Peek, int]:
    with open_checked(real, label=path) as stream:
        size = os.fstat(stream.fileno()).st_size
        return peek_apart(stream, path, size, rows=rows, sheet=sheet), size


@peek_data_file.previews
async def _preview_peek(arguments: Mapping[str, Json], _context: ToolContext) -> Preview:
    words = f"Show the first rows of {arguments['path']} to the model. If it runs elsewhere, its provider gets them."
    return Preview(sentence=words)


TOOLS = (peek_data_file,)
"""The tools of this file."""
