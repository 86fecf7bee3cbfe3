"""What went wrong at a provider, in words (pure: reads only an exception's public parts)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ..errors import ProviderFault
from ..storage.texts import whole_text
from .spellings import BAD_KEY, NO_MODEL, NO_STREAMING, NO_TOOLS, TOO_LONG, UNPAID, UNWANTED
from .waits import wait_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KEYLIKE = re.compile(r"\b(sk|pk|key|rk|xox[abp]|gsk|AIza|ghp|hf)[-_A-Za-z0-9]{6,}|Bearer\s+\S+", re.IGNORECASE)
READ_CHARS = 4000
"""Characters of a provider's words that are looked at: it may quote the whole prompt."""
QUOTED_CHARS = 300
WRAPPING = re.compile(r"^(?:(?:litellm\.)?\w+(?:Error|Exception|Timeout)(?::| -)\s+)+")
"""What litellm puts before a provider's words."""

TRY_AGAIN = "Try again; if it stays, choose another model."

WORDS: Mapping[str, tuple[str, str]] = {
    "auth": ("The provider refused the key.", "Check the key in Models and settings, and test the connection."),
    "billing": (
        "The provider wants payment.",
        "Look at your account with the provider, or choose another model.",
    ),
    "forbidden": ("The key may not use this model.", "Choose another model, or ask whoever gave you the key."),
    "unknown_model": (
        "The provider does not know this model.",
        "Choose another model in the picker. If none works, check the address in Models and settings.",
    ),
    "timeout": ("The provider did not answer in time.", "Try again; if it stays, look at the network."),
    "context_overflow": (
        "The conversation is too long for this model.",
        "Start a new chat, or choose a model with more room.",
    ),
    "rate_limit": (
        "The provider asks to wait: too many requests.",
        "Try again in a moment, or choose another model.",
    ),
    "overloaded": ("The provider is overloaded.", "Try again in a moment, or choose another model."),
    "server": ("The provider failed.", TRY_AGAIN),
    "unreachable": (
        "The provider cannot be reached.",
        "Check the address, the proxy and the network, then test the connection in Models and settings.",
    ),
    "bad_request": (
        "The provider refused the request.",
        "Choose another model, or look at the provider's settings.",
    ),
    "moved": (
        "The address sends requests on to another one; nothing was sent there.",
        "Enter the provider's own address in Models and settings, with https:// if it wants that.",
    ),
    "refused": ("The provider refused this content.", "Put it another way, or choose another model."),
    "no_tools": ("This model takes no tools.", "Choose a model that was trained for tool calling."),
    "no_streaming": ("This provider cannot stream.", TRY_AGAIN),
    "too_long": (
        "The model repeated itself and was ended; what arrived is kept.",
        "Ask for less at a time, or choose another model.",
    ),
    "cut_stream": (
        "The provider's stream broke off before a word of the reply came.",
        TRY_AGAIN,
    ),
}
"""Kind -> what happened, what to do."""

BY_STATUS: Mapping[int, str] = {
    401: "auth",
    402: "billing",
    403: "forbidden",
    404: "unknown_model",
    408: "timeout",
    413: "context_overflow",
    429: "rate_limit",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}

REPEATED = "repeating the same chunk"
"""What litellm says when it ends a stream that goes round in circles."""
NO_ROOM_STATUS = (400, 413, 422, 429, 500)
"""With which statuses providers say that a prompt is too long."""
CONNECTING = ("connection error", "connect call failed", "cannot connect", "name or service", "connection refused")
TIMEOUTS = frozenset({"Timeout", "APITimeoutError", "ReadTimeout", "TimeoutError", "SocketTimeoutError"})
CONNECT_TIMEOUTS = frozenset({"ConnectTimeout", "ConnectionTimeoutError"})


@dataclass(frozen=True)
class Said:
    """What an exception tells: the classes in its chain, the innermost status, the words, seconds to wait."""

    names: frozenset[str]
    status: int | None
    words: str
    retry_after_s: float | None

    @property
    def detail(self) -> str:
        """The first line, bounded, without the names of classes that litellm puts before it."""
        return WRAPPING.sub("", self.words.strip()).split("\n")[0][:QUOTED_CHARS]


def without_keys(text: str) -> str:
    """Anything that looks like a key taken out: providers like to quote it."""
    return KEYLIKE.sub("[key]", text)


def as_fault(
    error: Exception, *, model: str, has_begun: bool, key: str = "", now: datetime | None = None
) -> ProviderFault:
    """Turn whatever litellm raised into one of our kinds, told in plain words and without the key that was used.

    `has_begun`: a piece of the reply had arrived. What then ends a stream cuts it, whatever ended it.
    """
    said = _read(error, key, now or datetime.now(UTC))
    kind = kind_of(said)
    if "MidStreamFallbackError" in said.names and kind in ("server", "unreachable", "timeout", "overloaded"):
        kind = "cut_stream"
    if has_begun and kind in ("server", "unreachable", "timeout", "overloaded", "bad_request", "cut_stream"):
        return cut_stream(words=said.detail)
    status = f"status {said.status}: " if said.status else ""
    message, remedy = WORDS[kind]
    return ProviderFault(
        kind,
        message,
        remedy=remedy,
        words=f"{model}, {status}{said.detail}",
        retry_after_s=said.retry_after_s,
        has_begun=has_begun,
    )


def plain_fault(kind: str, detail: str = "") -> ProviderFault:
    """A fault of a kind, in its own words."""
    message, remedy = WORDS[kind]
    return ProviderFault(kind, message + detail, remedy=remedy)


def cut_stream(detail: str = "", *, words: str = "") -> ProviderFault:
    """A stream that ended before its end, after pieces of the reply; `words` are the provider's."""
    return ProviderFault(
        "cut_stream",
        f"The provider's stream broke off; what arrived is kept.{f' ({detail})' if detail else ''}",
        remedy="Say “continue”, or retry.",
        has_begun=True,
        words=words,
    )


def kind_of(said: Said) -> str:
    """Which kind of fault it is: by litellm's class, by the provider's words, by the status."""
    status = said.status
    if REPEATED in said.words:
        return "too_long"
    if "ContextWindowExceededError" in said.names or (
        status in (*NO_ROOM_STATUS, None) and TOO_LONG.search(said.words) and not BAD_KEY.search(said.words)
    ):
        return "context_overflow"
    if "ContentPolicyViolationError" in said.names or (status != 429 and UNWANTED.search(said.words)):
        return "refused"
    if UNPAID.search(said.words) and (said.retry_after_s is None or status == 402):
        return "billing"  # Google calls a limit a minute so too, and says how long to wait
    if said.names & CONNECT_TIMEOUTS:
        return "unreachable"
    if said.names & TIMEOUTS:
        return "timeout"
    if said.names & {"ConnectError", "APIConnectionError", "ClientConnectorError", "InternalServerError"} and any(
        word in said.words.lower() for word in CONNECTING
    ):
        return "unreachable"
    return _by_words(said) or _by_status(status)


def _by_words(said: Said) -> str:
    if said.status in (401, 402, 408, 429, 503, 529):
        return ""
    spellings = (("no_tools", NO_TOOLS), ("no_streaming", NO_STREAMING), ("unknown_model", NO_MODEL), ("auth", BAD_KEY))
    return next((kind for kind, pattern in spellings if pattern.search(said.words)), "")


def _by_status(status: int | None) -> str:
    if status is not None and status < 400:
        return "moved"
    if status is None or status >= 500:
        return BY_STATUS.get(status or 500, "server")
    return BY_STATUS.get(status, "bad_request")


def listing_fault(status: int) -> str:
    """Which kind of fault the status of a list of models tells; empty where it is one, or there is merely none."""
    is_telling = status in BY_STATUS and status not in (404, 413)
    return _by_status(status) if is_telling or 300 <= status < 400 or (status >= 500 and status != 501) else ""


# ---- reading an exception ------------------------------------------------------------------------


def _read(error: Exception, key: str, now: datetime) -> Said:
    chain = _chain(error)
    names = frozenset(kind.__name__ for part in chain for kind in type(part).__mro__)
    words = str(getattr(error, "message", "") or error)[:READ_CHARS]
    words = whole_text(without_keys(words.replace(key, "[key]") if key else words))
    statuses = [status for part in chain if (status := _status_of(part)) is not None]
    # litellm gives many things a status of its own; the innermost is the provider's.
    return Said(names, statuses[-1] if statuses else None, words, wait_of(_headers(chain), words, now=now))


def _chain(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    part: BaseException | None = error
    while part is not None and part not in found:
        found.append(part)
        part = getattr(part, "original_exception", None) or part.__cause__ or part.__context__
    return found


def _status_of(part: BaseException) -> int | None:
    response = getattr(part, "response", None)
    for value in (
        getattr(part, "status_code", None),
        getattr(response, "status_code", None),
        getattr(part, "code", None),
    ):
        try:
            status = int(value)  # type: ignore[arg-type]  # libraries put anything there
        except (TypeError, ValueError):
            continue
        if 300 <= status < 600:
            return status
    return None


def _headers(chain: Sequence[BaseException]) -> Mapping[str, str]:
    for part in chain:
        for holder in (getattr(part, "response", None), part):
            for name in ("headers", "litellm_response_headers"):
                headers = getattr(holder, name, None)
                if headers and any(str(one).lower().startswith("retry-after") for one in headers):
                    return {str(one): str(headers[one]) for one in headers}
    return {}
