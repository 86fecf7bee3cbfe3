"""The door to the models: route, levels and redaction on the way out, the same values back on the way in."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from ..errors import ConsentNeeded, ProviderFault
from ..ports import Finished, Model, ModelEvent, ModelRequest, Notice, ReasoningDelta, Retrying, Sending, TextDelta
from .deciding import Reach, as_told, decide, kept_here, options_of, who_has
from .kinds import kind_of
from .levels import Level, Privacy, level_of
from .providers import AUTOMATIC
from .redaction import Book, Redactor, Restorer, summary
from .router import Facts, Route
from .sensitivity import Outgoing, Part, bare, inspect

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from ..errors import BudgetPassed
    from ..ports import Json
    from ..schemas import Usage
    from .redaction import Names
    from .sensitivity import OriginOf

PREVIEW_CHARS = 60_000
"""Most characters a question shows of what would leave; the trace keeps all of it."""


class Consents(Protocol):
    """To which providers a person lets this folder's work go."""

    async def providers(self, owner_id: str) -> frozenset[str]:
        """Destinations, as `Reach.destination` names them."""


class Purse(Protocol):
    """What may still be spent."""

    async def passed(self, request: ModelRequest, model: str) -> BudgetPassed | None:
        """What to ask before a model elsewhere gets this request; None where it keeps to every budget."""

    async def prompt(self, request: ModelRequest, model: str) -> Usage:
        """What a request takes at least."""

    def ended(self, request: ModelRequest) -> None:
        """A request that kept to every budget is over."""


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
    privacy: Privacy
    """The levels that it was made by."""
    book: Book | None = None
    """None for a model on this machine: nothing is replaced."""


class Door(Model):
    """Every request to a model passes here, and every answer."""

    def __init__(
        self,
        model: Model,
        reach: Reach,
        rules: Rules,
        consents: Consents,
        purse: Purse,
        books: Books,
        names: Names | None = None,
    ) -> None:
        self._model = model
        self._reach = reach
        self._rules = rules
        self._consents = consents
        self._purse = purse
        self._books = books
        self._redactor = Redactor(names)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """See `ports.Model`. Raises `WordNeeded` before anything leaves that a person has to agree to."""
        try:
            async for event in self._stream(request):
                yield event
        finally:
            self._purse.ended(request)

    async def _stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        always = await self._consents.providers(request.owner_id)
        privacy = self._rules.privacy()
        out = self._inspect(request, privacy)
        facts = self._facts(request, out, always, privacy)
        decided = decide(facts)
        is_here = self._reach.stays_here(decided.model)
        passed = None if is_here else await self._purse.passed(request, decided.model)
        if passed is not None:
            facts = replace(facts, is_over_budget=True)
            decided = decide(facts)
        if decided.effect == "ask" and not facts.chosen and not request.run_id:
            decided = decide(kept_here(facts))
        if not self._reach.stays_here(decided.model):
            if not self._reach.fallbacks():  # with others to ask, a missing key is a fault like any
                self._reach.check_key(decided.model)
            if passed is not None:
                raise passed
        leaving = await self._prepare(request, out, decided, facts, privacy)
        if decided.effect == "ask":
            raise ConsentNeeded(
                self._reach.destination(decided.model),
                decided.model,
                reason=decided.reason,
                preview=preview_text(leaving.messages),
                who=who_has(self._reach, decided.model),
            )
        if decided.model != request.model and request.model != AUTOMATIC:
            yield Notice(f"{decided.model} was asked instead of {request.model}: {decided.reason}.")
        if leaving.book is not None:
            await self._books.keep(request.chat_id, leaving.book)
        sent = replace(
            request,
            model=decided.model,
            messages=leaving.messages,
            may_go_to=lambda model: self._why_not(request, model),
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
                        yield await self._goes(event, sent, leaving, decided)
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

    async def _goes(self, event: Sending, sent: ModelRequest, leaving: Leaving, decided: Route) -> Sending:
        """A try, as it is written down. Raises `ProviderFault` where what may leave was changed since it was decided.

        It may have waited to be tried again, and to replace identities in long texts takes seconds too.
        """
        takes = None
        details = {**(event.details or {}), **leaving.details}
        if not self._reach.stays_here(event.model):
            if leaving.book is None:
                raise _stopped(f"{event.model} does not run on this machine any more.")
            why_not = await self._why_closed(sent, event.model)
            if not why_not and self._rules.privacy() != leaving.privacy:
                why_not = "What may leave was changed meanwhile."
            if why_not:
                raise _stopped(why_not)
            takes = await self._purse.prompt(sent, event.model)
            details["route"] = {**details["route"], "destination": self._reach.destination(event.model)}
        else:
            details["route"] = {**details["route"], "destination": ""}
        reason = decided.reason if event.model == decided.model else event.reason
        return replace(event, details=details, reason=reason, takes=takes)

    # ---- where to ---------------------------------------------------------------------------------

    def _facts(self, request: ModelRequest, out: Outgoing, always: frozenset[str], privacy: Privacy) -> Facts:
        kind = kind_of(request.messages, request.task)
        return Facts(
            options=options_of(self._reach, request, always),
            chosen="" if request.model == AUTOMATIC else request.model,
            sensitivity="high" if out.withheld or out.highest in ("samples", "values") else "normal",
            complexity=kind.complexity,
            length_chars=kind.length_chars,
            task=kind.task,
            all_local=privacy.all_local,
            is_offline=privacy.offline,
        )

    async def _why_closed(self, request: ModelRequest, model: str) -> str:
        """Why a request that waited may not go to a model elsewhere, by what holds now: switches, consents."""
        privacy, destination = self._rules.privacy(), self._reach.destination(model)
        if privacy.offline:
            return "“offline” is on."
        always = await self._consents.providers(request.owner_id)
        if destination in request.agreed | (request.agreed_always & always):
            return ""
        if privacy.all_local:
            return "“all local” is on."
        if destination not in always:
            return f"this folder has not been allowed to send anything to {destination}."
        return ""

    async def _why_not(self, request: ModelRequest, model: str) -> str:
        """Why a request may not fall back to this model."""
        if self._reach.stays_here(model):
            return ""
        if why_closed := await self._why_closed(request, model):
            return why_closed
        passed = await self._purse.passed(request, model)
        return "" if passed is None else f"it would pass the budget ({passed.figures})."

    # ---- what leaves ------------------------------------------------------------------------------

    def _inspect(self, request: ModelRequest, privacy: Privacy) -> Outgoing:
        return inspect(
            request.messages,
            origin_of=self._rules.origin_of,
            level_at=lambda paths, frames: self._level(privacy, paths, frames),
            is_here=self._reach.stays_here,
        )

    async def _prepare(
        self, request: ModelRequest, out: Outgoing, decided: Route, facts: Facts, privacy: Privacy
    ) -> Leaving:
        way = as_told(request.model, decided, facts)
        if self._reach.stays_here(decided.model):
            return Leaving([bare(message) for message in request.messages], {"route": way}, privacy)
        book = await self._books.load(request.chat_id)
        messages, counts = await asyncio.to_thread(self._redact, out, book, privacy.terms)
        details: dict[str, Json] = {
            "route": {**way, "destination": self._reach.destination(decided.model), "holds": out.highest},
            "leaves": {
                "messages": await asyncio.to_thread(self._keep, messages) if decided.effect == "auto" else [],
                "tools": len(request.tools),
                "withheld": [{"what": one.what, "of": one.of, "level": one.level} for one in out.withheld],
                "placeholders": summary(counts),
            },
        }
        return Leaving(messages, details, privacy, book)

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


def _stopped(why_not: str) -> ProviderFault:
    """While a request waited to be tried again, what may leave was changed."""
    return ProviderFault(
        "no_model",
        f"Nothing more was sent: {why_not}",
        remedy="Choose a model on this machine, or change this under Permissions > What may leave.",
    )


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
        count = len(message.get("images") or ())
        lines += [f"[{count} picture{'' if count == 1 else 's'}]"] if count else []
        parts.append(f"── {message['role']} ──\n" + "\n".join(filter(None, lines)))
    text = "\n\n".join(parts)
    if most_chars is None or len(text) <= most_chars:
        return text
    return f"{text[:most_chars]}\n\n… {len(text) - most_chars:,} more characters …"
