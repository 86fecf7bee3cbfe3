"""The task list as tools may use it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .documents import Json


class Tasks(Protocol):
    """The tasks of the run's owner, each as the JSON of `schemas.Task`."""

    async def list(self, status: str = "") -> Sequence[Mapping[str, Json]]:
        """Open ones first, by due date."""

    async def get(self, task_id: str) -> Mapping[str, Json] | None:
        """One; None where there is none of that id."""

    async def add(self, task_id: str, values: Mapping[str, Json]) -> Mapping[str, Json]:
        """A new one. The same id twice adds one."""

    async def change(self, task_id: str, values: Mapping[str, Json]) -> Mapping[str, Json]:
        """Change fields; `StaleRevision` if `revision` is given and is not the newest."""

    async def remove(self, task_id: str) -> Mapping[str, Json]:
        """Delete; what it was."""
