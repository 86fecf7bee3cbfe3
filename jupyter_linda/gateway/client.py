"""Model calls through litellm (worker only): the one file that imports it."""

from __future__ import annotations

import asyncio
import logging
import os
import ssl
from typing import TYPE_CHECKING, Any

from ..errors import ProviderFault
from ..ports import Finished, Ids, Model, ModelEvent, ModelRequest, ReasoningDelta, TextDelta
from ..schemas import Usage
from .assembly import CallAssembly, Halves, Piece
from .faults import as_fault
from .pictures import can_see, with_pictures
from .providers import DEMO_MODEL, Connection, Providers

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

log = logging.getLogger(__name__)

REPLY_CHARS = 2_000_000
"""Most characters of one reply: text, thoughts and arguments together."""
REPLY_CALLS = 128
"""Most tool calls of one reply."""

Litellm = Any  # litellm ships no types worth the name


def import_litellm() -> Litellm:
    """Import litellm (2.6 s, 190 MB: in a thread, after the worker answers) without a look at the network."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_OFFLINE_MODE", "true")
    import litellm  # noqa: PLC0415  heavy, and only its owner loads it

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.drop_params = True  # a provider without an option gets the call without it
    return litellm


class LitellmModel(Model):
    """Any model litellm reaches, and the embedded one beside it."""

    def __init__(self, providers: Providers, ids: Ids, demo: Model, *, timeout_s: float) -> None:
        self._providers = providers
        self._ids = ids
        self._demo = demo
        self._timeout_s = timeout_s
        self._loading: asyncio.Future[Litellm] | None = None

    def warm_up(self) -> None:
        """Begin to import litellm in a thread."""
        if self._loading is None:
            self._loading = asyncio.get_running_loop().run_in_executor(None, import_litellm)

    async def library(self) -> Litellm:
        """litellm, imported."""
        self.warm_up()
        assert self._loading is not None  # noqa: S101  set by warm_up
        return await asyncio.shield(self._loading)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """See `ports.Model`."""
        if request.model == DEMO_MODEL:
            async for event in self._demo.stream(request):
                yield event
            return
        connection = self._providers.connect(request.model)
        litellm = await self.library()
        async for event in self._stream(litellm, request, connection):
            yield event

    async def _stream(
        self, litellm: Litellm, request: ModelRequest, connection: Connection
    ) -> AsyncIterator[ModelEvent]:
        assembly = CallAssembly(self._ids)
        text_halves, thought_halves = Halves(), Halves()
        reason, usage, size = "", None, 0
        seen: set[type] = set()
        try:
            chunks = await litellm.acompletion(**_arguments(litellm, request, connection, self._timeout_s))
            async for chunk in chunks:
                usage = _usage(chunk) or usage
                if not chunk.choices:
                    continue
                choice = chunk.choices[0]
                reason = choice.finish_reason or reason
                for delta in _deltas(choice.delta, text_halves, thought_halves):
                    seen.update({type(delta)} if delta.text.strip() else ())
                    yield delta
                for piece in choice.delta.tool_calls or ():
                    function = getattr(piece, "function", None)
                    assembly.add(
                        Piece(
                            getattr(piece, "index", None),
                            getattr(piece, "id", None),
                            getattr(function, "name", None),
                            getattr(function, "arguments", None),
                        )
                    )
                _check_size(assembly, size := size + _size_of(choice.delta))
            # litellm makes up a last reason where the provider gave none; what it received is the truth.
            is_cut = not reason or getattr(chunks, "received_finish_reason", reason) is None
        except asyncio.CancelledError:
            raise
        except ProviderFault:
            raise
        except Exception as error:
            raise as_fault(error, model=request.model, has_text=TextDelta in seen, key=connection.key) from error
        if is_cut:
            raise ProviderFault(
                "cut_stream",
                "The provider's stream broke off before its end; what arrived is kept.",
                remedy="Say “continue”, or retry.",
            )
        calls = assembly.finish(reason)
        if not calls and TextDelta not in seen:
            raise _no_answer(reason, has_thought=ReasoningDelta in seen)
        yield Finished(reason=reason, calls=calls, usage=usage)

    async def test(self, connection: Connection, model: str) -> str:
        """Ask a provider for one word; returns what it said. Raises `ProviderFault`."""
        litellm = await self.library()
        request = ModelRequest(model=model, messages=[{"role": "user", "content": "Say: ok"}], max_output_tokens=16)
        said = ""
        try:
            async for event in self._stream(litellm, request, connection):
                said += event.text if isinstance(event, TextDelta) else ""
        except ProviderFault as fault:
            if fault.kind_of_fault not in (
                "empty",
                "only_thought",
            ):  # a reasoning model may spend 16 tokens on thoughts
                raise
        return said


def _no_answer(reason: str, *, has_thought: bool) -> ProviderFault:
    """Why a reply without text and calls is none."""
    if not has_thought:
        return ProviderFault("empty", "The model returned an empty answer.", remedy="Retry, or choose another model.")
    if reason == "length":
        return ProviderFault(
            "only_thought",
            "The model thought up to its output limit and gave no answer.",
            remedy="Its reasoning is kept. Ask for less at a time, or choose another model.",
        )
    return ProviderFault(
        "only_thought",
        "The model only thought and gave no answer.",
        remedy="Its reasoning is kept. Retry, or choose another model.",
    )


def _size_of(delta: Any) -> int:
    """Characters of one chunk, of text and of arguments."""
    calls = delta.tool_calls or ()
    arguments = sum(len(getattr(getattr(piece, "function", None), "arguments", None) or "") for piece in calls)
    return len(delta.content or "") + len(getattr(delta, "reasoning_content", None) or "") + arguments


def _check_size(assembly: CallAssembly, size: int) -> None:
    """A reply without end would fill the disk, and hold up everybody while it is written down."""
    if size > REPLY_CHARS or assembly.count > REPLY_CALLS:
        raise ProviderFault(
            "too_long",
            f"The reply has more than {REPLY_CHARS:,} characters or {REPLY_CALLS} tool calls, and was ended.",
            remedy="Ask for less at a time, or choose another model.",
        )


def _deltas(delta: Any, text_halves: Halves, thought_halves: Halves) -> list[TextDelta | ReasoningDelta]:
    """Reasoning and text of one chunk, in that order."""
    reasoning = thought_halves.take(getattr(delta, "reasoning_content", None) or "")
    text = text_halves.take(delta.content or "")
    return [*([ReasoningDelta(reasoning)] if reasoning else ()), *([TextDelta(text)] if text else ())]


def _usage(chunk: Any) -> Usage | None:
    usage = getattr(chunk, "usage", None)
    if usage is None:
        return None
    details = getattr(usage, "prompt_tokens_details", None)
    return Usage(
        input_tokens=usage.prompt_tokens or 0,
        output_tokens=usage.completion_tokens or 0,
        cached_tokens=(getattr(details, "cached_tokens", 0) or 0) if details else 0,
    )


def _arguments(litellm: Litellm, request: ModelRequest, connection: Connection, timeout_s: float) -> Mapping[str, Any]:
    """What litellm is called with."""
    picture = request.picture if can_see(litellm, connection.litellm_model) else None
    messages = with_pictures(request.messages, picture)
    arguments: dict[str, Any] = {
        "model": connection.litellm_model,
        "messages": messages,
        "stream": True,
        "stream_options": {"include_usage": True},
        "timeout": timeout_s,
        "num_retries": 0,
        "max_retries": 0,
    }
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
        arguments["client"] = _own_client(litellm, connection, timeout_s)
    return arguments


def _own_client(litellm: Litellm, connection: Connection, timeout_s: float) -> Any:  # two libraries' clients
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

        http_client = openai.DefaultAsyncHttpxClient(proxy=connection.proxy or None, verify=verify, timeout=timeout_s)
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
