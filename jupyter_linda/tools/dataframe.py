"""Data frames in a kernel: shape, every column with its type, nulls and samples. Looking changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ..errors import ToolFailed, ToolRetry
from ..ports import ToolContext, ToolResult
from ..ports.held import held
from ..toolkit import tool
from .frames import preview_values
from .kernel import kernel_of, probe
from .naming import NotebookPath, api_path
from .probes import FRAME

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ports import Json

PROBE_TIME_S = 2.0
"""Seconds the probe may count and sample; names and types come first and always."""


@tool(action="read", family="dataframe", resource=kernel_of, shows_values="samples", holds="names")
async def describe_dataframe(
    context: ToolContext,
    path: NotebookPath,
    name: Annotated[str, Field(description="The variable that holds the data frame.", max_length=200)],
    rows: Annotated[int, Field(ge=0, le=20, description="Rows to show from the start and from the end.")] = 3,
) -> ToolResult:
    """Describe a data frame in a notebook's running kernel.

    Gives rows, index levels, and for every column its name, type, missing values, range or categories, and sample
    rows. No column is left out. Text that looks like numbers is marked as text.
    """
    # `data` holds path, name, kind, rows, columns (name, dtype, nulls, …), index, head, tail, notes
    if not name.isidentifier():
        raise ToolRetry(f"{name!r} is not a variable's name. List the variables to see which there are.")
    notebook = api_path(context, path)
    expression = f"describe(user, {name!r}, {rows}, {PROBE_TIME_S})"
    found = await probe(context, notebook, setup=FRAME, expression=expression, timeout_s=PROBE_TIME_S + 2.0)
    if "problem" in found:
        raise ToolFailed(
            found["problem"], remedy="List the variables to see which there are.", kind_of_failure="no_frame"
        )
    return ToolResult(
        text=_text(found),
        title=f"Described {name}: {found['rows']} rows x {len(found['columns'])} columns",
        data={"path": notebook, **found},
    )


def _text(found: Mapping[str, Json]) -> str:
    columns = found["columns"]
    lines = [f"{found['name']} ({found['kind']}): {found['rows']} rows x {len(columns)} columns"]
    lines += [f"index level {_label(level)}: {level['dtype']}" for level in found["index"]]
    if found.get("column_levels"):
        lines.append("column levels: " + ", ".join(str(level) for level in found["column_levels"]))
    lines.append("columns:" if columns else "no columns")
    lines += [_column_line(column) for column in columns]
    for part in ("head", "tail"):
        if found[part]:
            lines.append(f"{part} rows (index | values in column order):")
            lines.append(held("\n".join(" | ".join(map(_shown, row)) for row in found[part]), "samples"))
    return "\n".join([*lines, *found["notes"]])


def _label(level: Mapping[str, Json]) -> str:
    return str(level["name"]) if level["name"] is not None else "(unnamed)"


def _column_line(column: Mapping[str, Json]) -> str:
    parts = [f"- {column['name']}: {column['dtype']}"]
    if column["nulls"] is not None:
        parts.append(held(f"{column['nulls']} missing", "statistics"))
    if column.get("min") is not None:
        parts.append(held(f"from {_shown(column['min'])} to {_shown(column['max'])}", "samples"))
    if column.get("categories"):
        between = " < " if column.get("is_ordered") else ", "
        counted = between.join(f"{entry['value']} ({entry['count']})" for entry in column["categories"])
        parts.append(held(f"categories {counted}", "samples"))
    if column.get("note"):
        parts.append(column["note"])
    return ", ".join(parts)


def _shown(value: Json) -> str:
    return "missing" if value is None else str(value)


describe_dataframe.previews(preview_values)

TOOLS = (describe_dataframe,)
"""The family, as `worker` registers it."""
