"""Token counts: by the model's own tokenizer where litellm brings it along, else estimated, and then said so."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import logging
import math
import re
import struct
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from ..ports import Counter, Tokens
from .pictures import can_see
from .providers import DEMO_MODEL

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from ..ports import Json

log = logging.getLogger(__name__)

Litellm = Any  # litellm ships no types worth the name

REFERENCE = "gpt-4o"
"""Whose tokenizer stands in where a model's own is not here."""
MARGIN = 1.2
"""What such a count is raised by: the tokenizers of other providers give up to so many more."""
BY_CHARACTERS = "estimated from characters"
BY_REFERENCE = "estimated: the o200k tokenizer's count and 20 %"
CACHED = 20_000
"""Most texts whose counts are kept, by hash."""
SHORT_CHARS = 200
"""Texts up to here are counted anew: that takes no longer than a look-up."""

LARGE = (2048, 1536)
"""Taken for the size of a picture that does not say its own."""

_OPENAI = re.compile(r"(?:^|/)(?:gpt-|chatgpt-|o[1-9](?:-|$))")
_WORDS = re.compile(r"[A-Za-z]+|[0-9]{1,3}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\s+|[^\sA-Za-z0-9]", re.ASCII)


def estimate(text: str) -> int:
    """Tokens of a text without any tokenizer: a word by its length, other signs one by one.

    On prose, code, numbers and Chinese between 10 % below and a third above o200k (tests hold that).
    """
    total = 0
    for match in _WORDS.finditer(text):
        piece = match[0]
        if piece.isascii() and piece.isalpha():
            total += 1 + (len(piece) - 1) // 7
        elif piece.isspace():
            total += piece.count("\n") > 0 or len(piece) > 1
        else:
            total += 1
    return total


def picture_tokens(content: str) -> int:
    """Tokens of a picture, from its base64 content: the more of what OpenAI and Anthropic say of their models.

    OpenAI: scaled to fit 2048 and to a short side of 768, then 85 and 170 for each tile of 512. Anthropic: scaled to
    fit 1568, then a token for 750 pixels, at most 1600.
    """
    width, height = picture_size(content)
    scale = min(1.0, 2048 / max(width, height))
    scale = min(scale, 768 / min(width * scale, height * scale) * scale)
    tiles = math.ceil(width * scale / 512) * math.ceil(height * scale / 512)
    fitted = min(1.0, 1568 / max(width, height))
    return max(85 + 170 * tiles, min(1600, math.ceil(width * fitted * height * fitted / 750)))


def picture_size(content: str) -> tuple[int, int]:
    """Width and height of a PNG, GIF or JPEG from its first bytes; a large picture where they do not tell."""
    try:
        head = base64.b64decode(content[:65_536] + "=" * (-len(content[:65_536]) % 4))
        if head.startswith(b"\x89PNG"):
            width, height = struct.unpack(">II", head[16:24])
        elif head.startswith(b"GIF8"):
            width, height = struct.unpack("<HH", head[6:10])
        else:
            frame = re.search(rb"\xff[\xc0-\xc3\xc5-\xc7]..\x08(....)", head, re.DOTALL)
            if frame is None:
                return LARGE
            height, width = struct.unpack(">HH", frame[1])
    except (ValueError, struct.error):
        return LARGE
    return max(1, width), max(1, height)


class Cache:
    """Counts by tokenizer and content."""

    def __init__(self, most: int = CACHED) -> None:
        self._most = most
        self._counts: OrderedDict[bytes, int] = OrderedDict()
        self._lock = threading.Lock()

    def count(self, name: str, text: str, count: Callable[[str], int]) -> int:
        """The count of a text; counted once while it is kept."""
        if len(text) <= SHORT_CHARS:
            return count(text)
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, person=name[:16].encode()).digest()
        with self._lock:
            if key in self._counts:
                self._counts.move_to_end(key)
                return self._counts[key]
        found = count(text)
        with self._lock:
            self._counts[key] = found
            while len(self._counts) > self._most:
                self._counts.popitem(last=False)
        return found


class ModelTokens(Tokens):
    """Counts for every model that can be connected. `library` gives litellm, imported by its owner."""

    def __init__(self, litellm_name: Callable[[str], str], library: Callable[[], Awaitable[Litellm]]) -> None:
        self._litellm_name = litellm_name
        self._library = library
        self._cache = Cache()

    async def counter(self, model: str) -> Counter:
        """See `ports.Tokens`; the demo model needs no litellm."""
        if model == DEMO_MODEL:
            return self._by_characters()
        litellm = await self._library()
        return await asyncio.to_thread(self._counter, litellm, self._litellm_name(model))

    def _by_characters(self) -> Counter:
        def count(text: str) -> int:
            return self._cache.count("characters", text, estimate)

        return Counter(
            count=count,
            count_tools=lambda tools: count(_as_text(tools)) if tools else 0,
            count_picture=picture_tokens,
            counted_by=BY_CHARACTERS,
            is_estimate=True,
        )

    def _counter(self, litellm: Litellm, name: str) -> Counter:
        facts = facts_of(litellm, name)
        own = own_tokenizer(litellm, name)
        counted_as = name if own else REFERENCE
        try:
            litellm.token_counter(model=counted_as, text="a")
        except Exception:  # a tokenizer that is not here would be fetched: then nothing but characters
            log.warning("there is no tokenizer for %s", name, exc_info=True)
            return self._by_characters()
        times = 1.0 if own else MARGIN

        def bare(text: str) -> int:
            return int(litellm.token_counter(model=counted_as, text=text))

        def count(text: str) -> int:
            found = self._cache.count(own or "reference", text, bare)
            return found if own else int(found * times + 0.999)

        def bare_tools(text: str) -> int:
            empty = [{"role": "system", "content": ""}]
            tools = json.loads(text)
            with_tools = litellm.token_counter(model=counted_as, messages=empty, tools=tools)
            return int(with_tools - litellm.token_counter(model=counted_as, messages=empty))

        def count_tools(tools: Sequence[Mapping[str, Json]]) -> int:
            if not tools:
                return 0
            text = _as_text(tools)
            # Other providers are sent the JSON; how OpenAI writes functions into its prompts is known.
            return self._cache.count(f"tools {own}", text, bare_tools) if own.startswith("o200k") else count(text)

        return Counter(
            count=count,
            count_tools=count_tools,
            count_picture=picture_tokens,
            counted_by=f"the model's tokenizer ({own})" if own else BY_REFERENCE,
            is_estimate=not own,
            max_input_tokens=_number(facts.get("max_input_tokens")),
            max_output_tokens=_number(facts.get("max_output_tokens")),
            takes_pictures=can_see(litellm, name),
        )


def own_tokenizer(litellm: Litellm, name: str) -> str:
    """Name of the tokenizer a model was made with, where litellm ships it; else empty."""
    if _OPENAI.search(name):
        return "cl100k" if re.search(r"gpt-(?:3|4$|4-)", name) else "o200k"
    kind_of = getattr(litellm.utils, "huggingface_tokenizer_kind", None)
    # Of the others only this one is both shipped and still the one in use.
    return "deepseek" if kind_of is not None and kind_of(name) == "deepseek" else ""


def facts_of(litellm: Litellm, name: str) -> Mapping[str, Any]:
    """What litellm's table says of a model. Its own look-up asks some local servers over the network; this does not."""
    table: Mapping[str, Mapping[str, Any]] = litellm.model_cost
    parts = name.split("/")
    for start in range(len(parts)):
        found = table.get("/".join(parts[start:]))
        if found is not None:
            return found
    return {}


def _number(value: object) -> int | None:
    try:
        return int(value) or None  # type: ignore[call-overload]  # the table holds numbers, and texts where it is wrong
    except (TypeError, ValueError):
        return None


def _as_text(tools: Sequence[Mapping[str, Json]]) -> str:
    return json.dumps(list(tools), ensure_ascii=False)
