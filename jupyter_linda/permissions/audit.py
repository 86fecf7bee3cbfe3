"""The audit: who was let do what by which rule; append-only."""

from __future__ import annotations

import csv
import io
import itertools
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from sqlalchemy import insert, select

from ..schemas import AuditEntry
from ..storage.tables import audit
from ..storage.texts import json_shown

if TYPE_CHECKING:
    from collections.abc import Iterable
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


@dataclass(frozen=True)
class AuditFilter:
    """Which entries are wanted; what is left empty does not matter."""

    chat_id: str = ""
    run_id: str = ""
    tool: str = ""
    action: str = ""
    decision: str = ""
    text: str = ""
    """Occurs in tool, path, rule, who decided or arguments, whatever the case."""
    since: datetime | None = None
    until: datetime | None = None
    """Up to before this."""

    def fits(self, entry: AuditEntry) -> bool:
        """Whether the text occurs; the rest is the database's to compare."""
        if not self.text:
            return True
        arguments = json.dumps(entry.arguments, ensure_ascii=False)
        return (
            self.text.casefold()
            in "\n".join((entry.tool, entry.resource, entry.rule, entry.by, arguments, str(entry.arguments))).casefold()
        )


EVERY = AuditFilter()
MOST_ENTRIES = 1000


def list_entries(
    connection: Connection, owner_id: str, wanted: AuditFilter = EVERY, *, before: int | None = None, limit: int = 100
) -> tuple[AuditEntry, ...]:
    """Entries of an owner, newest first; `before` is an audit id to go on from."""
    query = select(audit).where(audit.c.owner_id == owner_id)
    for name in ("chat_id", "run_id", "tool", "action", "decision"):
        if value := getattr(wanted, name):
            query = query.where(audit.c[name] == value)
    if wanted.since is not None:
        query = query.where(audit.c.at >= wanted.since)
    if wanted.until is not None:
        query = query.where(audit.c.at < wanted.until)
    if before is not None:
        query = query.where(audit.c.audit_id < before)
    # Texts are compared here: SQLite knows upper and lower case of ASCII only.
    newest_first = query.order_by(audit.c.audit_id.desc()).execution_options(yield_per=500)
    with connection.execute(newest_first) as rows:
        entries = (AuditEntry.model_validate(dict(row._mapping)) for row in rows)  # public name
        found = (entry for entry in entries if wanted.fits(entry))
        return tuple(itertools.islice(found, max(1, min(limit, MOST_ENTRIES))))


# ---- as files ----------------------------------------------------------------------------------

_COLUMNS = tuple(AuditEntry.model_fields)


def csv_head() -> str:
    """The first line of an export as CSV."""
    return ",".join(_COLUMNS) + "\r\n"


def as_csv(entries: Iterable[AuditEntry]) -> str:
    """Lines of CSV. A text that a spreadsheet would take for a formula gets an apostrophe before it."""
    lines = io.StringIO()
    writer = csv.writer(lines)
    for entry in entries:
        values = entry.model_dump(mode="json")
        values["arguments"] = json.dumps(values["arguments"], ensure_ascii=False)
        writer.writerow([_harmless(values[name]) for name in _COLUMNS])
    return lines.getvalue()


def as_json_lines(entries: Iterable[AuditEntry]) -> str:
    """One JSON object a line, exactly what the audit holds."""
    return "".join(entry.model_dump_json() + "\n" for entry in entries)


def _harmless(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value


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
