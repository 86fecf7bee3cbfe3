"""All tasks, and the choice among them."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from ..errors import NotFound
from . import caution, cells, coding, tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .tasks import Task

TASKS: tuple[Task, ...] = (*coding.TASKS, *cells.TASKS, *tables.TASKS, *caution.TASKS)


def chosen(names: Sequence[str]) -> tuple[Task, ...]:
    """The tasks of these names in the order of the catalogue; all of them where none is named."""
    unknown = sorted(set(names) - {task.name for task in TASKS})
    if unknown:
        raise NotFound(f"There is no task {unknown[0]!r}.", remedy="`jupyter linda eval --list` names them all.")
    return tuple(task for task in TASKS if not names or task.name in names)


def missing_package(task: Task) -> str:
    """The first package the task needs and that is not installed here."""
    return next((name for name in task.needs if importlib.util.find_spec(name) is None), "")
