"""In which language a notebook's code runs, and what is seen in it: nobody's word for it but the kernel's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..permissions.code import find_in_code

if TYPE_CHECKING:
    from ..ports import Notebook, ToolContext

UNKNOWN = "unknown"
"""The language of code that nobody can tell it of."""


async def code_language(context: ToolContext, notebook: Notebook) -> str:
    """The kernel's language, else the one that the notebook names; `UNKNOWN` is not Python."""
    found = await context.live.language_of(notebook.path)
    if found:
        return found
    metadata = notebook.content.get("metadata")
    info = metadata.get("language_info") if isinstance(metadata, dict) else None
    return str((info.get("name") if isinstance(info, dict) else "") or UNKNOWN).lower()


async def cell_language(context: ToolContext, notebook: Notebook, cell_type: str) -> str:
    """The language of a cell's text; empty for what is neither code nor Markdown."""
    if cell_type == "code":
        return await code_language(context, notebook)
    return "markdown" if cell_type == "markdown" else ""


def seen_in(code: str, language: str) -> tuple[str, ...]:
    """Findings of code in its language: only Python is looked through."""
    if language == "python":
        return find_in_code(code)
    if language == UNKNOWN:
        return ("is in an unknown language, and is not looked through",)
    return (f"is {language} code, which is not looked through",)
