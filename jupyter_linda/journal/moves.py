"""The way back of a move: only what she moved goes back, and only to a place that is free.

A file is what she moved while it is the same file of the file system (`nodes`), or has the same content: programs
that write a file anew put another one in its place. A folder is told by what lies in it.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import CannotUndo, LindaError, ToolFailed
from ..permissions.paths import open_checked
from ..permissions.placing import make_folder, move_into_place
from .nodes import node_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..permissions.paths import PathPolicy
    from ..ports import Json

    Change = Mapping[str, Json]

READ_BYTES = 100_000_000
"""Of a file, or of all files in a folder; above it sizes and times tell what is there."""
_FOLDER = "folder"


def mark_of(real: str) -> str:
    """What stands at a checked real path: "file" or "folder", a space, and a sha256 of the content.

    Of a folder: of what lies in it, Jupyter's checkpoints apart, with names, kinds and contents.
    """
    status = os.lstat(real)
    if not stat.S_ISDIR(status.st_mode):
        return f"file {_content(real, status, is_read=status.st_size <= READ_BYTES)}"
    inside = sorted(_inside(real))
    is_read = sum(found.st_size for _, found in inside) <= READ_BYTES
    total = hashlib.sha256()
    for name, found in inside:
        total.update(f"{name}\0{_content(f'{real}/{name}', found, is_read=is_read)}\0".encode(errors="surrogateescape"))
    return f"{_FOLDER} {total.hexdigest()}"


def noted_mark(real: str, path: str, *, fault: type[CannotUndo | ToolFailed]) -> str:
    """`mark_of` what is at a real path; where the system does not let it be looked at, a `fault` says so."""
    try:
        return mark_of(real)
    except OSError as error:
        raise fault(f"{path!r} cannot be looked at: {error.strerror or 'the system refuses'}.") from None


def _inside(real: str) -> Iterator[tuple[str, os.stat_result]]:
    for folder, names, files in os.walk(real):
        names[:] = [name for name in names if name != ".ipynb_checkpoints"]
        for entry in (Path(folder) / name for name in (*names, *files)):
            yield entry.relative_to(real).as_posix(), entry.lstat()


def _content(real: str, status: os.stat_result, *, is_read: bool) -> str:
    if stat.S_ISREG(status.st_mode) and is_read:
        try:
            with open_checked(real) as stream:
                found = hashlib.sha256()
                for part in iter(lambda: stream.read(1 << 20), b""):
                    found.update(part)
                return found.hexdigest()
        except LindaError:  # nobody may read it: it is told by its size and time
            pass
    if stat.S_ISLNK(status.st_mode):
        return f"link {os.readlink(real)}"  # noqa: PTH115  # as it is spelled
    kind = stat.S_IFMT(status.st_mode)
    return f"{kind} {status.st_size} {int(status.st_mtime)}" if stat.S_ISREG(status.st_mode) else str(kind)


def is_link(policy: PathPolicy, path: str) -> bool:
    """Whether a link stands at a path, as it is spelled: what it leads to is not what was there."""
    return os.path.islink(os.path.normpath(Path(policy.root) / path))  # noqa: PTH114  # as it is spelled


def move_back(policy: PathPolicy, change: Change) -> tuple[dict[str, Json], bool]:
    """Move what was moved from `to` to `path`; the change that moves it again, and whether anything was done.

    Looks first: `CannotUndo` where something else is at either place, and then nothing is changed.
    """
    source, target = str(change["path"]), str(change["to"])
    mark, node = str(change.get("mark", "")), str(change.get("node", ""))
    again: dict[str, Json] = {"op": "move", "path": target, "to": source, "mark": mark, "node": node}
    if any(is_link(policy, path) for path in (source, target)):
        linked = source if is_link(policy, source) else target
        raise CannotUndo(f"A link is at {linked!r} now, so nothing is moved.", remedy="Move it by hand.")
    here, there = policy.locate(target).real, policy.locate(source).real
    if not os.path.lexists(here):
        if not os.path.lexists(there):
            raise CannotUndo(f"{target!r} is not there any more.")
        if not _is_it(there, node) and noted_mark(there, source, fault=CannotUndo) != mark:
            raise CannotUndo(f"{target!r} is not there any more, and something else is at {source!r} now.")
        return again, False
    is_bare = os.path.isdir(here) and _is_bare(there)  # noqa: PTH112  # no link: looked at above
    if os.path.lexists(there) and not is_bare:
        raise CannotUndo(f"Something else is at {source!r} now.")
    now = noted_mark(here, target, fault=CannotUndo)
    if not _is_it(here, node):
        _refuse_other(now, target, mark)
    again |= {"mark": now, "node": node_of(here)}
    try:
        make_folder(there, label=source)
        if is_bare:  # left by what she put there since, and taken back before
            _take_away(there)
        move_into_place(here, there, label=source)
    except LindaError as error:
        raise CannotUndo(f"{target!r} cannot be moved back: {error.message}") from None
    except OSError:
        raise CannotUndo(f"Something else is at {source!r} now.") from None
    return again, True


def _is_bare(real: str) -> bool:
    """Whether a folder stands there in which nothing lies but folders of that kind."""
    if not os.path.isdir(real) or os.path.islink(real):  # noqa: PTH112, PTH114  # beside `os.walk`
        return False
    left = [real]
    for folder, names, files in os.walk(real, onerror=lambda _: left.clear()):
        if files or any(os.path.islink(f"{folder}/{name}") for name in names):  # noqa: PTH114
            return False
    return bool(left)


def _take_away(real: str) -> None:
    """Remove a bare folder; what was put into it meanwhile stays, and the `OSError` says so."""
    for folder, _, _ in os.walk(real, topdown=False):
        Path(folder).rmdir()


def _is_it(real: str, node: str) -> bool:
    """Whether the very file stands there that was moved, whatever was written into it since."""
    return bool(node) and node_of(real) == node


def _refuse_other(now: str, target: str, mark: str) -> None:
    if now == mark:
        return
    was, is_now = mark.split(" ")[0], now.split(" ")[0]
    if was and was != is_now:
        raise CannotUndo(f"She moved a {was} to {target!r}, and a {is_now} is there now, so it stays.")
    if is_now == _FOLDER:
        words = f"What lies in {target!r} is not what lay in the folder that she moved there, so it stays."
    else:
        words = f"{target!r} was changed since she moved it there, or is another file, so it stays."
    raise CannotUndo(words, remedy="Move it by hand.")
