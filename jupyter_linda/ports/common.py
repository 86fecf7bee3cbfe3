"""Time, ids, models, and how worker and server find each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
    from datetime import datetime

    from ..schemas import Usage
    from .documents import Json


class Clock(Protocol):
    """Time, so that tests hold it."""

    def now(self) -> datetime:
        """The present instant, aware, UTC."""


class Ids(Protocol):
    """New identifiers, so that tests hold them."""

    def new(self, noun: str) -> str:
        """A fresh id such as `chat_018f…`: sortable by time, unguessable."""


# ---- models -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class TextDelta:
    """Visible text to append; empty where a reply begins with a tool call."""

    text: str


@dataclass(frozen=True)
class ReasoningDelta:
    """Reasoning text to append."""

    text: str


@dataclass(frozen=True)
class CallDraft:
    """One assembled tool call: exact argument text, and whether it arrived whole and is valid JSON."""

    call_id: str
    name: str
    arguments: str
    is_whole: bool = True


@dataclass(frozen=True)
class Sending:
    """A request is about to go to a model. Whoever reads the stream writes it down before asking for more."""

    model: str
    is_local: bool
    reason: str
    """Why this model, in words."""
    details: Json = None
    """What the trace keeps: what leaves, the route's inputs, counts of placeholders."""
    takes: Usage | None = None
    """What it takes at least, by our own count: the prompt. It stands until the provider's count comes."""


@dataclass(frozen=True)
class Retrying:
    """A try failed before anything was shown; the next begins after `wait_s` seconds."""

    kind: str
    message: str
    wait_s: float
    next_model: str
    """Which model is asked then; another one after the tries of the first are used up."""
    next_reason: str = ""
    """Why it is another model, in words."""


@dataclass(frozen=True)
class Notice:
    """Something the reader of this reply should know: another model answered, no tools could be offered."""

    text: str


@dataclass(frozen=True)
class Finished:
    """The end of a model call. `reason` is what the provider said; empty if it said nothing."""

    reason: str
    calls: tuple[CallDraft, ...] = ()
    usage: Usage | None = None


ModelEvent = TextDelta | ReasoningDelta | Sending | Retrying | Notice | Finished


TaskKind = Literal["chat", "intent", "summary", "translation", "polish", "reasoning"]


@dataclass(frozen=True)
class ModelRequest:
    """A prompt in chat-completion form (the shape litellm takes) and the tools on offer."""

    model: str
    messages: Sequence[Mapping[str, Json]]
    tools: Sequence[Mapping[str, Json]] = ()
    max_output_tokens: int | None = None
    picture: Callable[[str], str] | None = None
    """The base64 content behind a picture's name in a message's `images` (pairs of mime type and name)."""
    is_streamed: bool = True
    """False for a provider that cannot stream: the reply comes whole, as the same events."""
    owner_id: str = ""
    """Whose work it is; "" for none that a person has consented to."""
    chat_id: str = ""
    """Whose placeholders are used."""
    run_id: str = ""
    """Whose budget it uses; "" for a call of no run."""
    tokens: int = 0
    """Of the prompt, as counted when it was made; 0: nobody counted."""
    task: TaskKind = "chat"
    """What it is for, where that is known before anything is read; see `gateway.router`."""
    agreed: frozenset[str] = frozenset()
    """What a person let this run do: destinations beside those its folder may always send to, budgets to pass."""
    agreed_always: frozenset[str] = frozenset()
    """Destinations that they let its folder always send to when it asked: as `agreed`, until that is taken back."""
    refused: frozenset[str] = frozenset()
    """What they did not let it do."""
    may_go_to: Callable[[str], Awaitable[str]] | None = None
    """Why this request may not go to another model ("" when it may); asked before every fallback."""


class Model(Protocol):
    """The one door to language models. Raises `ProviderFault`; a stream that ends early raises too."""

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Events in order: `Sending` before each try, `Retrying` between two; `Finished` is last and comes once.

        Nothing is tried again after the first piece of a reply. A `Notice` may come at any place.
        """


class Brain(Protocol):
    """What only the worker knows, asked by the server. `WorkerUnavailable` after 10 s."""

    async def ask(self, method: str, params: Mapping[str, Json], *, timeout_s: float = 10.0) -> Json:
        """Call the worker (started if needed)."""

    def nudge(self, what: Literal["runs", "stop", "rules", "settings"], **params: Json) -> None:
        """Tell the worker that something changed; starts it for "runs", never waits, may be lost."""


class Dispatcher(Protocol):
    """How a worker learns that runs wait. The fence keeps it right whichever delivers, however often."""

    async def wait(self, *, timeout_s: float) -> None:
        """Return when there may be work, or after the timeout."""

    def wake(self) -> None:
        """There may be work: `wait` returns."""


class Broadcast(Protocol):
    """Tells the followers that events were committed (a hint: polling is the safety net)."""

    def __call__(self, chat_ids: Sequence[str]) -> None:
        """`chat_ids` got new events."""
