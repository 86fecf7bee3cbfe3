"""What a run has read from outside, and what it may then still do without being asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ports import Asked
from .plain import is_plain
from .written import find_in_change, find_in_written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..schemas import Action, Message, Preview

MOST_SOURCES = 5
CODE_CELL = "# %% [code]"
"""Stands before each code cell in the preview of a new notebook."""
BEYOND = "may do more than compute and draw"
"""Of code: nobody can say that it stays in its notebook."""
CODE = "is code that may do more than compute and draw"
"""Of text for a cell: who runs it next may not read it again."""
LOSES = "takes a file from its place"
_LOSING = frozenset(["delete_file", "move_file"])
_OF_CELLS = frozenset(["insert_cell", "edit_cell", "split_cell", "merge_cells", "change_cell_type"])
"""What puts text into cells of a notebook that is there already; the preview's language is the cells'."""
_WHOLE = frozenset(["insert_cell", "change_cell_type"])
"""Their text is the preview's code."""
_TEXTS = frozenset(["", "markdown"])
"""Languages of cells that nobody runs."""


def asked_in(messages: Sequence[Message]) -> Asked:
    """What the person's messages of a branch point at."""
    mine = [message for message in messages if message.role == "user"]
    pointed = (item for message in mine for item in message.context if item.kind not in ("command", "skill"))
    paths = frozenset(item.path for item in pointed if item.path)
    return Asked(paths, "\n".join(message.text for message in mine))


def needs_question(
    action: Action, path: str, asked: Asked, findings: Sequence[str], *, is_case_blind: bool = False
) -> bool:
    """Whether a run that has read content from outside must ask, whatever the rules say."""
    if action == "read":
        return False
    return action == "send" or not asked.about(path, is_case_blind=is_case_blind) or bool(findings)


def findings_of(
    tool: str, action: Action, preview: Preview, *, is_alone: bool = True, is_posing: bool = False
) -> tuple[str, ...]:
    """Why a call would reach further than the notebook or file that the person pointed at; empty if it would not.

    `is_alone`, `is_posing`: what lies beside the notebook; see `beside`.
    """
    if action == "run":
        is_fine = not is_posing and is_plain(preview.code, preview.language, is_alone=is_alone)
        beyond = () if is_fine else (BEYOND,)
        return tuple(dict.fromkeys((*preview.findings, *beyond)))
    if tool in _LOSING:
        return (LOSES,)
    whole = [preview.code] if tool in _WHOLE else []
    found = tuple(dict.fromkeys((*find_in_written(whole), *find_in_change(preview.diffs))))
    return (CODE, *found) if _is_code(tool, preview, is_alone=is_alone) else found


def _is_code(tool: str, preview: Preview, *, is_alone: bool) -> bool:
    """Whether a cell would hold code that is not plain. A whole new notebook is not looked into: any code counts."""
    if tool == "create_notebook":
        return any(CODE_CELL in diff.new for diff in preview.diffs)
    if tool not in _OF_CELLS or preview.language in _TEXTS:
        return False
    texts = [preview.code] if tool in _WHOLE else [diff.new for diff in preview.diffs]
    return not all(is_plain(text, preview.language, is_alone=is_alone) for text in texts if text.strip())
