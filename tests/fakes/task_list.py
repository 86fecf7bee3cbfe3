"""A task list over a real database in memory's place: a file in a temporary folder."""

from __future__ import annotations

from jupyter_linda.events.log import EventLog
from jupyter_linda.seeds import SystemClock
from jupyter_linda.storage.database import Database
from jupyter_linda.tasks.store import SqlTasks


def task_list(folder, owner_id="local"):
    """The real store, over its own database."""
    database = Database(f"sqlite:///{folder}/tasks.sqlite")
    database.create()
    return SqlTasks(EventLog(database, SystemClock(), lambda _ids: None), owner_id)
