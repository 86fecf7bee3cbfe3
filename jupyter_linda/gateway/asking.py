"""What litellm is called with, and the clients for providers with a proxy or a certificate authority of their own."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx

from ..errors import ProviderFault
from .caching import wants_marks, with_marks
from .pictures import can_see, with_pictures
from .toolless import without_tools

if TYPE_CHECKING:
    from ..ports import ModelRequest
    from .providers import Connection

Litellm = Any  # litellm ships no types worth the name

SLACK_S = 5.0
"""How much later the network's own clock gives up than ours, which knows what it waits for."""


@dataclass(frozen=True)
class Timeouts:
    """How long a provider may take: to be reached, to its first word, between two."""

    connect_s: float
    first_s: float
    gap_s: float

    def of_network(self) -> tuple[float, float, float, float]:
        """The same for HTTP clients: to connect, read, write, and get a connection."""
        longest = max(self.first_s, self.gap_s) + SLACK_S
        return self.connect_s, longest, longest, longest


def arguments_for(
    litellm: Litellm, request: ModelRequest, connection: Connection, timeouts: Timeouts
) -> dict[str, Any]:
    """The arguments of one call."""
    picture = request.picture if can_see(litellm, connection.litellm_model) else None
    messages = with_pictures(request.messages, picture)
    arguments: dict[str, Any] = {
        "model": connection.litellm_model,
        "messages": messages if request.tools else without_tools(messages),
        "stream": request.is_streamed,
        "timeout": httpx.Timeout(timeouts.of_network()),
        "num_retries": 0,
        "max_retries": 0,
    }
    if wants_marks(litellm, connection.litellm_model):
        arguments["messages"] = with_marks(arguments["messages"])
    if request.is_streamed:
        arguments["stream_options"] = {"include_usage": True}
    if request.tools:
        arguments["tools"] = list(request.tools)
    if request.max_output_tokens:
        arguments["max_tokens"] = request.max_output_tokens
    if connection.base_url:
        arguments["api_base"] = connection.base_url
    if connection.key:
        arguments["api_key"] = connection.key
    elif connection.base_url:
        arguments["api_key"] = "none"  # local servers want no key, the client library wants some text
    if connection.proxy or connection.ca_file:
        arguments["client"] = _own_client(litellm, connection, timeouts)
    return arguments


def _own_client(litellm: Litellm, connection: Connection, timeouts: Timeouts) -> Any:  # two libraries' clients
    """A client with the provider's own proxy or certificate authority."""
    verify: ssl.SSLContext | bool = True
    if connection.ca_file:
        try:
            verify = ssl.create_default_context(cafile=connection.ca_file)
        except OSError as error:
            raise ProviderFault(
                "bad_request",
                f"The certificate file {connection.ca_file} cannot be used: {error}.",
                remedy="Give the path of a PEM file with the provider's certificate authority.",
            ) from None
    if connection.litellm_model.startswith("openai/"):
        import openai  # noqa: PLC0415  # litellm's own dependency, heavy

        http_client = openai.DefaultAsyncHttpxClient(
            proxy=connection.proxy or None, verify=verify, timeout=timeouts.of_network()
        )
        return openai.AsyncOpenAI(
            api_key=connection.key or "none",
            base_url=connection.base_url or None,
            http_client=http_client,
            max_retries=0,
        )
    if connection.proxy:
        raise ProviderFault(
            "bad_request",
            "A proxy of its own works only for OpenAI-compatible providers.",
            remedy="Start JupyterLab with HTTPS_PROXY set; it then holds for every provider.",
        )
    return litellm.llms.custom_httpx.http_handler.AsyncHTTPHandler(ssl_verify=verify)
