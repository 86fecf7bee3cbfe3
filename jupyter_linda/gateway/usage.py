"""Tokens and money of one model call: the provider's count, else an estimate that is marked as one."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from ..schemas import Usage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .providers import Connection

log = logging.getLogger(__name__)

Litellm = Any  # litellm ships no types worth the name

MOST_TOKENS = 100_000_000
"""Of one call: what is beyond is no count, and would use up a budget of years."""
CHARS_PER_TOKEN = 4
"""Where even litellm's counter fails."""


def counted(holder: Any) -> Usage | None:  # a chunk or a response of litellm
    """The usage a provider gave, if it gave any."""
    usage = getattr(holder, "usage", None)
    given, taken = _tokens(usage, "prompt_tokens"), _tokens(usage, "completion_tokens")
    if given is None or taken is None or not given + taken:
        return None
    cached = _tokens(getattr(usage, "prompt_tokens_details", None), "cached_tokens") or 0
    return Usage(input_tokens=given, output_tokens=taken, cached_tokens=min(cached, given))


def _tokens(holder: Any, name: str) -> int | None:
    """A number of tokens; 0 where none is said, None for what cannot be one: then it counts as not counted at all."""
    value = getattr(holder, name, None) or 0
    return int(value) if isinstance(value, (int, float)) and 0 <= value <= MOST_TOKENS else None


def was_given(stream: Any) -> bool:  # litellm's stream
    """Whether the provider counted: litellm fills in an estimate of its own, without the tools, where it did not."""
    return any(counted(chunk) is not None for chunk in reversed(getattr(stream, "chunks", None) or ()))


async def estimated(litellm: Litellm, arguments: Mapping[str, Any], written: str) -> Usage:
    """What a call took, by litellm's tokenizers; in a thread, since a long prompt takes a while."""
    return await asyncio.to_thread(_estimate, litellm, arguments, written)


def _estimate(litellm: Litellm, arguments: Mapping[str, Any], written: str) -> Usage:
    model, messages, tools = arguments["model"], arguments["messages"], arguments.get("tools")
    try:
        given = litellm.token_counter(model=model, messages=messages, tools=tools, use_default_image_token_count=True)
        taken = litellm.token_counter(model=model, text=written, count_response_tokens=True) if written else 0
    except Exception:  # it raises many things; a rough count is better than none
        log.debug("litellm cannot count for %s", model, exc_info=True)
        given = (len(str(messages)) + len(str(tools or ""))) // CHARS_PER_TOKEN
        taken = len(written) // CHARS_PER_TOKEN
    return Usage(input_tokens=given, output_tokens=taken, is_estimated=True)


def priced(litellm: Litellm, usage: Usage, connection: Connection, *, is_local: bool) -> Usage:
    """With the cost: by prices given for the provider, else 0 on this machine, else litellm's; None where not known."""
    cost = own_cost(usage, connection)
    if cost is None:
        cost = 0.0 if is_local else _listed_cost(litellm, usage, connection)
    return usage.model_copy(update={"cost_usd": cost})


def own_cost(usage: Usage, connection: Connection) -> float | None:
    """US dollars by the prices that were given for the provider; None where none were."""
    given_usd, taken_usd = connection.million_usd
    if given_usd is None or taken_usd is None:
        return None
    return (usage.input_tokens * given_usd + usage.output_tokens * taken_usd) / 1e6


def _listed_cost(litellm: Litellm, usage: Usage, connection: Connection) -> float | None:
    if connection.base_url:
        return None  # somebody else's server, with models that may be named like a provider's
    try:
        given, taken = litellm.cost_per_token(
            model=connection.litellm_model,
            prompt_tokens=usage.input_tokens,
            completion_tokens=usage.output_tokens,
            cache_read_input_tokens=usage.cached_tokens,
        )
    except Exception:  # noqa: BLE001  it raises many things for models it does not know
        return None
    return float(given + taken) or None  # the table has 0 where it does not know
