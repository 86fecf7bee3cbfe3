"""The event log: the only place that gives out sequence numbers."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import Connection, delete, func, insert, select

from ..schemas import Event, Noun
from ..storage.tables import events, messages
from .payloads import PAYLOADS, Folded, MessageDelta

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime, timedelta

    from ..ports import Broadcast, Clock
    from ..storage.database import Database

KINDS = {payload: kind for kind, payload in PAYLOADS.items()}

HOME = "home:"

FOLDABLE = ("message.delta", "call.progress")


def home_of(owner_id: str) -> str:
    """The chat id of an owner's home stream: the list of chats, rules, settings."""
    return HOME + owner_id


def is_home(chat_id: str) -> bool:
    """Whether a stream is somebody's home."""
    return chat_id.startswith(HOME)


@dataclass
class Transaction:
    """One database transaction that may append events; followers are told after it committed."""

    connection: Connection
    now: datetime
    touched: set[str] = field(default_factory=set)

    def append(self, chat_id: str, payload: Noun, *, run_id: str | None = None) -> int:
        """Append an event; its seq is the chat's last plus one. Returns the seq."""
        last = self.connection.execute(select(func.max(events.c.seq)).where(events.c.chat_id == chat_id)).scalar()
        seq = (last or 0) + 1
        self.connection.execute(
            insert(events).values(
                chat_id=chat_id,
                seq=seq,
                run_id=run_id,
                kind=KINDS[type(payload)],
                payload=payload.model_dump_json(
                    exclude_defaults=isinstance(payload, MessageDelta)
                ),  # the many and small
                at=self.now,
            )
        )
        self.touched.add(chat_id)
        return seq


class EventLog:
    """Transactions with events, and reading them back."""

    def __init__(self, database: Database, clock: Clock, broadcast: Broadcast) -> None:
        self.database = database
        self.clock = clock
        self._broadcast = broadcast

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """State, message and event in one commit."""
        with self.database.write() as connection:
            transaction = Transaction(connection, self.clock.now())
            yield transaction
        if transaction.touched:
            self._broadcast(sorted(transaction.touched))

    def read(self, chat_id: str, after: int, *, limit: int = 500) -> list[Event]:
        """Events of a chat after a seq, in order."""
        query = (
            select(events).where(events.c.chat_id == chat_id, events.c.seq > after).order_by(events.c.seq).limit(limit)
        )
        with self.database.read() as connection:
            return [as_event(row) for row in connection.execute(query)]

    def read_since(self, last_id: int, *, limit: int = 1000) -> list[tuple[int, Event]]:
        """Events of every chat after a global id, in commit order, each with its id."""
        query = select(events).where(events.c.id > last_id).order_by(events.c.id).limit(limit)
        with self.database.read() as connection:
            return [(row.id, as_event(row)) for row in connection.execute(query)]

    def last_id(self) -> int:
        """The newest global id (0 when there is none)."""
        with self.database.read() as connection:
            return connection.execute(select(func.max(events.c.id))).scalar() or 0

    def fold(self, *, keep: timedelta) -> int:
        """Fold the chunks of finished messages older than `keep`; returns how many rows went.

        Each run of neighbouring chunks leaves one `folded` record at its last seq, so replay has no gap.
        """
        gone = 0
        with self.database.write() as connection:
            before = self.clock.now() - keep
            rows = connection.execute(
                select(events.c.id, events.c.chat_id, events.c.seq)
                .where(
                    events.c.kind.in_(FOLDABLE),
                    events.c.at < before,
                    # The text of a message that still streams is nowhere but in its chunks.
                    events.c.chat_id.not_in(select(messages.c.chat_id).where(messages.c.status == "streaming")),
                )
                .order_by(events.c.chat_id, events.c.seq)
                .limit(20_000)
            ).all()
            for group in _neighbours([(row.id, row.chat_id, row.seq) for row in rows]):
                if len(group) < 2:
                    continue
                keeper = group[-1][0]
                payload = Folded(from_seq=group[0][2], to_seq=group[-1][2]).model_dump_json()
                connection.execute(delete(events).where(events.c.id.in_([item[0] for item in group[:-1]])))
                connection.execute(events.update().where(events.c.id == keeper).values(kind="folded", payload=payload))
                gone += len(group) - 1
        return gone


def _neighbours(rows: Sequence[tuple[int, str, int]]) -> list[list[tuple[int, str, int]]]:
    """Group (id, chat_id, seq) rows whose seqs follow each other in one chat."""
    groups: list[list[tuple[int, str, int]]] = []
    for row in rows:
        if groups and groups[-1][-1][1] == row[1] and groups[-1][-1][2] + 1 == row[2]:
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups


def as_event(row: object) -> Event:
    """A row of `events` as the noun."""
    values = row._mapping  # type: ignore[attr-defined]
    return Event(
        chat_id=values["chat_id"],
        seq=values["seq"],
        run_id=values["run_id"],
        kind=values["kind"],
        payload=json.loads(values["payload"]),
        at=values["at"],
    )
