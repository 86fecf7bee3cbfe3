"""Kernels: which run, and what variables they hold. Looking changes nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..errors import ToolFailed
from ..ports import Resource, ToolContext, ToolResult
from ..ports.held import held
from ..toolkit import tool
from .folders import is_listed
from .naming import NotebookPath, api_path, notebook_path
from .probes import VARIABLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ports import Json


def nothing(_arguments: Mapping[str, Json]) -> Resource:
    """A call that touches no file."""
    return Resource("none")


def kernel_of(arguments: Mapping[str, Json]) -> Resource:
    """The kernel of a notebook."""
    return Resource("kernel", notebook_path(arguments["path"]))


async def probe(context: ToolContext, path: str, *, setup: str, expression: str, timeout_s: float) -> Json:
    """Run a probe in the notebook's kernel; it gives one JSON text."""
    found = await context.live.evaluate(path, setup, {"found": expression}, timeout_s=timeout_s)
    try:
        return json.loads(found["found"])
    except ValueError:
        raise ToolFailed("The kernel's answer cannot be read.", remedy="Try again.") from None


@tool(action="read", family="kernel", resource=nothing, holds="names")
async def list_kernels(context: ToolContext) -> ToolResult:
    """List the running kernels and the notebooks they belong to."""
    # `data` holds kernels (kernel_id, name, language, path, state)
    kernels = [kernel for kernel in await context.live.list_kernels() if is_listed(context, kernel.path)]
    lines = [f"{kernel.path}: {kernel.name} ({kernel.language}), {kernel.state}" for kernel in kernels]
    data = [
        {"kernel_id": k.kernel_id, "name": k.name, "language": k.language, "path": k.path, "state": k.state}
        for k in kernels
    ]
    return ToolResult(
        text="\n".join(lines) or "No kernel is running.",
        title=f"Listed kernels, {len(kernels)} running",
        data={"kernels": data},
    )


@tool(action="read", family="kernel", resource=kernel_of, holds="names")
async def list_variables(context: ToolContext, path: NotebookPath) -> ToolResult:
    """List the variables in a notebook's running kernel: name, type and a short summary."""
    # `data` holds path, variables (name, type, summary), truncated
    name = api_path(context, path)
    found = await probe(context, name, setup=VARIABLES, expression="describe(user)", timeout_s=3.0)
    variables = found["variables"]
    lines = [f"{entry['name']}: {entry['type']}  {held(entry['summary'], 'samples')}".rstrip() for entry in variables]
    if found["truncated"]:
        lines.append("(There are more variables than are shown.)")
    return ToolResult(
        text="\n".join(lines) or "The kernel holds no variables.",
        title=f"Listed variables of {name}, {len(variables)} found",
        data={"path": name, "variables": variables, "truncated": found["truncated"]},
    )


TOOLS = (list_kernels, list_variables)
"""The family, as `worker` registers it."""
