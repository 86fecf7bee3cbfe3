"""In-memory grants and audit, and the clock they need."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta


@dataclass
class FakeClock:
    """Time that stands still until it is moved."""

    at: datetime = datetime(2026, 11, 29, 12, tzinfo=UTC)

    def now(self):
        return self.at

    def move(self, **span):
        self.at += timedelta(**span)


@dataclass
class FakeGrantBook:
    """Implements `permissions.approvals.GrantBook`."""

    grants: list = field(default_factory=list)

    async def active(self, owner_id, *, now):
        return [
            g
            for g in self.grants
            if g.owner_id == owner_id and not g.revoked_at and (not g.expires_at or g.expires_at > now)
        ]


@dataclass
class FakeAuditLog:
    """Implements `permissions.audit.AuditLog`."""

    entries: list = field(default_factory=list)
    is_broken: bool = False

    async def record(self, call, *, decision, resource, rule, by, at):
        if self.is_broken:
            raise OSError("disk full")
        self.entries.append(
            {"call": call, "decision": decision, "resource": resource, "rule": rule, "by": by, "at": at}
        )
