"""Rows of a data frame: those that fit conditions, or a sample. Conditions are data, never code."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..errors import ToolRetry
from ..ports import ToolContext, ToolResult
from ..ports.held import held
from ..toolkit import tool
from .frame_kinds import KINDS
from .frames import MOST_CELLS, Conditions, FrameName, ask_frame, check_name, preview_values, rows_text, share_words
from .kernel import kernel_of
from .naming import NotebookPath, api_path

FILTER = (
    KINDS
    + r"""


def filtered(user, name, where, columns, order, sort, descending, rows, cells):
    frame = open_frame(user, name)
    chosen = [frame.find(one) for one in columns] or list(range(frame.width))
    shown = chosen[: max(1, cells // max(1, min(rows, cells)))]
    count, places = frame.choose(frame.fit(where), order, rows, sort or None, descending)
    every = frame.names + frame.levels
    return {
        "name": name, "kind": frame.kind, "total_rows": frame.total, "matching_rows": count,
        "columns": [every[place] for place in shown], "total_columns": len(chosen),
        "rows": frame.rows(places, shown, 80 if len(shown) <= 50 else 30), "notes": frame.notes,
    }
"""
)


@tool(action="read", family="dataframe", resource=kernel_of, shows_values="samples", holds="names")
async def filter_rows(
    context: ToolContext,
    path: NotebookPath,
    name: FrameName,
    where: Conditions = [],  # noqa: B006
    columns: Annotated[list[str], Field(max_length=200, description="Only these columns; empty: all.")] = [],  # noqa: B006
    order: Annotated[
        Literal["first", "last", "random", "smallest", "largest"], "Which are shown; the last two go with sort_by."
    ] = "first",
    sort_by: Annotated[str, "The column that smallest and largest go by."] = "",
    rows: Annotated[int, Field(ge=0, le=200, description="Most rows to show; all are counted.")] = 20,
) -> ToolResult:
    """Count and show the rows of a data frame that fit conditions; without conditions a sample of its rows.

    Works on the frame in the notebook's running kernel and changes nothing there. `contains` ignores case.
    """
    # `data` holds path, name, kind, total_rows, matching_rows, columns, total_columns, rows (label first), notes
    check_name(name)
    if (order in ("smallest", "largest")) != bool(sort_by):
        raise ToolRetry("Give `sort_by` with the order smallest or largest, and only then.")
    notebook = api_path(context, path)
    asked = {
        "name": name, "where": [dict(one) for one in where], "columns": columns, "order": order, "sort": sort_by,
        "descending": order == "largest", "rows": rows, "cells": MOST_CELLS,
    }  # fmt: skip
    found = await ask_frame(context, notebook, text=FILTER, work="filtered", arguments=asked)
    head = f"{name} ({found['kind']}): {found['matching_rows']} of {found['total_rows']} rows fit"
    parts = share_words(len(found["columns"]), found["total_columns"], "columns")
    told = f"{head}; {share_words(len(found['rows']), found['matching_rows'], 'rows')}, {parts} shown"
    body = rows_text(found["columns"], found["rows"])
    return ToolResult(
        text="\n".join(filter(None, [held(told, "statistics"), held(body, "samples"), *found["notes"]])),
        title=f"Looked for rows of {name}, {found['matching_rows']} of {found['total_rows']} fit",
        data={"path": notebook, **found},
    )


filter_rows.previews(preview_values)

TOOLS = (filter_rows,)
"""The tools of this file."""
