"""The queue of runs: enqueue, claim, stop, end. One running or waiting run per chat."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, Connection, and_, exists, insert, or_, select, update

from ..chats import store
from ..errors import NotFound
from ..events.payloads import CallChanged, MessageDone, QuestionChanged, RunChanged
from ..storage.tables import calls, messages, model_calls, questions, runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..events.log import Transaction
    from ..schemas import Problem, Run, RunState

FINAL: tuple[RunState, ...] = ("interrupted", "failed", "stopped", "done")

MAX_ATTEMPTS = 3
"""Claims without one finished step in between, after which a run is failed."""


@dataclass(frozen=True)
class Claim:
    """A run this worker holds: every write of it is guarded by the fence."""

    run: Run
    fence: int
    server_id: str
    attempts: int


def get(connection: Connection, run_id: str) -> Run:
    """A run by id."""
    row = connection.execute(select(runs).where(runs.c.run_id == run_id)).one_or_none()
    if row is None:
        raise NotFound(f"There is no run {run_id}.")
    return store.as_run(row)


def by_client_id(connection: Connection, chat_id: str, client_id: str) -> Run | None:
    """The run a request with this client id started before in this chat, if any."""
    row = connection.execute(
        select(runs).where(runs.c.chat_id == chat_id, runs.c.client_id == _kept_id(chat_id, client_id))
    ).one_or_none()
    return None if row is None else store.as_run(row)


def _kept_id(chat_id: str, client_id: str) -> str:
    """Clients choose their ids for one chat; the table's index is over all of an owner's."""
    return f"{chat_id} {client_id}"


def enqueue(
    tx: Transaction, run: Run, *, server_id: str, root_dir: str, client_id: str, answer_secret_hash: str | None = None
) -> Run:
    """Queue a run behind the others of its chat. `root_dir` is what its paths are relative to."""
    tx.connection.execute(
        insert(runs).values(
            **run.model_dump(mode="python"),
            server_id=server_id,
            root_dir=root_dir,
            client_id=_kept_id(run.chat_id, client_id),
            answer_secret_hash=answer_secret_hash,
        )
    )
    return announce(tx, run.run_id)


def announce(tx: Transaction, run_id: str) -> Run:
    """Write down in both streams how a run stands now."""
    run = get(tx.connection, run_id)
    tx.append(run.chat_id, RunChanged(run=run), run_id=run_id)
    store.announce(tx, run.chat_id)
    return run


@dataclass(frozen=True)
class Claimant:
    """Who claims: a worker of one server, for it and for servers of the same root folder that are gone."""

    holder: str
    server_id: str
    root_dir: str
    gone: Sequence[str] = ()

    def may_claim(self) -> ColumnElement[bool]:
        """Which runs are this worker's business."""
        return or_(
            runs.c.server_id == self.server_id, and_(runs.c.server_id.in_(self.gone), runs.c.root_dir == self.root_dir)
        )


def claim(tx: Transaction, claimant: Claimant, *, lease_s: float, held: Sequence[str]) -> Claim | None:
    """Take one run that may go on: a queued one of an idle chat, or one whose holder is gone.

    `held` are runs this worker already holds and never claims again.
    """
    other = runs.alias("other")
    chat_is_busy = exists().where(other.c.chat_id == runs.c.chat_id, other.c.state.in_(("running", "waiting")))
    older = runs.alias("older")
    is_behind = exists().where(
        older.c.chat_id == runs.c.chat_id,
        older.c.state == "queued",
        or_(
            older.c.queued_at < runs.c.queued_at,
            and_(older.c.queued_at == runs.c.queued_at, older.c.run_id < runs.c.run_id),
        ),
    )
    may_go_on = or_(
        and_(runs.c.state == "queued", ~chat_is_busy, ~is_behind),
        and_(runs.c.state == "running", or_(runs.c.lease_until.is_(None), runs.c.lease_until < tx.now)),
    )
    row = tx.connection.execute(
        select(runs)
        .where(may_go_on, claimant.may_claim(), runs.c.run_id.not_in(held))
        .order_by(runs.c.queued_at)
        .limit(1)
    ).one_or_none()
    if row is None:
        return None
    if row.stop_asked_at is not None:  # its holder died before it could obey
        end(tx, row.run_id, "stopped")
        return claim(tx, claimant, lease_s=lease_s, held=held)
    tx.connection.execute(
        update(runs)
        .where(runs.c.run_id == row.run_id)
        .values(
            state="running",
            fence=row.fence + 1,
            holder=claimant.holder,
            attempts=row.attempts + 1,
            lease_until=tx.now + timedelta(seconds=lease_s),
            started_at=row.started_at or tx.now,
            problem=None,  # what it waited for is there
        )
    )
    if row.state == "queued":
        store.move_behind_answer(tx, store.as_run(row))
    run = announce(tx, row.run_id)
    return Claim(run=run, fence=row.fence + 1, server_id=row.server_id, attempts=row.attempts + 1)


def free(tx: Transaction, holder: str) -> list[str]:
    """A worker is known to be dead: its runs may be claimed at once. Returns their ids."""
    ids = list(
        tx.connection.execute(select(runs.c.run_id).where(runs.c.holder == holder, runs.c.state == "running")).scalars()
    )
    if ids:
        tx.connection.execute(update(runs).where(runs.c.run_id.in_(ids)).values(lease_until=None, holder=""))
    return ids


def has_work(connection: Connection, claimant: Claimant, held: Sequence[str] = ()) -> bool:
    """Whether any run of this worker's business, other than those it holds, is queued or running."""
    found = connection.execute(
        select(runs.c.run_id)
        .where(runs.c.state.in_(("queued", "running")), claimant.may_claim(), runs.c.run_id.not_in(held))
        .limit(1)
    ).first()
    return found is not None


def has_unfinished(connection: Connection, server_id: str) -> bool:
    """Whether any run of this server is not over, those that wait for an answer included."""
    found = connection.execute(
        select(runs.c.run_id).where(runs.c.server_id == server_id, runs.c.state.in_(store.ACTIVE)).limit(1)
    ).first()
    return found is not None


def end(tx: Transaction, run_id: str, state: RunState, problem: Problem | None = None) -> Run:
    """Close a run: whatever of it is still open is closed with it."""
    tx.connection.execute(
        update(runs)
        .where(runs.c.run_id == run_id)
        .values(
            state=state,
            ended_at=tx.now,
            lease_until=None,
            holder="",
            problem=None if problem is None else problem.model_dump(),
        )
    )
    close_open_parts(tx, run_id, state)
    return announce(tx, run_id)


def close_model_calls(tx: Transaction, run_id: str, outcome: str) -> None:
    """What became of model calls that nobody saw end."""
    tx.connection.execute(
        update(model_calls)
        .where(model_calls.c.run_id == run_id, model_calls.c.outcome == "")
        .values(outcome=outcome, ended_at=tx.now)
    )


def close_open_parts(tx: Transaction, run_id: str, state: RunState) -> None:
    """Void the open questions, close unfinished calls and streaming messages of a run that ended."""
    chat_id = get(tx.connection, run_id).chat_id
    close_model_calls(tx, run_id, state)
    for row in tx.connection.execute(
        select(questions.c.question_id).where(questions.c.run_id == run_id, questions.c.state == "open")
    ).all():
        tx.connection.execute(
            update(questions).where(questions.c.question_id == row.question_id).values(state="void", closed_at=tx.now)
        )
        closed = tx.connection.execute(select(questions).where(questions.c.question_id == row.question_id)).one()
        tx.append(chat_id, QuestionChanged(question=store.as_shown(store.as_question(closed))), run_id=run_id)
    for row in tx.connection.execute(
        select(calls.c.call_id, calls.c.state).where(calls.c.run_id == run_id, calls.c.state.in_(("asked", "begun")))
    ).all():
        tx.connection.execute(
            update(calls).where(calls.c.call_id == row.call_id).values(state="stopped", done_at=tx.now)
        )
        card = store.as_call(tx.connection.execute(select(calls).where(calls.c.call_id == row.call_id)).one())
        tx.append(chat_id, CallChanged(call=card), run_id=run_id)
    for row in tx.connection.execute(
        select(messages.c.message_id).where(messages.c.run_id == run_id, messages.c.status == "streaming")
    ).all():
        status = "stopped" if state == "stopped" else "interrupted"
        text, reasoning = store.streamed_text(tx.connection, chat_id, row.message_id)
        tx.connection.execute(
            update(messages)
            .where(messages.c.message_id == row.message_id)
            .values(status=status, text=text, reasoning=reasoning)
        )
        tx.append(chat_id, MessageDone(message_id=row.message_id, status=status), run_id=run_id)


def ask_to_stop(tx: Transaction, run_id: str) -> Run:
    """Stop a run: at once where nobody holds it, else its holder is asked (and writes `stopped` itself)."""
    row = tx.connection.execute(select(runs).where(runs.c.run_id == run_id)).one()
    if row.state in FINAL:
        return store.as_run(row)
    is_held = row.state == "running" and row.lease_until is not None and row.lease_until > tx.now
    if not is_held:
        tx.connection.execute(update(runs).where(runs.c.run_id == run_id).values(fence=row.fence + 1))
        return end(tx, run_id, "stopped")
    tx.connection.execute(update(runs).where(runs.c.run_id == run_id).values(stop_asked_at=tx.now))
    return store.as_run(row)


def active_in(connection: Connection, chat_id: str) -> list[str]:
    """Ids of a chat's runs that are not over, the running one first."""
    rows = connection.execute(
        select(runs.c.run_id, runs.c.state)
        .where(runs.c.chat_id == chat_id, runs.c.state.in_(store.ACTIVE))
        .order_by(runs.c.queued_at)
    ).all()
    # The queued ones are stopped first, or the next would start the moment the running one ends.
    return [row.run_id for row in sorted(rows, key=lambda row: row.state != "queued")]


def stops_asked(connection: Connection, held: Sequence[str]) -> list[str]:
    """Which of these runs were asked to stop."""
    return list(
        connection.execute(
            select(runs.c.run_id).where(runs.c.run_id.in_(held), runs.c.stop_asked_at.is_not(None))
        ).scalars()
    )


def obey_stops(tx: Transaction, server_id: str) -> None:
    """A server's worker is gone: what it was asked to stop and could not is stopped."""
    asked = select(runs.c.run_id).where(
        runs.c.server_id == server_id,
        runs.c.state == "running",
        runs.c.stop_asked_at.is_not(None),
        runs.c.lease_until.is_(None),
    )
    for run_id in tx.connection.execute(asked).scalars().all():
        end(tx, run_id, "stopped")


def lapse(now: datetime) -> datetime:
    """The moment before which a server's heartbeat counts as gone (60 s)."""
    return now - timedelta(seconds=60)
