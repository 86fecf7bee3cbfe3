"""Model servers on this machine, and the models a provider lists: plain HTTP, no litellm."""

from __future__ import annotations

import asyncio
import ssl
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx

from .faults import listing_fault, plain_fault
from .proxies import is_loopback

if TYPE_CHECKING:
    from .providers import Connection

KNOWN_SERVERS = (
    ("Ollama", "ollama_chat", "http://127.0.0.1:11434", "/api/tags"),
    ("LM Studio", "openai", "http://127.0.0.1:1234/v1", "/models"),
    ("llama.cpp", "openai", "http://127.0.0.1:8080/v1", "/models"),
)
"""Label, litellm's provider word, base URL, path that lists the models."""

LOOK_S = 1.5


async def detect_local_servers() -> list[dict[str, Any]]:  # JSON
    """Which of the known local servers answer on their usual ports, and with which models."""
    async with httpx.AsyncClient(timeout=LOOK_S, trust_env=False) as client:
        found = await asyncio.gather(*(_look(client, *server) for server in KNOWN_SERVERS))
    return [server for server in found if server is not None]


async def _look(client: httpx.AsyncClient, label: str, kind: str, base_url: str, path: str) -> dict[str, Any] | None:
    try:
        models = _names((await client.get(base_url + path)).raise_for_status().json())
    except (httpx.HTTPError, ValueError):
        return None
    return None if models is None else {"label": label, "kind": kind, "base_url": base_url, "models": models}


async def list_models(connection: Connection) -> list[str]:
    """The models an OpenAI-compatible endpoint lists; empty where it does not say.

    Raises `ProviderFault` where nobody answers there, or the key, the account or the server is what is wrong.
    """
    if not connection.base_url:
        return []
    headers = {"Authorization": f"Bearer {connection.key}"} if connection.key else {}
    is_ollama = connection.litellm_model.startswith("ollama")
    try:
        verify = ssl.create_default_context(cafile=connection.ca_file) if connection.ca_file else True
        host = urlsplit(connection.base_url).hostname or ""
        options: dict[str, Any] = {
            "proxy": connection.proxy or None,
            "verify": verify,
            "trust_env": not is_loopback(host),
        }
        async with httpx.AsyncClient(timeout=10.0, **options) as client:
            answer = await client.get(
                connection.base_url.rstrip("/") + ("/api/tags" if is_ollama else "/models"), headers=headers
            )
    except httpx.TimeoutException as error:
        raise plain_fault("unreachable" if isinstance(error, httpx.ConnectTimeout) else "timeout") from error
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, OSError) as error:
        raise plain_fault("unreachable") from error
    if kind := listing_fault(answer.status_code):
        raise plain_fault(kind, f" (status {answer.status_code})")
    try:
        return _names(answer.json()) or []
    except ValueError:
        return []


def _names(listing: Any) -> list[str] | None:
    """Names in an Ollama or OpenAI listing; None when it is neither."""
    if not isinstance(listing, dict):
        return None
    entries = listing.get("models") if "models" in listing else listing.get("data")
    if not isinstance(entries, list):
        return None
    names = [str(entry.get("id") or entry.get("name") or "") for entry in entries if isinstance(entry, dict)]
    return [name for name in names if name][:200]
