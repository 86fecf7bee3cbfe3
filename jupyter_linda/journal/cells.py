"""Changes of cells as data: written down before they are done, and turned round to undo them. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import CannotUndo
from ..ports import ChangeType, DeleteCell, InsertCell, MoveCell, ReplaceSource, SetOutputs
from .merging import merge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..ports import CellEdit, Json

Change = dict[str, "Json"]
"""One changed cell: op, cell_id and how it was before and after. JSON, kept in the journal."""


def source_of(cell: Mapping[str, Json]) -> str:
    """A cell's source as one text."""
    source = cell.get("source", "")
    return "".join(source) if isinstance(source, list) else str(source)


def to_keep(edits: Sequence[CellEdit]) -> list[str]:
    """Ids of the cells that an undo needs whole: what goes away with these edits is in no other place."""
    return [edit.cell_id for edit in edits if isinstance(edit, DeleteCell | ChangeType | SetOutputs)]


def describe(cells: Sequence[Mapping[str, Json]], edits: Sequence[CellEdit], kept: str) -> list[Change]:
    """What these edits will change in these cells. `kept`: where the cells of `to_keep` are kept whole."""
    order = [str(cell["id"]) for cell in cells]
    by_id = {str(cell["id"]): cell for cell in cells}
    changes: list[Change] = []
    for edit in edits:
        if isinstance(edit, InsertCell):
            at = len(order) if edit.index == -1 else edit.index
            changes.append({"op": "insert", "cell_id": edit.cell_id, "cell_type": edit.cell_type, "new": edit.source,
                            "after": order[at - 1] if at else "", "index": at, "kept": edit.kept})  # fmt: skip
            order.insert(at, edit.cell_id)
            continue
        at = order.index(edit.cell_id)
        cell = by_id.get(edit.cell_id, {})
        after = order[at - 1] if at else ""
        if isinstance(edit, ReplaceSource):
            mark = (cell.get("metadata") or {}).get("linda") or {}
            changes.append({"op": "replace", "cell_id": edit.cell_id, "old": edit.expect, "new": edit.source,
                            "mark": mark})  # fmt: skip
        elif isinstance(edit, DeleteCell):
            changes.append({"op": "delete", "cell_id": edit.cell_id, "cell_type": cell.get("cell_type", "code"),
                            "old": edit.expect, "after": after, "index": at, "kept": kept})  # fmt: skip
            order.remove(edit.cell_id)
        elif isinstance(edit, MoveCell):
            order.remove(edit.cell_id)
            to = len(order) if edit.index == -1 else edit.index
            order.insert(to, edit.cell_id)
            changes.append({"op": "move", "cell_id": edit.cell_id, "after": after, "index": at, "to": to})
        elif isinstance(edit, ChangeType):
            changes.append({"op": "type", "cell_id": edit.cell_id, "old": cell.get("cell_type", "code"),
                            "new": edit.cell_type, "source": edit.expect, "kept": kept})  # fmt: skip
        else:
            changes.append({"op": "outputs", "cell_id": edit.cell_id, "source": source_of(cell), "kept": kept})
    return changes


@dataclass
class _Page:
    """A notebook's cells while the way back is planned: ids in order, and each cell."""

    order: list[str]
    cells: Mapping[str, Mapping[str, Json]]
    edits: list[CellEdit] = field(default_factory=list)
    fixed: set[str] = field(default_factory=set)
    """Cells that were made anew by these edits: no second edit of one request may touch them."""

    def source(self, cell_id: str) -> str:
        return source_of(self.cells[cell_id])

    def place_after(self, change: Change) -> int:
        """Where it stood: below the cell it stood below, else at its old index."""
        after = change["after"]
        if after == "":
            return 0
        return self.order.index(after) + 1 if after in self.order else min(change["index"], len(self.order))

    def delete(self, cell_id: str) -> None:
        self.edits.append(DeleteCell(cell_id, self.source(cell_id)))
        self.order.remove(cell_id)


def take_back(cells: Sequence[Mapping[str, Json]], changes: Sequence[Change]) -> list[CellEdit]:
    """The edits that undo these changes in the notebook as it is now, around what people did since.

    Raises `CannotUndo` with the reason where that would destroy somebody's later work.
    """
    page = _Page([str(cell["id"]) for cell in cells], {str(cell["id"]): cell for cell in cells})
    for change in reversed(changes):
        _BACK[change["op"]](page, change)
    return page.edits


def _back_insert(page: _Page, change: Change) -> None:
    cell_id = change["cell_id"]
    if cell_id not in page.order:
        return  # it is gone already
    if page.source(cell_id) != change["new"]:
        raise CannotUndo("The cell she inserted was changed since, so it stays.", remedy="Delete it by hand.")
    page.delete(cell_id)


def _back_delete(page: _Page, change: Change) -> None:
    cell_id = change["cell_id"]
    if cell_id in page.order:
        return
    at = page.place_after(change)
    page.edits.append(InsertCell(at, cell_id, change["cell_type"], change["old"], kept=change["kept"]))
    page.order.insert(at, cell_id)
    page.fixed.add(cell_id)


def _back_replace(page: _Page, change: Change) -> None:
    cell_id, old, new = change["cell_id"], change["old"], change["new"]
    if cell_id not in page.order:
        raise CannotUndo("The cell she changed was deleted since.")
    now = page.source(cell_id)
    wanted = old if now == new else now if now == old else merge(new, now, old)
    if wanted is None:
        raise CannotUndo(
            "The same lines of the cell were changed since, so her change stays.", remedy="Take it out by hand."
        )
    if wanted != now:
        page.edits.append(ReplaceSource(cell_id, now, wanted, mark=change.get("mark") or {}))


def _back_move(page: _Page, change: Change) -> None:
    cell_id = change["cell_id"]
    if cell_id not in page.order:
        raise CannotUndo("The cell she moved was deleted since.")
    at = page.order.index(cell_id)
    page.order.remove(cell_id)
    to = page.place_after(change)
    page.order.insert(to, cell_id)
    if to != at:
        page.edits.append(MoveCell(cell_id, to))


def _back_type(page: _Page, change: Change) -> None:
    cell_id = change["cell_id"]
    if cell_id not in page.order:
        raise CannotUndo("The cell she changed was deleted since.")
    cell = page.cells[cell_id]
    if cell.get("cell_type") != change["new"]:
        return  # somebody chose another type since
    now = page.source(cell_id)
    kept = change["kept"] if now == change["source"] else ""  # unchanged since: it comes back with its outputs
    page.edits.append(ChangeType(cell_id, now, change["old"], kept=kept))


def _back_outputs(page: _Page, change: Change) -> None:
    cell_id = change["cell_id"]
    cell = page.cells.get(cell_id) if cell_id in page.order else None
    if cell is None or cell.get("cell_type") != "code" or cell.get("outputs"):
        return  # it was run again, or is another thing now: newer outputs stay
    if source_of(cell) == change["source"]:
        page.edits.append(SetOutputs(cell_id, change["kept"]))


_BACK = {
    "insert": _back_insert,
    "delete": _back_delete,
    "replace": _back_replace,
    "move": _back_move,
    "type": _back_type,
    "outputs": _back_outputs,
}
