"""Taking changes of tasks back: field by field, never over what a person changed since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import CannotUndo, NotFound
from ..schemas import Task
from ..tasks import store

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..events.log import Transaction
    from ..ports import Json

FIELDS = ("title", "notes", "due", "status", "assignee", "profile")


def turn_task(tx: Transaction, owner_id: str, change: Mapping[str, Json]) -> Mapping[str, Json]:
    """Undo one change: `old` is the whole task before it, `new` its fields after it (None: there is none).

    Gives the change that this undoing made.
    """
    task_id = str(change["task_id"])
    try:
        now: Task | None = store.get(tx.connection, task_id, owner_id)
    except NotFound:
        now = None
    old = None if change["old"] is None else Task.model_validate(change["old"])
    new = change["new"]
    done = {"op": "task", "task_id": task_id, "old": _json(now)}
    if old is None:
        if now is not None:
            if new is not None and any(getattr(now, name) != new[name] for name in FIELDS if name in new):
                raise CannotUndo(f"The task {now.title!r} was changed since, so it stays.", remedy="Delete it by hand.")
            store.remove(tx, task_id, owner_id)
        return {**done, "new": None}
    if now is None:
        if new is not None:
            raise CannotUndo(f"The task {old.title!r} was deleted since.")
        store.put_back(tx, owner_id, old)
        return {**done, "new": _json(old)}
    if new is None:
        return {**done, "new": _json(now)}  # it is there again already
    changed = [name for name in FIELDS if name in new and getattr(old, name) != new[name]]
    newer = [name for name in changed if getattr(now, name) not in (new[name], getattr(old, name))]
    if newer:
        raise CannotUndo(f"The {' and '.join(newer)} of the task {now.title!r} changed since.")
    wanted = now.model_copy(update={name: getattr(old, name) for name in changed})
    store.put_back(tx, owner_id, wanted)
    return {**done, "new": _json(wanted)}


def _json(task: Task | None) -> Json:
    return None if task is None else task.model_dump(mode="json")
