"""What goes in and out over HTTP and the panel's socket."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from .context import ContextMeter, Summary
from .nouns import (
    Call,
    Chat,
    ContextItem,
    Event,
    GrantScope,
    JournalEntry,
    Message,
    Mode,
    Noun,
    Problem,
    Question,
    Run,
    Task,
    TaskStatus,
)

UNSEEN = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})
"""Unicode's categories of controls, invisible signs and spaces: a text of nothing else is blank."""


def _not_blank(text: str) -> str:
    if all(unicodedata.category(sign) in UNSEEN for sign in text):
        raise ValueError("is blank: write something")
    return text


def _not_only_blanks(text: str) -> str:
    return _not_blank(text) if text else text


Words = AfterValidator(_not_blank)

MESSAGE_CHARS = 200_000
"""Most characters of a message."""


class NewChat(Noun):
    """POST chats"""

    title: Annotated[str, Field(max_length=200), AfterValidator(_not_only_blanks)] = ""
    model: str = ""
    mode: Mode = "ask"


class ChatPatch(Noun):
    """PATCH chats/{chat_id}: only the given fields change."""

    title: Annotated[str, Field(max_length=200), Words] | None = None
    model: str | None = None
    mode: Mode | None = None


class NewMessage(Noun):
    """POST chats/{chat_id}/messages. A retried POST with the same `client_id` starts no second run."""

    text: Annotated[str, Field(max_length=MESSAGE_CHARS), Words]
    client_id: Annotated[str, Field(min_length=8, max_length=64)]
    parent_id: str | None = None
    """The message this one follows; None continues at the newest. Edit-and-resend gives the edited one's parent."""
    is_root: bool = False
    """With `parent_id` None: edit-and-resend of the chat's first message (a new root)."""
    context: tuple[ContextItem, ...] = ()
    model: str = ""


class Retry(Noun):
    """POST chats/{chat_id}/retry: answer this user message again, as a new branch."""

    message_id: str
    client_id: Annotated[str, Field(min_length=8, max_length=64)]
    model: str = ""


class Accepted(Noun):
    """202 of messages and retry."""

    message: Message
    run: Run


class ChatView(Noun):
    """GET chats/{chat_id}: the chat as of `seq`; follow the stream from there."""

    chat: Chat
    messages: tuple[Message, ...]
    calls: tuple[Call, ...]
    questions: tuple[Question, ...]
    runs: tuple[Run, ...]
    journal: tuple[JournalEntry, ...] = ()
    summaries: tuple[Summary, ...] = ()
    """What stands for older messages in prompts, oldest first."""
    meter: ContextMeter | None = None
    """What the newest prompt was made of; None before the first."""
    wait: Event | None = None
    """The chat's newest event, where it tells that the model is asked again after a wait."""
    seq: int


class ChatList(Noun):
    """GET chats: newest first; `seq` of the home stream at that moment."""

    chats: tuple[Chat, ...]
    home_id: str
    seq: int


class MessagePatch(Noun):
    """PATCH chats/{chat_id}/messages/{message_id}"""

    is_pinned: bool


class StandingText(Noun):
    """GET and PUT instructions: what the person wants in every chat."""

    text: str


class CondenseChat(Noun):
    """POST chats/{chat_id}/condense: the branch that ends in this message."""

    message_id: str


class Answer(Noun):
    """POST questions/{question_id}/answer. `answer`: "once", "always", "no", "unasked" (where nobody can be asked:
    it counts as no), or one of the choices / free text.
    """

    answer: Annotated[str, Field(max_length=10_000), Words]
    scope: GrantScope | None = None
    """Required with "always"."""
    hours: Annotated[int, Field(ge=1, le=24 * 366)] | None = None
    """With "always": how long, at most as long as the scope offers; None: that long."""


MOST_MILLION_USD = 100_000.0
"""Beyond is no price of a million tokens, and sums over it would have no end."""


class ProviderInput(Noun):
    """PUT providers/{name} and POST providers/test. `key` None keeps the stored one; it is never echoed."""

    label: str = ""
    kind: Annotated[str, Field(pattern=r"^[a-z0-9_]{1,40}$")]
    base_url: str = ""
    proxy: str = ""
    ca_file: str = ""
    models: tuple[str, ...] = ()
    input_usd: float | None = Field(None, ge=0, le=MOST_MILLION_USD)
    """US dollars for a million tokens; None: by litellm's table, and unknown for an address of one's own."""
    output_usd: float | None = Field(None, ge=0, le=MOST_MILLION_USD)
    key: str | None = None


class SharedProvider(ProviderInput):
    """One of `c.LindaSettings.providers`: for everybody on a server; its key is in an environment variable."""

    key: None = None
    key_variable: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$|^$")] = ""
    """Empty: the usual one of its kind, such as OPENAI_API_KEY."""


class Presence(Noun):
    """What one browser tab has open; sent on change over the panel's WebSocket."""

    notebooks: tuple[str, ...] = ()
    """API paths of notebooks this tab holds a model of."""
    active: str = ""


class Status(Noun):
    """GET status"""

    version: str
    worker: Literal["idle", "starting", "running", "restarting", "failed"]
    worker_problem: Problem | None = None
    database_problem: Problem | None = None
    rules_problem: Problem | None = None
    policy_problem: Problem | None = None
    """A policy that cannot be read: until then everything asks."""
    default_model: str = ""
    demo_model: Literal["ready", "missing"] = "missing"
    home_id: str
    root_name: str = ""
    is_token_only: bool = True
    """True when the identity is just a token: the owner is `local`."""


class NewTask(Noun):
    """POST tasks"""

    title: Annotated[str, Field(max_length=300), Words]
    notes: Annotated[str, Field(max_length=10_000)] = ""
    due: Annotated[str, Field(max_length=40)] = ""
    status: TaskStatus = "open"
    assignee: Literal["me", "linda"] = "me"
    profile: Annotated[str, Field(max_length=80)] = ""


class TaskPatch(Noun):
    """PATCH tasks/{task_id}: only the given fields change; with `revision` only that version."""

    title: Annotated[str, Field(max_length=300), Words] | None = None
    notes: Annotated[str, Field(max_length=10_000)] | None = None
    due: Annotated[str, Field(max_length=40)] | None = None
    status: TaskStatus | None = None
    assignee: Literal["me", "linda"] | None = None
    profile: Annotated[str, Field(max_length=80)] | None = None
    revision: int | None = None


class TaskList(Noun):
    """GET tasks: open ones first, by due date."""

    tasks: tuple[Task, ...]


class Undo(Noun):
    """POST chats/{chat_id}/undo and …/redo: one call's changes, one run's, or a run's and all after it."""

    call_id: str = ""
    run_id: str = ""
    since_run: str = ""
