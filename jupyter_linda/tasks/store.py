"""Tasks in the database: adding, changing, listing, and putting one back as it was."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import case, delete, insert, select, update

from ..errors import InvalidInput, NotFound, StaleRevision
from ..events.log import home_of
from ..events.payloads import TaskChanged
from ..schemas import NewTask, Task, TaskPatch
from ..storage.tables import tasks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection, Row

    from ..events.log import EventLog, Transaction
    from ..ports import Json

MOST_LISTED = 500


def check_due(due: str) -> str:
    """A due date as ISO 8601: a date, or a date with a time of day. Empty means none."""
    text = due.strip()
    if not text:
        return ""
    try:
        found = date.fromisoformat(text) if len(text) == len("2026-01-31") else datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(
            f"{due!r} is not a date.", remedy="Write it as 2026-01-31, or with a time as 2026-01-31T14:00."
        ) from None
    return found.isoformat()


def _as_task(row: Row[tuple[object, ...]]) -> Task:
    return Task.model_validate(dict(row._mapping))  # SQLAlchemy's public name for it


def get(connection: Connection, task_id: str, owner_id: str) -> Task:
    """One task of an owner."""
    query = select(tasks).where(tasks.c.task_id == task_id, tasks.c.owner_id == owner_id)
    row = connection.execute(query).one_or_none()
    if row is None:
        raise NotFound(f"There is no task {task_id}.", remedy="List the tasks for their ids.")
    return _as_task(row)


def list_all(connection: Connection, owner_id: str, *, status: str = "") -> tuple[Task, ...]:
    """An owner's tasks: what is open first, then by due date (none is last), then the newest."""
    is_over = case((tasks.c.status.in_(("open", "doing")), 0), else_=1)
    has_no_due = case((tasks.c.due == "", 1), else_=0)
    query = select(tasks).where(tasks.c.owner_id == owner_id)
    if status:
        query = query.where(tasks.c.status == status)
    ordered = query.order_by(is_over, has_no_due, tasks.c.due, tasks.c.created_at.desc()).limit(MOST_LISTED)
    return tuple(_as_task(row) for row in connection.execute(ordered))


def add(tx: Transaction, task_id: str, owner_id: str, wish: NewTask) -> Task:
    """A new task; adding one that is there already (a call that is tried again) changes nothing."""
    known = tx.connection.execute(select(tasks).where(tasks.c.task_id == task_id)).one_or_none()
    if known is not None:
        return _as_task(known)
    task = Task(
        task_id=task_id,
        owner_id=owner_id,
        created_at=tx.now,
        updated_at=tx.now,
        **{**wish.model_dump(), "due": check_due(wish.due), "title": _title(wish.title)},
    )
    tx.connection.execute(insert(tasks).values(**task.model_dump()))
    tx.append(home_of(owner_id), TaskChanged(task=task))
    return task


def change(tx: Transaction, task_id: str, owner_id: str, patch: TaskPatch) -> Task:
    """Change the given fields; with `revision`, only if nobody changed the task since."""
    before = get(tx.connection, task_id, owner_id)
    if patch.revision is not None and patch.revision != before.revision:
        raise StaleRevision(f"The task {before.title!r} changed since it was read.", remedy="Read it again.")
    wanted = patch.model_dump(exclude_none=True, exclude={"revision"})
    if "due" in wanted:
        wanted["due"] = check_due(wanted["due"])
    if "title" in wanted:
        wanted["title"] = _title(wanted["title"])
    return _write(tx, before.model_copy(update=wanted))


def remove(tx: Transaction, task_id: str, owner_id: str) -> Task:
    """Delete a task; what it was."""
    task = get(tx.connection, task_id, owner_id)
    tx.connection.execute(delete(tasks).where(tasks.c.task_id == task_id))
    tx.append(home_of(owner_id), TaskChanged(task=task, is_deleted=True))
    return task


def put_back(tx: Transaction, owner_id: str, task: Task) -> None:
    """A task as it was, whether it is still there or not."""
    is_there = tx.connection.execute(select(tasks.c.task_id).where(tasks.c.task_id == task.task_id)).first()
    if is_there is None:
        tx.connection.execute(insert(tasks).values(**task.model_dump()))
        tx.append(home_of(owner_id), TaskChanged(task=task))
        return
    _write(tx, task.model_copy(update={"revision": get(tx.connection, task.task_id, owner_id).revision}))


def _write(tx: Transaction, task: Task) -> Task:
    task = task.model_copy(update={"revision": task.revision + 1, "updated_at": tx.now})
    tx.connection.execute(update(tasks).where(tasks.c.task_id == task.task_id).values(**task.model_dump()))
    tx.append(home_of(task.owner_id), TaskChanged(task=task))
    return task


def _title(title: str) -> str:
    text = " ".join(title.split())
    if not text:
        raise InvalidInput("A task needs a title.")
    return text


class SqlTasks:
    """Implements `ports.Tasks` for one owner."""

    def __init__(self, log: EventLog, owner_id: str) -> None:
        self._log = log
        self._owner_id = owner_id

    async def list(self, status: str = "") -> Sequence[Mapping[str, Json]]:
        """See `ports.Tasks`."""

        def work() -> list[Any]:
            with self._log.database.read() as connection:
                return [task.model_dump(mode="json") for task in list_all(connection, self._owner_id, status=status)]

        return await self._log.database.run(work)

    async def get(self, task_id: str) -> Mapping[str, Json] | None:
        """See `ports.Tasks`."""

        def work() -> Any:
            with self._log.database.read() as connection:
                try:
                    return get(connection, task_id, self._owner_id).model_dump(mode="json")
                except NotFound:
                    return None

        return await self._log.database.run(work)

    async def add(self, task_id: str, values: Mapping[str, Json]) -> Mapping[str, Json]:
        """See `ports.Tasks`."""

        def work() -> Any:
            with self._log.transaction() as tx:
                return add(tx, task_id, self._owner_id, NewTask.model_validate(values)).model_dump(mode="json")

        return await self._log.database.run(work)

    async def change(self, task_id: str, values: Mapping[str, Json]) -> Mapping[str, Json]:
        """See `ports.Tasks`."""

        def work() -> Any:
            with self._log.transaction() as tx:
                patch = TaskPatch.model_validate(values)
                return change(tx, task_id, self._owner_id, patch).model_dump(mode="json")

        return await self._log.database.run(work)

    async def remove(self, task_id: str) -> Mapping[str, Json]:
        """See `ports.Tasks`."""

        def work() -> Any:
            with self._log.transaction() as tx:
                return remove(tx, task_id, self._owner_id).model_dump(mode="json")

        return await self._log.database.run(work)
