"""Undoing changes of cells: exact where nobody came after, around people's edits where somebody did."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_linda.errors import CannotUndo, LindaError
from jupyter_linda.journal.cells import describe, plan, source_of, take_back, to_keep, with_known_ids
from jupyter_linda.live.cells import Sheet, apply_edits, with_kept
from jupyter_linda.ports import ChangeType, DeleteCell, InsertCell, MoveCell, ReplaceSource, SetOutputs
from tests.fakes.notebooks import code_cell

OUT = [{"output_type": "stream", "name": "stdout", "text": "1\n"}]


class Page:
    """Cells and what was kept of them: the server's half of undoing, without a server."""

    def __init__(self, cells):
        self.cells = copy.deepcopy(cells)
        self.kept = {}

    def do(self, edits):
        """Apply edits as the server does; gives their description for the journal."""
        name = f"kept-{len(self.kept)}"
        by_id = {cell["id"]: cell for cell in self.cells}
        self.kept[name] = [copy.deepcopy(by_id[cell_id]) for cell_id in to_keep(edits)]
        changes = describe(self.cells, edits, name)
        sheet = Sheet("a.ipynb", self.cells, [cell["id"] for cell in self.cells], writes_ids=True)
        ready = [with_kept(edit, self.kept[edit.kept]) if getattr(edit, "kept", "") else edit for edit in edits]
        self.cells = [{**cell, "source": source_of(cell)} for cell in apply_edits(sheet, ready).cells]
        return changes

    def undo(self, changes):
        return self.do(take_back(self.cells, changes))


def start():
    return [
        code_cell("import os\n\nx = 1\n\nprint(x)", "a", outputs=OUT, vendor={"k": 1}) | {"execution_count": 4},
        {"cell_type": "markdown", "id": "b", "metadata": {"tags": ["t"]}, "source": "# T\n\ntext"},
        code_cell("y = 2", "c"),
    ]


def edits_of_her(page, pick):
    """One edit that fits the page as it is."""
    ids = [cell["id"] for cell in page.cells]
    kind, at, to = pick
    fresh = f"n{len(page.kept)}"
    if kind == "insert" or not ids:
        return [InsertCell(min(to, len(ids)), fresh, "code", "z = 3")]
    cell = page.cells[at % len(ids)]
    if kind == "replace":
        return [ReplaceSource(cell["id"], cell["source"], cell["source"] + "\nmore = 1")]
    if kind == "delete":
        return [DeleteCell(cell["id"], cell["source"])]
    if kind == "move":
        return [MoveCell(cell["id"], min(to, len(ids) - 1))]
    if kind == "type":
        return [ChangeType(cell["id"], cell["source"], "markdown" if cell["cell_type"] == "code" else "code")]
    return [SetOutputs(cell["id"])] if cell["cell_type"] == "code" else []


PICKS = st.lists(
    st.tuples(
        st.sampled_from(["insert", "replace", "delete", "move", "type", "outputs"]),
        st.integers(0, 5),
        st.integers(0, 5),
    ),
    max_size=6,
)


@settings(max_examples=300)
@given(PICKS)
def test_undoing_all_she_did_gives_back_what_was(picks):
    page = Page(start())
    done = [page.do(edits_of_her(page, pick)) for pick in picks]
    after = copy.deepcopy(page.cells)
    undone = [page.undo(changes) for changes in reversed(done)]
    assert page.cells == start()
    for changes in reversed(undone):  # redo is the undoing of the undoing
        page.undo(changes)
    assert [(c["id"], c["cell_type"], c["source"]) for c in page.cells] == [
        (c["id"], c["cell_type"], c["source"]) for c in after
    ]


HUMAN = st.lists(st.tuples(st.sampled_from(["top", "bottom", "insert", "delete"]), st.integers(0, 5)), max_size=4)


@settings(max_examples=300)
@given(PICKS, HUMAN)
def test_no_undo_takes_what_a_human_wrote_since(picks, human):
    page = Page(start())
    done = [page.do(edits_of_her(page, pick)) for pick in picks]
    typed = set()
    for number, (kind, at) in enumerate(human):
        mark = f"human_{number}"
        ids = [cell["id"] for cell in page.cells]
        if kind == "insert" or not ids:
            page.cells.insert(at % (len(ids) + 1), code_cell(mark, f"h{number}"))
            typed.add(mark)
            continue
        cell = page.cells[at % len(ids)]
        if kind == "delete":
            typed -= {line for line in cell["source"].split("\n") if line.startswith("human_")}
            page.cells.remove(cell)
            continue
        lines = [mark, cell["source"]] if kind == "top" else [cell["source"], mark]
        cell["source"] = "\n".join(lines)
        typed.add(mark)
    for changes in reversed(done):
        before = copy.deepcopy(page.cells)
        try:
            page.undo(changes)
        except CannotUndo:
            assert page.cells == before
        except LindaError as error:  # pragma: no cover
            pytest.fail(f"an undo that cannot be must say so beforehand: {error}")
        left = {line for cell in page.cells for line in cell["source"].split("\n")}
        assert typed <= left


def test_a_changed_line_is_taken_back_around_the_lines_a_human_added():
    page = Page(start())
    changes = page.do([ReplaceSource("a", start()[0]["source"], "import os\n\nx = 7\n\nprint(x)")])
    page.cells[0]["source"] = "import os, sys\n\nx = 7\n\nprint(x)"
    page.undo(changes)
    assert page.cells[0]["source"] == "import os, sys\n\nx = 1\n\nprint(x)"


def test_the_same_line_changed_since_is_left_alone_and_said():
    page = Page(start())
    changes = page.do([ReplaceSource("c", "y = 2", "y = 3")])
    page.cells[2]["source"] = "y = 4"
    with pytest.raises(CannotUndo, match="same lines"):
        page.undo(changes)
    assert page.cells[2]["source"] == "y = 4"


def test_newer_outputs_stay():
    page = Page(start())
    changes = page.do([SetOutputs("a")])
    page.cells[0] |= {"outputs": [{"output_type": "stream", "name": "stdout", "text": "2\n"}], "execution_count": 5}
    with pytest.raises(CannotUndo, match="newer outputs"):
        page.undo(changes)
    assert page.cells[0]["outputs"][0]["text"] == "2\n"


def test_what_a_person_took_back_by_hand_can_be_done_again():
    page = Page(start())
    changes = page.do([ReplaceSource("c", "y = 2", "y = 3"), InsertCell(3, "n", "code", "hers")])
    page.cells[2]["source"] = "y = 2"
    del page.cells[3]
    planned = plan(page.cells, changes)
    assert planned.edits == []
    page.undo(planned.again(page.cells, ""))
    assert [cell["source"] for cell in page.cells[2:]] == ["y = 3", "hers"]


def without_ids(cells, number):
    """The cells as a new server numbers them in a file that keeps no ids."""
    return [{**cell, "id": f"s{number}-{at}"} for at, cell in enumerate(cells)]


@settings(max_examples=200)
@given(PICKS)
def test_where_a_file_keeps_no_ids_cells_are_found_again_by_how_they_look(picks):
    page = Page(start())
    done = [page.do(edits_of_her(page, pick)) for pick in picks]
    for number, changes in enumerate(reversed(done)):
        page.cells = without_ids(page.cells, number)
        before = copy.deepcopy(page.cells)
        try:
            page.undo(with_known_ids(page.cells, changes))
        except CannotUndo:
            assert page.cells == before
            return
    assert sorted(cell["source"] for cell in page.cells) == sorted(cell["source"] for cell in start())


@pytest.mark.parametrize("op", ["insert", "replace"])
def test_where_a_file_keeps_no_ids_a_cell_that_was_changed_since_is_not_called_undone(op):
    page = Page(start())
    edit = InsertCell(3, "n", "code", "hers") if op == "insert" else ReplaceSource("c", "y = 2", "hers")
    changes = page.do([edit])
    page.cells = without_ids(page.cells, 0)
    assert "hers" not in [c["source"] for c in apply_all(page, with_known_ids(page.cells, changes))]
    page.cells[-1]["source"] = "hers, edited"
    with pytest.raises(CannotUndo, match="keeps no ids"):
        with_known_ids(page.cells, changes)


def test_where_a_file_keeps_no_ids_a_persons_cell_of_the_same_text_stays():
    page = Page(start())
    changes = page.do([InsertCell(3, "n", "code", "hers")])
    page.cells = without_ids([code_cell("hers", "x"), code_cell("other", "z"), *page.cells[:3]], 0)
    with pytest.raises(CannotUndo):
        with_known_ids(page.cells, changes)


def apply_all(page, changes):
    tried = Page(page.cells)
    tried.kept = dict(page.kept)
    tried.undo(changes)
    return tried.cells


def test_a_picture_that_somebody_put_in_since_is_not_lost_to_a_code_cell():
    page = Page(start())
    [code] = [cell for cell in page.cells if cell["id"] == "c"]
    changes = page.do([ChangeType("c", code["source"], "markdown")])
    [text] = [cell for cell in page.cells if cell["id"] == "c"]
    text["attachments"] = {"a.png": {"image/png": "AA=="}}
    with pytest.raises(CannotUndo, match="picture"):
        page.undo(changes)
    del text["attachments"]
    page.undo(changes)
    assert [cell["cell_type"] for cell in page.cells if cell["id"] == "c"] == ["code"]
