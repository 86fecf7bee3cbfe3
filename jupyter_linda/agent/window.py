"""What of a conversation fits into a model's window: what a summary stands for, what is shortened (pure)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import ProviderFault

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LAST = 6
"""Messages at the end that stay word for word."""
SHARE = 0.75
"""How full a window gets before older messages become a summary."""
WORTH = 0.1
"""A summary is made for this much of the window at least, unless there is need: each costs a model call."""
FLOOR_TOKENS = 400
"""A long result is not shortened further: its head, its tail, and how to read the rest."""
MOST_SUMMARY_TOKENS = 2_000
MOST_REPLY_TOKENS = 8_000
"""Room kept for the reply, where the model's own limit is not lower."""


@dataclass(frozen=True)
class Unit:
    """A message with its calls and their results: they never part."""

    message_id: str
    tokens: int
    """Of the message, its calls, and pictures."""
    results: tuple[tuple[str, int], ...] = ()
    """(call id, tokens) of each result."""
    is_pinned: bool = False
    is_asked: bool = False
    """The message that is being answered."""

    @property
    def stays(self) -> bool:
        """Whether no summary may stand for it."""
        return self.is_pinned or self.is_asked


@dataclass(frozen=True)
class Fit:
    """What to send. Units before `cut` are in the summary, but for those that stay."""

    cut: int
    tokens: int
    """Of all of it, the room for a summary that is yet to be made included."""
    shares: Mapping[str, int] = field(default_factory=dict)
    """call id -> tokens to shorten its result to."""


@dataclass(frozen=True)
class Known:
    """The summary there is: for how many of the units it stands, and its tokens."""

    cut: int = 0
    tokens: int = 0


def window_of(wanted: int, max_input: int | None, max_output: int | None) -> int:
    """Tokens a prompt may have: what the setting says, and never more than the model takes besides a reply."""
    if max_input is None:
        return wanted
    reply = min(max_output or MOST_REPLY_TOKENS, MOST_REPLY_TOKENS, max_input // 4)
    return min(wanted, max_input - reply)


def room_for_summary(window: int) -> int:
    """Tokens a new summary may have."""
    return min(MOST_SUMMARY_TOKENS, window // 8)


def fit(units: Sequence[Unit], *, fixed: int, window: int, known: Known = Known(), last: int = LAST) -> Fit:
    """What to send of `units` (oldest first) besides `fixed` tokens. Raises `ProviderFault` if nothing helps.

    Up to 75 % of the window everything goes as it is. Then a summary stands for what is older than the last six.
    If that is not enough, long results are shortened, the oldest first, and at last the six become fewer.
    """
    cut = known.cut
    size = _size(units, cut, {}, fixed + known.tokens)
    if size <= SHARE * window:
        return Fit(cut, size)
    further = max(cut, len(units) - last)
    gain = sum(_weight(unit) for unit in units[cut:further] if not unit.stays)
    if gain and (size > window or gain >= WORTH * window):
        cut = further
    for end in range(cut, len(units) + 1):
        summary = known.tokens if end == known.cut else room_for_summary(window)
        shares = _shorten(units, end, fixed + summary, window)
        size = _size(units, end, shares, fixed + summary)
        if size <= window:
            return Fit(end, size, shares)
    raise _does_not_fit(units, fixed, window)


def _weight(unit: Unit) -> int:
    return unit.tokens + sum(tokens for _, tokens in unit.results)


def _is_sent(unit: Unit, at: int, cut: int) -> bool:
    return at >= cut or unit.stays


def _size(units: Sequence[Unit], cut: int, shares: Mapping[str, int], rest: int) -> int:
    return rest + sum(
        unit.tokens + sum(min(tokens, shares.get(call_id, tokens)) for call_id, tokens in unit.results)
        for at, unit in enumerate(units)
        if _is_sent(unit, at, cut)
    )


def whole(units: Sequence[Unit], *, fixed: int, window: int) -> Fit | None:
    """All of `units` with long results shortened as far as is needed; None where that is not enough."""
    shares = _shorten(units, 0, fixed, window)
    size = _size(units, 0, shares, fixed)
    return Fit(0, size, shares) if size <= window else None


def _shorten(units: Sequence[Unit], cut: int, rest: int, window: int) -> dict[str, int]:
    """Shares of results, the oldest first, until it fits or nothing is left to shorten."""
    over = _size(units, cut, {}, rest) - window
    shares: dict[str, int] = {}
    for at, unit in enumerate(units):
        for call_id, tokens in unit.results if _is_sent(unit, at, cut) else ():
            if over <= 0:
                return shares
            share = max(FLOOR_TOKENS, tokens - over)
            if share < tokens:
                shares[call_id] = share
                over -= tokens - share
    return shares


def _does_not_fit(units: Sequence[Unit], fixed: int, window: int) -> ProviderFault:
    asked = sum(unit.tokens for unit in units if unit.is_asked)
    pinned = sum(_weight(unit) for unit in units if unit.is_pinned and not unit.is_asked)
    left = max(0, window - fixed - room_for_summary(window))
    if asked > left:
        return ProviderFault(
            "context_overflow",
            f"This message alone has about {asked:,} tokens; {left:,} fit beside the instructions and the tools.",
            remedy="Make it shorter (attach a file instead of its text), or choose a model with a larger window.",
        )
    return ProviderFault(
        "context_overflow",
        f"The pinned messages ({pinned:,} tokens) and this one ({asked:,}) are too long together: {left:,} fit.",
        remedy="Unpin some, or choose a model with a larger window.",
    )
