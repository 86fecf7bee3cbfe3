"""The journal in the database: entries by call, and what became of each."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select, update

from ..errors import NotFound, StaleRevision
from ..events.payloads import JournalChanged
from ..schemas import JournalEntry
from ..storage.tables import calls, journal, runs
from .files import noted_again

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime, timedelta

    from sqlalchemy import Connection, Row

    from ..events.log import EventLog, Transaction
    from ..ports import Json
    from ..ports.journal import JournalKind
    from ..schemas import Grant, Question, Run
    from ..storage.files import Results


@dataclass(frozen=True)
class Limits:
    """How much is kept for undoing: the largest file, all before-images together, and how long."""

    file_bytes: int
    all_bytes: int
    keep: timedelta


@dataclass(frozen=True)
class Written:
    """An entry with what it needs to be undone; `changes` and `undo_changes` are as `journal.cells` has them."""

    entry: JournalEntry
    changes: Sequence[Mapping[str, Json]]
    undo_changes: Sequence[Mapping[str, Json]] | None
    root_dir: str


@dataclass
class CallJournal:
    """Implements `ports.Journal` for one call."""

    log: EventLog
    kept: Results
    limits: Limits
    call_id: str
    run: Run
    root_dir: str
    _count: int = field(default=0, init=False)

    async def note(self, kind: JournalKind, path: str, changes: Sequence[Mapping[str, Json]]) -> str:
        """See `ports.Journal`."""
        entry_id = f"{self.call_id}/{self._count}"
        self._count += 1
        written = [dict(change) for change in changes]
        values = {"entry_id": entry_id, "owner_id": self.run.owner_id, "chat_id": self.run.chat_id,
                  "run_id": self.run.run_id, "call_id": self.call_id,
                  "kind": kind, "path": path, "changes": written,
                  "state": "done", "root_dir": self.root_dir}  # fmt: skip

        def work() -> StaleRevision | None:
            with self.log.transaction() as tx:
                known = tx.connection.execute(select(journal.c.changes).where(journal.c.entry_id == entry_id)).first()
                if known is not None:
                    return _note_again(tx, entry_id, kind, known[0], written)
                tx.connection.execute(insert(journal).values(at=tx.now, **values))
                tell(tx, [entry_of(tx.connection, entry_id)])
            return None

        stale = await self.log.database.run(work)
        if stale is not None:
            raise stale
        return entry_id

    async def forget(self, entry_id: str) -> None:
        """See `ports.Journal`."""

        def work() -> None:
            with self.log.database.write() as connection:
                connection.execute(delete(journal).where(journal.c.entry_id == entry_id))

        await self.log.database.run(work)

    async def keep(self, content: bytes) -> str:
        """See `ports.Journal`."""
        if len(content) > self.limits.file_bytes:
            return ""
        return await asyncio.to_thread(self.kept.put_bytes, content)


def _note_again(
    tx: Transaction, entry_id: str, kind: JournalKind, noted: Sequence[Mapping[str, Json]],
    now: Sequence[Mapping[str, Json]],
) -> StaleRevision | None:  # fmt: skip
    """For a call that was killed after it had noted something: the error to raise once this is committed."""
    if kind != "file":
        return None
    try:
        values = {"changes": [dict(change) for change in noted_again(noted, now)]}
    except StaleRevision as stale:
        if {change["path"] for change in noted} <= {change["path"] for change in now}:  # nothing is gone yet
            tx.connection.execute(delete(journal).where(journal.c.entry_id == entry_id))
        return stale
    tx.connection.execute(update(journal).where(journal.c.entry_id == entry_id).values(**values))
    return None


def note_grant(tx: Transaction, question: Question, grant: Grant, root_dir: str) -> None:
    """An "always" can be taken back like any other change: with its reply, or at its question."""
    entry_id = f"{question.question_id}/0"
    tx.connection.execute(
        insert(journal).values(
            entry_id=entry_id,
            owner_id=grant.owner_id,
            chat_id=question.chat_id,
            run_id=question.run_id,
            call_id=question.question_id,
            kind="grant",
            path=grant.path,
            changes=[{"op": "grant", "grant_id": grant.grant_id}],
            state="done",
            at=tx.now,
            root_dir=root_dir,
        )
    )
    tell(tx, [entry_of(tx.connection, entry_id)])


# ---- reading and ending entries (SQL) ----------------------------------------------------------


def _as_entry(row: Row[tuple[object, ...]]) -> JournalEntry:
    found = dict(row._mapping)  # SQLAlchemy's public name for it
    return JournalEntry.model_validate({name: found[name] for name in JournalEntry.model_fields})


_TITLED = (
    select(journal, calls.c.title)
    .join(calls, calls.c.call_id == journal.c.call_id, isouter=True)
    .order_by(journal.c.at, journal.c.entry_id)
)


def tell(tx: Transaction, entries: Sequence[JournalEntry]) -> None:
    """Tell the chat's followers how these entries stand now."""
    if entries:
        tx.append(entries[0].chat_id, JournalChanged(entries=tuple(entries)), run_id=entries[0].run_id)


def entry_of(connection: Connection, entry_id: str) -> JournalEntry:
    """One entry."""
    return _as_entry(connection.execute(_TITLED.where(journal.c.entry_id == entry_id)).one())


def entries_of_chat(connection: Connection, chat_id: str) -> tuple[JournalEntry, ...]:
    """What was changed in a chat, oldest first."""
    return tuple(_as_entry(row) for row in connection.execute(_TITLED.where(journal.c.chat_id == chat_id)))


def to_undo(
    connection: Connection, chat_id: str, *, owner_id: str, run_id: str = "", call_id: str = "", since_run: str = ""
) -> list[Written]:
    """The entries of one call, of one run, or of a run and all after it in its chat; oldest first."""
    query = _TITLED.where(journal.c.chat_id == chat_id, journal.c.owner_id == owner_id)
    if call_id:
        query = query.where(journal.c.call_id == call_id)
    if run_id:
        query = query.where(journal.c.run_id == run_id)
    if since_run:
        begun = connection.execute(select(runs.c.queued_at).where(runs.c.run_id == since_run)).scalar()
        if begun is None:
            raise NotFound(f"There is no run {since_run}.")
        query = query.where(journal.c.at >= begun)
    return [Written(_as_entry(row), row.changes, row.undo_changes, row.root_dir) for row in connection.execute(query)]


def set_state(
    connection: Connection, entry_id: str, state: str, *, words: str = "", now: datetime | None = None,
    undo_changes: Sequence[Mapping[str, Json]] | None = None,
) -> JournalEntry:  # fmt: skip
    """Write down that an entry was undone, done again, or could not be, and why."""
    values: dict[str, object] = {"state": state, "words": words, "undone_at": now if state == "undone" else None}
    if undo_changes is not None:
        values["undo_changes"] = [dict(change) for change in undo_changes]
    connection.execute(update(journal).where(journal.c.entry_id == entry_id).values(**values))
    return entry_of(connection, entry_id)


def trim(connection: Connection, kept: Results, limits: Limits, *, now: datetime) -> int:
    """Let go of entries that are too old, then of before-images that no entry names; how many files went."""
    connection.execute(delete(journal).where(journal.c.at < now - limits.keep))
    named = _named(connection)
    files = sorted(
        (file.stat().st_mtime, file.stat().st_size, file) for file in kept.folder.glob("??/*") if file.is_file()
    )
    gone, total = 0, sum(size for _, size, _ in files)
    for at, size, file in files:
        is_young = now.timestamp() - at < 3600  # it may belong to an entry that is being written
        if (file.name in named or is_young) and total <= limits.all_bytes:
            continue
        if is_young:
            continue
        file.unlink(missing_ok=True)
        gone, total = gone + 1, total - size
    return gone


def _named(connection: Connection) -> set[str]:
    """Names of the before-images that entries still need."""
    found: set[str] = set()
    for changes, undone in connection.execute(select(journal.c.changes, journal.c.undo_changes)):
        for change in [*changes, *(undone or [])]:
            found.update(str(change[name]) for name in ("kept", "old", "new") if change.get(name))
    return found
