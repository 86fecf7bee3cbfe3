"""What may not be done is turned into the nearest thing that may be allowed, where a rule wants that (pure)."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ports import Json

DRAFTS = "drafts"
"""Folder in the notebook folder where a file is put that may not be put where it was wanted."""


@dataclass(frozen=True)
class Nearest:
    """Another call in the place of one that is closed."""

    tool: str
    arguments: Mapping[str, Json]
    words: str
    """What is done instead of what; for the question, the card and the model."""


def nearest(tool: str, arguments: Mapping[str, Json], call_id: str) -> Nearest | None:
    """The nearest thing: a draft for a file, a cell that nobody runs for code; None where there is none.

    The draft's name is made from the call's id: it is new, and the same when the call is tried again.
    """
    wanted = str(arguments.get("path", ""))
    if tool in ("write_file", "create_notebook"):
        stem, ending = posixpath.splitext(posixpath.basename(wanted.replace("\\", "/")))
        draft = f"{DRAFTS}/{stem or 'draft'}-{call_id[-6:].lower()}{ending}"
        words = f"A rule closes {wanted}, so this is written as a draft to {draft} instead; {wanted} is not touched."
        changed = {"path": draft, "replaces": ""} if tool == "write_file" else {"path": draft}
        return Nearest(tool, {**arguments, **changed}, words)
    if tool == "run_code":
        words = f"A rule closes running code in {wanted}, so the code is put into a new cell at its end; it is not run."
        return Nearest("insert_cell", {"path": wanted, "source": arguments["code"]}, words)
    return None
