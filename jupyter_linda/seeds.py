"""The real clock and real ids; tests put their own in their place."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime

from .ports import Clock, Ids


class SystemClock(Clock):
    """The machine's clock."""

    def now(self) -> datetime:
        """Aware, UTC."""
        return datetime.now(UTC)


class RandomIds(Ids):
    """`noun_` + 12 hex digits of milliseconds + 16 of randomness: sortable by time, unguessable."""

    def new(self, noun: str) -> str:
        """A fresh id."""
        return f"{noun}_{time.time_ns() // 1_000_000:012x}{secrets.token_hex(8)}"
