"""When a rule holds: size, time of day, days and who began the run, over what is known of a call."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from ..schemas import Noun, Starter

Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_DAYS: tuple[Day, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

Bytes = Annotated[int, Field(ge=0, le=2**53, strict=True)]


def _time_of_day(text: str) -> str:
    if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d|24:00", text):
        raise ValueError('is no time of day: write it as "08:00", up to "24:00"')
    return text


TimeOfDay = Annotated[str, AfterValidator(_time_of_day)]


@dataclass(frozen=True)
class Facts:
    """What is known of a call besides its tool and path. None: not known."""

    size_bytes: int | None = None
    """How much the call itself would write."""
    at: datetime | None = None
    """Now, in the local time of the machine."""
    started_by: Starter | None = None


class Conditions(Noun):
    """The conditions of a rule: it holds when all of them do. Left out: they hold."""

    max_bytes: Bytes | None = None
    """Holds for writing this much or less."""
    over_bytes: Bytes | None = None
    """Holds for writing more than this."""
    between: tuple[TimeOfDay, TimeOfDay] | None = None
    """From the first time to before the second; past midnight when the second is the earlier."""
    days: tuple[Day, ...] = ()
    """A window past midnight belongs to the day on which it began."""
    started_by: tuple[Starter, ...] = ()

    @model_validator(mode="after")
    def _is_possible(self) -> Conditions:
        if self.between is not None and (self.between[0] == self.between[1] or self.between[0] == "24:00"):
            raise ValueError(f"between {self.between[0]} and {self.between[1]} lies no time")
        if self.max_bytes is not None and self.over_bytes is not None and self.over_bytes >= self.max_bytes:
            raise ValueError("no size is over over_bytes and at most max_bytes")
        return self

    @property
    def is_conditional(self) -> bool:
        """Whether there is any condition."""
        return bool(self.days or self.started_by or self.between) or not (self.max_bytes is self.over_bytes is None)

    def hold(self, facts: Facts, *, if_unknown: bool) -> bool:
        """Whether all hold. `if_unknown` is what counts for a condition about something that is not known."""
        found = (self._size(facts), self._time(facts), self._starter(facts))
        return all(if_unknown if one is None else one for one in found)

    def _size(self, facts: Facts) -> bool | None:
        if self.max_bytes is self.over_bytes is None:
            return True
        if facts.size_bytes is None:
            return None
        is_small = self.max_bytes is None or facts.size_bytes <= self.max_bytes
        return is_small and (self.over_bytes is None or facts.size_bytes > self.over_bytes)

    def _time(self, facts: Facts) -> bool | None:
        if self.between is None and not self.days:
            return True
        if facts.at is None:
            return None
        now, day = facts.at.strftime("%H:%M"), facts.at
        if self.between is not None:
            start, end = self.between
            is_past_midnight = start > end and now < end
            if not (start <= now < end or (start > end and now >= start) or is_past_midnight):
                return False
            day -= timedelta(days=is_past_midnight)
        return not self.days or _DAYS[day.weekday()] in self.days

    def _starter(self, facts: Facts) -> bool | None:
        if not self.started_by:
            return True
        return None if facts.started_by is None else facts.started_by in self.started_by

    def words(self) -> str:
        """How a person would say them, with a leading comma; empty without any."""
        parts = []
        if self.over_bytes is not None:
            parts.append(f"over {size_words(self.over_bytes)}")
        if self.max_bytes is not None:
            parts.append(f"up to {size_words(self.max_bytes)}")
        if self.days:
            parts.append(f"on {', '.join(self.days)}")
        if self.between is not None:
            parts.append(f"from {self.between[0]} to {self.between[1]}")
        if self.started_by:
            parts.append(f"when started by {' or '.join(self.started_by)}")
        return "".join(f", {part}" for part in parts)


def size_words(size_bytes: int) -> str:
    """A size that is read at a glance and loses nothing: exact where it is no round number."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size_bytes >= size and size_bytes % (size // 10) == 0:
            return f"{size_bytes / size:g} {unit}"
    return f"{size_bytes:,} bytes"
