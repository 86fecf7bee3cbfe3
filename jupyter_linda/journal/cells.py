"""Changes of cells as data: written down before they are done, and turned round to undo them. Pure."""

from __future__ import annotations

import hashlib
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
    prints = {cell_id: print_of(str(cell.get("cell_type")), source_of(cell)) for cell_id, cell in by_id.items()}
    changes: list[Change] = []
    for edit in edits:
        _reprint(prints, by_id, edit)
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
                            "mark": mark, "new_mark": edit.mark})  # fmt: skip
        elif isinstance(edit, DeleteCell):
            changes.append({"op": "delete", "cell_id": edit.cell_id, "cell_type": cell.get("cell_type", "code"),
                            "old": edit.expect, "after": after, "index": at, "kept": kept})  # fmt: skip
            order.remove(edit.cell_id)
        elif isinstance(edit, MoveCell):
            order.remove(edit.cell_id)
            to = len(order) if edit.index == -1 else edit.index
            order.insert(to, edit.cell_id)
            changes.append({"op": "move", "cell_id": edit.cell_id, "after": after, "index": at, "to": to,
                            "now_after": order[to - 1] if to else ""})  # fmt: skip
        elif isinstance(edit, ChangeType):
            changes.append({"op": "type", "cell_id": edit.cell_id, "old": cell.get("cell_type", "code"),
                            "new": edit.cell_type, "source": edit.expect, "kept": kept})  # fmt: skip
        else:
            changes.append({"op": "outputs", "cell_id": edit.cell_id, "source": source_of(cell), "kept": kept,
                            "is_restored": bool(edit.kept)})  # fmt: skip
    _add_looks(changes, order, prints)
    return changes


def print_of(cell_type: str, source: str) -> str:
    """What tells a cell from others where its file keeps no ids."""
    return hashlib.sha256(f"{cell_type}\n{source}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _reprint(prints: dict[str, str], by_id: Mapping[str, Mapping[str, Json]], edit: CellEdit) -> None:
    if isinstance(edit, InsertCell):
        prints[edit.cell_id] = print_of(edit.cell_type, edit.source)
    elif isinstance(edit, ReplaceSource):
        kind = str(by_id.get(edit.cell_id, {}).get("cell_type", "code"))
        prints[edit.cell_id] = print_of(kind, edit.source)
    elif isinstance(edit, ChangeType):
        prints[edit.cell_id] = print_of(edit.cell_type, edit.expect)


def _add_looks(changes: Sequence[Change], order: Sequence[str], prints: Mapping[str, str]) -> None:
    """How each changed cell and its neighbours look when all is done; `look` is empty for a cell that is gone."""
    for change in changes:
        at = order.index(change["cell_id"]) if change["cell_id"] in order else -1
        beside = [order[to] if 0 <= to < len(order) else "" for to in (at - 1, at + 1)] if at >= 0 else ["", ""]
        change["look"] = prints[change["cell_id"]] if at >= 0 else ""
        change["beside"] = [prints.get(cell_id, "") for cell_id in beside]
        change["after_look"] = prints.get(str(change.get("after", "")), "")


def with_known_ids(cells: Sequence[Mapping[str, Json]], changes: Sequence[Change]) -> list[Change]:
    """The same changes with the ids that their cells have now, in a notebook whose file keeps none.

    A cell is found again by how it and its neighbours look. `CannotUndo` where that fits none, or several: whether
    a cell is gone, was changed, or stands twice cannot be told there.
    """
    order = [str(cell["id"]) for cell in cells]
    looks = [print_of(str(cell.get("cell_type")), source_of(cell)) for cell in cells]
    now = {change["cell_id"]: change["cell_id"] for change in changes if change["cell_id"] in order}
    for change in changes:
        if change["cell_id"] not in now and change["op"] != "delete" and change.get("look") != "":
            now[change["cell_id"]] = order[_found(looks, change)]
    found = []
    for change in changes:
        after = str(change.get("after", ""))
        if after and after not in order and looks.count(change.get("after_look") or "-") == 1:
            after = order[looks.index(change["after_look"])]
        named = {**change, "cell_id": now.get(change["cell_id"], change["cell_id"])}
        found.append({**named, "after": now.get(after, after)} if "after" in change else named)
    return found


def _found(looks: Sequence[str], change: Change) -> int:
    """The one place where a cell like this stands between neighbours like its own."""
    fits = []
    for at, look in enumerate(looks):
        beside = [looks[to] if 0 <= to < len(looks) else "" for to in (at - 1, at + 1)]
        alike = sum(one == other for one, other in zip(beside, change.get("beside", ()), strict=False))
        if look == change.get("look") and alike:
            fits.append((alike, at))
    best = [at for alike, at in fits if alike == max(fits)[0]]
    if len(best) != 1:
        raise CannotUndo(
            "This notebook's format keeps no ids of cells, and the cell she changed cannot be told from the others: "
            "it was changed since, or moved, or is gone.",
            remedy="Take the change out by hand, or have the notebook upgraded.",
        )
    return best[0]


@dataclass(frozen=True)
class Plan:
    """The edits that take changes back, and among them what needs none: (place among the edits, what does it again)."""

    edits: list[CellEdit]
    idle: list[tuple[int, Change]]
    words: str = ""
    """What stays as it is, and why."""

    def again(self, cells: Sequence[Mapping[str, Json]], kept: str) -> list[Change]:
        """The changes whose taking back does all of it again."""
        made = describe(cells, self.edits, kept)
        for place, change in reversed(self.idle):
            made.insert(place, change)
        return made


@dataclass
class _Page:
    """A notebook's cells while the way back is planned: ids in order, and each cell."""

    order: list[str]
    cells: Mapping[str, Mapping[str, Json]]
    edits: list[CellEdit] = field(default_factory=list)
    fixed: set[str] = field(default_factory=set)
    """Cells that were made anew by these edits: no second edit of one request may touch them."""
    stays: str = ""
    """Why something stays as it is, where that is no harm to the rest."""

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
    return plan(cells, changes).edits


def plan(cells: Sequence[Mapping[str, Json]], changes: Sequence[Change]) -> Plan:
    """The same, with what is as it was already."""
    page = _Page([str(cell["id"]) for cell in cells], {str(cell["id"]): cell for cell in cells})
    idle: list[tuple[int, Change]] = []
    for change in reversed(changes):
        before = len(page.edits)
        _BACK[change["op"]](page, change)
        if len(page.edits) == before and change["op"] != "outputs":
            idle.append((before, _turned(change)))
    if page.stays and not page.edits:
        raise CannotUndo(page.stays)
    return Plan(page.edits, idle, page.stays)


def _turned(change: Change) -> Change:
    """The change that taking this one back would have been."""
    op = change["op"]
    if op == "replace":
        return {**change, "old": change["new"], "new": change["old"], "mark": change.get("new_mark") or {}}
    if op == "insert":
        return {**change, "op": "delete", "old": change["new"]}
    if op == "delete":
        return {**change, "op": "insert", "new": change["old"]}
    if op == "type":
        return {**change, "old": change["new"], "new": change["old"], "kept": ""}
    if op == "move":
        return {**change, "index": change["to"], "to": change["index"], "after": change.get("now_after", "?")}
    return change


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
        if cell.get("cell_type") != change["old"]:
            raise CannotUndo("Somebody chose another type for the cell since.")
        return
    if change["old"] == "code" and cell.get("attachments"):
        raise CannotUndo("Somebody put a picture into the cell since, which a code cell cannot keep.")
    now = page.source(cell_id)
    kept = change["kept"] if now == change["source"] else ""  # unchanged since: it comes back with its outputs
    page.edits.append(ChangeType(cell_id, now, change["old"], kept=kept))


def _back_outputs(page: _Page, change: Change) -> None:
    cell_id = change["cell_id"]
    cell = page.cells.get(cell_id) if cell_id in page.order else None
    if cell is None or cell.get("cell_type") != "code":
        page.stays = "The cell whose outputs she cleared is gone, or is another thing now."
    elif change.get("is_restored"):
        page.edits.append(SetOutputs(cell_id))
    elif cell.get("outputs"):
        page.stays = "The cell has newer outputs, so those stay."
    elif source_of(cell) == change["source"]:
        page.edits.append(SetOutputs(cell_id, change["kept"]))
    else:
        page.stays = "The cell was changed since, so its old outputs do not come back."


_BACK = {
    "insert": _back_insert,
    "delete": _back_delete,
    "replace": _back_replace,
    "move": _back_move,
    "type": _back_type,
    "outputs": _back_outputs,
}
