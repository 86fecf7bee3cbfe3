"""What each kind of event carries; the kinds are in `PAYLOADS`."""

from __future__ import annotations

from ..schemas import (
    Call,
    Chat,
    ContextMeter,
    JournalEntry,
    Message,
    MessageStatus,
    Noun,
    Problem,
    Question,
    Run,
    Summary,
    Task,
    ToolCall,
    Usage,
)


class MessageAdded(Noun):
    """message.added: a user's message, or an assistant's that begins to stream."""

    message: Message


class MessageDelta(Noun):
    """message.delta: text and reasoning to append, and the whole-so-far is never sent."""

    message_id: str
    text: str = ""
    reasoning: str = ""


class MessageDone(Noun):
    """message.done: the final status; the text is the sum of the deltas."""

    message_id: str
    status: MessageStatus
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    error: Problem | None = None
    notice: str = ""


class ModelRetrying(Noun):
    """model.retrying: a try failed before anything was shown; the next begins `wait_s` seconds after this event."""

    message_id: str
    """Of the reply that has not begun."""
    kind: str
    message: str
    wait_s: float
    model: str
    """The model that failed."""
    next_model: str


class MessageReplaced(Noun):
    """message.replaced: a crash cut the call; hide this text, the call is made again."""

    message_id: str


class MessagePinned(Noun):
    """message.pinned: a message was pinned, or is no longer."""

    message_id: str
    is_pinned: bool


class SummaryAdded(Noun):
    """summary.added: from now on a summary stands for the messages up to one of them in prompts."""

    summary: Summary


class ContextMeasured(Noun):
    """context.measured: what the prompt of the next reply is made of, in tokens."""

    meter: ContextMeter


class RunChanged(Noun):
    """run.changed"""

    run: Run


class CallChanged(Noun):
    """call.changed: the whole card, each time its state changes."""

    call: Call


class CallProgress(Noun):
    """call.progress: live text of a running call (a cell's stdout); only the last matters."""

    call_id: str
    text: str


class QuestionChanged(Noun):
    """question.changed: opened, answered (by whom), expired or void."""

    question: Question


class JournalChanged(Noun):
    """journal.changed: something was written into the journal, undone or done again."""

    entries: tuple[JournalEntry, ...]


class TaskChanged(Noun):
    """task.changed (home stream): added, changed or deleted."""

    task: Task
    is_deleted: bool = False


class Folded(Noun):
    """folded: chunks of `from_seq`..`to_seq` were folded into their finished message."""

    from_seq: int
    to_seq: int


class ChatChanged(Noun):
    """chat.changed (home stream): created, renamed, or its state or badge changed."""

    chat: Chat


class ChatDeleted(Noun):
    """chat.deleted: on the home stream, and as the last event of the chat's own."""

    chat_id: str


class RulesChanged(Noun):
    """rules.changed (home stream): the rules file or a policy was read again; `problem` when the last good stay."""

    problem: Problem | None = None
    policy_problem: Problem | None = None


class PrivacyChanged(Noun):
    """privacy.changed (home stream): the levels of what may leave were saved, or a consent was given."""

    problem: Problem | None = None


class SettingsChanged(Noun):
    """settings.changed (home stream): providers, models or the default model changed."""

    default_model: str


PAYLOADS: dict[str, type[Noun]] = {
    "message.added": MessageAdded,
    "message.delta": MessageDelta,
    "message.done": MessageDone,
    "message.replaced": MessageReplaced,
    "model.retrying": ModelRetrying,
    "message.pinned": MessagePinned,
    "summary.added": SummaryAdded,
    "context.measured": ContextMeasured,
    "run.changed": RunChanged,
    "call.changed": CallChanged,
    "call.progress": CallProgress,
    "question.changed": QuestionChanged,
    "journal.changed": JournalChanged,
    "task.changed": TaskChanged,
    "folded": Folded,
    "chat.changed": ChatChanged,
    "chat.deleted": ChatDeleted,
    "rules.changed": RulesChanged,
    "privacy.changed": PrivacyChanged,
    "settings.changed": SettingsChanged,
}
"""Every event kind and its payload."""
