"""Bounded walks through the folders a call may see."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import LindaError, NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..ports import ToolContext

SKIPPED_FOLDERS = frozenset(
    ["node_modules", "__pycache__", "site-packages", "venv", "env", "build", "dist", "htmlcov", "lost+found"]
)
"""Folders that hold other people's or generated files; a search does not go into them."""


@dataclass(frozen=True)
class Entry:
    """One thing in a folder. `real` is its checked real path, `path` how the server names it."""

    path: str
    real: str
    is_folder: bool
    size_bytes: int


@dataclass
class Bounds:
    """How far a walk may go; `is_cut` tells afterwards that it did not see everything."""

    most_entries: int
    until: float
    """`time.monotonic()` at which it stops."""
    seen: int = 0
    is_cut: bool = False
    passed_over: list[str] = field(default_factory=list)
    """Files too large to look into; the walk goes on behind them."""

    def is_spent(self) -> bool:
        """Count one entry; True when the walk has to stop."""
        self.seen += 1
        if self.seen > self.most_entries or time.monotonic() > self.until:
            self.is_cut = True
        return self.is_cut


def told_over(bounds: Bounds, why: str) -> list[str]:
    """A line that names what a walk passed over; none where it was nothing."""
    over = bounds.passed_over
    more = f" and {len(over) - 5} more" if len(over) > 5 else ""
    return [f"({why}: {', '.join(over[:5])}{more}.)"] if over else []


def join(folder: str, name: str) -> str:
    """An API path of something in a folder."""
    return f"{folder.rstrip('/')}/{name}" if folder not in ("", ".") else name


def list_folder(context: ToolContext, folder: str) -> list[Entry]:
    """Visible entries of one folder, folders first, by name. Raises `NotFound` and `NotAllowed`."""
    real = context.admit_path(folder, "read")
    try:
        with os.scandir(real) as found:
            names = sorted(found, key=lambda entry: entry.name.casefold())
    except NotADirectoryError:
        raise NotFound(f"{folder!r} is a file, not a folder.", remedy="Read it with read_file.") from None
    except OSError:
        raise NotFound(f"There is no folder {folder!r} that can be listed.") from None
    entries = [entry for found in names if (entry := _entry(context, join(folder, found.name), found)) is not None]
    return sorted(entries, key=lambda entry: not entry.is_folder)


def is_listed(context: ToolContext, path: str) -> bool:
    """Whether a path that no walk found may be named: visible, and open to reading by the rules."""
    try:
        context.admit_path(path, "read")
    except LindaError:
        return False
    return context.is_visible(path)


def _entry(context: ToolContext, path: str, found: os.DirEntry[str]) -> Entry | None:
    if not context.is_visible(path):
        return None
    try:
        is_folder = found.is_dir()
        size = 0 if is_folder else found.stat().st_size
    except OSError:
        return None
    return Entry(path=path, real=found.path, is_folder=is_folder, size_bytes=size)


def walk(context: ToolContext, folder: str, bounds: Bounds) -> Iterator[Entry]:
    """Files below a folder, breadth first; links to folders are not followed."""
    waiting = [folder]
    while waiting:
        current = waiting.pop(0)
        try:
            entries = list_folder(context, current)
        except LindaError:
            if current == folder:
                raise
            continue
        for entry in entries:
            if bounds.is_spent():
                return
            if not entry.is_folder:
                yield entry
            elif not _is_skipped(entry):
                waiting.append(entry.path)


def _is_skipped(entry: Entry) -> bool:
    real = Path(entry.real)
    return real.name in SKIPPED_FOLDERS or real.is_symlink() or (real / "pyvenv.cfg").exists()
