"""What went wrong at a provider, in words (pure: reads only an exception's public parts)."""

from __future__ import annotations

import re

from ..errors import ProviderFault
from ..storage.texts import whole_text

KEYLIKE = re.compile(r"\b(sk|pk|key|rk|xox[abp]|gsk|AIza|ghp|hf)[-_A-Za-z0-9]{6,}|Bearer\s+\S+", re.IGNORECASE)

BY_STATUS: dict[int, tuple[str, str, str]] = {
    400: (
        "bad_request",
        "The provider refused the request.",
        "Choose another model, or look at the provider's settings.",
    ),
    401: (
        "auth",
        "The provider refused the key.",
        "Check the key in Models and settings, and test the connection.",
    ),
    402: ("billing", "The provider wants payment.", "Look at your account with the provider, or choose another model."),
    403: ("forbidden", "The key may not use this model.", "Choose another model, or ask whoever gave you the key."),
    404: ("unknown_model", "The provider does not know this model.", "Choose another model in the picker."),
    408: ("timeout", "The provider did not answer in time.", "Try again; if it stays, look at the network."),
    413: (
        "context_overflow",
        "The conversation is too long for this model.",
        "Start a new chat, or choose a model with more room.",
    ),
    422: (
        "bad_request",
        "The provider refused the request.",
        "Choose another model, or look at the provider's settings.",
    ),
    429: (
        "rate_limit",
        "The provider asks to wait: too many requests.",
        "Try again in a moment, or choose another model.",
    ),
    500: ("server", "The provider failed.", "Try again; if it stays, choose another model."),
    502: ("server", "The provider failed.", "Try again; if it stays, choose another model."),
    503: ("overloaded", "The provider is overloaded.", "Try again in a moment, or choose another model."),
    529: ("overloaded", "The provider is overloaded.", "Try again in a moment, or choose another model."),
}


def without_keys(text: str) -> str:
    """Anything that looks like a key taken out: providers like to quote it."""
    return KEYLIKE.sub("[key]", text)


def as_fault(error: Exception, *, model: str, has_text: bool, key: str = "") -> ProviderFault:
    """Turn whatever litellm raised into one of our kinds, told in plain words and without the key that was used."""
    names = {type(part).__name__ for part in _chain(error)} | {base.__name__ for base in type(error).__mro__}
    said = str(getattr(error, "message", "") or error)
    said = said.replace(key, "[key]") if key else said
    detail = whole_text(without_keys(said)).strip().split("\n")[0][:300]
    if "ContextWindowExceededError" in names:
        return _make(413, model, detail)
    if "ContentPolicyViolationError" in names:
        return ProviderFault(
            "refused",
            f"The provider refused this content. ({detail})",
            remedy="Put it another way, or choose another model.",
        )
    if "Timeout" in names or "APITimeoutError" in names or "ReadTimeout" in names:
        return _make(408, model, detail)
    if "MidStreamFallbackError" in names or has_text:
        original = next((part for part in _chain(error) if getattr(part, "status_code", 500) in (401, 429)), None)
        if original is None:
            return ProviderFault(
                "cut_stream",
                f"The provider's stream broke off; what arrived is kept. ({detail})",
                remedy="Say “continue”, or retry.",
            )
    if names & {
        "ConnectError",
        "APIConnectionError",
        "ClientConnectorError",
        "ConnectionRefusedError",
        "InternalServerError",
    } and any(
        word in detail.lower()
        for word in ("connection error", "connect call failed", "cannot connect", "name or service", "refused")
    ):
        return ProviderFault(
            "unreachable",
            f"The provider of {model} cannot be reached. ({detail})",
            remedy="Check the base URL, the proxy and the network, then test the connection in Models and settings.",
        )
    status = getattr(error, "status_code", None)
    return _make(status if isinstance(status, int) else 500, model, detail, retry_after_s=_retry_after(error))


def _make(status: int, model: str, detail: str, *, retry_after_s: float | None = None) -> ProviderFault:
    kind, message, remedy = BY_STATUS.get(status, BY_STATUS[500 if status >= 500 else 400])
    return ProviderFault(
        kind, f"{message} (model {model}, status {status}: {detail})", remedy=remedy, retry_after_s=retry_after_s
    )


def _chain(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    part: BaseException | None = error
    while part is not None and part not in found:
        found.append(part)
        part = getattr(part, "original_exception", None) or part.__cause__ or part.__context__
    return found


def _retry_after(error: Exception) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        return float(headers.get("retry-after", ""))
    except ValueError:
        return None
