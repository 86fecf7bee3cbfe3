"""Questions only a person can answer: opened by a run, answered once, expiring to no."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

from sqlalchemy import Connection, insert, select, update

from ..chats import store
from ..errors import NoLongerValid, NotAllowed, NotFound
from ..events.payloads import QuestionChanged
from ..storage.tables import questions, runs
from . import queue

if TYPE_CHECKING:
    from ..events.log import Transaction
    from ..schemas import Question


def open_one(tx: Transaction, question: Question, owner_id: str) -> None:
    """Write a question down and tell; the run's own state is the caller's to set."""
    values = question.model_dump(mode="python")
    tx.connection.execute(insert(questions).values(**values, owner_id=owner_id))
    tx.append(question.chat_id, QuestionChanged(question=store.as_shown(question)), run_id=question.run_id)


def wait(tx: Transaction, run_id: str) -> None:
    """Set a run waiting: it holds no worker until an answer comes."""
    tx.connection.execute(
        update(runs).where(runs.c.run_id == run_id).values(state="waiting", lease_until=None, holder="", attempts=0)
    )
    queue.announce(tx, run_id)


def of_run(connection: Connection, run_id: str) -> list[Question]:
    """All questions of a run, oldest first."""
    rows = connection.execute(select(questions).where(questions.c.run_id == run_id).order_by(questions.c.opened_at))
    return [store.as_question(row) for row in rows]


def list_open(connection: Connection, owner_id: str) -> tuple[Question, ...]:
    """Open questions over all chats of an owner, oldest first."""
    rows = connection.execute(
        select(questions)
        .where(questions.c.owner_id == owner_id, questions.c.state == "open")
        .order_by(questions.c.opened_at)
    )
    return tuple(store.as_shown(store.as_question(row)) for row in rows)


def get(connection: Connection, question_id: str, owner_id: str) -> Question:
    """A question of this owner."""
    row = connection.execute(
        select(questions).where(questions.c.question_id == question_id, questions.c.owner_id == owner_id)
    ).one_or_none()
    if row is None:
        raise NotFound(f"There is no question {question_id}.", remedy="Its chat may have been deleted.")
    return store.as_question(row)


def answer(tx: Transaction, question_id: str, owner_id: str, *, answer: str, by: str) -> Question:
    """Answer once: the first answer wins, later ones are refused with who decided. The run may go on at once."""
    question = get(tx.connection, question_id, owner_id)
    if question.state == "open" and question.expires_at <= tx.now:
        question = close(tx, question_id, state="expired", answer="no", by="expiry")
        raise NoLongerValid("This question has expired, which counts as no.", remedy="Ask again in the chat.")
    if question.state != "open":
        who = f" ({question.answer} by {question.answered_by})" if question.answered_by else ""
        raise NoLongerValid(
            f"This question is no longer valid: it is {question.state}{who}.", remedy="Ask again in the chat."
        )
    return close(tx, question_id, state="answered", answer=answer, by=by)


def close(tx: Transaction, question_id: str, *, state: str, answer: str, by: str) -> Question:
    """Close an open question and, when it was the run's last, let the run be claimed again."""
    tx.connection.execute(
        update(questions)
        .where(questions.c.question_id == question_id)
        .values(state=state, answer=answer, answered_by=by, closed_at=tx.now)
    )
    row = tx.connection.execute(select(questions).where(questions.c.question_id == question_id)).one()
    question = store.as_question(row)
    tx.append(question.chat_id, QuestionChanged(question=store.as_shown(question)), run_id=question.run_id)
    still_open = tx.connection.execute(
        select(questions.c.question_id)
        .where(questions.c.run_id == question.run_id, questions.c.state == "open")
        .limit(1)
    ).first()
    if still_open is None:
        changed = tx.connection.execute(
            update(runs)
            .where(runs.c.run_id == question.run_id, runs.c.state == "waiting")
            .values(state="running", lease_until=None, holder="")
        )
        if changed.rowcount:
            queue.announce(tx, question.run_id)
            return question
    store.announce(tx, question.chat_id)
    return question


def expire(tx: Transaction) -> list[Question]:
    """Close every open question past its time with "no"."""
    rows = tx.connection.execute(
        select(questions.c.question_id).where(questions.c.state == "open", questions.c.expires_at <= tx.now)
    ).all()
    return [close(tx, row.question_id, state="expired", answer="no", by="expiry") for row in rows]


def spend(tx: Transaction, call_id: str) -> None:
    """An answer about a call that a crash cut holds for one attempt: a second crash asks again."""
    tx.connection.execute(
        update(questions)
        .where(questions.c.call_id == call_id, questions.c.kind == "outcome", questions.c.state == "answered")
        .values(state="void")
    )


def check_secret(connection: Connection, question: Question, secret: str) -> None:
    """Whether a command line's one-time secret belongs to the question's run; `NotAllowed` if not."""
    stored = connection.execute(select(runs.c.answer_secret_hash).where(runs.c.run_id == question.run_id)).scalar()
    if not stored or not hmac.compare_digest(stored, hash_secret(secret)):
        raise NotAllowed("This secret does not belong to the run that asks.")


def hash_secret(secret: str) -> str:
    """sha256 of an answer secret; the secret itself is never kept."""
    return hashlib.sha256(secret.encode()).hexdigest()
