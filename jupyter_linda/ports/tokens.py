"""How long things are for a model, and how much it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .documents import Json


@dataclass(frozen=True)
class Counter:
    """One model's measure. Its functions may be called in any thread."""

    count: Callable[[str], int]
    """Tokens of a text."""
    count_tools: Callable[[Sequence[Mapping[str, Json]]], int]
    """Tokens of tools on offer, in chat-completion form."""
    count_picture: Callable[[str], int]
    """Tokens of a picture, from its base64 content."""
    counted_by: str
    """How it counts, in words; an estimate says so."""
    is_estimate: bool
    max_input_tokens: int | None = None
    """Most tokens of a prompt; None where nobody has said."""
    max_output_tokens: int | None = None
    takes_pictures: bool = False


class Tokens(Protocol):
    """Measures by model. Nothing is fetched from a network."""

    async def counter(self, model: str) -> Counter:
        """The measure of a model."""
