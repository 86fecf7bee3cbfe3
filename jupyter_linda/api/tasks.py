"""Routes of the task list."""

from __future__ import annotations

from typing import get_args

from ..schemas import NewTask, Task, TaskList, TaskPatch, TaskStatus
from ..tasks import store
from .base import LindaHandler


class TasksHandler(LindaHandler):
    """GET and POST tasks"""

    async def get(self) -> None:
        """The owner's tasks: open ones first, by due date; `InvalidInput` for a status that is none."""
        owner, status = self.owner_id, self.one_of("status", get_args(TaskStatus))

        def work() -> TaskList:
            with self.services.database.read() as connection:
                return TaskList(tasks=store.list_all(connection, owner, status=status))

        self.reply(await self.services.database.run(work))

    async def post(self) -> None:
        """A new task."""
        wish, owner = self.body(NewTask), self.owner_id

        def work() -> Task:
            with self.services.log.transaction() as tx:
                return store.add(tx, self.services.ids.new("task"), owner, wish)

        self.reply(await self.services.database.run(work), status=201)


class TaskHandler(LindaHandler):
    """PATCH and DELETE tasks/{task_id}"""

    async def patch(self, task_id: str) -> None:
        """Change the given fields."""
        patch, owner = self.body(TaskPatch), self.owner_id

        def work() -> Task:
            with self.services.log.transaction() as tx:
                return store.change(tx, task_id, owner, patch)

        self.reply(await self.services.database.run(work))

    async def delete(self, task_id: str) -> None:
        """Delete it."""
        owner = self.owner_id

        def work() -> None:
            with self.services.log.transaction() as tx:
                store.remove(tx, task_id, owner)

        await self.services.database.run(work)
        self.set_status(204)
        self.finish()
