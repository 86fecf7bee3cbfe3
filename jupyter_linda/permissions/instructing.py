"""Files that are instructions for Linda once a person allowed them: no rule, mode or grant lets a tool change one."""

from __future__ import annotations

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
TOO_LARGE = "a folder too large to look through always asks"
MOST_LOOKED_AT = 5_000
"""Names in a folder that are looked at."""
_ONE_FILE = frozenset({"write_file", "patch_file", "copy_file"})
"""Tools that never take a folder along, whatever they are given."""
_NAMES = frozenset(map(fold, (AGENTS, FOLDER)))


def instructs(tool: str, path: str, located: Located) -> str:
    """The rule by which a change of what is at a path, as it is spelled or where it leads, asks; "" for none.

    A folder counts with what lies in it: moving or deleting it takes its instructions along. Reads folders.
    """
    asked = [] if os.path.isabs(path) else path.replace("\\", "/").split("/")  # noqa: PTH117  # a spelling, no file
    leads = parts_of(located.real) if located.api_path is None else located.api_path.split("/")
    if any(map(_is_one, (*asked, *leads))):
        return INSTRUCTS
    return "" if tool in _ONE_FILE else _inside(located.real)


def _inside(real: str) -> str:
    """The same for what lies in a folder; one that cannot be listed holds nothing that can be told."""
    left, count = [real], 0
    while left:
        try:
            with os.scandir(left.pop()) as entries:
                for entry in entries:
                    count += 1
                    if _is_one(entry.name):
                        return INSTRUCTS
                    if count > MOST_LOOKED_AT:
                        return TOO_LARGE
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
        except OSError:
            continue
    return ""


def _is_one(name: str) -> bool:
    return fold(name).rstrip(". ") in _NAMES
