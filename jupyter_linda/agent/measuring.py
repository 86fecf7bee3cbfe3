"""How long the parts of a prompt are, in a model's tokens."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..gateway.pictures import MOST_PICTURES
from ..ports.held import plain
from .window import Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..ports import Counter, Json
    from .context import Piece

MESSAGE_TOKENS = 4
"""What providers put around each message."""
CALL_TOKENS = 8
"""What they put around each call."""


@dataclass
class Measured:
    """Units of a prompt, and which of their tokens are of pictures."""

    units: list[Unit] = field(default_factory=list)
    pictures: dict[str, int] = field(default_factory=dict)
    """message id -> tokens"""


def measure(pieces: Sequence[Piece], asked_id: str, counter: Counter, picture: Callable[[str], str]) -> Measured:
    """Every piece in tokens; `picture` gives the base64 content behind a name."""
    made = Measured()
    left = MOST_PICTURES if counter.takes_pictures else 0
    for piece in reversed(pieces):
        tokens = 0
        results: list[tuple[str, int]] = []
        for message in piece.prompt():
            if message["role"] == "tool":
                row = piece.rows[len(results)]
                results.append((row.call_id, counter.count(plain(str(message["content"]))) + CALL_TOKENS))
                names = [name for _, name in row.images or ()][:left]
                left -= len(names)
                seen = sum(counter.count_picture(picture(name)) for name in names)
                made.pictures[piece.message.message_id] = made.pictures.get(piece.message.message_id, 0) + seen
                tokens += seen
            else:
                tokens += _of_message(message, counter)
        message_id = piece.message.message_id
        made.units.append(Unit(message_id, tokens, tuple(results), piece.message.is_pinned, message_id == asked_id))
    made.units.reverse()
    return made


def _of_message(message: Mapping[str, Json], counter: Counter) -> int:
    tokens = MESSAGE_TOKENS + counter.count(str(message.get("content") or ""))
    for call in message.get("tool_calls") or ():
        function = call["function"]
        tokens += CALL_TOKENS + counter.count(function["name"]) + counter.count(function["arguments"])
    return tokens
