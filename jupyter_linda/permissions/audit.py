"""The audit: who was let do what by which rule; append-only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

from sqlalchemy import insert, select

from ..schemas import AuditEntry
from ..storage.tables import audit
from ..storage.texts import json_shown

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from ..ports import GateCall, Json
    from ..storage.database import Database

AuditDecision = Literal["auto", "asked", "allowed", "refused", "denied", "expired", "done", "failed"]


class AuditLog(Protocol):
    """Where decisions are written down before they take effect; the SQL half stands behind this."""

    async def record(
        self, call: GateCall, *, decision: AuditDecision, resource: str, rule: str, by: str, at: datetime
    ) -> None:
        """Append one entry. Raises rather than lose it: what cannot be written down does not happen."""


# ---- the SQL half ------------------------------------------------------------------------------


def _shown(arguments: str) -> Json:
    """Arguments as JSON where they are JSON, else the exact text."""
    return json_shown(arguments)


def record_entry(
    connection: Connection, call: GateCall, *, decision: AuditDecision, resource: str, rule: str, by: str, at: datetime
) -> None:
    """Append one entry in the caller's transaction."""
    connection.execute(
        insert(audit).values(
            at=at,
            owner_id=call.owner_id,
            chat_id=call.chat_id,
            run_id=call.run_id,
            call_id=call.call_id,
            tool=call.tool,
            action=call.action,
            resource=resource,
            arguments=_shown(call.arguments),
            decision=decision,
            rule=rule,
            by=by,
        )
    )


def list_entries(
    connection: Connection,
    owner_id: str,
    *,
    chat_id: str = "",
    tool: str = "",
    before: int | None = None,
    limit: int = 100,
) -> tuple[AuditEntry, ...]:
    """Entries of an owner, newest first; `before` is an audit id to go on from."""
    query = select(audit).where(audit.c.owner_id == owner_id)
    if chat_id:
        query = query.where(audit.c.chat_id == chat_id)
    if tool:
        query = query.where(audit.c.tool == tool)
    if before is not None:
        query = query.where(audit.c.audit_id < before)
    rows = connection.execute(query.order_by(audit.c.audit_id.desc()).limit(max(1, min(limit, 1000))))
    return tuple(AuditEntry.model_validate(dict(row._mapping)) for row in rows)  # public name


class SqlAudit:
    """Implements `AuditLog` on the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def record(
        self, call: GateCall, *, decision: AuditDecision, resource: str, rule: str, by: str, at: datetime
    ) -> None:
        """Append one entry, committed before this returns."""

        def work() -> None:
            with self._database.write() as connection:
                record_entry(connection, call, decision=decision, resource=resource, rule=rule, by=by, at=at)

        await self._database.run(work)
