"""The embedded demo model behind `ports.Model`: intents by classifier, answers by templates, small talk by SmolLM2."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING
from uuid import uuid4

from ..errors import ProviderFault
from ..ports import CallDraft, Finished, Model, TextDelta
from . import conversation, sayings
from .intent import Classifier, trained
from .llama import SmallModel
from .planning import plan
from .request import Call, Chat, Fill, Say

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence
    from pathlib import Path

    from ..ports import Json, ModelEvent, ModelRequest
    from .conversation import Turn
    from .request import Step

MOST_TALK_TOKENS = 120
BY_MODEL = frozenset({"chat", "howto"})
"""The kinds of English talk the language model answers; all else has fixed replies."""

_PERSONA = "You are Linda, a friendly assistant inside JupyterLab. Answer in one or two short sentences."
_QUOTE_TEXT = "Copy from the request only the words that should be searched for in files."


def _new_call_id() -> str:
    return f"call_{uuid4().hex}"


class DemoModel(Model):
    """Needs no key and no network. Without `weights` (or xllamacpp) everything works but free English talk."""

    def __init__(
        self,
        *,
        weights: Path | None = None,
        talker: SmallModel | None = None,
        new_call_id: Callable[[], str] = _new_call_id,
    ) -> None:
        self._talker = talker or (SmallModel(weights) if weights is not None else None)
        self._new_call_id = new_call_id
        self._classifier: Classifier | None = None

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """See `ports.Model`: one tool call, or text."""
        turn = conversation.read(request.messages)
        step = await self._step(turn, _properties(request.tools))
        if isinstance(step, Call):
            arguments = json.dumps(step.arguments, ensure_ascii=False)
            draft = CallDraft(call_id=self._new_call_id(), name=step.tool, arguments=arguments)
            yield Finished(reason="tool_calls", calls=(draft,))
            return
        if isinstance(step, Chat):
            async for piece in self._talk(step.kind, turn, request.max_output_tokens or MOST_TALK_TOKENS):
                yield TextDelta(piece)
        elif isinstance(step, Say):
            yield TextDelta(step.text)
        yield Finished(reason="stop")

    async def _step(self, turn: Turn, properties: Mapping[str, frozenset[str]]) -> Step:
        if self._classifier is None:
            self._classifier = await asyncio.to_thread(trained)
        step = plan(turn, properties=properties, classifier=self._classifier)
        if isinstance(step, Fill):
            filled = await self._quote(turn)
            step = plan(turn, properties=properties, classifier=self._classifier, filled=filled)
        return step

    async def _quote(self, turn: Turn) -> str:
        if self._talker is None or turn.language != "en":
            return ""
        try:
            return await self._talker.quote(turn.text, _QUOTE_TEXT)
        except ProviderFault:
            return ""  # the person is asked instead

    async def _talk(self, kind: str, turn: Turn, max_tokens: int) -> AsyncIterator[str]:
        if kind not in BY_MODEL or turn.language != "en" or self._talker is None:
            yield sayings.talk(kind, turn.language)
            return
        messages = [{"role": "system", "content": _PERSONA}]
        messages += [{"role": role, "content": text[:400]} for role, text in turn.history[-4:]]
        messages.append({"role": "user", "content": turn.text[:800]})
        has_text = False
        pieces = self._talker.reply(messages, max_tokens=min(max_tokens, MOST_TALK_TOKENS))
        try:
            async for piece in pieces:
                has_text = True
                yield piece
        except ProviderFault as fault:
            if has_text or fault.kind_of_fault != "no_model":
                raise
            yield f"{sayings.talk(kind, turn.language)}\n\n{fault.message} {fault.remedy}".strip()
            return
        if kind == "howto" and has_text:
            yield sayings.LLM_NOTE


def _properties(tools: Sequence[Mapping[str, Json]]) -> dict[str, frozenset[str]]:
    """Argument names by tool, from the tools on offer in chat-completion form."""
    functions = [tool.get("function") or tool for tool in tools]
    return {
        str(function["name"]): frozenset((function.get("parameters") or {}).get("properties") or ())
        for function in functions
    }
