"""The machine's trash: where deleted files go, and where exactly."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from urllib.parse import unquote

from send2trash import send2trash

from ..errors import ToolFailed
from ..permissions.paths import refuse_outside


def to_trash(real: str, path: str) -> str:
    """Move a checked real path to the trash; in words, where it is now."""
    put_in_trash(real, path)
    if sys.platform == "win32":
        return "the Recycle Bin"
    if sys.platform == "darwin":
        return "the Trash"
    return _found(real) or "the trash"


def put_in_trash(real: str, path: str) -> None:
    """The same without looking where it went. Nothing is ever deleted for good."""
    if os.path.realpath(real) != real:
        raise refuse_outside(path)
    try:
        send2trash(real)
    except OSError as error:
        raise ToolFailed(
            f"{path!r} was not deleted: this place has no trash ({type(error).__name__}).",
            remedy="Ask the user to delete it, or move it into a folder of its own.",
            kind_of_failure="no_trash",
        ) from None


def _found(real: str) -> str:
    """The newest entry of the freedesktop.org trashes whose note names the path."""
    newest, where = 0.0, ""
    for trash, top in _trashes(real):
        for note in (trash / "info").glob("*.trashinfo"):
            try:
                written = note.stat().st_mtime
                named = next(line[5:] for line in note.read_text().splitlines() if line.startswith("Path="))
                is_it = written >= newest and os.path.realpath(top / unquote(named)) == real
            except (OSError, StopIteration, ValueError):  # no note of ours: not text, or a name that no file has
                continue
            if is_it:
                newest, where = written, str(trash / "files" / note.stem)
    return where


def _trashes(real: str) -> list[tuple[Path, Path]]:
    """The trashes of the home and of the file systems above the path, each with what its notes count from."""
    data = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    user = os.getuid() if hasattr(os, "getuid") else 0
    tops = [folder for folder in Path(real).parents if folder.is_mount()]
    own = [(trash, top) for top in tops for trash in (top / ".Trash" / str(user), top / f".Trash-{user}")]
    return [(trash, top) for trash, top in ((Path(data) / "Trash", Path("/")), *own) if trash.is_dir()]
