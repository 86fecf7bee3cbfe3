"""How calls name notebooks and cells: API paths, stable new ids, versions."""

from __future__ import annotations

import ast
import hashlib
import posixpath
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ..errors import StaleRevision, ToolFailed, ToolRetry
from ..ports import Resource
from .rendering import cell_source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ports import Json, Notebook, ToolContext

_FENCE = re.compile(r"(?m)^[ \t]{0,3}(?:`{3}|~{3})")
NotebookPath = Annotated[str, "The notebook's path, relative to the notebook folder."]
CellId = Annotated[str, "The cell's id, as read_notebook gives it."]


def notebook_resource(arguments: Mapping[str, Json]) -> Resource:
    """What a call on one notebook touches."""
    return Resource("notebook", notebook_path(arguments["path"]))


def folder_resource(arguments: Mapping[str, Json]) -> Resource:
    """What a call on one folder touches."""
    return Resource("folder", arguments["path"])


def language_of(cell_type: str) -> str:
    """How a card colours a cell's text."""
    return {"code": "python", "markdown": "markdown"}.get(cell_type, "")


def saved_note(*, is_saved: bool) -> str:
    """What to add when a tab has the change and the file does not yet."""
    return "" if is_saved else " It is in the open notebook and not saved to the file yet."


def for_people(index: int) -> str:
    """A cell in titles, questions and labels: people count from 1."""
    return f"cell {index + 1}"


def for_models(index: int) -> str:
    """A cell in texts for a model: what the person calls it, and what `index` arguments call it."""
    return f"cell {index + 1} (index {index})"


def notebook_path(path: str) -> str:
    """A notebook's path as it will be opened, refused when it names no notebook.

    `..` is taken out of the text, as everybody after the gate does: behind a link it would lead elsewhere.
    """
    if not path.strip():
        raise ToolRetry("The path is empty: invalid path. Name a notebook, relative to the notebook folder.")
    if not path.lower().endswith(".ipynb"):
        raise ToolRetry(f"{path!r} is not a notebook: the path of a notebook ends in .ipynb.")
    if any(part.startswith("RTC:") for part in path.split("/")):
        raise ToolRetry(f"{path!r} names a drive: leave out “RTC:”, and name the notebook relative to the folder.")
    return posixpath.normpath(path)


def api_path(context: ToolContext, path: str) -> str:
    """The path as the server names it, relative to its root."""
    inner = posixpath.normpath(path)
    if Path(path).is_absolute():
        is_inside = Path(inner).is_relative_to(context.root_dir)
        inner = Path(inner).relative_to(context.root_dir).as_posix() if is_inside else ".."
    if inner == ".." or inner.startswith("../"):
        raise ToolFailed(
            f"{path!r} lies outside the server's root folder, where notebooks cannot be reached.",
            remedy="Name a notebook inside it, relative to it.",
            kind_of_failure="outside_root",
        )
    return inner


def folder_path(context: ToolContext, path: str) -> str:
    """A folder as the server names it; empty for its root."""
    found = api_path(context, path or ".")
    return "" if found == "." else found


def new_cell_id(request_id: str, number: int = 0) -> str:
    """The id of a cell this call makes: the same at every attempt, so a crash cannot make it twice."""
    return "linda-" + hashlib.sha256(f"{request_id}/{number}".encode()).hexdigest()[:16]


def version_of(source: str) -> str:
    """A cell's version, for edits of exactly what was read: the first 8 digits of its source's sha256."""
    return hashlib.sha256(source.encode(errors="surrogatepass")).hexdigest()[:8]


def find_cell(notebook: Notebook, cell_id: str) -> tuple[int, Mapping[str, Json]]:
    """Index and cell. `id#index` names one of several cells with the same id."""
    cells = notebook.content["cells"]
    places = [index for index, cell in enumerate(cells) if cell["id"] == cell_id]
    name, _, place = cell_id.rpartition("#")
    if not places and place.isdigit() and int(place) < len(cells) and cells[int(place)]["id"] == name:
        places = [int(place)]
    if len(places) > 1:
        named = " or ".join(f"{cell_id}#{index}" for index in places)
        listed = " and ".join(map(str, places))
        raise ToolRetry(f"Several cells have the id {cell_id!r}, at index {listed}. Name one as {named}.")
    if not places:
        raise ToolRetry(f"{notebook.path} has no cell {cell_id!r}. Read the notebook for the ids of its cells.")
    return places[0], cells[places[0]]


def keeps_ids(notebook: Notebook) -> bool:
    """Whether its file keeps the ids of cells: else a new server gives them new ones."""
    return (notebook.content.get("nbformat", 4), notebook.content.get("nbformat_minor", 5)) >= (4, 5)


def names_of(notebook: Notebook) -> list[str]:
    """How each cell is named: its id, or `id#index` where several have it."""
    ids = [str(cell["id"]) for cell in notebook.content["cells"]]
    counts = Counter(ids)
    return [f"{one}#{at}" if counts[one] > 1 else one for at, one in enumerate(ids)]


def check_version(cell: Mapping[str, Json], cell_id: str, version: str) -> None:
    """Refuse to touch a cell that is not as it was read."""
    if version and version_of(cell_source(cell)) != version:
        raise StaleRevision(f"Cell {cell_id} changed since it was read.", remedy="Read it again.")


def check_bare(source: str, cell_type: str) -> None:
    """Refuse code in a Markdown fence, or with words around one: a code cell holds code only."""
    if cell_type != "code" or not _FENCE.search(source) or source.lstrip().startswith("%%"):
        return
    try:
        ast.parse(source)  # three backquotes may stand in a text of the code
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ToolRetry(
            "A code cell holds code only: give it without the ``` around it and without other words."
        ) from None


def check_approved(seen: str | None, now: str, cell_id: str) -> None:
    """Refuse to do something else than what a person saw and allowed."""
    if seen is not None and seen != now:
        raise StaleRevision(
            f"Cell {cell_id} changed since this was asked, so it was not done.", remedy="Read it and ask again."
        )
