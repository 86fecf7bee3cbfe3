"""Summaries that stand for older messages in prompts, pins, and the meter of a chat's newest prompt."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, insert, select, update

from ..errors import NotFound
from ..events.payloads import ContextMeasured, MessagePinned, SummaryAdded
from ..schemas import ContextMeter, Summary
from ..storage.tables import events, messages, summaries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..events.log import Transaction


def _as_summary(row: Row[Any]) -> Summary:  # column types are the table's, not known to the checker
    return Summary.model_validate(dict(row._mapping))


def of_chat(connection: Connection, chat_id: str) -> tuple[Summary, ...]:
    """All of a chat, oldest first; on one branch the newest counts."""
    rows = connection.execute(
        select(summaries).where(summaries.c.chat_id == chat_id).order_by(summaries.c.at, summaries.c.summary_id)
    )
    return tuple(_as_summary(row) for row in rows)


def newest_of(connection: Connection, chat_id: str, branch: Sequence[str]) -> Summary | None:
    """The summary that stands for the most of a branch (its message ids, oldest first); None where there is none.

    One that was made on another branch holds here only as far as both are one.
    """
    at = {message_id: position for position, message_id in enumerate(branch)}
    held = [one for one in of_chat(connection, chat_id) if one.upto_message_id in at]
    return max(held, key=lambda one: (at[one.upto_message_id], one.at, one.summary_id), default=None)


def writers_of(connection: Connection, chat_id: str, branch: Sequence[str]) -> tuple[str, ...]:
    """Who wrote the summaries of a branch: a later one may repeat what an earlier one says."""
    return tuple({one.made_by for one in of_chat(connection, chat_id) if one.upto_message_id in set(branch)})


def add(tx: Transaction, summary: Summary, *, run_id: str | None = None) -> None:
    """Write a summary down and tell those who follow the chat."""
    tx.connection.execute(insert(summaries).values(**summary.model_dump()))
    tx.append(summary.chat_id, SummaryAdded(summary=summary), run_id=run_id)


def pin(tx: Transaction, chat_id: str, message_id: str, *, is_pinned: bool) -> None:
    """Pin a message of a chat, or let it go."""
    where = (messages.c.chat_id == chat_id, messages.c.message_id == message_id)
    if tx.connection.execute(select(messages.c.message_id).where(*where)).first() is None:
        raise NotFound(f"There is no message {message_id} in this chat.", remedy="Reload the chat.")
    tx.connection.execute(update(messages).where(*where).values(is_pinned=is_pinned))
    tx.append(chat_id, MessagePinned(message_id=message_id, is_pinned=is_pinned))


def last_meter(connection: Connection, chat_id: str) -> ContextMeter | None:
    """What the newest prompt of a chat was made of; None before the first."""
    payload = connection.execute(
        select(events.c.payload)
        .where(events.c.chat_id == chat_id, events.c.kind == "context.measured")
        .order_by(events.c.seq.desc())
        .limit(1)
    ).scalar()
    return None if payload is None else ContextMeasured.model_validate(json.loads(payload)).meter
