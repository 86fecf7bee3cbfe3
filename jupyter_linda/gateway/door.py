"""The door to the models: route, levels and redaction on the way out, the same values back on the way in."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from ..errors import ConsentNeeded, ProviderFault
from ..ports import Finished, Model, ModelEvent, ModelRequest, Notice, ReasoningDelta, Retrying, Sending, TextDelta
from .levels import Level, Privacy, level_of
from .providers import DEMO_MODEL
from .redaction import Book, Redactor, Restorer, summary
from .router import Facts, Option, Route, route
from .sensitivity import Outgoing, Part, bare, inspect

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from ..ports import Json
    from ..schemas import ModelInfo
    from .sensitivity import OriginOf

PREVIEW_CHARS = 60_000
"""Most characters a question shows of what would leave; the trace keeps all of it."""


class Reach(Protocol):
    """Where models are; `Providers` knows."""

    def stays_here(self, model_id: str) -> bool:
        """Whether what a model is told stays on this machine."""

    def destination(self, model_id: str) -> str:
        """Who gets what a model elsewhere is told: the provider and its address."""

    def models(self) -> Sequence[ModelInfo]:
        """The models that are connected."""

    def known_keys(self) -> Sequence[str]:
        """The keys of all providers: none of them is ever part of a prompt."""


class Consents(Protocol):
    """To which providers a person lets this folder's work go."""

    async def providers(self, owner_id: str) -> frozenset[str]:
        """Destinations, as `Reach.destination` names them."""


class Books(Protocol):
    """The placeholders of chats."""

    async def load(self, chat_id: str) -> Book:
        """A chat's book."""

    async def keep(self, chat_id: str, book: Book) -> None:
        """Write down what is new in it."""


@dataclass(frozen=True)
class Rules:
    """What the door judges by."""

    privacy: Callable[[], Privacy]
    """The levels that hold now."""
    places: Callable[[str], tuple[str, ...]]
    """A path as asked for, and as resolved."""
    origin_of: OriginOf
    keep: Callable[[str], str] = lambda _text: ""
    """Keeps what leaves for the trace; returns its name."""


@dataclass
class Leaving:
    """A request as it goes out."""

    messages: list[Mapping[str, Json]]
    details: dict[str, Json]
    book: Book | None = None
    """None for a model on this machine: nothing is replaced."""


class Door(Model):
    """Every request to a model passes here, and every answer."""

    def __init__(self, model: Model, reach: Reach, rules: Rules, consents: Consents, books: Books) -> None:
        self._model = model
        self._reach = reach
        self._rules = rules
        self._consents = consents
        self._books = books
        self._redactor = Redactor()

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """See `ports.Model`. Raises `ConsentNeeded` before anything leaves that a person has not agreed to."""
        always = await self._consents.providers(request.owner_id)
        decided = self._route(request, always)
        allowed = request.allowed | always
        leaving = await self._prepare(request, decided)
        if decided.effect == "ask":
            raise ConsentNeeded(
                self._reach.destination(decided.model),
                decided.model,
                reason=decided.reason,
                preview=preview_text(leaving.messages),
            )
        if decided.model != request.model:
            yield Notice(f"{decided.model} was asked instead of {request.model}: {decided.reason}.")
        if leaving.book is not None:
            await self._books.keep(request.chat_id, leaving.book)
        sent = replace(
            request,
            model=decided.model,
            messages=leaving.messages,
            may_go_to=lambda model: self._why_not(model, allowed),
        )
        async for event in self._back(sent, leaving, decided):
            yield event

    async def _back(self, sent: ModelRequest, leaving: Leaving, decided: Route) -> AsyncIterator[ModelEvent]:
        """The answer, with the values in the place of their placeholders."""
        book = leaving.book or Book()
        text, thought = Restorer(book), Restorer(book)
        try:
            async for event in self._model.stream(sent):
                match event:
                    case Sending():
                        reason = decided.reason if event.model == decided.model else event.reason
                        details = {**(event.details or {}), **leaving.details}
                        yield replace(event, details=details, reason=reason)
                    case Retrying():
                        text, thought = Restorer(book), Restorer(book)
                        yield event
                    case TextDelta(piece):
                        yield TextDelta(text.take(piece))
                    case ReasoningDelta(piece):
                        yield ReasoningDelta(thought.take(piece))
                    case Finished():
                        for last in _rest(text, thought):
                            yield last
                        calls = tuple(
                            replace(call, arguments=book.restore_json(call.arguments)) for call in event.calls
                        )
                        yield replace(event, calls=calls)
                    case _:
                        yield event
        except ProviderFault:
            for last in _rest(text, thought):  # what was held back had come before the fault
                yield last
            raise

    # ---- where to ---------------------------------------------------------------------------------

    def _route(self, request: ModelRequest, always: frozenset[str]) -> Route:
        privacy = self._rules.privacy()
        names = dict.fromkeys((request.model, *(model.model_id for model in self._reach.models())))
        options = [self._option(name, always) for name in names]
        facts = Facts(
            options=options,
            chosen=request.model,
            all_local=privacy.all_local,
            is_offline=privacy.offline,
            is_allowed_once=bool(request.allowed) and self._destination(request.model) in request.allowed,
        )
        decided = route(facts)
        if decided.effect == "deny":
            raise ProviderFault(
                "no_model",
                f"Nothing was sent: {decided.reason}",
                remedy="Connect a model on this machine, or change this under Permissions > What may leave.",
            )
        return decided

    def _option(self, model: str, always: frozenset[str]) -> Option:
        is_here = self._reach.stays_here(model)
        has_consent = is_here or self._destination(model) in always
        return Option(model, is_here=is_here, is_fit=model != DEMO_MODEL, has_consent=has_consent)

    def _destination(self, model: str) -> str:
        return "" if self._reach.stays_here(model) else self._reach.destination(model)

    def _why_not(self, model: str, allowed: frozenset[str]) -> str:
        """Why a request may not fall back to this model."""
        if self._reach.stays_here(model) or self._destination(model) in allowed:
            return ""
        return f"this folder has not been allowed to send anything to {self._destination(model)}."

    # ---- what leaves ------------------------------------------------------------------------------

    async def _prepare(self, request: ModelRequest, decided: Route) -> Leaving:
        facts: dict[str, Json] = {"asked": request.model, "model": decided.model, "reason": decided.reason}
        if self._reach.stays_here(decided.model):
            return Leaving([bare(message) for message in request.messages], {"route": facts})
        privacy = self._rules.privacy()
        out = inspect(
            request.messages,
            origin_of=self._rules.origin_of,
            level_at=lambda paths, frames: self._level(privacy, paths, frames),
            is_here=self._reach.stays_here,
        )
        book = await self._books.load(request.chat_id)
        messages, counts = await asyncio.to_thread(self._redact, out, book, privacy.terms)
        details: dict[str, Json] = {
            "route": {**facts, "destination": self._reach.destination(decided.model), "holds": out.highest},
            "leaves": {
                "messages": await asyncio.to_thread(self._keep, messages) if decided.effect == "auto" else [],
                "tools": len(request.tools),
                "withheld": [{"what": one.what, "of": one.of, "level": one.level} for one in out.withheld],
                "placeholders": summary(counts),
            },
        }
        return Leaving(messages, details, book)

    def _level(self, privacy: Privacy, paths: Sequence[str], frames: Sequence[str]) -> Level:
        every = dict.fromkeys(place for path in paths for place in self._everywhere(path))
        return level_of(privacy, tuple(every), frames)

    def _everywhere(self, path: str) -> tuple[str, ...]:
        slash = "/" if path.endswith("/") else ""
        return (path, *(place + slash for place in self._rules.places(path.rstrip("/") or "/")))

    def _redact(self, out: Outgoing, book: Book, terms: Sequence[str]) -> tuple[list[Mapping[str, Json]], Counter[str]]:
        counts: Counter[str] = Counter()
        secrets = [key for key in self._reach.known_keys() if len(key) >= 8]

        def one(part: Part) -> str:
            if part.how == "ours":
                return part.text
            text, found = self._redactor.redact(
                part.text, book, terms=terms, secrets=secrets, only_keys=part.how == "open"
            )
            counts.update(found)
            return text

        made: list[Mapping[str, Json]] = []
        for message, parts in out.messages:
            gone = {key: value for key, value in message.items() if key != "data"}
            if parts is not None:
                gone["content"] = "".join(map(one, parts))
            if gone.get("tool_calls"):
                gone["tool_calls"] = [
                    self._redact_call(call, book, counts, terms, secrets) for call in gone["tool_calls"]
                ]
            made.append(gone)
        return made, counts

    def _redact_call(
        self, call: Mapping[str, Json], book: Book, counts: Counter[str], terms: Sequence[str], secrets: Sequence[str]
    ) -> Mapping[str, Json]:
        function = call["function"]
        text, found = self._redactor.redact_json(function["arguments"], book, terms=terms, secrets=secrets)
        counts.update(found)
        return {**call, "function": {**function, "arguments": text}}

    def _keep(self, messages: Sequence[Mapping[str, Json]]) -> list[str]:
        """Each message by itself: the next call's are nearly the same, and each is kept once."""
        return [self._rules.keep(json.dumps(message, ensure_ascii=False)) for message in messages]


def _rest(text: Restorer, thought: Restorer) -> list[ModelEvent]:
    """What was held back at the end of an answer."""
    reasoning, words = thought.rest(), text.rest()
    return [*([ReasoningDelta(reasoning)] if reasoning else ()), *([TextDelta(words)] if words else ())]


def preview_text(messages: Sequence[Mapping[str, Json]], *, most_chars: int | None = PREVIEW_CHARS) -> str:
    """What would leave, or left, for a person to read: all of it, the instructions of this program at the end."""
    parts = []
    for message in sorted(messages, key=lambda message: message["role"] == "system"):  # our instructions last
        lines = [str(message.get("content") or "")]
        lines += [
            f"{call['function']['name']} {call['function']['arguments']}" for call in message.get("tool_calls") or ()
        ]
        lines += [f"[{len(message['images'])} pictures]"] if message.get("images") else []
        parts.append(f"── {message['role']} ──\n" + "\n".join(filter(None, lines)))
    text = "\n\n".join(parts)
    if most_chars is None or len(text) <= most_chars:
        return text
    return f"{text[:most_chars]}\n\n… {len(text) - most_chars:,} more characters …"
