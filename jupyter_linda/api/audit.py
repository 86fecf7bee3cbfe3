"""Routes of the audit: looking into it, and taking it along as a file."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import get_args

from tornado.iostream import StreamClosedError

from ..errors import InvalidInput
from ..permissions import audit
from ..schemas import Action, AuditEntry
from .base import LindaHandler

PAGE = 500
_DECISIONS: tuple[str, ...] = get_args(AuditEntry.model_fields["decision"].annotation)


class _Filtered(LindaHandler):
    """Reads a filter from the query, and entries from the database."""

    def wanted(self) -> audit.AuditFilter:
        """`InvalidInput` for what can fit no entry."""
        return audit.AuditFilter(
            chat_id=self.get_query_argument("chat_id", ""),
            tool=self.get_query_argument("tool", ""),
            action=self.one_of("action", get_args(Action)),
            decision=self.one_of("decision", _DECISIONS),
            text=self.get_query_argument("text", ""),
            since=self._instant("since"),
            until=self._instant("until"),
        )

    async def entries(self, wanted: audit.AuditFilter, *, before: int | None, limit: int) -> tuple[AuditEntry, ...]:
        """The newest that fit."""
        owner = self.owner_id

        def work() -> tuple[AuditEntry, ...]:
            with self.services.database.read() as connection:
                return audit.list_entries(connection, owner, wanted, before=before, limit=limit)

        return await self.services.database.run(work)

    def _instant(self, name: str) -> datetime | None:
        text = self.get_query_argument(name, "")
        if not text:
            return None
        try:
            found = datetime.fromisoformat(text)
            found = found if found.tzinfo else found.replace(tzinfo=UTC)
            return found.astimezone(UTC)
        except (ValueError, OverflowError):
            remedy = "Write it as 2026-11-29T08:00:00+00:00."
            raise InvalidInput(f"{name} is {text[:40]!r}, no date or time.", remedy=remedy) from None


class AuditHandler(_Filtered):
    """GET audit"""

    async def get(self) -> None:
        """Decisions, newest first."""
        before, limit = self.number("before"), self.number("limit", 100) or 100
        self.reply({"entries": await self.entries(self.wanted(), before=before, limit=limit)})


class AuditExportHandler(_Filtered):
    """GET audit/export"""

    async def get(self) -> None:
        """Every decision that fits, newest first, as a file: CSV, or JSON lines."""
        chosen = self.one_of("format", ("csv", "jsonl")) or "csv"
        wanted = self.wanted()
        kind = "text/csv" if chosen == "csv" else "application/x-ndjson"
        self.set_header("Content-Type", f"{kind}; charset=utf-8")
        self.set_header("Content-Disposition", f'attachment; filename="linda-audit.{chosen}"')
        self.set_header("Cache-Control", "no-store")
        as_text = audit.as_csv if chosen == "csv" else audit.as_json_lines
        if chosen == "csv":
            self.write("\ufeff" + audit.csv_head())  # the mark tells spreadsheets that it is UTF-8
        before: int | None = None
        try:
            while found := await self.entries(wanted, before=before, limit=PAGE):
                self.write(as_text(found))
                await self.flush()
                before = found[-1].audit_id
        except StreamClosedError:
            return  # whoever asked has gone
        self.finish()
