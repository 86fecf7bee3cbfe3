"""Bringing a notebook of an old format to the newest one: done only where a person asks for it."""

from __future__ import annotations

import asyncio
import json
import warnings
from typing import TYPE_CHECKING

from ..errors import ToolFailed, ToolRetry
from ..ports import ToolContext, ToolResult, Unknown
from ..schemas import Preview
from ..toolkit import tool
from .file import read_whole, write_noted
from .file_changes import refuse_open
from .naming import NotebookPath, api_path, notebook_resource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ports import Json
    from ..schemas import Action

NEWEST = (4, 5)


def _format_of(raw: bytes) -> tuple[int, int]:
    """Major and minor format a file says it has; a notebook that was read before has one."""
    content = json.loads(raw.decode("utf-8-sig"))
    return int(content["nbformat"]), int(content.get("nbformat_minor", 0))


def _named(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))


def _upgraded(path: str, content: Json) -> bytes:
    """`content` (format 4, an id on every cell) as a file of the newest format."""
    import nbformat  # noqa: PLC0415  it loads jsonschema's formats: a second that every start would pay

    major, minor = NEWEST
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = nbformat.from_dict({**content, "nbformat": major, "nbformat_minor": minor})  # type: ignore[no-untyped-call]
            nbformat.validate(made)
            text: str = nbformat.writes(made, version=major)  # type: ignore[no-untyped-call]  # untyped, as above
    except (AttributeError, KeyError, TypeError, ValueError, nbformat.ValidationError) as error:
        cause = str(getattr(error, "message", error)).split("\n")[0][:200]
        raise ToolFailed(
            f"{path!r} cannot be upgraded: it would not be a valid notebook of format {_named(NEWEST)} ({cause}).",
            remedy="Ask the user to mend it in JupyterLab.",
            kind_of_failure="not_a_notebook",
        ) from None
    return (text if text.endswith("\n") else text + "\n").encode()


async def _planned(context: ToolContext, path: str, action: Action) -> tuple[str, bytes, tuple[int, int]]:
    """(real path, file as it is, its format); refused where there is nothing to do or a tab holds it."""
    real = context.admit_path(path, action)
    await refuse_open(context, real)
    await context.live.read_notebook(path)  # says what is wrong with a file that is no notebook
    before = await asyncio.to_thread(read_whole, real, path)
    version = _format_of(before)
    if version >= NEWEST:
        raise ToolRetry(f"{path!r} has format {_named(version)} already: there is nothing to upgrade.")
    return real, before, version


@tool(action="write", family="notebook", resource=notebook_resource, always_asks=True, holds="words")
async def upgrade_notebook(context: ToolContext, path: NotebookPath) -> ToolResult:
    """Bring a closed notebook of an older format to format 4.5. Only when the person asks for just that."""
    # `data` holds path, was, format
    name = api_path(context, path)
    real, before, version = await _planned(context, name, "write")
    notebook = await context.live.read_notebook(name)
    new = await asyncio.to_thread(_upgraded, name, notebook.content)
    await write_noted(context, name, real, new, before)
    return _was_upgraded(name, _named(version))


def _was_upgraded(path: str, was: str) -> ToolResult:
    now = _named(NEWEST)
    of_old = f" (it had {was})" if was else ""
    return ToolResult(
        text=f"{path} has format {now} now{of_old}. Cells keep the ids they were read with.",
        title=f"Upgraded {path} to format {now}",
        data={"path": path, "was": was, "format": now},
    )


@upgrade_notebook.previews
async def _preview(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    name = api_path(context, arguments["path"])
    _, _, version = await _planned(context, name, "read")
    sentence = (
        f"Upgrade {name} from notebook format {_named(version)} to {_named(NEWEST)}: the whole file is written anew."
    )
    return Preview(sentence=sentence)


@upgrade_notebook.finds
async def _find(arguments: Mapping[str, Json], context: ToolContext) -> ToolResult | Unknown | None:
    name = api_path(context, arguments["path"])
    raw = await asyncio.to_thread(read_whole, context.admit_path(name, "read"), name)
    try:
        return _was_upgraded(name, "") if _format_of(raw) >= NEWEST else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return Unknown()  # it is no notebook any more


TOOLS = (upgrade_notebook,)
"""The tools of this file."""
