"""A run's transcript as the database has it, and the pure decision what comes next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import Connection, Row, select

from ..chats import store, summaries
from ..permissions.taint import MOST_SOURCES
from ..runs import questions
from ..storage.hidden import one_line
from ..storage.tables import calls, messages, model_calls, runs
from .families import OURS
from .fence import holds_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..ports import Tool
    from ..schemas import ContextItem, Message, Preview, Question, Run, Summary

CallRow = Row[Any]  # column types are the table's, not known to the checker

OVER = ("done", "failed", "refused", "unknown", "stopped")

UNKNOWN_TOOL, CUT_ARGUMENTS = "UnknownTool", "CutArguments"
USELESS = (UNKNOWN_TOOL, CUT_ARGUMENTS)
"""Kinds of problems of calls that could not even be judged."""
MOST_USELESS = 3
"""Replies in a row with nothing but such calls, after which a run ends: the model would go on for ever."""

HAPPENED, AGAIN, SKIP = "It happened", "It did not: do it again", "Leave it"
"""Choices about a call that a crash cut."""


@dataclass(frozen=True)
class Transcript:
    """Everything a run's next step depends on."""

    history: Sequence[Message]
    """The branch up to and including the user message this run answers."""
    replies: Sequence[Message]
    """The run's own assistant messages, oldest first, replaced ones left out."""
    calls: Sequence[CallRow]
    """The tool calls of the whole branch."""
    questions: Sequence[Question]
    """Of this run."""
    runs: Sequence[Run] = ()
    """Earlier runs of the branch's messages, oldest first: how each turn ended."""
    summary: Summary | None = None
    """What stands for the older messages of the branch in prompts; the furthest there is."""
    writers: Sequence[str] = ()
    """Who wrote the summaries of the branch, this one and those before it."""
    were_here: frozenset[str] = frozenset()
    """Models that answered in this chat while they ran on this machine: their provider may be another by now."""
    guided_by: Sequence[str] = ()
    """Files of the project of which the newest prompt holds instructions, or what a skill is for."""


@dataclass(frozen=True)
class CallModel:
    """Ask the model for the next message; it follows `parent_id`."""

    parent_id: str


@dataclass(frozen=True)
class Act:
    """Carry out these calls of the newest reply, in order."""

    calls: Sequence[CallRow]


@dataclass(frozen=True)
class Wait:
    """Questions are open: hold nothing."""


@dataclass(frozen=True)
class End:
    """The run is over."""

    state: Literal["done", "failed"]
    reason: str = ""
    kind: str = "step_limit"
    """Of the problem, where there is a reason."""


Next = CallModel | Act | Wait | End


def load(connection: Connection, run: Run) -> Transcript:
    """Read a run's transcript in one snapshot."""
    history = store.path_to(connection, run.chat_id, run.message_id)
    replies = [
        store.as_message(row)
        for row in connection.execute(
            select(messages)
            .where(messages.c.run_id == run.run_id, messages.c.role == "assistant", messages.c.status != "replaced")
            .order_by(messages.c.position)
        )
    ]
    ids = [message.message_id for message in (*history, *replies)]
    rows = connection.execute(select(calls).where(calls.c.message_id.in_(ids)).order_by(calls.c.position)).all()
    earlier = connection.execute(
        select(runs)
        .where(runs.c.message_id.in_([message.message_id for message in history]), runs.c.run_id != run.run_id)
        .order_by(runs.c.queued_at, runs.c.run_id)
    )
    return Transcript(
        history=history,
        replies=replies,
        calls=rows,
        questions=questions.of_run(connection, run.run_id),
        runs=[store.as_run(row) for row in earlier],
        summary=summaries.newest_of(connection, run.chat_id, ids),
        writers=summaries.writers_of(connection, run.chat_id, ids),
        were_here=_were_here(connection, run.chat_id),
        guided_by=_guided_by(connection, run.chat_id),
    )


def load_branch(connection: Connection, chat_id: str, message_id: str) -> Transcript:
    """The branch that ends in a message, as it stands between two runs."""
    history = store.path_to(connection, chat_id, message_id)
    ids = [message.message_id for message in history]
    return Transcript(
        history=history,
        replies=(),
        calls=connection.execute(select(calls).where(calls.c.message_id.in_(ids)).order_by(calls.c.position)).all(),
        questions=(),
        summary=summaries.newest_of(connection, chat_id, ids),
        writers=summaries.writers_of(connection, chat_id, ids),
        were_here=_were_here(connection, chat_id),
    )


def _were_here(connection: Connection, chat_id: str) -> frozenset[str]:
    query = select(model_calls.c.model).where(model_calls.c.chat_id == chat_id, model_calls.c.is_local).distinct()
    return frozenset(connection.execute(query).scalars())


def _guided_by(connection: Connection, chat_id: str) -> Sequence[str]:
    meter = summaries.last_meter(connection, chat_id)
    return [part.name for part in meter.parts if part.kind in ("standing", "skills") and part.name] if meter else ()


def decide_next(transcript: Transcript, *, steps: int, max_steps: int) -> Next:
    """What comes next; depends on nothing but its arguments."""
    if any(question.state == "open" for question in transcript.questions):
        return Wait()
    last = transcript.replies[-1] if transcript.replies else None
    if last is None:
        return CallModel(parent_id=transcript.history[-1].message_id)
    pending = [row for row in transcript.calls if row.message_id == last.message_id and row.state not in OVER]
    if pending:
        return Act(calls=pending)
    if not last.tool_calls:
        return End("done")
    if _useless(transcript) >= MOST_USELESS:
        return End("failed", f"{MOST_USELESS} replies in a row held no tool call that can be used", "useless_calls")
    if steps >= max_steps:
        return End("failed", f"the limit of {max_steps} steps is reached")
    return CallModel(parent_id=last.message_id)


def _useless(transcript: Transcript) -> int:
    """How many of the newest replies in a row hold nothing but calls that could not be used."""
    count = 0
    for reply in reversed(transcript.replies):
        rows = [row for row in transcript.calls if row.message_id == reply.message_id]
        if not rows or not all((row.problem or {}).get("kind") in USELESS for row in rows):
            break
        count += 1
    return count


def answer_for(call_id: str, asked: Sequence[Question]) -> str | None:
    """The person's answer about a call, newest first; an expired question counts as no."""
    for question in reversed(asked):
        if question.call_id != call_id or question.state == "open":
            continue
        if question.kind == "approval":
            return question.answer if question.state == "answered" else "expired"
        if question.kind == "outcome" and question.answer == AGAIN:
            return "once"
    return None


def sources_before(row: CallRow, transcript: Transcript, tools: Mapping[str, Tool]) -> tuple[str, ...]:
    """Titles of what was read from outside before this call was made, newest first.

    Also what the person attached, and the project's own instructions and lists of skills: whoever wrote them is no
    more trusted than whoever wrote a notebook.
    """
    read = [
        done.title or done.name
        for done in transcript.calls
        if done.message_id != row.message_id and _tells(done, tools.get(done.name))
    ]
    attached = [item.path for message in transcript.history for item in message.context if _is_outside(item)]
    unnamed = [path for path in attached if not any(_names(title, path) for title in read)]
    sources = [*reversed(read), *unnamed, *transcript.guided_by]
    return tuple(dict.fromkeys(map(one_line, sources)))[:MOST_SOURCES]


def _names(title: str, path: str) -> bool:
    """Whether the title of a call says that it read this very path."""
    return bool(path) and any(f" {path}{end}" in f" {title} " for end in (" ", ","))


def _is_outside(item: ContextItem) -> bool:
    """Whether something attached brings words of strangers; a command of the person's own has no path."""
    is_own = item.kind in ("command", "skill") and not item.path
    return holds_words(item) and not is_own


def _tells(done: CallRow, tool: Tool | None) -> bool:
    """Whether a call's result may hold words of strangers: what was read, and why something failed."""
    if done.name in OURS:
        return False
    return done.state == "failed" or (done.state == "done" and (tool is None or tool.action in ("read", "run")))


def seen_for(call_id: str, asked: Sequence[Question]) -> Preview | None:
    """The preview a person allowed, newest first: the tool refuses to do anything else."""
    seen = [q.preview for q in asked if q.call_id == call_id and q.kind == "approval" and q.state == "answered"]
    return seen[-1] if seen else None
