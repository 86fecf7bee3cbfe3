"""What chats, runs, calls, questions and their surroundings are."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue

Action = Literal["read", "write", "run", "send"]
"""What a tool does to its resource. `run` executes code; `send` leaves the machine."""

Effect = Literal["auto", "ask", "deny"]

Starter = Literal["person", "schedule", "webhook", "mail"]
"""What began a run. Only `person` exists yet; rules may name the others already."""

RunState = Literal["queued", "running", "waiting", "interrupted", "failed", "stopped", "done"]
"""queued: behind another run of the chat; running: a worker holds it, or may take it at once; waiting:
a question is open and no worker is held. The other four are final. interrupted: the reply was cut."""

MessageStatus = Literal["streaming", "complete", "interrupted", "replaced", "failed", "stopped"]
"""interrupted: the provider's stream broke, the partial text is kept. replaced: a crash cut the model
call and it was made again; never shown."""

CallState = Literal["asked", "begun", "done", "failed", "refused", "unknown", "stopped"]
"""asked: the model wants it, not yet judged or waiting for a person; begun: committed before the effect;
unknown: the worker died in the middle and the outcome cannot be looked up."""

QuestionKind = Literal["approval", "choice", "outcome", "consent", "budget"]
"""approval: may this call run? choice: the assistant asks the user; outcome: did that cut call happen? consent: may
this request go to that provider? budget: may the next step pass a budget?"""

QuestionState = Literal["open", "answered", "expired", "void"]

TaskStatus = Literal["open", "doing", "done", "dropped"]

Mode = Literal["plan", "ask", "edit"]
"""Per chat. plan: nothing but reads; ask: as the rules say; edit: writes inside grants need no question."""


class Noun(BaseModel):
    """Base of all nouns: immutable, unknown fields refused, numbers finite (JSON has no others)."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Usage(Noun):
    """Tokens of one model call, as the provider counted them, else as we did: `is_estimated`."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    is_estimated: bool = False
    cost_usd: float | None = None
    """None where the price is not known."""


class ContextItem(Noun):
    """Something the user attached to a message: shown as a chip, removable before sending."""

    kind: Literal[
        "notebook", "cell", "file", "folder", "selection", "variable", "frame", "output", "picture", "command", "skill"
    ]
    """command, skill: what the person called with `/name`; only the server attaches it."""
    path: str = ""
    cell_id: str = ""
    name: str = ""
    text: str = ""


class ToolCall(Noun):
    """A tool call as the model made it. `arguments` is its exact text, mended where only one thing can be meant."""

    call_id: str
    """Ours, unique; the provider's own id may repeat between runs."""
    name: str
    arguments: str
    provider_id: str = ""
    """The provider's id, sent back to it unchanged (some carry state in it)."""


class Problem(Noun):
    """A fault in words for a person: what, why, and what to do next. `kind` is for programs."""

    kind: str
    message: str
    remedy: str = ""
    detail: str = ""
    """What a provider said itself, without keys."""


class Message(Noun):
    """One message of a chat. `parent_id` makes branches: edit-and-resend adds a sibling."""

    message_id: str
    chat_id: str
    parent_id: str | None
    run_id: str | None
    role: Literal["user", "assistant"]
    text: str = ""
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    """Results are in the `Call` cards, not in messages."""
    context: tuple[ContextItem, ...] = ()
    status: MessageStatus = "complete"
    model: str = ""
    usage: Usage | None = None
    error: Problem | None = None
    is_pinned: bool = False
    """Stays word for word in what models are given, also when what is around it becomes a summary."""
    notice: str = ""
    """What its reader should know: another model answered and why, or it answered without tools."""
    created_at: datetime


class Diff(Noun):
    """Old and new text of one thing (a cell's source, a file)."""

    label: str
    old: str
    new: str


class Preview(Noun):
    """What a question or a card shows of a call: one plain sentence, and code or diffs."""

    sentence: str
    code: str = ""
    language: str = ""
    diffs: tuple[Diff, ...] = ()
    findings: tuple[str, ...] = ()
    """What was seen in code to run: "runs a shell command", "deletes files", "uses the network" …"""
    read_before: tuple[str, ...] = ()
    """Titles of what the run has read from outside before it wanted this; the newest first."""
    rule: str = ""
    """Why this is asked: the rule, in words."""


class Call(Noun):
    """A tool call's card: how far it is, and a bounded view of its result."""

    call_id: str
    run_id: str
    chat_id: str
    message_id: str
    name: str
    arguments: JsonValue
    state: CallState
    action: Action = "read"
    title: str = ""
    """One line for the card: "Read sales.ipynb, 14 cells"."""
    result: str = ""
    """The text the model was given (bounded)."""
    result_hash: str | None = None
    """Set when the whole result is longer than what the model saw: GET results/{hash}."""
    outputs: tuple[dict[str, JsonValue], ...] = ()
    """nbformat outputs of a run cell, bounded, for JupyterLab's own renderers."""
    diffs: tuple[Diff, ...] = ()
    found: tuple[str, ...] = ()
    """Passages of the result that read like orders to an assistant; they were not followed."""
    problem: Problem | None = None
    begun_at: datetime | None = None
    done_at: datetime | None = None


class GrantScope(Noun):
    """The reach of an "always" answer; empty string means any."""

    label: str
    tool: str = ""
    action: Action
    path: str = ""
    chat_id: str = ""
    days: int | None = 30


class Question(Noun):
    """Something only a person can answer. Survives restarts; bound to the exact arguments."""

    question_id: str
    chat_id: str
    run_id: str
    call_id: str | None
    kind: QuestionKind
    state: QuestionState
    tool: str = ""
    action: Action = "read"
    resource: str = ""
    arguments: JsonValue = None
    preview: Preview
    choices: tuple[str, ...] = ()
    scopes: tuple[GrantScope, ...] = ()
    """What "always" may mean here, narrowest first."""
    answer: str | None = None
    answered_by: str | None = None
    opened_at: datetime
    expires_at: datetime
    closed_at: datetime | None = None


class Grant(Noun):
    """An "always" that was given: this tool, this path, this chat, until then. Revocable."""

    grant_id: str
    owner_id: str
    tool: str
    action: Action
    path: str
    chat_id: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None = None


class Run(Noun):
    """One piece of work in a chat: from a user's message to its end."""

    run_id: str
    chat_id: str
    owner_id: str
    state: RunState
    model: str
    message_id: str
    """The user message it answers."""
    steps: int = 0
    problem: Problem | None = None
    queued_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None


class Chat(Noun):
    """A chat as the list shows it."""

    chat_id: str
    owner_id: str
    title: str
    model: str
    """Empty: the default model."""
    mode: Mode = "ask"
    state: RunState | None = None
    """Of its newest run; None before the first."""
    waiting: int = 0
    """Open questions."""
    created_at: datetime
    updated_at: datetime


class ModelInfo(Noun):
    """A model the picker can offer."""

    model_id: str
    """As litellm names it ("openai/gpt-5", "ollama/qwen3"), or "linda/demo"."""
    label: str
    provider: str
    is_local: bool
    is_ready: bool
    note: str = ""


class Provider(Noun):
    """A connected provider as the panel may see it: the key never, only whether it is set and when."""

    name: str
    label: str
    kind: str
    """litellm's provider word: openai, anthropic, ollama, …"""
    base_url: str = ""
    proxy: str = ""
    ca_file: str = ""
    models: tuple[str, ...] = ()
    input_usd: float | None = None
    output_usd: float | None = None
    """US dollars for a million tokens, as the person gave them."""
    has_key: bool = False
    key_source: Literal["", "environment", "file"] = ""
    key_set_at: datetime | None = None
    is_shared: bool = False
    """Set up by whoever runs the server: nobody changes it here."""


class Check(Noun):
    """One line of the doctor and of the readiness page."""

    name: str
    title: str
    state: Literal["ok", "warning", "error", "skipped"]
    detail: str
    remedy: str = ""


class AuditEntry(Noun):
    """One decision of the gate, or one answer, or one effect. Append-only."""

    audit_id: int
    at: datetime
    owner_id: str
    chat_id: str
    run_id: str
    call_id: str
    tool: str
    action: Action
    resource: str
    arguments: JsonValue
    decision: Literal["auto", "asked", "allowed", "refused", "denied", "expired", "done", "failed"]
    rule: str
    by: str


class Event(Noun):
    """One entry of a chat's log. `seq` is gapless per chat, from 1; `payload` is typed by `kind`."""

    chat_id: str
    seq: int
    run_id: str | None
    kind: str
    payload: dict[str, JsonValue]
    at: datetime


class Task(Noun):
    """Something to be done. `due` is ISO 8601, a date or a date with a time; empty for none."""

    task_id: str
    owner_id: str
    title: str
    notes: str = ""
    due: str = ""
    status: TaskStatus = "open"
    assignee: Literal["me", "linda"] = "me"
    profile: str = ""
    """The permission profile its work runs with; empty: the assignee's."""
    revision: int = 1
    created_at: datetime
    updated_at: datetime


class JournalEntry(Noun):
    """Something she changed, that can be undone: by call, and in one notebook, file, task or grant."""

    entry_id: str
    chat_id: str
    run_id: str
    call_id: str
    kind: Literal["cells", "file", "task", "grant"]
    path: str
    title: str | None
    """The call's card."""
    state: Literal["done", "undone"]
    words: str = ""
    """Why it could not be undone or done again, at the last try."""
    at: datetime
    undone_at: datetime | None = None
