"""Changes of files as data, and their way back: by content, never over somebody's later work."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import CannotUndo, NotFound, StaleRevision
from ..permissions.paths import is_under, open_checked, write_checked
from ..permissions.placing import make_folder, place, temporary_beside
from .cells import source_of
from .merging import merge_bytes
from .moves import is_link, move_back
from .turning import NOTHING_LEFT, Turned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ..permissions.paths import PathPolicy
    from ..ports import Json
    from ..storage.files import Results

    Change = Mapping[str, Json]
    Step = tuple[dict[str, Json], bool]
    """The change that does it again, and whether anything was done."""

MOST_BYTES = 100_000_000
GONE = "gone"
"""In place of a content's name: there was no file."""


def noted_again(noted: Sequence[Change], now: Sequence[Change]) -> Sequence[Change]:
    """What the entry of a call that was killed shall say when it is made anew.

    Raises `StaleRevision` where something would be deleted that is not what was noted. What is gone of a folder by
    then was deleted by the same call: the first entry knows it.
    """
    if not any(change.get("new") == GONE for change in now):
        return now
    if all(change in noted for change in now):
        return noted
    path = next(str(change["path"]) for change in now if change not in noted)
    raise StaleRevision(
        f"{path!r} changed since it was to be deleted, so nothing was deleted.", remedy="Read it again."
    )


class FileUndo:
    """Takes changes of files back. Everything is done at real paths that the policy allows.

    `discard` takes a real path and its name for people, and puts it where deleted files go.
    """

    def __init__(self, policy: PathPolicy, kept: Results, discard: Callable[[str, str], None]) -> None:
        self._policy = policy
        self._kept = kept
        self._discard = discard

    def take_back(self, changes: Sequence[Change]) -> Turned:
        """Undo; with the changes that this undoing made, so that it can be undone itself."""
        for change in changes if len(changes) > 1 else ():  # all of them, or none
            if change["op"] == "write":
                self._plan(change)
            elif change["op"] == "folder":
                self._check_folder(change)
        steps = {"write": self._write_back, "move": self._move_back, "folder": self._folder_back}
        turned: list[tuple[Change, Step]] = []
        try:
            for change in reversed(changes):
                turned.append((change, steps[change["op"]](change)))  # noqa: PERF401  # what was done is needed when one fails
        finally:
            self._give_modes(turned)
        stay = [str(change["path"]) for change, (_, _) in turned if change.get("is_there") and self._is_there(change)]
        words = "" if any(is_done for _, (_, is_done) in turned) else NOTHING_LEFT
        if stay:
            words = f"The folder {min(stay, key=len)!r} stays: something else lies in it."
        return Turned([again for _, (again, _) in turned], words)

    def _real(self, path: str) -> str:
        return self._policy.locate(path).real

    def lies_in(self, path: str, places: Iterable[str]) -> bool:
        """Whether a path leads to one of these places, or into it, however they are spelled."""
        real = os.path.realpath(Path(self._policy.root) / path)
        return any(is_under(real, self._real(place)) for place in places)

    def _give_modes(self, turned: Sequence[tuple[Change, Step]]) -> None:
        """Open the folders that came back as they were open; one that cannot be opened stays closed to others."""
        for change, (_, is_done) in reversed(turned):  # the innermost first
            if change["op"] == "folder" and not change["is_there"] and is_done:
                with suppress(OSError):
                    Path(self._real(str(change["path"]))).chmod(change["mode"])

    def _refuse_link(self, change: Change, real: str, *, is_needed: bool) -> None:
        """Refuse a path that leads elsewhere than when it was changed: what it leads to is not hers.

        `is_needed`: the file comes or goes, and then no link is followed at all.
        """
        path, noted = str(change["path"]), change.get("real")
        if is_link(self._policy, path) and (is_needed or noted is None or noted != real):
            raise CannotUndo(f"A link is at {path!r} now, so nothing is changed there.")
        if noted is not None and noted != real:
            raise CannotUndo(f"{path!r} leads to another place now, so nothing is changed there.")

    def _check_folder(self, change: Change) -> None:
        """Refuse a folder in whose place, or above it, something else is by now."""
        path, real = str(change["path"]), self._real(str(change["path"]))
        self._refuse_link(change, real, is_needed=True)
        above = next(place for place in (Path(real), *Path(real).parents) if os.path.lexists(place))
        if not change["is_there"] and not above.is_dir():
            raise CannotUndo(f"Something else is at {path!r} now.")

    def _is_there(self, change: Change) -> bool:
        return os.path.lexists(self._real(str(change["path"])))

    def _plan(self, change: Change) -> tuple[str, str, bytes | None, bytes | None]:
        """(path, real path, content now, content wanted); None: no file."""
        path, old, new = str(change["path"]), str(change["old"]), str(change["new"])
        if not old or not new:
            raise CannotUndo(f"{path!r} was too large to keep as it was.")
        real = self._real(path)
        self._refuse_link(change, real, is_needed=False)
        now = _read(real, path)
        wanted = self._wanted(path, now, old=old, new=new)
        self._refuse_link(change, real, is_needed=now is None or wanted is None)
        return path, real, now, wanted

    def _move_back(self, change: Change) -> Step:
        return move_back(self._policy, change)

    def _write_back(self, change: Change) -> Step:
        path, real, now, wanted = self._plan(change)
        again: dict[str, Json] = {"op": "write", "path": path, "old": change["new"], "new": change["old"], "real": real}
        if change["new"] == GONE:
            again["is_trashed"] = True
        if wanted == now:
            return again | {name: change[name] for name in ("mode",) if name in change}, False
        again |= {"old": self._name(now), "new": self._name(wanted)}
        if wanted is None:
            again["mode"] = Path(real).stat().st_mode & 0o777
            self._remove(real, path, now, self._discard if change.get("is_trashed") else _unlink)
        elif now is None:
            make_folder(real, label=path)
            _create(real, wanted, path, change.get("mode"))
        else:
            write_checked(real, wanted, expect=now, label=path)
        return again, True

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
        if before is None and after is not None and _is_same_notebook(path, after, now):
            return None
        if before is None:
            raise CannotUndo(f"{path!r} was changed since she made it, so it stays.", remedy="Delete it by hand.")
        if after is None:
            raise CannotUndo(f"Another file is at {path!r} now, so the deleted one does not come back over it.")
        merged = merge_bytes(after, now, before)
        if merged is None:
            raise CannotUndo(f"The same lines of {path!r} were changed since, so her change stays.")
        return merged

    def _remove(self, real: str, path: str, now: bytes | None, remove: Callable[[str, str], None]) -> None:
        with open_checked(real, label=path) as stream:
            if stream.read() != now:
                raise CannotUndo(f"{path!r} was changed just now, so it stays.")
        remove(real, path)

    def _folder_back(self, change: Change) -> Step:
        """`is_there` after the change, or not: a folder comes back with its mode, and goes when it is empty."""
        path, real = str(change["path"]), self._real(str(change["path"]))
        self._check_folder(change)
        again = {**change, "is_there": not change["is_there"]}
        if change["is_there"]:
            try:
                Path(real).rmdir()
            except OSError:
                return again, False
            return again, True
        if Path(real).is_dir():
            return again, False
        make_folder(real, label=path)
        with suppress(FileExistsError):
            Path(real).mkdir(mode=0o700)
        return again, True


def _is_same_notebook(path: str, made: bytes, now: bytes) -> bool:
    """Whether a notebook holds the cells she made it with, not run since; how Jupyter lays it out is no change."""
    if not path.endswith(".ipynb"):
        return False
    try:
        pair = [json.loads(content)["cells"] for content in (made, now)]
        cells = [[(cell["id"], cell["cell_type"], source_of(cell)) for cell in one] for one in pair]
        return cells[0] == cells[1] and not any(cell.get("outputs") for cell in pair[1])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False


def _unlink(real: str, _path: str) -> None:
    """For what she made herself: its content is kept in the journal."""
    Path(real).unlink()


def _create(real: str, content: bytes, path: str, mode: int | None) -> None:
    """A file that is not there, with the mode it had; at no moment is its content open to more people than then."""
    if mode is None:
        write_checked(real, content, expect=None, label=path)
        return
    with temporary_beside(real, label=path) as temporary:
        temporary.chmod(0o600)
        temporary.write_bytes(content)
        place(temporary, real, label=path)
        Path(real).chmod(mode)


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
