"""Deleting a file or a folder: to the trash, as it was noted, so that it can come back."""

from __future__ import annotations

import asyncio
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ..errors import StaleRevision
from ..journal.files import GONE
from ..ports import ToolContext, ToolResult, Unknown
from ..schemas import Preview
from ..toolkit import tool
from .file import read_whole, version_of
from .file_changes import KEPT_BYTES, check_source, inside_words, keep_content, one_file, refuse_open, size_of
from .trash import to_trash

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..ports import Json


@tool(action="write", family="file", resource=one_file, holds="words")
async def delete_file(
    context: ToolContext,
    path: Annotated[str, "The file or folder, relative to the notebook folder."],
    version: Annotated[str, "The version read_file named: nothing else is deleted then. May be empty."] = "",
) -> ToolResult:
    """Delete a file or a folder: it goes to the trash of the machine, and the answer says where."""
    # `data` holds path, trash
    real = context.admit_path(path, "write")
    await refuse_open(context, real)
    is_folder = await asyncio.to_thread(check_source, context, path, real)
    seen = await asyncio.to_thread(_state, real)
    changes: Sequence[Mapping[str, Json]]
    if is_folder:
        changes = await _kept_inside(context, path, real)
    else:
        size = await asyncio.to_thread(size_of, real, path)
        if version and version != version_of(await asyncio.to_thread(read_whole, real, path)):
            raise StaleRevision(f"{path!r} changed since it was read.", remedy="Read it again.")
        changes = [_deletion(path, real, await keep_content(context, real, path, size))]
    entry = await context.journal.note("file", path, changes) if changes else ""
    try:
        where = await asyncio.to_thread(_discard, real, path, seen)
    except Exception:
        if entry:
            await context.journal.forget(entry)
        raise
    return _was_deleted(path, where)


def _discard(real: str, path: str, seen: Sequence[tuple[str, ...]]) -> str:
    """To the trash, if everything still is as it was when it was noted; where it is now."""
    if _state(real) != seen:
        raise StaleRevision(f"{path!r} changed just now, so it was not deleted.", remedy="Read it again.")
    return to_trash(real, path)


def _state(real: str) -> list[tuple[str, ...]]:
    """What tells a file, or the files in a folder, from what stands there after somebody saved again."""
    inside = [str(Path(folder) / name) for folder, _, files in os.walk(real) for name in files]
    found = []
    for name in sorted(inside) if Path(real).is_dir() else [real]:
        with suppress(FileNotFoundError):
            status = os.lstat(name)
            found.append((name, *map(str, (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))))
    return found


def _deletion(label: str, real: str, old: str) -> dict[str, Json]:
    return {"op": "write", "path": label, "old": old, "new": GONE, "mode": _mode(real), "real": real}


def _mode(real: str) -> int:
    return Path(real).stat().st_mode & 0o777


async def _kept_inside(context: ToolContext, path: str, real: str) -> list[Mapping[str, Json]]:
    """A folder's files as they are, then its folders, for the journal; empty where it could not be made again."""
    found = await asyncio.to_thread(_found_inside, real)
    changes: list[Mapping[str, Json]] = []
    for name in found[0] if found else ():
        label = f"{path.rstrip('/')}/{name}"
        inner = str(Path(real) / name)
        old = await keep_content(context, inner, label, await asyncio.to_thread(size_of, inner, label))
        if not old:
            return []
        changes.append(_deletion(label, inner, old))
    for name in found[1] if found else ():
        label = f"{path.rstrip('/')}/{name}" if name != "." else path
        inner = str(Path(real) / name)
        changes.append({"op": "folder", "path": label, "mode": _mode(inner), "is_there": False, "real": inner})
    return changes


def _found_inside(real: str) -> tuple[list[str], list[str]] | None:
    """Paths of the files and of the folders in a folder, itself last; None where it holds too much, or odd things."""
    inside: list[str] = []
    folders: list[str] = []
    size = 0
    for folder, names, files in os.walk(real):
        names[:] = [name for name in names if name != ".ipynb_checkpoints"]
        folders.insert(0, Path(folder).relative_to(real).as_posix())
        if any((Path(folder) / name).is_symlink() for name in names):
            return None
        for entry in (Path(folder) / name for name in files):
            status = entry.lstat()
            size += status.st_size
            if not stat.S_ISREG(status.st_mode) or size > KEPT_BYTES:
                return None
            inside.append(entry.relative_to(real).as_posix())
    return inside, folders


def _was_deleted(path: str, where: str) -> ToolResult:
    text = f"Deleted {path}. It lies in {where}." if where else f"{path} is deleted."
    return ToolResult(text=text, title=f"Deleted {path}", data={"path": path, "trash": where})


@delete_file.previews
async def _preview_delete(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    path = arguments["path"]
    inside = await asyncio.to_thread(inside_words, context.admit_path(path, "read"))
    return Preview(sentence=f"Delete {path}{inside}: it goes to the trash.")


@delete_file.finds
async def _find_delete(arguments: Mapping[str, Json], context: ToolContext) -> ToolResult | Unknown | None:
    real = context.admit_path(arguments["path"], "read")
    return None if await asyncio.to_thread(os.path.lexists, real) else _was_deleted(arguments["path"], "")


TOOLS = (delete_file,)
"""The tools of this file."""
