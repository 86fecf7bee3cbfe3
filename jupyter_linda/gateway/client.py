"""Model calls through litellm (worker only): the one file that imports it. One try of one model."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..errors import ProviderFault
from ..ports import Finished, Ids, Model, ModelEvent, ModelRequest, TextDelta
from ..schemas import Usage
from .asking import Timeouts, arguments_for
from .faults import as_fault, cut_stream, plain_fault
from .providers import AUTOMATIC, DEMO_MODEL, Connection, Providers
from .proxies import LOOPBACK, spare
from .redirects import follow_none
from .reply import Reply
from .usage import counted, estimated, own_cost, priced, was_given

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

log = logging.getLogger(__name__)

Litellm = Any  # litellm ships no types worth the name


def import_litellm() -> Litellm:
    """Import litellm (2.6 s, 190 MB: in a thread, after the worker answers) without a look at the network.

    `USE_LITELLM_PROXY` is taken out of the environment: it would send every request to another place than is shown.
    """
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_OFFLINE_MODE", "true")
    spare(*LOOPBACK)
    import litellm  # noqa: PLC0415  heavy, and only its owner loads it

    os.environ.pop("USE_LITELLM_PROXY", None)  # behind the import, which may read it from a file .env
    follow_none()
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.use_litellm_proxy = False
    litellm.drop_params = True  # a provider without an option gets the call without it
    return litellm


class LitellmModel(Model):
    """Any model litellm reaches, and the embedded one beside it. Tries once; `gateway/retrying` tries again."""

    def __init__(self, providers: Providers, ids: Ids, demo: Model, *, timeouts: Timeouts) -> None:
        self._providers = providers
        self._ids = ids
        self._demo = demo
        self._timeouts = timeouts
        self._loading: asyncio.Future[Litellm] | None = None
        self._takes_tools: dict[str, bool] = {}

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
        """See `ports.Model`; `Sending` and `Retrying` are left to whoever tries again."""
        if request.model == DEMO_MODEL:
            async for event in self._demo.stream(request):
                yield event
            return
        connection = self._providers.connect(request.model)
        litellm = await self.library()
        if self._providers.stays_here(request.model):
            spare(urlsplit(connection.base_url).hostname or "")
        if request.tools and not self._can_take_tools(litellm, connection.litellm_model):
            raise plain_fault("no_tools", f" (model {request.model})")
        async for event in self._stream(litellm, request, connection):
            yield event

    def knows(self, word: str) -> bool:
        """Whether litellm has a provider of that word; while it is not loaded, nobody can tell, and it may."""
        if self._loading is None or not self._loading.done():
            return True
        return any(word == getattr(one, "value", one) for one in self._loading.result().provider_list)

    async def price(self, model: str, given: int, taken: int) -> float | None:
        """US dollars of so many tokens in and out; None where the price is not known."""
        if model == AUTOMATIC:
            return None  # it is not known yet who answers
        usage = Usage(input_tokens=given, output_tokens=taken)
        if self._providers.stays_here(model):
            return 0.0 if model == DEMO_MODEL else own_cost(usage, self._providers.connect(model)) or 0.0
        return priced(await self.library(), usage, self._providers.connect(model), is_local=False).cost_usd

    async def _stream(
        self, litellm: Litellm, request: ModelRequest, connection: Connection
    ) -> AsyncIterator[ModelEvent]:
        reply = Reply(self._ids)
        usage: Usage | None = None
        arguments = arguments_for(litellm, request, connection, self._timeouts)
        try:
            async for holder in self._parts(litellm, arguments, reply):
                usage = counted(holder) or usage
                for choice in holder.choices[:1]:
                    part = choice.delta if request.is_streamed else choice.message
                    for delta in reply.take(part, choice.finish_reason):
                        yield delta
        except (ProviderFault, asyncio.CancelledError):
            raise
        except Exception as error:
            raise as_fault(error, model=request.model, has_begun=reply.has_begun, key=connection.key) from error
        calls = reply.finish()
        if usage is None:
            usage = await estimated(litellm, arguments, reply.written)
        usage = priced(litellm, usage, connection, is_local=self._providers.stays_here(request.model))
        yield Finished(reason=reply.reason, calls=calls, usage=usage)

    async def _parts(self, litellm: Litellm, arguments: Mapping[str, Any], reply: Reply) -> AsyncIterator[Any]:
        """Chunks of litellm's, or its one whole response; `ProviderFault` when the next takes too long."""
        first_by = asyncio.get_running_loop().time() + self._timeouts.first_s
        try:
            async with asyncio.timeout_at(first_by):
                answered = await litellm.acompletion(**arguments)
        except TimeoutError:
            raise _too_slow(self._timeouts, has_begun=False) from None
        if answered is None:
            raise plain_fault("bad_request")  # what litellm makes of a request that is refused as such twice
        if not arguments["stream"]:
            yield answered
            return
        try:
            async for chunk in self._in_time(answered, reply, first_by):
                yield chunk
        except Exception:
            if not reply.has_begun and _is_document(answered):
                raise plain_fault("no_streaming") from None
            if not reply.has_begun or not getattr(answered, "received_finish_reason", None):
                raise
            # It was whole, only what comes behind it (the usage, the end of the stream) is broken or late.
            log.info("the stream of %s broke off behind its reply", arguments["model"], exc_info=True)
            reply.reason = str(answered.received_finish_reason)
        finally:
            with contextlib.suppress(Exception):  # the connection goes back, or is closed with a reply that was left
                await answered.aclose()
        # litellm makes up a last reason where the provider gave none; what it received is the truth.
        if getattr(answered, "received_finish_reason", reply.reason) is None:
            reply.reason = ""
        if not reply.has_begun and not reply.reason and _is_document(answered):
            raise plain_fault("no_streaming")

    async def _in_time(self, stream: Any, reply: Reply, first_by: float) -> AsyncIterator[Any]:  # litellm's stream
        now, gap_s = asyncio.get_running_loop().time, self._timeouts.gap_s
        try:
            while True:
                async with asyncio.timeout_at(now() + gap_s if reply.has_begun else first_by):
                    chunk = await anext(stream, None)
                if chunk is None:
                    return
                # litellm counts by itself, without the tools, where the provider did not.
                if getattr(chunk, "usage", None) is not None and not was_given(stream):
                    chunk.usage = None
                yield chunk
        except TimeoutError:
            raise _too_slow(self._timeouts, has_begun=reply.has_begun) from None

    def _can_take_tools(self, litellm: Litellm, model: str) -> bool:
        """Whether litellm would pass tools on: it drops, without a word, what it knows a provider does not take."""
        if model not in self._takes_tools:
            provider = model.partition("/")[0]
            listed = None if provider == "ollama" else litellm.get_supported_openai_params(model=model)
            self._takes_tools[model] = listed is None or "tools" in listed
        return self._takes_tools[model]

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


def _too_slow(limits: Timeouts, *, has_begun: bool) -> ProviderFault:
    if has_begun:
        return cut_stream(f"nothing came for {limits.gap_s:g} s")
    return ProviderFault(
        "timeout",
        f"The provider gave no first word within {limits.first_s:g} s.",
        remedy="Try again; a slow local model needs a larger provider_timeout_s.",
    )


def _is_document(stream: Any) -> bool:  # litellm's stream
    """Whether a provider answered with one JSON document where a stream was asked for."""
    headers = getattr(stream, "_response_headers", None) or {}
    return "application/json" in str(headers.get("content-type", ""))
