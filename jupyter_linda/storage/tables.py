"""The relational schema, as SQLAlchemy Core tables; the same on every engine."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    false,
    text,
)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Instant(TypeDecorator[datetime]):
    """An aware UTC instant, kept as integer microseconds since 1970 (sorts and compares anywhere)."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Refuses naive instants."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a naive datetime cannot be stored; use an aware UTC one")
        return (value - EPOCH) // timedelta(microseconds=1)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        """Back to an aware UTC instant."""
        return None if value is None else EPOCH + timedelta(microseconds=value)


metadata = MetaData()

chats = Table(
    "chats",
    metadata,
    Column("chat_id", Text, primary_key=True),
    Column("owner_id", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("model", Text, nullable=False, default=""),
    Column("mode", Text, nullable=False, default="ask"),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    Index("chats_by_owner", "owner_id", "updated_at"),
)

messages = Table(
    "messages",
    metadata,
    Column("message_id", Text, primary_key=True),
    Column("chat_id", Text, ForeignKey("chats.chat_id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("parent_id", Text),
    Column("run_id", Text),
    Column("role", Text, nullable=False),
    Column("text", Text, nullable=False, default=""),
    Column("reasoning", Text, nullable=False, default=""),
    Column("tool_calls", JSON, nullable=False, default=list),
    Column("context", JSON, nullable=False, default=list),
    Column("status", Text, nullable=False),
    Column("model", Text, nullable=False, default=""),
    Column("usage", JSON),
    Column("error", JSON),
    Column("is_pinned", Boolean, nullable=False, server_default=false()),
    Column("notice", Text, nullable=False, server_default=""),
    Column("created_at", Instant, nullable=False),
    Index("messages_by_chat", "chat_id", "position", unique=True),
)

runs = Table(
    "runs",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("chat_id", Text, ForeignKey("chats.chat_id", ondelete="CASCADE"), nullable=False),
    Column("owner_id", Text, nullable=False),
    Column("server_id", Text, nullable=False),
    Column("client_id", Text, nullable=False),
    Column("message_id", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("steps", Integer, nullable=False, default=0),
    Column("attempts", Integer, nullable=False, default=0),
    Column("fence", Integer, nullable=False, default=0),
    Column("holder", Text, nullable=False, default=""),
    Column("lease_until", Instant),
    Column("stop_asked_at", Instant),
    Column("problem", JSON),
    Column("queued_at", Instant, nullable=False),
    Column("started_at", Instant),
    Column("ended_at", Instant),
    Column("answer_secret_hash", Text),
    Column("root_dir", Text, nullable=False, server_default=""),
    Index(
        "one_active_run_per_chat",
        "chat_id",
        unique=True,
        sqlite_where=text("state IN ('running', 'waiting')"),
        postgresql_where=text("state IN ('running', 'waiting')"),
    ),
    Index("runs_by_client", "owner_id", "client_id", unique=True),
    Index("runs_by_state", "state", "queued_at"),
)

calls = Table(
    "calls",
    metadata,
    Column("call_id", Text, primary_key=True),
    Column("run_id", Text, ForeignKey("runs.run_id", ondelete="CASCADE"), nullable=False),
    Column("chat_id", Text, nullable=False),
    Column("message_id", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("arguments", Text, nullable=False),
    Column("action", Text, nullable=False, default="read"),
    Column("state", Text, nullable=False),
    Column("title", Text, nullable=False, default=""),
    Column("result", Text, nullable=False, default=""),
    Column("result_hash", Text),
    Column("outputs", JSON, nullable=False, default=list),
    Column("diffs", JSON, nullable=False, default=list),
    Column("data", JSON),
    Column("found", JSON, nullable=False, server_default="[]"),
    Column("images", JSON, nullable=False, server_default="[]"),
    Column("problem", JSON),
    Column("begun_at", Instant),
    Column("done_at", Instant),
    Index("calls_by_chat", "chat_id"),
    Index("calls_by_run", "run_id", "position"),
)

questions = Table(
    "questions",
    metadata,
    Column("question_id", Text, primary_key=True),
    Column("chat_id", Text, ForeignKey("chats.chat_id", ondelete="CASCADE"), nullable=False),
    Column("run_id", Text, nullable=False),
    Column("owner_id", Text, nullable=False),
    Column("call_id", Text),
    Column("kind", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("tool", Text, nullable=False, default=""),
    Column("action", Text, nullable=False, default="read"),
    Column("resource", Text, nullable=False, default=""),
    Column("arguments", JSON),
    Column("preview", JSON, nullable=False),
    Column("choices", JSON, nullable=False, default=list),
    Column("scopes", JSON, nullable=False, default=list),
    Column("answer", Text),
    Column("answered_by", Text),
    Column("opened_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("closed_at", Instant),
    Index("questions_by_state", "state", "expires_at"),
    Index("questions_by_run", "run_id"),
)

grants = Table(
    "grants",
    metadata,
    Column("grant_id", Text, primary_key=True),
    Column("owner_id", Text, nullable=False),
    Column("tool", Text, nullable=False, default=""),
    Column("action", Text, nullable=False),
    Column("path", Text, nullable=False, default=""),
    Column("chat_id", Text, nullable=False, default=""),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant),
    Column("revoked_at", Instant),
    Index("grants_by_owner", "owner_id", "action"),
)

audit = Table(
    "audit",
    metadata,
    Column("audit_id", Integer, primary_key=True, autoincrement=True),
    Column("at", Instant, nullable=False),
    Column("owner_id", Text, nullable=False),
    Column("chat_id", Text, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("call_id", Text, nullable=False),
    Column("tool", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("resource", Text, nullable=False),
    Column("arguments", JSON),
    Column("decision", Text, nullable=False),
    Column("rule", Text, nullable=False),
    Column("by", Text, nullable=False),
    Index("audit_by_owner", "owner_id", "audit_id"),
    sqlite_autoincrement=True,
)

journal = Table(
    "journal",
    metadata,
    # Named by the call and a number: a call that is tried again after a crash writes no second entry.
    Column("entry_id", Text, primary_key=True),
    Column("owner_id", Text, nullable=False),
    Column("chat_id", Text, ForeignKey("chats.chat_id", ondelete="CASCADE"), nullable=False),
    Column("run_id", Text, nullable=False),
    Column("call_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("changes", JSON, nullable=False),
    Column("undo_changes", JSON),
    Column("state", Text, nullable=False),
    Column("words", Text, nullable=False, server_default=""),
    Column("at", Instant, nullable=False),
    Column("undone_at", Instant),
    Column("root_dir", Text, nullable=False),
    Index("journal_by_chat", "chat_id", "at"),
    Index("journal_by_run", "run_id"),
)

tasks = Table(
    "tasks",
    metadata,
    Column("task_id", Text, primary_key=True),
    Column("owner_id", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("notes", Text, nullable=False, server_default=""),
    Column("due", Text, nullable=False, server_default=""),
    Column("status", Text, nullable=False),
    Column("assignee", Text, nullable=False),
    Column("profile", Text, nullable=False, server_default=""),
    Column("revision", Integer, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    Index("tasks_by_owner", "owner_id", "status"),
)

model_calls = Table(
    "model_calls",
    metadata,
    # No foreign key: what a day cost stays known when a chat is deleted. Content is in `traces`.
    Column("model_call_id", Text, primary_key=True),
    Column("owner_id", Text, nullable=False),
    Column("chat_id", Text, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("message_id", Text, nullable=False),
    Column("purpose", Text, nullable=False),
    Column("asked_model", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("is_local", Boolean, nullable=False),
    Column("reason", Text, nullable=False, server_default=""),
    Column("input_tokens", Integer, nullable=False, server_default="0"),
    Column("output_tokens", Integer, nullable=False, server_default="0"),
    Column("cached_tokens", Integer, nullable=False, server_default="0"),
    Column("is_estimated", Boolean, nullable=False, server_default=false()),
    Column("cost_usd_micros", BigInteger),
    Column("outcome", Text, nullable=False, server_default=""),
    Column("begun_at", Instant, nullable=False),
    Column("first_at", Instant),
    Column("ended_at", Instant),
    Index("model_calls_by_owner", "owner_id", "begun_at"),
    Index("model_calls_by_run", "run_id", "begun_at"),
)

traces = Table(
    "traces",
    metadata,
    Column("model_call_id", Text, primary_key=True),
    Column("chat_id", Text, ForeignKey("chats.chat_id", ondelete="CASCADE"), nullable=False),
    Column("details", JSON, nullable=False),
    Index("traces_by_chat", "chat_id"),
)

summaries = Table(
    "summaries",
    metadata,
    Column("summary_id", Text, primary_key=True),
    Column("chat_id", Text, ForeignKey("chats.chat_id", ondelete="CASCADE"), nullable=False),
    Column("upto_message_id", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("made_by", Text, nullable=False),
    Column("tokens_before", Integer, nullable=False),
    Column("tokens_after", Integer, nullable=False),
    Column("at", Instant, nullable=False),
    Index("summaries_by_chat", "chat_id", "at"),
)

consents = Table(
    "consents",
    metadata,
    Column("consent_id", Text, primary_key=True),
    Column("owner_id", Text, nullable=False),
    Column("root_dir", Text, nullable=False),
    Column("provider", Text, nullable=False),
    Column("levels", JSON, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("revoked_at", Instant),
    Index("consents_by_owner", "owner_id", "root_dir"),
)

placeholders = Table(
    "placeholders",
    metadata,
    Column("chat_id", Text, ForeignKey("chats.chat_id", ondelete="CASCADE"), primary_key=True),
    Column("placeholder", Text, primary_key=True),
    Column("value", Text, nullable=False),
    Index("placeholders_by_value", "chat_id", "value", unique=True),
)

instruction_choices = Table(
    "instruction_choices",
    metadata,
    # Whether a file of instructions is used: of one content everywhere (no chat), or in one chat whatever its content.
    Column("choice_id", Text, primary_key=True),
    Column("owner_id", Text, nullable=False),
    Column("root_dir", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("digest", Text, nullable=False, server_default=""),
    Column("chat_id", Text, ForeignKey("chats.chat_id", ondelete="CASCADE")),
    Column("is_used", Boolean, nullable=False),
    Column("at", Instant, nullable=False),
    Index("instruction_choices_by_owner", "owner_id", "root_dir"),
)

AUDIT_IS_APPEND_ONLY = (
    "CREATE TRIGGER IF NOT EXISTS audit_keeps_rows BEFORE DELETE ON audit "
    "BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END",
    "CREATE TRIGGER IF NOT EXISTS audit_keeps_values BEFORE UPDATE ON audit "
    "BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END",
)
"""SQLite triggers that refuse to change or delete what was written."""

events = Table(
    "events",
    metadata,
    # The rowid follows commit order (one writer at a time). Never reused: the newest row of a home stream stays.
    Column("id", Integer, primary_key=True),
    Column("chat_id", Text, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("run_id", Text),
    Column("kind", Text, nullable=False),
    Column("payload", Text, nullable=False),
    Column("at", Instant, nullable=False),
    Index("events_by_chat", "chat_id", "seq", unique=True),
)

servers = Table(
    "servers",
    metadata,
    Column("server_id", Text, primary_key=True),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("pid_started_at", Instant, nullable=False),
    Column("heartbeat_at", Instant, nullable=False),
    Column("worker_id", Text, nullable=False, server_default=""),
    Column("worker_pid", Integer),
    Column("worker_started_at", Instant),
)
