"""Where a connected model is, and who gets what it is told (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from .proxies import is_loopback

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..schemas import Provider, ProviderInput

SERVER_KINDS = frozenset(
    {
        "openai",
        "ollama",
        "ollama_chat",
        "lm_studio",
        "hosted_vllm",
        "llamafile",
        "xinference",
        "docker_model_runner",
        "lemonade",
        "oobabooga",
    }
)
"""litellm's words for servers that people run themselves, whose address it keeps to.

Of others it does not always: it sends what is meant for `replicate`, `sagemaker` or `microsoft_365_copilot` to their
own addresses whatever address is given. Such a one is never on this machine.
"""
_CLOUD = ("-cloud", ":cloud")
_VARIABLES: Mapping[str, tuple[str, ...]] = {
    "openai": ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
    "anthropic": ("ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"),
}
"""Which variables litellm takes an address from where none is given, in its order; of others, KIND_API_BASE."""


def is_of_cloud(model: str) -> bool:
    """Whether a server passes what this model is told on to its cloud: Ollama names those `…-cloud`."""
    return model.strip().lower().endswith(_CLOUD)


def is_here(provider: Provider | ProviderInput, model: str) -> bool:
    """Whether what a provider's model is told stays on this machine."""
    host = urlsplit(provider.base_url).hostname or ""
    is_server = provider.kind in SERVER_KINDS and not is_of_cloud(model)
    return is_server and not provider.proxy and is_loopback(host)


def destination_of(provider: Provider, model: str, environment: Mapping[str, str]) -> str:
    """Who gets what a model is told: litellm's word for the provider, its address, the proxy between."""
    address = provider.base_url or address_of(provider.kind, environment)
    parts = [provider.kind]
    parts += [f"at {_place(address)}"] if address else []
    parts += [f"through {_host(provider.proxy)}"] if provider.proxy else []
    parts += ["in its cloud"] if is_of_cloud(model) else []
    return " ".join(parts)


def address_of(kind: str, environment: Mapping[str, str]) -> str:
    """The address that litellm takes from the environment for a provider without one of its own; else empty."""
    names = _VARIABLES.get(kind, (f"{kind.upper()}_API_BASE",))
    return next((environment[name] for name in names if environment.get(name)), "")


def _place(address: str) -> str:
    """An address without names and keys: with its path, as one gateway may serve many, and http:// where bare."""
    parts = urlsplit(address)
    bare = "http://" if parts.scheme == "http" and not is_loopback(parts.hostname or "") else ""
    return f"{bare}{_host(address)}{parts.path.rstrip('/')}"


def _host(address: str) -> str:
    return urlsplit(address).netloc.rpartition("@")[2] or address
