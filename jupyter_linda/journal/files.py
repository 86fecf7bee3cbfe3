"""Changes of files as data, and their way back: by content, never over somebody's later work."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import CannotUndo, NotFound
from ..permissions.paths import open_checked, write_checked
from .merging import merge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..permissions.paths import PathPolicy
    from ..ports import Json
    from ..storage.files import Results

MOST_BYTES = 100_000_000
GONE = "gone"
"""In place of a content's name: there was no file."""


class FileUndo:
    """Takes changes of files back. Everything is done at real paths that the policy allows."""

    def __init__(self, policy: PathPolicy, kept: Results) -> None:
        self._policy = policy
        self._kept = kept

    def take_back(self, changes: Sequence[Mapping[str, Json]]) -> list[dict[str, Json]]:
        """Undo; gives the changes that this undoing made, so that it can be undone itself."""
        for change in changes if len(changes) > 1 else ():  # all of them, or none
            if change["op"] == "write":
                self._plan(change)
        done: list[dict[str, Json]] = []
        for change in reversed(changes):
            done += self._move_back(change) if change["op"] == "move" else self._write_back(change)
        return done

    def _real(self, path: str) -> str:
        return self._policy.locate(path).real

    def _plan(self, change: Mapping[str, Json]) -> tuple[str, str, bytes | None, bytes | None]:
        """(path, real path, content now, content wanted); None: no file."""
        path, old, new = str(change["path"]), str(change["old"]), str(change["new"])
        if not old or not new:
            raise CannotUndo(f"{path!r} was too large to keep as it was.")
        real = self._real(path)
        now = _read(real, path)
        return path, real, now, self._wanted(path, now, old=old, new=new)

    def _write_back(self, change: Mapping[str, Json]) -> list[dict[str, Json]]:
        path, real, now, wanted = self._plan(change)
        if wanted == now:
            return []
        if wanted is None:
            self._remove(real, path, now)
        else:
            Path(real).parent.mkdir(parents=True, exist_ok=True)
            write_checked(real, wanted, expect=now, label=path)
        return [{"op": "write", "path": path, "old": self._name(now), "new": self._name(wanted)}]

    def _name(self, content: bytes | None) -> str:
        return GONE if content is None else self._kept.put_bytes(content)

    def _content(self, name: str) -> bytes | None:
        if name == GONE:
            return None
        try:
            return self._kept.get_bytes(name)
        except NotFound:
            raise CannotUndo("What it was before is not kept any more.", remedy="Raise undo_mb or undo_days.") from None

    def _wanted(self, path: str, now: bytes | None, *, old: str, new: str) -> bytes | None:
        before, after = self._content(old), self._content(new)
        if now == after:
            return before
        if now == before:
            return now
        if now is None:
            raise CannotUndo(f"{path!r} was deleted since.")
        if before is None:
            raise CannotUndo(f"{path!r} was changed since she made it, so it stays.", remedy="Delete it by hand.")
        if after is None:
            raise CannotUndo(f"Another file is at {path!r} now, so the deleted one does not come back over it.")
        try:
            merged = merge(after.decode(), now.decode(), before.decode())
        except UnicodeDecodeError:
            merged = None
        if merged is None:
            raise CannotUndo(f"The same lines of {path!r} were changed since, so her change stays.")
        return merged.encode()

    def _remove(self, real: str, path: str, now: bytes | None) -> None:
        with open_checked(real, label=path) as stream:
            if stream.read() != now:
                raise CannotUndo(f"{path!r} was changed just now, so it stays.")
        Path(real).unlink()

    def _move_back(self, change: Mapping[str, Json]) -> list[dict[str, Json]]:
        source, target = str(change["path"]), str(change["to"])
        here, there = self._real(target), self._real(source)
        if not os.path.lexists(here):
            raise CannotUndo(f"{target!r} is not there any more.")
        if os.path.lexists(there):
            raise CannotUndo(f"Something else is at {source!r} now.")
        Path(there).parent.mkdir(parents=True, exist_ok=True)
        Path(here).rename(there)
        return [{"op": "move", "path": target, "to": source}]


def _read(real: str, path: str) -> bytes | None:
    try:
        with open_checked(real, label=path) as stream:
            content = stream.read(MOST_BYTES + 1)
    except NotFound:
        if os.path.lexists(real):
            raise
        return None
    if len(content) > MOST_BYTES:
        raise CannotUndo(f"{path!r} has become too large to compare.")
    return content
