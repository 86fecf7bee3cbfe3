"""Bringing an older database to this version's schema: a backup first, then Alembic (worker only)."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from .database import Database


def back_up(database: Database, *, now: datetime) -> Path:
    """Copy the database to `backups/` beside it, consistent even while others use it; returns the copy."""
    folder = database.path.parent / "backups"
    folder.mkdir(mode=0o700, exist_ok=True)
    copy = folder / f"{database.path.stem}-{now:%Y%m%dT%H%M%S%f}.sqlite"
    source, target = sqlite3.connect(database.path), sqlite3.connect(copy)
    try:
        source.backup(target)
    finally:
        source.close()
        target.close()
    copy.chmod(0o600)
    return copy


def upgrade(database: Database, *, now: datetime) -> Path | None:
    """Make or upgrade the schema; returns the backup's path when one was needed."""
    state = database.state()
    if state == "absent":
        database.create()
        return None
    if state == "current":
        return None
    from alembic import command  # noqa: PLC0415  # 80 ms, for the one start in hundreds that needs it
    from alembic.config import Config  # noqa: PLC0415  # with it

    copy = back_up(database, now=now)
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    with database.write() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    return copy
