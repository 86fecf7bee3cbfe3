"""Tools by family: what is always offered, and what a model has to ask for (pure)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .hands import ASK_USER
from .inner import Told

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..ports import Json, Tool
    from .transcript import CallRow

MORE_TOOLS = "more_tools"
OURS = (ASK_USER, MORE_TOOLS)
"""Tools whose results are our own words or the person's: nothing from outside."""

ALWAYS = frozenset(
    {
        "list_notebooks",
        "read_notebook",
        "read_cell",
        "insert_cell",
        "edit_cell",
        "delete_cell",
        "create_notebook",
        "run_cell",
        "run_cells",
        "list_files",
        "read_file",
        "write_file",
        "search_files",
        "list_variables",
        "describe_dataframe",
    }
)
"""What most turns need. Everything else of the families below is offered once it was asked for in a chat."""

FAMILIES: Mapping[str, str] = {
    "notebook": "move, split, merge cells, change their type, clear outputs; open, search, upgrade notebooks",
    "kernel": "list, start, restart, interrupt kernels, run code without a cell",
    "dataframe": "profile, filter, aggregate, compare, plot, export data frames",
    "file": "patch, move, copy, delete files, look into data files",
    "shell": "shell commands, package installs",
    "tasks": "the person's task list",
}
"""What each holds besides the tools that are always there, as models are told."""


def is_on_demand(tool: Tool) -> bool:
    """Whether a tool is offered only after its family was asked for."""
    return tool.family in FAMILIES and tool.name not in ALWAYS


def offered(tools: Sequence[Tool], calls: Iterable[CallRow]) -> list[Tool]:
    """The tools of the next prompt, in their order: those that are always there, and the families this chat opened.

    A family is opened by asking for it, and by a call to one of its tools.
    """
    by_name = {tool.name: tool for tool in tools}
    opened: set[str] = set()
    for row in calls:
        tool = by_name.get(row.name)
        if row.name == MORE_TOOLS:
            opened.add(_asked_for(row))
        elif tool is not None and is_on_demand(tool):
            opened.add(tool.family)
    return [tool for tool in tools if not is_on_demand(tool) or tool.family in opened]


def schema(tools: Sequence[Tool]) -> Mapping[str, Json] | None:
    """The tool that opens families, with those that hold something; None where nothing is on demand."""
    there = [name for name in FAMILIES if any(tool.family == name and is_on_demand(tool) for tool in tools)]
    if not there:
        return None
    listed = "; ".join(f"{name}: {FAMILIES[name]}" for name in there)
    return {
        "type": "function",
        "function": {
            "name": MORE_TOOLS,
            "description": f"Get further tools of a family; they are offered from then on. {listed}.",
            "parameters": {
                "type": "object",
                "properties": {"family": {"type": "string", "enum": there}},
                "required": ["family"],
                "additionalProperties": False,
            },
        },
    }


def open_family(row: CallRow, tools: Sequence[Tool]) -> Told:
    """What the model is told when it asks for a family."""
    family = _asked_for(row)
    opened = [tool for tool in tools if tool.family == family and is_on_demand(tool)]
    if not opened:
        return Told(False, f"There is no family {family!r:.60} of tools. The families are: {', '.join(FAMILIES)}.")
    lines = [f"- {tool.name}: {tool.description.strip().split(chr(10), 1)[0]}" for tool in opened]
    return Told(True, "\n".join(["From now on there are also:", *lines]), f"Further tools: {family}")


def _asked_for(row: CallRow) -> str:
    try:
        return str(json.loads(row.arguments or "{}").get("family", ""))
    except (ValueError, AttributeError, RecursionError):
        return ""
