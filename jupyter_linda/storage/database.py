"""The database: opening, transactions, and storage faults in words."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import psutil
from sqlalchemy import Connection, Engine, create_engine, event, exc, text

from ..errors import NewerDatabase, StorageUnavailable
from .tables import AUDIT_IS_APPEND_ONLY, metadata

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator

REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006")
"""Alembic revisions this version knows, oldest first."""
HEAD = REVISIONS[-1]

NETWORK_FILE_SYSTEMS = frozenset(
    {
        "nfs",
        "nfs4",
        "cifs",
        "smbfs",
        "smb3",
        "afpfs",
        "lustre",
        "gpfs",
        "beegfs",
        "ceph",
        "glusterfs",
        "fuse.sshfs",
        "9p",
    }
)
"""A write-ahead log needs shared memory between processes; these cannot give it across machines."""

T = TypeVar("T")


def is_on_network(folder: Path, mounts: Iterable[tuple[str, str]]) -> bool:
    """Whether a folder lies on a network file system; `mounts` are (mount point, file system type)."""
    best, kind = -1, ""
    resolved = str(folder.resolve())
    for point, found in mounts:
        prefix = point.rstrip("/") + "/"
        if (resolved + "/").startswith(prefix) and len(prefix) > best:
            best, kind = len(prefix), found.lower()
    return kind in NETWORK_FILE_SYSTEMS


def mounts_here() -> list[tuple[str, str]]:
    """The mount table of this machine."""
    return [(mount.mountpoint, mount.fstype) for mount in psutil.disk_partitions(all=True)]


def _in_words(error: exc.DBAPIError, place: str) -> StorageUnavailable:
    """A driver's error as the thing, the cause and the next step."""
    cause = str(error.orig)
    low = cause.lower()
    if "locked" in low or "busy" in low:
        return StorageUnavailable(
            f"The database {place} is locked by another process.",
            remedy="Wait a moment; if it stays, end the process that holds it (`jupyter linda doctor` names it).",
        )
    if "full" in low:
        return StorageUnavailable(f"The disk that holds {place} is full.", remedy="Free some space and try again.")
    if "readonly" in low or "read-only" in low or "unable to open" in low:
        return StorageUnavailable(
            f"The database {place} cannot be written: {cause}.",
            remedy="Make the folder writable, or set LindaSettings.data_dir to one that is.",
        )
    if "malformed" in low or "not a database" in low or "corrupt" in low:
        return StorageUnavailable(
            f"The database {place} is damaged: {cause}.",
            remedy="Move the file away, and restore a copy from the backups folder beside it if there is one.",
        )
    return StorageUnavailable(f"The database {place} failed: {cause}.", remedy="See the server's log.")


class Database:
    """One SQLAlchemy engine, reads and writes in transactions, off the event loop through `run`.

    A write transaction holds SQLite's one write lock from its first statement (BEGIN IMMEDIATE).
    """

    def __init__(self, url: str, *, mounts: Callable[[], Iterable[tuple[str, str]]] = mounts_here) -> None:
        self.url = url
        self._mounts = mounts
        self.path = Path(url.removeprefix("sqlite:///"))
        self.is_on_network = False
        self._engine: Engine | None = None
        self._inode: int | None = None
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="linda-database")

    @property
    def engine(self) -> Engine:
        """The engine, made at first use."""
        if self._engine is None:
            self._engine = self._make_engine()
        return self._engine

    def _make_engine(self) -> Engine:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise StorageUnavailable(
                f"The folder {self.path.parent} cannot be made: {error.strerror}.",
                remedy="Make its parent writable, or set LindaSettings.data_dir to another place.",
            ) from None
        self.is_on_network = is_on_network(self.path.parent, self._mounts())
        journal = "DELETE" if self.is_on_network else "WAL"
        engine = create_engine(
            self.url, json_serializer=lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        )

        @event.listens_for(engine, "connect")
        def _connected(connection: sqlite3.Connection, _record: object) -> None:
            connection.isolation_level = None  # we say BEGIN ourselves
            for pragma in ("busy_timeout=5000", f"journal_mode={journal}", "synchronous=NORMAL", "foreign_keys=ON"):
                connection.execute(f"PRAGMA {pragma}").close()
            if self._inode is None:
                self._inode = self.path.stat().st_ino

        @event.listens_for(engine, "begin")
        def _begun(connection: Connection) -> None:
            is_write = connection.get_execution_options().get("linda_write", False)
            connection.exec_driver_sql("BEGIN IMMEDIATE" if is_write else "BEGIN")

        return engine

    def _check_file(self) -> None:
        """An open connection would go on writing into a file that was deleted or replaced: nobody would find it."""
        if self._inode is None:
            return
        try:
            is_same = self.path.stat().st_ino == self._inode
        except OSError:
            is_same = False
        if not is_same:
            raise StorageUnavailable(
                f"The database {self.path} was deleted or replaced while it was in use.",
                remedy="Put it back, or restart JupyterLab to go on with the new one.",
            )

    @contextmanager
    def _transaction(self, *, is_write: bool) -> Iterator[Connection]:
        self._check_file()
        try:
            with self.engine.connect() as plain:
                connection = plain.execution_options(linda_write=is_write)
                with connection.begin():
                    yield connection
        except exc.IntegrityError:
            raise
        except exc.DBAPIError as error:
            raise _in_words(error, str(self.path)) from error

    def read(self) -> Any:  # contextmanager's own type is private
        """A read transaction: one snapshot."""
        return self._transaction(is_write=False)

    def write(self) -> Any:  # contextmanager's own type is private
        """A write transaction: all or nothing."""
        return self._transaction(is_write=True)

    async def run(self, work: Callable[..., T], *args: object) -> T:
        """Run blocking database work in this database's own thread, in order."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, lambda: work(*args))

    def close(self) -> None:
        """Wait for what runs, then close every connection."""
        self._executor.shutdown(wait=True)
        if self._engine is not None:
            self._engine.dispose()

    # ---- schema ------------------------------------------------------------------------------

    def state(self) -> Literal["absent", "older", "current"]:
        """How the schema stands. Raises `NewerDatabase` for one this version does not know."""
        if not self.path.exists() or self.path.stat().st_size == 0:
            return "absent"
        with self.read() as connection:
            names = {row[0] for row in connection.execute(text("SELECT name FROM sqlite_master WHERE type='table'"))}
            if "alembic_version" not in names:
                return "absent"
            revision = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        if revision == HEAD:
            return "current"
        if revision in REVISIONS:
            return "older"
        raise NewerDatabase(
            f"The database {self.path} was written by a newer version of jupyter_linda "
            f"(schema {revision}; this version knows {HEAD}).",
            remedy="Upgrade jupyter_linda, or restore the backup made before the newer version changed the schema.",
        )

    def create(self) -> None:
        """Make every table of a fresh database, in one transaction."""
        with self.write() as connection:
            metadata.create_all(connection)
            for statement in AUDIT_IS_APPEND_ONLY:
                connection.exec_driver_sql(statement)
            connection.exec_driver_sql(
                "CREATE TABLE IF NOT EXISTS alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"
            )
            connection.exec_driver_sql("INSERT OR IGNORE INTO alembic_version VALUES (?)", (HEAD,))
        self.path.chmod(0o600)
