"""The shared model of a notebook in a collaboration room: read and edited with as few changes as there are."""

from __future__ import annotations

import asyncio
import time
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput
from ..ports import ChangeType, DeleteCell, InsertCell, MoveCell, ReplaceSource, SetOutputs
from .cells import (
    MARK,
    RestoreOutputs,
    Sheet,
    apply_edits,
    check_index,
    kept_cell,
    marked,
    new_cell,
    of_type,
    source_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..ports import CellEdit, Json

PAUSE_AFTER_S = 0.01
"""Reading a large notebook lets others on the loop have a turn this often."""
READ_TRIES = 3


class SharedNotebook:
    """One room's notebook (`jupyter_ydoc.YNotebook`). Lives on the server's event loop.

    Nothing here waits between a look and a change: what is looked at is what is changed.
    """

    def __init__(self, path: str, document: Any) -> None:  # untyped library
        self._path = path
        self._document = document

    async def content(self) -> Json:
        """The whole notebook at one moment, an id on every cell."""
        changes: list[Any] = []
        watching = self._document.ydoc.observe(changes.append)
        try:
            for _ in range(READ_TRIES):
                changes.clear()
                cells: list[Json] = []
                while not changes and len(cells) < len(self._document.ycells):
                    self._read_some(cells)
                    await asyncio.sleep(0)
                if not changes:
                    return self._around(cells)
        finally:
            self._document.ydoc.unobserve(watching)
        return self._around([_plain(ycell) for ycell in self._document.ycells])  # somebody types all the time

    def _read_some(self, cells: list[Json]) -> None:
        started = time.monotonic()
        with self._document.ydoc.transaction():  # one for all looks: each alone would open its own
            for at in range(len(cells), len(self._document.ycells)):
                cells.append(_plain(self._document.ycells[at]))
                if time.monotonic() - started > PAUSE_AFTER_S:
                    return

    def edit(self, edits: Sequence[CellEdit]) -> tuple[Sheet, Json]:
        """Do all edits in one transaction, or none: the cells as they should be, and what is read back.

        What is read back holds the whole of the touched cells, and of others what a revision needs.
        """
        with self._document.ydoc.transaction():
            steps, wanted = self._planned(self._sheet(), edits)  # refuses before anything is done
            for step in steps:
                self._do(*step)
        with self._document.ydoc.transaction():  # one for all looks: each alone would open its own
            cells = self._sheet().cells
            for edit in edits:
                named = edit.cell_id.rpartition("#")[0] or edit.cell_id
                for at, cell in enumerate(cells):
                    if cell["id"] == named:
                        cells[at] = _plain(self._document.ycells[at])
            return wanted, self._around(cells)

    def put_outputs(self, cell_id: str, expect: str, outputs: Json, execution_count: int | None) -> bool:
        """What a run gave, into its cell; False if the cell is not any more what ran. New outputs are not trusted."""
        sheet = self._sheet()
        at = sheet.find(cell_id)
        if sheet.source(cell_id) != expect or sheet.cells[at]["cell_type"] != "code":
            return False
        ycell = self._document.ycells[at]
        with self._document.ydoc.transaction():
            self._set_outputs(ycell, outputs, execution_count)
            if (ycell.get("metadata") or {}).get("trusted"):
                ycell["metadata"]["trusted"] = False
        return True

    def _around(self, cells: list[Json]) -> Json:
        from pycrdt import Map  # noqa: PLC0415  optional: there where a room is

        meta = _whole(self._document.ydoc.get("meta", type=Map).to_py())
        return {
            "cells": cells,
            "metadata": meta.get("metadata") or {},
            "nbformat": meta.get("nbformat", 4),
            "nbformat_minor": meta.get("nbformat_minor", 5),
        }

    def _sheet(self) -> Sheet:
        """What edits are checked against; outputs, which may be large, are left out."""
        cells = [
            {"cell_type": ycell["cell_type"], "id": ycell.get("id", ""), "metadata": {}, "source": _source(ycell)}
            for ycell in self._document.ycells
        ]
        return Sheet(self._path, cells, [cell["id"] for cell in cells], writes_ids=True)

    def _planned(self, sheet: Sheet, edits: Sequence[CellEdit]) -> tuple[list[tuple[CellEdit, int, int]], Sheet]:
        """Each edit with the place of its cell (and where that goes), and the cells afterwards; refuses as a whole."""
        steps: list[tuple[CellEdit, int, int]] = []
        for edit in edits:
            _check_text(edit)
            after = apply_edits(sheet, [edit])
            if isinstance(edit, InsertCell):
                if len(after.ids) > len(sheet.ids):  # else it is there already
                    steps.append((edit, check_index(edit.index, len(sheet.ids)), 0))
            else:
                at = sheet.find(edit.cell_id)
                to = check_index(edit.index, len(sheet.ids) - 1) if isinstance(edit, MoveCell) else at
                steps.append((edit, at, to))
            sheet = after
        return steps, sheet

    def _do(self, edit: CellEdit, at: int, to: int) -> None:
        ycells = self._document.ycells
        if isinstance(edit, InsertCell):
            before = kept_cell(edit)
            cell = new_cell(edit, splits=False) if before is None else before
            self._insert(at, {**cell, "id": edit.cell_id})
        elif isinstance(edit, ReplaceSource):
            _set_text(ycells[at]["source"], edit.source)
            if edit.mark is not None:
                self._mark(ycells[at], edit.mark)
        elif isinstance(edit, DeleteCell):
            del ycells[at]
        elif isinstance(edit, MoveCell):
            if at != to:  # browsers know no moving: another cell with all that this one has
                cell = _raw(ycells[at])
                del ycells[at]
                self._insert(to, cell)
        elif isinstance(edit, ChangeType):
            if ycells[at]["cell_type"] != edit.cell_type:
                cell = of_type(_raw(ycells[at]), edit.cell_type, kept_cell(edit))
                del ycells[at]
                self._insert(at, cell)
        elif isinstance(edit, SetOutputs):
            kept = edit.cell if isinstance(edit, RestoreOutputs) else {}
            self._set_outputs(ycells[at], kept.get("outputs") or [], kept.get("execution_count"))

    def _insert(self, at: int, cell: Json) -> None:
        cell = {name: value for name, value in cell.items() if name != "execution_state"}
        if "outputs" in cell:
            cell["outputs"] = [_joined(output) for output in cell["outputs"] or []]
        self._document.ycells.insert(at, self._document.create_ycell(_shareable(cell)))

    def _mark(self, ycell: Any, mark: Json) -> None:  # untyped library
        from pycrdt import Map  # noqa: PLC0415  optional: there where a room is

        metadata = ycell.get("metadata")
        if not isinstance(metadata, Map):
            ycell["metadata"] = Map(_shareable(marked(metadata, mark)))
        elif mark:
            metadata[MARK] = _shareable(mark)
        elif MARK in metadata:
            del metadata[MARK]

    def _set_outputs(self, ycell: Any, outputs: Json, execution_count: Json) -> None:  # untyped library
        from pycrdt import Array, Map, Text  # noqa: PLC0415  optional: there where a room is

        made = []
        for output in outputs:
            plain = _shareable(_joined(output))
            if plain.get("output_type") == "stream":  # as browsers keep it, so that they can add to it
                plain["text"] = Text(plain.get("text", ""))
            made.append(Map(plain))
        if isinstance(ycell.get("outputs"), Array):
            ycell["outputs"].clear()
            ycell["outputs"].extend(made)
        else:
            ycell["outputs"] = Array(made)
        ycell["execution_count"] = execution_count


def text_changes(before: str, after: str) -> Iterator[tuple[int, int, str]]:
    """What to replace in `before`, from its end to its start: (start, end, text), counted in bytes of UTF-8.

    By lines first, then without what is alike at both ends: a cursor elsewhere stays, and so does what is typed there.
    """
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    for tag, i1, i2, j1, j2 in reversed(SequenceMatcher(None, old, new, autojunk=False).get_opcodes()):
        if tag == "equal":
            continue
        out, come = "".join(old[i1:i2]), "".join(new[j1:j2])
        head = _alike(out, come)
        tail = _alike(out[head:][::-1], come[head:][::-1])
        start = len("".join([*old[:i1], out[:head]]).encode())
        gone = out[head : len(out) - tail]
        yield start, start + len(gone.encode()), come[head : len(come) - tail]


def _alike(one: str, other: str) -> int:
    """How many characters both begin with."""
    most = min(len(one), len(other))
    return next((at for at in range(most) if one[at] != other[at]), most)


def _set_text(ytext: Any, text: str) -> None:  # untyped library
    for start, end, new in text_changes(str(ytext), text):
        if end > start:
            del ytext[start:end]
        if new:
            ytext.insert(start, new)


def _source(ycell: Any) -> str:  # untyped library
    return str(ycell.get("source") or "")


def _raw(ycell: Any) -> dict[str, Json]:  # untyped library
    """A cell as it is kept: numbers that came from browsers are floats."""
    return dict(ycell.to_py())


def _plain(ycell: Any) -> dict[str, Json]:  # untyped library
    """A cell as nbformat has it."""
    cell: dict[str, Json] = _whole(_raw(ycell))
    cell.pop("execution_state", None)
    if not cell.get("attachments", True):
        del cell["attachments"]
    return cell


def _whole(value: Json) -> Json:
    """Browsers know one kind of number: what is whole becomes an integer again, as in the file."""
    if isinstance(value, dict):
        return {name: _whole(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_whole(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def _joined(output: Json) -> Json:
    """An output with its texts in one piece, as browsers keep them."""
    if output.get("output_type") == "stream":
        text = output.get("text", "")
        return {**output, "text": "".join(text) if isinstance(text, list) else text}
    if not isinstance(output.get("data"), dict):
        return dict(output)
    data = {
        mime: "".join(value) if isinstance(value, list) and "json" not in mime and _is_lines(value) else value
        for mime, value in output["data"].items()
    }
    return {**output, "data": data}


def _is_lines(value: list[Json]) -> bool:
    return all(isinstance(line, str) for line in value)


def _shareable(value: Json) -> Json:
    """JSON without what a shared document cannot hold: half characters, and integers beyond 64 bits."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_shareable(name): _shareable(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_shareable(one) for one in value]
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return float(value) if abs(value) < 10**300 else str(value)
    return value


def _check_text(edit: CellEdit) -> None:
    source = source_of({"source": edit.source}) if isinstance(edit, InsertCell | ReplaceSource) else ""
    if _shareable(source) != source:
        raise InvalidInput(f"The source for cell {edit.cell_id} holds half characters (lone surrogates).")
