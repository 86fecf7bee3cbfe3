"""For each intent: the next call, question or answer, given what this turn already did."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from . import answers, arguments, naming
from .cells import CellRef, find_reference, numbered, resolve
from .request import Call, Fill, Request, Say, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from jupyter_linda.ports import Json

    from .masking import Masked


def _reference(masked: Masked) -> CellRef | None:
    return find_reference(numbered(masked))


def _piece_path(masked: Masked) -> str | None:
    pieces = masked.of("notebook")
    return pieces[0].text if pieces else None


def _choose_notebook(request: Request, words: str) -> str | Step:
    """A notebook by loosely given words, from the list; asks when none or several fit."""
    data = request.data("list_notebooks")
    if data is None:
        return Call("list_notebooks", {})
    paths = [str(entry["path"]) for entry in data.get("notebooks") or ()]
    fits = naming.matching_paths(words, paths)
    if len(fits) == 1:
        return fits[0]
    return request.ask("notebook", choices=fits or paths)


def _target(request: Request) -> str | Step:
    """The notebook a request is about: named, else the one in the context, else the active or only open one."""
    if named := request.first(_piece_path):
        return named
    loose = request.first(naming.other_notebook)
    if loose:
        return _choose_notebook(request, loose)
    situation = request.turn.situation
    if situation.notebook and situation.notebook.endswith(".ipynb"):
        return situation.notebook
    data = request.data("list_notebooks")
    if data is None:
        return Call("list_notebooks", {})
    entries = data.get("notebooks") or []
    active = [str(entry["path"]) for entry in entries if entry.get("is_active")]
    opened = [str(entry["path"]) for entry in entries if entry.get("is_open")]
    only = active or opened or [str(entry["path"]) for entry in entries]
    if len(only) == 1:
        return only[0]
    if request.is_answer:
        return _choose_notebook(request, request.wordings[0].raw)
    return request.ask("notebook", choices=only)


def list_notebooks(request: Request) -> Step:
    """List, then tell."""
    data = request.data("list_notebooks")
    return Call("list_notebooks", {}) if data is None else Say(answers.notebooks(data, request.turn.language))


def open_notebook(request: Request) -> Step:
    """Open by path, or list and open the one whose name fits."""
    done = request.result("open_notebook")
    if done and done.data is not None:
        return Say(answers.opened(done.data, done.arguments, request.turn.language))
    path = request.first(_piece_path) or _choose_notebook(request, " ".join(m.raw for m in request.wordings))
    return Call("open_notebook", {"path": path}) if isinstance(path, str) else path


def read_notebook(request: Request) -> Step:
    """Read, then give the outline."""
    data = request.data("read_notebook")
    if data is not None:
        return Say(answers.notebook(data, request.turn.language))
    path = _target(request)
    return Call("read_notebook", {"path": path}) if isinstance(path, str) else path


def read_cell(request: Request) -> Step:
    """Find the cell, read it, quote it."""
    data = request.data("read_cell")
    if data is not None:
        return Say(answers.cell(data, request.turn.language))
    return _on_cell(request, "read_cell")


def run_cell(request: Request) -> Step:
    """Find the cell, run it, tell the result or the error."""
    data = request.data("run_cell")
    if data is None:
        return _on_cell(request, "run_cell")
    cells = (request.data("read_notebook") or {}).get("cells") or []
    found = [at for at, cell in enumerate(cells) if cell.get("cell_id") == data.get("cell_id")]
    return Say(answers.ran(data, found[0] if found else None, request.turn.language))


def _known_cell(request: Request, path: str, reference: CellRef | None) -> str | None:
    """The id of "this cell" or "it", from the context or from the cell last worked on."""
    if reference is not None and reference.kind != "active":
        return None
    turn = request.turn
    active = turn.situation.cell_id if turn.situation.notebook in (None, path) else None
    touched = turn.touched[1] if turn.touched and turn.touched[0] == path else None
    is_pronoun = re.search(r"(?<![a-z])(?:it|that)(?![a-z])|它|刚才", request.wordings[0].text)
    return (touched or active) if is_pronoun else (active or touched)


def _on_cell(request: Request, tool: str) -> Step:
    path = _target(request)
    if not isinstance(path, str):
        return path
    reference = request.first(_reference)
    if known := _known_cell(request, path, reference):
        return Call(tool, {"path": path, "cell_id": known})
    data = request.data("read_notebook")
    if data is None:
        return Call("read_notebook", {"path": path})
    cells = data.get("cells") or []
    cell = resolve(reference, cells, active_id=request.turn.situation.cell_id)
    if cell is None:
        is_missing = reference is not None and reference.kind != "active"
        kind = "no_cell" if is_missing else "cell"
        return request.ask(kind, choices=answers.cell_lines(cells), path=path, count=len(cells))
    if tool == "run_cell" and cell.get("cell_type", "code") != "code":
        return Say(answers.not_code(cells.index(cell), request.turn.language))
    return Call(tool, {"path": path, "cell_id": cell["cell_id"]})


def insert_cell(request: Request) -> Step:
    """Insert the given code at the place named: below the active cell, or at the end, when none is."""
    done = request.result("insert_cell")
    if done and done.data is not None:
        return _after_insert(request, done.data, done.arguments)
    source = request.first(arguments.cell_source)
    if source is None and request.is_answer:
        source = request.wordings[0].raw.strip()
    if source is None:
        return request.ask("source")
    path = _target(request)
    if not isinstance(path, str):
        return path
    index = _insertion_index(request, path)
    if not isinstance(index, int):
        return index
    kind = arguments.cell_type(request.wordings[-1])
    return Call("insert_cell", {"path": path, "index": index, "source": source, "cell_type": kind})


def _after_insert(request: Request, data: Mapping[str, Json], given: Mapping[str, Json]) -> Step:
    if not arguments.wants_run_after(request.wordings[-1]):
        return Say(answers.inserted(data, given, request.turn.language))
    ran = request.data("run_cell")
    if ran is None:
        return Call("run_cell", {"path": data.get("path") or given.get("path"), "cell_id": data.get("cell_id")})
    index = data.get("index")
    return Say(answers.ran(ran, index if isinstance(index, int) else None, request.turn.language))


def _insertion_index(request: Request, path: str) -> int | Step:
    place = request.first(arguments.place)
    active = request.turn.situation.cell_id if request.turn.situation.notebook in (None, path) else None
    if place is None:
        place = arguments.Place("after") if active else arguments.Place("end")
    if place.position == "top":
        return 0
    if place.position == "end" or (place.reference is None and active is None and place.position == "after"):
        return -1
    data = request.data("read_notebook")
    if data is None:
        return Call("read_notebook", {"path": path})
    cells = data.get("cells") or []
    cell = resolve(place.reference, cells, active_id=active)
    if cell is None:
        return request.ask("no_cell", choices=answers.cell_lines(cells), path=path, count=len(cells))
    return cells.index(cell) + (1 if place.position == "after" else 0)


def list_variables(request: Request) -> Step:
    """List, then tell all or the one asked about."""
    data = request.data("list_variables")
    if data is None:
        path = _target(request)
        return Call("list_variables", {"path": path}) if isinstance(path, str) else path
    known = [str(entry.get("name")) for entry in data.get("variables") or ()]
    name = request.first(lambda masked: arguments.value_name(masked, known))
    return Say(answers.variables(data, name, request.turn.language))


def describe_dataframe(request: Request) -> Step:
    """Describe the named frame, or the only one there is."""
    data = request.data("describe_dataframe")
    if data is not None:
        return Say(answers.frame(data, request.turn.language))
    path = _target(request)
    if not isinstance(path, str):
        return path
    attached = request.turn.situation.variables
    name = request.first(lambda masked: arguments.frame_name(masked, attached))
    if name is None and len(attached) == 1:
        name = attached[0]
    if name is not None:
        return Call("describe_dataframe", {"path": path, "name": name})
    listed = request.data("list_variables")
    if listed is None:
        return Call("list_variables", {"path": path})
    frames = [str(e["name"]) for e in listed.get("variables") or () if "DataFrame" in str(e.get("type", ""))]
    if len(frames) == 1:
        return Call("describe_dataframe", {"path": path, "name": frames[0]})
    return request.ask("frame", choices=frames)


def search_files(request: Request) -> Step:
    """Search for the text, everywhere or in the notebook named."""
    done = request.result("search_files")
    names = request.properties.get("search_files", frozenset())
    key = "query" if "query" in names and "text" not in names else "text"
    if done and done.data is not None:
        return Say(answers.matches(done.data, str(done.arguments.get(key, "")), request.turn.language))
    text = request.first(arguments.search_text) or request.filled
    if text is None and request.is_answer:
        text = request.wordings[0].raw.strip()
    if text is None:
        return Fill()
    if not text:
        return request.ask("text")
    return Call("search_files", {key: text, **_scope(request, text, names)})


def _scope(request: Request, text: str, names: frozenset[str]) -> dict[str, Json]:
    path = request.first(_piece_path)
    if path is None or path == text:
        folder = request.first(naming.folder_name)
        return {"path": folder} if folder and folder != text else {}
    if "name" not in names:
        return {"path": path}
    folder, _, name = path.rpartition("/")
    return {"path": folder, "name": name} if folder else {"name": name}


def list_files(request: Request) -> Step:
    """List the folder named, else the root."""
    data = request.data("list_files")
    if data is None:
        return Call("list_files", {"path": request.first(naming.folder_name) or ""})
    return Say(answers.files(data, request.turn.language))


def read_file(request: Request) -> Step:
    """Read the file named; a loose name is looked up in the root folder."""
    data = request.data("read_file")
    if data is not None:
        return Say(answers.file(data, request.turn.language))
    named = request.first(lambda masked: next((piece.text for piece in masked.of("file")), None))
    if named := named or request.turn.situation.file:
        return Call("read_file", {"path": named})
    listed = request.data("list_files")
    if listed is None:
        return Call("list_files", {"path": ""})
    paths = [
        str(entry["path"])
        for entry in listed.get("files") or ()
        if isinstance(entry, dict) and not entry.get("is_folder")
    ]
    fits = naming.matching_paths(" ".join(m.raw for m in request.wordings), paths)
    return Call("read_file", {"path": fits[0]}) if len(fits) == 1 else request.ask("file", choices=fits or paths)


STEPS: dict[str, Callable[[Request], Step]] = {
    "list_notebooks": list_notebooks,
    "open_notebook": open_notebook,
    "read_notebook": read_notebook,
    "read_cell": read_cell,
    "insert_cell": insert_cell,
    "run_cell": run_cell,
    "list_variables": list_variables,
    "describe_dataframe": describe_dataframe,
    "search_files": search_files,
    "list_files": list_files,
    "read_file": read_file,
}
