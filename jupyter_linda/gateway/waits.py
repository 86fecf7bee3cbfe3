"""How long a provider asks to wait, as its headers and words say it (pure)."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

IN_WORDS = re.compile(
    r"(?:try again|retry)\s+(?:in|after)\s+(\d+(?:\.\d+)?)\s*"
    r"(ms|milliseconds?|s|m|h|seconds?|minutes?|hours?)\b",
    re.IGNORECASE,
)
RETRY_DELAY = re.compile(r"[\"']?retryDelay[\"']?\s*:\s*[\"'](\d+(?:\.\d+)?)s[\"']")
"""Google's way, in the body."""
SECONDS = {"m": 60.0, "h": 3600.0, "s": 1.0}


def wait_of(headers: Mapping[str, str], words: str, *, now: datetime) -> float | None:
    """Seconds to wait by `retry-after-ms`, by `retry-after` (seconds or an HTTP date), else by the words; else None."""
    lower = {name.lower(): value for name, value in headers.items()}
    found = _number(lower.get("retry-after-ms", ""))
    if found is not None:
        return found / 1000
    stated = lower.get("retry-after", "")
    found = _number(stated)
    if found is not None:
        return found
    moment = _moment(stated)
    if moment is not None:
        # The provider's own clock, where it tells it: ours may be wrong.
        return max(0.0, (moment - (_moment(lower.get("date", "")) or now)).total_seconds())
    return _in_words(words)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


def _moment(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _in_words(words: str) -> float | None:
    delay = RETRY_DELAY.search(words)
    if delay is not None:
        return float(delay[1])
    said = IN_WORDS.search(words)
    if said is None:
        return None
    unit = said[2].lower()
    return float(said[1]) * (0.001 if unit.startswith(("ms", "milli")) else SECONDS[unit[0]])


def as_words(seconds: float) -> str:
    """A wait as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.0f} hours"
