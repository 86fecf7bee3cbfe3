"""The task list: list, add, change and delete tasks; each change can be undone."""

from __future__ import annotations

import hashlib
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from ..errors import ToolRetry
from ..ports import Resource, ToolContext, ToolResult, Unknown
from ..schemas import Diff, Preview
from ..tasks.store import check_due
from ..toolkit import tool

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from ..ports import Json

Title = Annotated[str, Field(min_length=1, max_length=300, description="What is to be done, in a few words.")]
Due = Annotated[str, "Due date as 2026-01-31, or with a time as 2026-01-31T14:00; empty for none."]
Assignee = Annotated[Literal["me", "linda"], "Who does it: me is the person, linda is you."]
Status = Annotated[Literal["open", "doing", "done", "dropped"], "How far it is."]
TaskId = Annotated[str, "The task's id, as list_tasks gives it."]
SHOWN = ("title", "status", "assignee", "due", "notes")


def _list(_arguments: Mapping[str, Json]) -> Resource:
    return Resource("none")


def _line(task: Mapping[str, Json]) -> str:
    due = f", due {task['due']}" if task["due"] else ""
    who = "linda" if task["assignee"] == "linda" else "the person"
    return f"[{task['status']}] {task['title']} ({who}{due})  id={task['task_id']}"


def _plain(task: Mapping[str, Json] | None) -> str:
    return "" if task is None else "\n".join(f"{name}: {task[name]}" for name in SHOWN if task.get(name))


def _diff(before: Mapping[str, Json] | None, after: Mapping[str, Json] | None) -> Diff:
    label = str((after or before or {}).get("title", "task"))
    return Diff(label=label, old=_plain(before), new=_plain(after))


async def _known(context: ToolContext, task_id: str) -> Mapping[str, Json]:
    task = await context.tasks.get(task_id)
    if task is None:
        raise ToolRetry(f"There is no task {task_id!r}. list_tasks gives the ids.")
    return task


@tool(action="read", family="tasks", resource=_list, holds="words")
async def list_tasks(
    context: ToolContext,
    status: Annotated[Literal["", "open", "doing", "done", "dropped"], "Only these; empty for all."] = "",
) -> ToolResult:
    """List the person's tasks with their ids: open ones first, by due date."""
    # `data` holds tasks (task_id, title, notes, due, status, assignee, profile)
    found = list(await context.tasks.list(status))
    return ToolResult(
        text="\n".join(map(_line, found)) or "There are no tasks.",
        title=f"Listed tasks, {len(found)} found",
        data={"tasks": found},
    )


def _new_id(context: ToolContext) -> str:
    return "task_" + hashlib.sha256(context.request_id.encode()).hexdigest()[:24]


@tool(action="write", family="tasks", resource=_list, holds="words")
async def add_task(
    context: ToolContext,
    title: Title,
    notes: Annotated[str, Field(max_length=10_000, description="More about it; may be empty.")] = "",
    due: Due = "",
    assignee: Assignee = "me",
) -> ToolResult:
    """Add a task to the person's list."""
    # `data` holds the task
    task_id = _new_id(context)
    wish = _normal({"title": title, "notes": notes, "due": due, "assignee": assignee})
    async with _noted(context, task_id, None, wish):
        task = await context.tasks.add(task_id, wish)
    return _done("Added", None, task)


def _normal(wish: Mapping[str, Json]) -> dict[str, Json]:
    """Fields as they will be kept; absent ones left out."""
    kept = {name: value for name, value in wish.items() if value is not None}
    if "due" in kept:
        kept["due"] = check_due(kept["due"])
    if "title" in kept:
        kept["title"] = " ".join(kept["title"].split())
    return kept


@asynccontextmanager
async def _noted(
    context: ToolContext, task_id: str, old: Mapping[str, Json] | None, new: Mapping[str, Json] | None
) -> AsyncIterator[None]:
    """The change is in the journal before it is made, and out of it if it could not be made."""
    change = {"op": "task", "task_id": task_id, "old": old and dict(old), "new": new and dict(new)}
    entry = await context.journal.note("task", task_id, [change])
    try:
        yield
    except BaseException:
        await context.journal.forget(entry)
        raise


def _done(word: str, before: Mapping[str, Json] | None, after: Mapping[str, Json] | None) -> ToolResult:
    """The text says back what the call brought along, never what the task held: that may be words of strangers."""
    task = after or before or {}
    changed = [name for name in SHOWN if before and after and before.get(name) != after.get(name)]
    words = f" ({', '.join(changed)})" if changed else ""
    return ToolResult(
        text=f"{word} the task: {_line(task)}" if before is None else f"{word} the task {task['task_id']}{words}.",
        title=f"{word} the task “{task['title']}”",
        diffs=(_diff(before, after),),
        data=dict(task),
    )


@add_task.previews
async def _preview_add(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    wanted = {**arguments, "status": "open"}
    return Preview(sentence=f"Add the task “{arguments['title']}” to your list.", diffs=(_diff(None, wanted),))


@add_task.finds
async def _find_add(arguments: Mapping[str, Json], context: ToolContext) -> ToolResult | Unknown | None:
    task = await context.tasks.get(_new_id(context))
    return None if task is None else _done("Added", None, task)


@tool(action="write", family="tasks", resource=_list, holds="words")
async def change_task(
    context: ToolContext,
    task_id: TaskId,
    title: Annotated[str | None, Field(min_length=1, max_length=300)] = None,
    notes: Annotated[str | None, Field(max_length=10_000)] = None,
    due: Annotated[str | None, "New due date; empty takes it away."] = None,
    status: Annotated[Literal["open", "doing", "done", "dropped"] | None, "How far it is."] = None,
    assignee: Annotated[Literal["me", "linda"] | None, "Who does it."] = None,
) -> ToolResult:
    """Change a task: only what is given. Mark it done with status "done"."""
    # `data` holds the task
    before = await _known(context, task_id)
    wish = {"title": title, "notes": notes, "due": due, "status": status, "assignee": assignee}
    wanted = _normal(wish)
    if not wanted:
        raise ToolRetry("Nothing to change is given.")
    async with _noted(context, task_id, before, {**before, **wanted}):
        after = await context.tasks.change(task_id, {**wanted, "revision": before["revision"]})
    return _done("Changed", before, after)


@change_task.previews
async def _preview_change(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    before = await _known(context, arguments["task_id"])
    wanted = {**before, **{name: arguments[name] for name in SHOWN if arguments[name] is not None}}
    return Preview(sentence=f"Change the task “{before['title']}”.", diffs=(_diff(before, wanted),))


@change_task.finds
async def _find_change(arguments: Mapping[str, Json], context: ToolContext) -> ToolResult | Unknown | None:
    return None  # setting fields to the same values twice is setting them once


@tool(action="write", family="tasks", resource=_list, holds="words")
async def delete_task(context: ToolContext, task_id: TaskId) -> ToolResult:
    """Delete a task from the list. To say that it is finished, use change_task instead."""
    # `data` holds the task as it was
    before = await _known(context, task_id)
    async with _noted(context, task_id, before, None):
        await context.tasks.remove(task_id)
    return _done("Deleted", before, None)


@delete_task.previews
async def _preview_delete(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    before = await _known(context, arguments["task_id"])
    return Preview(sentence=f"Delete the task “{before['title']}”.", diffs=(_diff(before, None),))


@delete_task.finds
async def _find_delete(arguments: Mapping[str, Json], context: ToolContext) -> ToolResult | Unknown | None:
    if await context.tasks.get(arguments["task_id"]) is not None:
        return None
    return ToolResult(text=f"Deleted the task {arguments['task_id']}.", title="Deleted a task", data={})


TOOLS = (list_tasks, add_task, change_task, delete_task)
"""The family, as `worker` registers it."""
