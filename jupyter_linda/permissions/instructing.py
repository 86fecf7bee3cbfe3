"""Files that are instructions for Linda once a person allowed them: no rule, mode or grant lets a tool change one."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING

from .ignored import fold
from .paths import parts_of

if TYPE_CHECKING:
    from .paths import Located

AGENTS = "AGENTS.md"
FOLDER = ".linda"
INSTRUCTS = "a file of instructions always asks"
"""The rule of such a question."""
MOST_LOOKED_AT = 5_000
"""Names in a folder; one that holds more counts as one with instructions."""
_NAMES = frozenset(map(fold, (AGENTS, FOLDER)))


def instructs(path: str, located: Located) -> bool:
    """Whether changing what is at a path, as it is spelled or where it leads, changes instructions.

    A folder counts with what lies in it: moving or deleting it takes its instructions along.
    """
    asked = [] if os.path.isabs(path) else path.replace("\\", "/").split("/")  # noqa: PTH117  # a spelling, no file
    leads = parts_of(located.real) if located.api_path is None else located.api_path.split("/")
    if any(map(_is_one, (*asked, *leads))):
        return True
    inside = (name for _, folders, files in os.walk(located.real) for name in (*folders, *files))
    looked_at = list(itertools.islice(inside, MOST_LOOKED_AT + 1))
    return len(looked_at) > MOST_LOOKED_AT or any(map(_is_one, looked_at))


def _is_one(name: str) -> bool:
    return fold(name).rstrip(". ") in _NAMES
