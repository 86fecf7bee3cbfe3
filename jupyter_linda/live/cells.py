"""Notebook JSON as it stands in the file: cell ids, finding cells, edits. Pure; never validates or strips."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING
from urllib.parse import unquote

from ..errors import AmbiguousCell, InvalidInput, NotFound, StaleRevision
from ..ports import CellEdit, ChangeType, DeleteCell, InsertCell, MoveCell, ReplaceSource, SetOutputs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..ports import Json

CELL_ID = re.compile(r"^[a-zA-Z0-9-_]{1,64}$")
MARK = "linda"
"""Where a cell's metadata says who wrote it: run, model and time."""
_AT_POSITION = re.compile(r"^(.*)#(\d+)$")


def source_of(cell: Json) -> str:
    """A cell's source as one text; files hold it as a text or as a list of lines."""
    source = cell.get("source", "")
    return "".join(source) if isinstance(source, list) else str(source)


def lines_of(text: str) -> list[str]:
    """Text as nbformat's list of lines, each but the last with its line feed."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def has_native_ids(content: Json) -> bool:
    """Whether this format version keeps cell ids in the file (4.5 and later)."""
    return (content.get("nbformat", 4), content.get("nbformat_minor", 0)) >= (4, 5)


def revision_of(content: Json) -> str:
    """sha256 of the canonical JSON of the cells' ids, types and sources."""
    seen = [[cell.get("id", ""), cell.get("cell_type", ""), source_of(cell)] for cell in content.get("cells", [])]
    return hashlib.sha256(json.dumps(seen, ensure_ascii=True).encode()).hexdigest()


@dataclass(frozen=True)
class RestoreCell(InsertCell):
    """An insert of a kept cell, with that cell at hand."""

    cell: Json = None


@dataclass(frozen=True)
class RestoreOutputs(SetOutputs):
    """Outputs put back, with the kept cell at hand."""

    cell: Json = None


@dataclass(frozen=True)
class RestoreType(ChangeType):
    """A type changed back, with the kept cell at hand."""

    cell: Json = None


def with_kept(edit: CellEdit, cells: Sequence[Json]) -> CellEdit:
    """An edit that names kept cells, with its own cell of them at hand."""
    name = getattr(edit, "kept", "")
    if isinstance(edit, InsertCell) and edit.is_part:
        return RestoreCell(**vars(edit), cell=_part_of(cells[0], edit))
    found = next((cell for cell in cells if cell.get("id") == edit.cell_id), None)
    if found is None and len(cells) == 1:
        found = cells[0]  # where a file keeps no ids, it has another one since the server was started again
    if found is None:
        raise NotFound(f"Cell {edit.cell_id} was not kept, so it cannot be brought back.")
    if isinstance(edit, InsertCell):
        return RestoreCell(**vars(edit), cell=found)
    if isinstance(edit, ChangeType):
        return RestoreType(**vars(edit), cell=found)
    return RestoreOutputs(edit.cell_id, name, found)


def _part_of(whole: Json, edit: InsertCell) -> Json:
    """A fresh cell with the attachments of another that its own source names."""
    named = set(re.findall(r"attachment:([^\s)\"'>\]]+)", edit.source))
    names = {*named, *map(unquote, named)}
    attached = {name: value for name, value in (whole.get("attachments") or {}).items() if name in names}
    fresh = new_cell(edit, splits=isinstance(whole.get("source"), list))
    return {"attachments": attached, **fresh} if attached else fresh


def kept_cell(edit: CellEdit) -> Json | None:
    """The whole cell that an edit brings back, if it brings one."""
    return edit.cell if isinstance(edit, RestoreCell | RestoreType | RestoreOutputs) else None


class SessionIds:
    """Ids of cells whose file holds none: given once, kept while this server runs, found again by content."""

    def __init__(self, new_id: Callable[[], str]) -> None:
        self._new_id = new_id
        self._known: dict[str, list[tuple[str, str]]] = {}
        self._lock = threading.Lock()  # large files are looked at in threads

    def of(self, path: str, cells: Sequence[Json]) -> list[str]:
        """One id for each cell: its own, else the one it had at the last look, else a new one."""
        own = [cell["id"] if isinstance(cell.get("id"), str) and cell["id"] else "" for cell in cells]
        if all(own):
            self._known.pop(path, None)
            return own
        prints = [_fingerprint(cell) for cell in cells]
        with self._lock:
            kept = self._carried_over(self._known.get(path, []), prints)
            ids = [mine or kept[index] or self._new_id() for index, mine in enumerate(own)]
            self._known[path] = list(zip(ids, prints, strict=True))
        return ids

    def remember(self, path: str, cells: Sequence[Json], ids: Sequence[str]) -> None:
        """After an edit of ours: which cell has which id now."""
        known = [(cell_id, _fingerprint(cell)) for cell_id, cell in zip(ids, cells, strict=True)]
        with self._lock:
            self._known[path] = known

    def _carried_over(self, known: list[tuple[str, str]], prints: list[str]) -> list[str]:
        kept = [""] * len(prints)
        before = [print_ for _, print_ in known]
        for tag, old, old_end, new, new_end in SequenceMatcher(None, before, prints, autojunk=False).get_opcodes():
            # Cells changed in place keep their ids: as many out as in, at the same spot.
            if tag == "equal" or (tag == "replace" and old_end - old == new_end - new):
                for offset in range(new_end - new):
                    kept[new + offset] = known[old + offset][0]
        return kept


def _fingerprint(cell: Json) -> str:
    return f"{cell.get('cell_type')}\n{source_of(cell)}"


@dataclass(frozen=True)
class Sheet:
    """The cells of one notebook with an id for each; `writes_ids`: the format keeps them in the file."""

    path: str
    cells: list[Json]
    ids: list[str]
    writes_ids: bool

    def find(self, cell_id: str) -> int:
        """Position of a cell. `id#position` names one of several with the same id."""
        places = [index for index, known in enumerate(self.ids) if known == cell_id]
        if len(places) == 1:
            return places[0]
        if places:
            named = " or ".join(f"{cell_id}#{place}" for place in places)
            raise AmbiguousCell(
                f"{len(places)} cells of {self.path} have the id {cell_id!r}, at positions {_listed(places)}.",
                remedy=f"Name one by id and position: {named}.",
            )
        at = _AT_POSITION.match(cell_id)
        if at and int(at[2]) < len(self.ids) and self.ids[int(at[2])] == at[1]:
            return int(at[2])
        raise NotFound(f"{self.path} has no cell {cell_id!r}.", remedy="Read the notebook again for its cell ids.")

    def source(self, cell_id: str) -> str:
        """Source of a cell."""
        return source_of(self.cells[self.find(cell_id)])

    def view(self, content: Json) -> Json:
        """The whole notebook with an id on every cell, for reading; the file's own JSON stays untouched."""
        cells = [{**cell, "id": cell_id} for cell, cell_id in zip(self.cells, self.ids, strict=True)]
        return {**content, "cells": cells}

    def has_happened(self, edit: CellEdit) -> bool:
        """Whether the notebook looks as it does after this edit."""
        if isinstance(edit, DeleteCell):
            return edit.cell_id not in self.ids and not _AT_POSITION.match(edit.cell_id)  # of twins nobody can tell
        if edit.cell_id not in self.ids:
            return False
        at = self.find(edit.cell_id)
        if isinstance(edit, MoveCell):
            return at == (len(self.ids) - 1 if edit.index == -1 else edit.index)
        if isinstance(edit, ChangeType):
            return bool(self.cells[at].get("cell_type") == edit.cell_type)
        if isinstance(edit, SetOutputs):
            return bool(self.cells[at].get("outputs")) == bool(edit.kept)
        return source_of(self.cells[at]) == edit.source

    def is_untouched(self, edit: CellEdit) -> bool:
        """Whether the notebook looks as it did before this edit."""
        if isinstance(edit, InsertCell):
            return edit.cell_id not in self.ids
        if edit.cell_id not in self.ids:
            return False
        if isinstance(edit, MoveCell | SetOutputs):
            return not self.has_happened(edit)
        return self.source(edit.cell_id) == edit.expect and not self.has_happened(edit)


def _listed(places: list[int]) -> str:
    return ", ".join(map(str, places[:-1])) + f" and {places[-1]}"


def check_index(index: int, length: int) -> int:
    """-1 and `length` append; anything else outside 0..length is refused naming the range."""
    if index == -1:
        return length
    if 0 <= index <= length:
        return index
    raise InvalidInput(
        f"Index {index} is out of range: the allowed range is -1..{length}.",
        remedy=f"-1 or {length} appends at the end.",
    )


def apply_edits(sheet: Sheet, edits: Sequence[CellEdit]) -> Sheet:
    """A new sheet with all edits done in order; raises at the first that does not fit, having changed nothing."""
    cells, ids = list(sheet.cells), list(sheet.ids)
    splits = _splits_sources(cells)
    now = Sheet(sheet.path, cells, ids, sheet.writes_ids)  # shares the lists: it is always as far as the edits are
    for edit in edits:
        if isinstance(edit, InsertCell):
            _insert(now, edit, splits=splits)
            continue
        at = now.find(edit.cell_id)
        if isinstance(edit, MoveCell):
            cell, cell_id = cells.pop(at), ids.pop(at)
            to = check_index(edit.index, len(cells))
            cells.insert(to, cell)
            ids.insert(to, cell_id)
        elif isinstance(edit, SetOutputs):
            cells[at] = _with_outputs_of(now, at, kept_cell(edit))
        else:
            _check_source(now, at, edit)
            if isinstance(edit, ReplaceSource):
                as_list = isinstance(cells[at].get("source", []), list)
                cells[at] = {**cells[at], "source": lines_of(edit.source) if as_list else edit.source}
                if edit.mark is not None:
                    cells[at]["metadata"] = marked(cells[at].get("metadata"), edit.mark)
            elif isinstance(edit, ChangeType):
                cells[at] = of_type(cells[at], edit.cell_type, kept_cell(edit))
            else:
                del cells[at], ids[at]
    return now


def _check_source(sheet: Sheet, at: int, edit: ReplaceSource | DeleteCell | ChangeType) -> None:
    if source_of(sheet.cells[at]) != edit.expect:
        raise StaleRevision(
            f"Cell {edit.cell_id} of {sheet.path} changed since it was read.", remedy="Read the cell again."
        )


def marked(metadata: Json, mark: Json) -> Json:
    """A cell's metadata with this provenance, or without any."""
    others = {name: value for name, value in (metadata or {}).items() if name != MARK}
    return {**others, MARK: mark} if mark else others


def of_type(cell: Json, cell_type: str, before: Json | None = None) -> Json:
    """A cell as another type: what only code has goes or comes, everything else stays; or as it was before."""
    if before is not None and before.get("cell_type") == cell_type:
        own = {name: cell[name] for name in ("id", "metadata", "source") if name in cell}  # tags of now, not of then
        return {**{name: value for name, value in before.items() if name != "id"}, **own}
    if cell.get("cell_type") == cell_type:
        return cell
    new = {name: value for name, value in cell.items() if name not in ("outputs", "execution_count")}
    if cell_type == "code":
        new = {name: value for name, value in new.items() if name != "attachments"}
        new |= {"execution_count": None, "outputs": []}
    return {**new, "cell_type": cell_type}


def _with_outputs_of(sheet: Sheet, at: int, before: Json | None) -> Json:
    cell = sheet.cells[at]
    if cell.get("cell_type") != "code":
        raise InvalidInput(f"Cell {sheet.ids[at]} of {sheet.path} is not a code cell: it has no outputs.")
    outputs = [] if before is None else before.get("outputs") or []
    return {**cell, "execution_count": None if before is None else before.get("execution_count"), "outputs": outputs}


def _splits_sources(cells: Sequence[Json]) -> bool:
    """Whether this file keeps sources as lists of lines, as nbformat writes them."""
    return all(isinstance(cell.get("source", []), list) for cell in cells)


def _insert(sheet: Sheet, edit: InsertCell, *, splits: bool) -> None:
    if edit.cell_id in sheet.ids:
        if sheet.source(edit.cell_id) == edit.source:
            return  # done already: an insert that is tried twice happens once
        raise InvalidInput(f"{sheet.path} has a cell {edit.cell_id!r} already.")
    if not CELL_ID.match(edit.cell_id):
        raise InvalidInput(f"{edit.cell_id!r} cannot be a cell id: letters, digits, - and _, 1 to 64 of them.")
    before = kept_cell(edit)
    cell = new_cell(edit, splits=splits) if before is None else before
    cell = {name: value for name, value in cell.items() if name != "id" or sheet.writes_ids}
    index = check_index(edit.index, len(sheet.cells))
    sheet.cells.insert(index, cell)
    sheet.ids.insert(index, edit.cell_id)


def new_cell(edit: InsertCell, *, splits: bool) -> dict[str, Json]:
    """A fresh cell, its keys in nbformat's order."""
    source: Json = lines_of(edit.source) if splits else edit.source
    metadata: Json = dict(edit.metadata)
    if edit.cell_type != "code":
        return {"cell_type": edit.cell_type, "id": edit.cell_id, "metadata": metadata, "source": source}
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": edit.cell_id,
        "metadata": metadata,
        "outputs": [],
        "source": source,
    }


def with_written_ids(sheet: Sheet, new_id: Callable[[], str]) -> Sheet:
    """What is saved: in formats with ids every cell gets its own, the first of several twins keeps theirs."""
    if not sheet.writes_ids:
        return sheet
    seen: set[str] = set()
    cells, ids = [], []
    for cell, cell_id in zip(sheet.cells, sheet.ids, strict=True):
        unique = new_id() if cell_id in seen else cell_id
        seen.add(unique)
        ids.append(unique)
        cells.append(cell if cell.get("id") == unique else {**cell, "id": unique})
    return Sheet(sheet.path, cells, ids, sheet.writes_ids)


def with_outputs(sheet: Sheet, at: int, outputs: Json, execution_count: int | None) -> Sheet:
    """The sheet with one code cell's outputs and count replaced."""
    cells = list(sheet.cells)
    if _splits_sources(cells):
        outputs = [_split_output(output) for output in outputs]
    cells[at] = {**cells[at], "outputs": outputs, "execution_count": execution_count}
    return Sheet(sheet.path, cells, sheet.ids, sheet.writes_ids)


def _split_output(output: Json) -> Json:
    """Texts as lists of lines, the way nbformat writes them; JSON bundles stay as they are."""
    if output.get("output_type") == "stream":
        return {**output, "text": lines_of(output["text"])}
    if "data" not in output:
        return output
    data = {
        mime: lines_of(value) if isinstance(value, str) and (mime.startswith("text/") or "xml" in mime) else value
        for mime, value in output["data"].items()
    }
    return {**output, "data": data}
