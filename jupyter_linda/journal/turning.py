"""What taking changes back came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..ports import Json

NOTHING_LEFT = "There was nothing left to take back: it was so already."


@dataclass(frozen=True)
class Turned:
    """The changes whose taking back does it all again, and what there is to say."""

    changes: Sequence[Mapping[str, Json]]
    words: str = ""
