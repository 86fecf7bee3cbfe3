"""Runs that a server left behind and nobody alive may claim: they say so, and give way to what was sent after them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, or_, select, update

from ..chats import store
from ..events.payloads import MessageAdded, MessageDone
from ..schemas import Message, Problem
from ..storage.tables import messages, runs
from . import queue, servers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from ..events.log import Transaction
    from ..ports import Ids

AnyRow = Row[Any]  # column types are the table's, not known to the checker

REMEDY = "Retry it here, or send it from a server of that folder."


def find(connection: Connection, claimant: queue.Claimant, *, now: datetime) -> Sequence[AnyRow]:
    """Runs that would go on and cannot: their server is gone, and no living one is known in their folder."""
    rows = connection.execute(
        select(runs).where(
            runs.c.state.in_(("queued", "running")),
            runs.c.server_id.in_(claimant.gone),
            runs.c.root_dir != claimant.root_dir,
            or_(runs.c.lease_until.is_(None), runs.c.lease_until < now),
        )
    ).all()
    if not rows:
        return ()
    living = servers.living(connection, now=now)
    folders = set(connection.execute(select(runs.c.root_dir).where(runs.c.server_id.in_(living)).distinct()).scalars())
    return [row for row in rows if row.server_id not in living and row.root_dir not in folders]


def give_way(tx: Transaction, claimant: queue.Claimant, ids: Ids) -> list[str]:
    """End the runs that hold up this claimant's own.

    Such a run is left alone until somebody goes on in its chat: its server may come back. Returns their ids.
    """
    query = select(runs.c.chat_id).where(runs.c.server_id == claimant.server_id, runs.c.state == "queued")
    waiting = set(tx.connection.execute(query).scalars())
    left = [row for row in find(tx.connection, claimant, now=tx.now) if row.chat_id in waiting]
    for row in left:
        _end(tx, row, ids)
    return [row.run_id for row in left]


def untold(connection: Connection, claimant: queue.Claimant, *, now: datetime) -> Sequence[AnyRow]:
    """Those of them whose chat shows them at work, or that were to stop and have nobody left to obey."""
    return [row for row in find(connection, claimant, now=now) if row.stop_asked_at is not None or row.problem is None]


def tell(tx: Transaction, claimant: queue.Claimant) -> None:
    """Say in their chats what they wait for; stop those that were to stop."""
    for row in untold(tx.connection, claimant, now=tx.now):
        if row.stop_asked_at is not None:
            queue.end(tx, row.run_id, "stopped")
            continue
        where = f" in {row.root_dir}" if row.root_dir else ""
        problem = Problem(
            kind="left",
            message=f"The Jupyter server{where} that worked on this is gone, and no other is known there.",
            remedy="Start one there, and it goes on. Or write here: then this ends, and the chat goes on.",
        )
        tx.connection.execute(update(runs).where(runs.c.run_id == row.run_id).values(problem=problem.model_dump()))
        queue.announce(tx, row.run_id)


def _end(tx: Transaction, row: AnyRow, ids: Ids) -> None:
    """End one as interrupted, and say so where its answer would stand."""
    where = f" in {row.root_dir}" if row.root_dir else ""
    problem = Problem(
        kind="left",
        message=f"This was begun by a Jupyter server{where} that is gone; it went no further.",
        remedy=REMEDY,
    )
    # Whoever held it has no claim any more, should it come back.
    tx.connection.execute(update(runs).where(runs.c.run_id == row.run_id).values(fence=row.fence + 1))
    queue.end(tx, row.run_id, "interrupted", problem)
    told = tx.connection.execute(
        select(messages.c.message_id, messages.c.status)
        .where(messages.c.run_id == row.run_id, messages.c.status != "replaced")
        .order_by(messages.c.position.desc())
        .limit(1)
    ).one_or_none()
    if told is not None and told.status == "interrupted":
        tx.connection.execute(
            update(messages).where(messages.c.message_id == told.message_id).values(error=problem.model_dump())
        )
        done = MessageDone(message_id=told.message_id, status="interrupted", error=problem)
        tx.append(row.chat_id, done, run_id=row.run_id)
        return
    message = Message(
        message_id=ids.new("message"),
        chat_id=row.chat_id,
        parent_id=row.message_id if told is None else told.message_id,
        run_id=row.run_id,
        role="assistant",
        status="failed",
        model=row.model,
        error=problem,
        created_at=tx.now,
    )
    store.add_message(tx, message)
    tx.append(row.chat_id, MessageAdded(message=message), run_id=row.run_id)
