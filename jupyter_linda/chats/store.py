"""Chats and messages in the database: making, reading, renaming, deleting, branches."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from ..errors import NotFound
from ..events.log import Transaction, as_event, home_of
from ..events.payloads import ChatChanged, ChatDeleted, MessageAdded
from ..ports.held import plain
from ..schemas import Call, Chat, ChatPatch, ChatView, Diff, Event, Message, NewChat, Question, Run
from ..storage.hidden import visible, visible_json
from ..storage.tables import calls, chats, events, messages, questions, runs
from ..storage.texts import json_shown
from . import summaries

AnyRow = Row[Any]  # column types are the tables', not known to the checker

ACTIVE = ("queued", "running", "waiting")


def as_run(row: AnyRow) -> Run:
    """A row of `runs` as the noun."""
    names = (
        "run_id",
        "chat_id",
        "owner_id",
        "state",
        "model",
        "message_id",
        "steps",
        "problem",
        "queued_at",
        "started_at",
        "ended_at",
    )
    return Run.model_validate({name: getattr(row, name) for name in names})


def as_message(row: AnyRow) -> Message:
    """A row of `messages` as the noun."""
    return Message.model_validate({name: value for name, value in row._mapping.items() if name != "position"})


def as_call(row: AnyRow) -> Call:
    """A row of `calls` as the card, hidden characters written out; arguments that are no JSON are shown as text."""
    ours = ("position", "data", "arguments", "images")
    values = {name: value for name, value in row._mapping.items() if name not in ours}
    arguments = visible_json(arguments_shown(row.arguments))
    shown = {"arguments": arguments, "result": plain(row.result), "diffs": visible_json(row.diffs)}
    return Call.model_validate({**values, **shown})


def arguments_shown(text: str) -> Any:  # any JSON
    """Argument text as JSON where it is JSON."""
    return json_shown(text or "{}")


def as_question(row: AnyRow) -> Question:
    """A row of `questions` as the noun, exactly as it was asked: what is done later is compared with that."""
    return Question.model_validate({name: value for name, value in row._mapping.items() if name != "owner_id"})


def as_shown(question: Question) -> Question:
    """A question as people see it: what does not show in code, changes and arguments is written out."""
    preview = question.preview
    diffs = tuple(Diff.model_validate(visible_json(diff.model_dump())) for diff in preview.diffs)
    shown = preview.model_copy(update={"code": visible(preview.code), "diffs": diffs})
    return question.model_copy(update={"preview": shown, "arguments": visible_json(question.arguments)})


def _as_chat(row: AnyRow) -> Chat:
    return Chat.model_validate(dict(row._mapping))


def _chat_query() -> Any:  # a Select over labelled columns
    newest = (
        select(runs.c.state)
        .where(runs.c.chat_id == chats.c.chat_id)
        .order_by(runs.c.queued_at.desc(), runs.c.run_id.desc())
        .limit(1)
        .scalar_subquery()
    )
    active = (
        select(runs.c.state)
        .where(runs.c.chat_id == chats.c.chat_id, runs.c.state.in_(("running", "waiting")))
        .limit(1)
        .scalar_subquery()
    )
    waiting = (
        select(func.count())
        .select_from(questions)
        .where(questions.c.chat_id == chats.c.chat_id, questions.c.state == "open")
        .scalar_subquery()
    )
    return select(chats, func.coalesce(active, newest).label("state"), waiting.label("waiting"))


def create(tx: Transaction, chat_id: str, owner_id: str, wish: NewChat) -> Chat:
    """A new chat."""
    tx.connection.execute(
        insert(chats).values(
            chat_id=chat_id,
            owner_id=owner_id,
            title=wish.title,
            model=wish.model,
            mode=wish.mode,
            created_at=tx.now,
            updated_at=tx.now,
        )
    )
    return announce(tx, chat_id)


def announce(tx: Transaction, chat_id: str) -> Chat:
    """Tell the owner's home stream how a chat stands now."""
    chat = _as_chat(tx.connection.execute(_chat_query().where(chats.c.chat_id == chat_id)).one())
    tx.append(home_of(chat.owner_id), ChatChanged(chat=chat))
    return chat


def get(connection: Connection, chat_id: str, owner_id: str) -> Chat:
    """A chat of this owner; another's is not found."""
    row = connection.execute(
        _chat_query().where(chats.c.chat_id == chat_id, chats.c.owner_id == owner_id)
    ).one_or_none()
    if row is None:
        raise NotFound(f"There is no chat {chat_id}.", remedy="It may have been deleted; open another from the list.")
    return _as_chat(row)


def list_all(connection: Connection, owner_id: str, query: str = "") -> tuple[Chat, ...]:
    """An owner's chats, newest first, those whose title contains `query` (case ignored)."""
    wanted = _chat_query().where(chats.c.owner_id == owner_id).order_by(chats.c.updated_at.desc())
    listed = tuple(_as_chat(row) for row in connection.execute(wanted))
    # SQLite folds the case of ASCII only.
    return tuple(chat for chat in listed if folded(query) in folded(chat.title)) if query else listed


def folded(text: str) -> str:
    """A text without case, and with one way to write each letter: ß is ss, İ and ı are i, é is one sign or two."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKD", text).casefold())
    return plain.replace("i\u0307", "i").replace("ı", "i")


def last_seq(connection: Connection, chat_id: str) -> int:
    """The newest seq of a stream (0 when empty)."""
    return connection.execute(select(func.max(events.c.seq)).where(events.c.chat_id == chat_id)).scalar() or 0


def view(connection: Connection, chat_id: str, owner_id: str) -> ChatView:
    """The whole chat as of one seq, half-streamed text included."""
    chat = get(connection, chat_id, owner_id)
    listed = [
        as_message(row)
        for row in connection.execute(
            select(messages)
            .where(messages.c.chat_id == chat_id, messages.c.status != "replaced")
            .order_by(messages.c.position)
        )
    ]
    streaming = {m.message_id for m in listed if m.status == "streaming"}
    if streaming:
        partial = _partial_texts(connection, chat_id, streaming)
        listed = [
            m.model_copy(update={"text": partial[m.message_id][0], "reasoning": partial[m.message_id][1]})
            if m.message_id in partial
            else m
            for m in listed
        ]
    return ChatView(
        chat=chat,
        messages=tuple(listed),
        calls=tuple(
            as_call(row)
            for row in connection.execute(
                select(calls).where(calls.c.chat_id == chat_id).order_by(calls.c.run_id, calls.c.position)
            )
        ),
        questions=tuple(
            as_shown(as_question(row))
            for row in connection.execute(
                select(questions).where(questions.c.chat_id == chat_id).order_by(questions.c.opened_at)
            )
        ),
        summaries=summaries.of_chat(connection, chat_id),
        meter=summaries.last_meter(connection, chat_id),
        wait=_wait(connection, chat_id),
        runs=tuple(
            as_run(row)
            for row in connection.execute(select(runs).where(runs.c.chat_id == chat_id).order_by(runs.c.queued_at))
        ),
        seq=last_seq(connection, chat_id),
    )


def _wait(connection: Connection, chat_id: str) -> Event | None:
    """What a run waits for now: whatever else comes ends a wait."""
    row = connection.execute(
        select(events).where(events.c.chat_id == chat_id).order_by(events.c.seq.desc()).limit(1)
    ).first()
    return as_event(row) if row is not None and row.kind == "model.retrying" else None


def streamed_text(connection: Connection, chat_id: str, message_id: str) -> tuple[str, str]:
    """Text and reasoning of a message as its chunks so far give them."""
    return _partial_texts(connection, chat_id, {message_id}).get(message_id, ("", ""))


def _partial_texts(connection: Connection, chat_id: str, wanted: set[str]) -> dict[str, tuple[str, str]]:
    texts: dict[str, tuple[str, str]] = {}
    rows = connection.execute(
        select(events.c.payload)
        .where(events.c.chat_id == chat_id, events.c.kind == "message.delta")
        .order_by(events.c.seq)
    )
    for (payload,) in rows:
        delta = json.loads(payload)
        if delta["message_id"] in wanted:
            text, reasoning = texts.get(delta["message_id"], ("", ""))
            texts[delta["message_id"]] = (text + delta.get("text", ""), reasoning + delta.get("reasoning", ""))
    return texts


def change(tx: Transaction, chat_id: str, owner_id: str, patch: ChatPatch) -> Chat:
    """Rename, choose a model or a mode."""
    get(tx.connection, chat_id, owner_id)
    values = patch.model_dump(exclude_none=True)
    if values:
        tx.connection.execute(update(chats).where(chats.c.chat_id == chat_id).values(**values, updated_at=tx.now))
    return announce(tx, chat_id)


def remove(tx: Transaction, chat_id: str, owner_id: str) -> None:
    """Delete a chat and all that hangs on it. The audit stays, and one event that tells those who still follow it."""
    get(tx.connection, chat_id, owner_id)
    # First the events, then the rows: the newest row id of the log must never go, ids are not used twice.
    tx.append(home_of(owner_id), ChatDeleted(chat_id=chat_id))
    last = tx.append(chat_id, ChatDeleted(chat_id=chat_id))
    tx.connection.execute(delete(events).where(events.c.chat_id == chat_id, events.c.seq < last))
    for table in (calls, questions, messages, runs, chats):
        tx.connection.execute(delete(table).where(table.c.chat_id == chat_id))


def add_message(tx: Transaction, message: Message) -> None:
    """Append a message at the chat's next position."""
    last = tx.connection.execute(
        select(func.max(messages.c.position)).where(messages.c.chat_id == message.chat_id)
    ).scalar()
    tx.connection.execute(
        insert(messages).values(**message.model_dump(mode="python"), position=0 if last is None else last + 1)
    )


def newest_message_id(connection: Connection, chat_id: str) -> str | None:
    """The message a plain new one follows: the last that waits, else the end of a running answer, else the newest.

    A retry that has said nothing yet ends in the message it answers again, not in the old answer.
    """
    live = connection.execute(
        select(runs.c.run_id, runs.c.message_id, runs.c.state)
        .where(runs.c.chat_id == chat_id, runs.c.state.in_(ACTIVE))
        .order_by((runs.c.state == "queued").desc(), runs.c.queued_at.desc(), runs.c.run_id.desc())
        .limit(1)
    ).one_or_none()
    if live is not None and live.state == "queued":
        return str(live.message_id)
    newest = (
        select(messages.c.message_id)
        .where(messages.c.chat_id == chat_id, messages.c.status != "replaced")
        .order_by(messages.c.position.desc())
        .limit(1)
    )
    if live is None:
        return connection.execute(newest).scalar()
    return connection.execute(newest.where(messages.c.run_id == live.run_id)).scalar() or str(live.message_id)


def move_behind_answer(tx: Transaction, run: Run) -> None:
    """A message sent while another was being answered follows the end of that answer, now that it is known."""
    message = tx.connection.execute(select(messages).where(messages.c.message_id == run.message_id)).one()
    parent = tx.connection.execute(select(messages).where(messages.c.message_id == message.parent_id)).one_or_none()
    is_answered = tx.connection.execute(
        select(messages.c.message_id)
        .where(messages.c.parent_id == message.message_id, messages.c.role == "assistant")
        .limit(1)
    ).first()
    if parent is None or is_answered is not None:
        return
    answering = parent.run_id or (
        select(runs.c.run_id)
        .where(runs.c.message_id == parent.message_id, runs.c.run_id != run.run_id)
        .order_by(runs.c.queued_at.desc(), runs.c.run_id.desc())
        .limit(1)
        .scalar_subquery()
    )
    last = tx.connection.execute(
        select(messages.c.message_id)
        .where(messages.c.run_id == answering, messages.c.status != "replaced")
        .order_by(messages.c.position.desc())
        .limit(1)
    ).scalar()
    if last is None or last == parent.message_id:
        return
    tx.connection.execute(update(messages).where(messages.c.message_id == message.message_id).values(parent_id=last))
    moved = as_message(message).model_copy(update={"parent_id": last})
    tx.append(run.chat_id, MessageAdded(message=moved))


def path_to(connection: Connection, chat_id: str, message_id: str) -> list[Message]:
    """The branch that ends in a message, oldest first; replaced messages on the way are left out."""
    by_id = {row.message_id: row for row in connection.execute(select(messages).where(messages.c.chat_id == chat_id))}
    path: list[Message] = []
    wanted: str | None = message_id
    while wanted is not None and wanted in by_id:
        if by_id[wanted].status != "replaced":
            path.append(as_message(by_id[wanted]))
        wanted = by_id[wanted].parent_id
    return path[::-1]


def check_result_owner(connection: Connection, digest: str, owner_id: str) -> None:
    """Whether a stored result belongs to a chat of this owner; `NotFound` if not."""
    found = connection.execute(
        select(calls.c.call_id)
        .join(chats, chats.c.chat_id == calls.c.chat_id)
        .where(calls.c.result_hash == digest, chats.c.owner_id == owner_id)
        .limit(1)
    ).first()
    if found is None:
        raise NotFound(f"There is no stored result {digest[:12]}….")
