"""Runs that a server left behind and nobody alive may claim: they give way to what was sent after them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Row, or_, select, update

from ..chats import store
from ..events.payloads import MessageAdded, MessageDone
from ..schemas import Message, Problem
from ..storage.tables import messages, runs
from . import queue, servers

if TYPE_CHECKING:
    from ..events.log import Transaction
    from ..ports import Ids

REMEDY = "Retry it here, or send it from a server of that folder."


def give_way(tx: Transaction, claimant: queue.Claimant, ids: Ids) -> list[str]:
    """End the runs that hold up this claimant's own, where their server is gone and its folder is another one.

    Such a run is left alone until somebody goes on in its chat: its server may come back. Returns their ids.
    """
    waiting = select(runs.c.chat_id).where(runs.c.server_id == claimant.server_id, runs.c.state == "queued")
    left = tx.connection.execute(
        select(runs).where(
            runs.c.chat_id.in_(waiting),
            runs.c.state.in_(("queued", "running")),
            runs.c.server_id.in_(claimant.gone),
            runs.c.server_id.not_in(servers.alive_here(tx.connection)),
            runs.c.root_dir != claimant.root_dir,
            or_(runs.c.lease_until.is_(None), runs.c.lease_until < tx.now),
        )
    ).all()
    for row in left:
        _end(tx, row, ids)
    return [row.run_id for row in left]


def _end(tx: Transaction, row: Row[Any], ids: Ids) -> None:
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
