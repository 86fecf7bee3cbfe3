"""One look at the database at server start, with nothing but the standard library."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def has_unfinished_runs(path: Path) -> bool:
    """Whether runs wait for a worker. False too when there is no database, or it cannot be read: that is told later."""
    if not path.is_file():
        return False
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=1.0)) as connection:
            found = connection.execute("SELECT 1 FROM runs WHERE state IN ('queued', 'running') LIMIT 1").fetchone()
    except sqlite3.Error:
        return False
    return found is not None
