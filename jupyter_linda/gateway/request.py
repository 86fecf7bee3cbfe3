"""One understood request of the demo model, and the kinds of step that can answer it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from . import sayings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from jupyter_linda.ports import Json

    from .conversation import Done, Turn
    from .masking import Masked

Found = TypeVar("Found")


@dataclass(frozen=True)
class Call:
    """Make this tool call."""

    tool: str
    arguments: Mapping[str, Json]


@dataclass(frozen=True)
class Say:
    """Say this; `is_question` when it asks back."""

    text: str
    is_question: bool = False


@dataclass(frozen=True)
class Chat:
    """Small talk of this kind: by the language model where there is one, else by a fixed reply."""

    kind: str


@dataclass(frozen=True)
class Fill:
    """The rules found no text to search for: the schema-bound model may try, quoting the request only."""


Step = Call | Say | Chat | Fill


@dataclass(frozen=True)
class Request:
    """An intent, the wordings it comes from (newest answer first), and the turn it belongs to."""

    intent: str
    wordings: tuple[Masked, ...]
    turn: Turn
    properties: Mapping[str, frozenset[str]]
    """The argument names of each tool on offer."""
    filled: str | None = None
    """What the schema-bound model found; "" when it found nothing; None before it was asked."""

    @property
    def is_answer(self) -> bool:
        """Whether the newest wording answers a question of ours."""
        return len(self.wordings) > 1

    def first(self, extract: Callable[[Masked], Found | None]) -> Found | None:
        """What the newest wording that has it says."""
        return next((found for wording in self.wordings if (found := extract(wording)) is not None), None)

    def result(self, tool: str) -> Done | None:
        """The newest finished call of this tool in this turn."""
        return next((done for done in reversed(self.turn.done) if done.name == tool), None)

    def data(self, tool: str) -> Mapping[str, Json] | None:
        """The structured result of this tool in this turn."""
        done = self.result(tool)
        return done.data if done else None

    def ask(self, kind: str, *, choices: Sequence[str] = (), path: str = "", count: int = 0) -> Say:
        """Ask for a missing argument."""
        text = sayings.question(kind, self.turn.language, choices=choices, path=path, count=count)
        return Say(text, is_question=True)
