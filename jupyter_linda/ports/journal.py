"""Writing down what will be changed, and how it was, before it is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .documents import Json

JournalKind = Literal["cells", "file", "task", "grant"]


class Journal(Protocol):
    """The journal of one call. What is not in it cannot be undone."""

    async def note(self, kind: JournalKind, path: str, changes: Sequence[Mapping[str, Json]]) -> str:
        """Write changes down; committed when this returns. The entry's id.

        A call that is tried again after a crash keeps its first entry: it knows how things were before. Of files the
        entry is renewed; `StaleRevision` where one that is to be deleted is not as it was noted.
        """

    async def forget(self, entry_id: str) -> None:
        """The changes did not happen after all."""

    async def keep(self, content: bytes) -> str:
        """Keep a file's content as it was; its name, or "" where it is too large to keep."""
