"""Moving, splitting, merging, retyping and clearing cells; and each of them taken back."""

from __future__ import annotations

import asyncio
import json

import pytest

from jupyter_linda.errors import StaleRevision, ToolRetry
from jupyter_linda.journal.cells import describe, take_back, to_keep
from jupyter_linda.ports import ReplaceSource, ToolResult
from jupyter_linda.tools.notebook_edits import delete_cell, edit_cell, insert_cell
from jupyter_linda.tools.notebook_structure import (
    change_cell_type,
    clear_outputs,
    merge_cells,
    move_cell,
    split_cell,
)
from tests.fakes.notebooks import code_cell, notebook

OUT = [{"output_type": "stream", "name": "stdout", "text": ["1\n"]}]


@pytest.fixture
def file(put):
    text = {"cell_type": "markdown", "id": "m", "metadata": {"tags": ["t"]}, "source": ["# Sales\n", "text"]}
    first = code_cell(["x = 1\n", "y = 2\n", "print(x)"], "a", outputs=OUT, vendor={"k": 1}) | {"execution_count": 3}
    return put("s.ipynb", notebook(text, first, code_cell("z = 3", "b"), code_cell("w", "c")))


def cells(file):
    return json.loads(file.read_text())["cells"]


def shape(file):
    return [(cell["id"], cell["cell_type"], "".join(cell["source"])) for cell in cells(file)]


def take_all_back(bench):
    """Undo every entry of the journal, newest first, as `journal.undo` does."""

    async def work():
        for kind, path, changes in reversed(list(bench.journal.entries.values())):
            assert kind == "cells"
            found = (await bench.live.read_notebook(path)).content["cells"]
            edits = take_back(found, changes)
            kept = await bench.live.keep_cells(path, to_keep(edits)) if to_keep(edits) else ""
            describe(found, edits, kept)
            if edits:
                await bench.live.edit_notebook(path, edits)

    asyncio.run(work())


@pytest.mark.parametrize(
    ("tool", "arguments", "after"),
    [
        (move_cell, {"cell_id": "m", "index": 2}, "abmc"),
        (move_cell, {"cell_id": "c", "index": 0}, "cmab"),
        (move_cell, {"cell_id": "a", "index": -1}, "mbca"),
        (change_cell_type, {"cell_id": "a", "cell_type": "markdown"}, "mabc"),
        (change_cell_type, {"cell_id": "m", "cell_type": "code"}, "mabc"),
        (clear_outputs, {}, "mabc"),
        (clear_outputs, {"cell_id": "a"}, "mabc"),
        (merge_cells, {"cell_ids": ["a", "b", "c"]}, "ma"),
    ],
)
def test_a_change_is_done_and_taken_back_exactly(bench, file, tool, arguments, after):
    before = json.loads(file.read_text())
    bench.run(tool, path="s.ipynb", **arguments)
    assert "".join(cell["id"] for cell in cells(file)) == after
    take_all_back(bench)
    assert json.loads(file.read_text()) == before


def test_a_cell_is_split_before_a_line(bench, file):
    before = json.loads(file.read_text())
    result = bench.run(split_cell, path="s.ipynb", cell_id="a", line=3)
    fresh = result.data["new_cell_id"]
    assert shape(file)[1:3] == [("a", "code", "x = 1\ny = 2"), (fresh, "code", "print(x)")]
    assert cells(file)[1]["outputs"] == OUT
    take_all_back(bench)
    assert json.loads(file.read_text()) == before


@pytest.mark.parametrize("line", [4, 9])
def test_a_line_that_is_not_there_is_refused(bench, file, line):
    with pytest.raises(ToolRetry, match="line 2 to 3"):
        bench.run(split_cell, path="s.ipynb", cell_id="a", line=line)


def test_merged_cells_keep_the_first_id_and_all_text(bench, file):
    bench.run(merge_cells, path="s.ipynb", cell_ids=["a", "b"])
    assert shape(file)[1] == ("a", "code", "x = 1\ny = 2\nprint(x)\nz = 3")


@pytest.mark.parametrize(
    ("ids", "words"), [(["b", "a"], "top to bottom"), (["a", "c"], "directly below"), (["m", "a"], "different types")]
)
def test_only_neighbours_of_one_kind_are_merged(bench, file, ids, words):
    before = file.read_text()
    with pytest.raises(ToolRetry, match=words):
        bench.run(merge_cells, path="s.ipynb", cell_ids=ids)
    assert file.read_text() == before


def test_a_stale_version_is_refused_and_leaves_no_entry(bench, file):
    for tool, more in ((split_cell, {"line": 2}), (change_cell_type, {"cell_type": "raw"})):
        with pytest.raises(StaleRevision):
            bench.run(tool, path="s.ipynb", cell_id="a", version="00000000", **more)
    assert bench.journal.entries == {}


def test_text_cells_have_no_outputs(bench, file):
    with pytest.raises(ToolRetry, match="no outputs"):
        bench.run(clear_outputs, path="s.ipynb", cell_id="m")


def test_an_unknown_cell_is_never_another_one(bench, file):
    for tool, more in ((move_cell, {"index": 0}), (split_cell, {"line": 2}), (clear_outputs, {})):
        with pytest.raises(ToolRetry, match="no cell"):
            bench.run(tool, path="s.ipynb", cell_id="nope", **more)


@pytest.mark.parametrize("mark", ["somebody's", ["ab"], 5, {"run": ["deep", {"a": 1}]}])
def test_what_others_put_where_she_says_who_wrote_it_comes_back(bench, put, mark):
    marked = code_cell("x = 1", "a") | {"metadata": {"linda": mark}}
    file = put("s.ipynb", notebook(marked))
    before = json.loads(file.read_text())
    bench.run(edit_cell, path="s.ipynb", cell_id="a", old_text="1", new_text="7")
    assert cells(file)[0]["metadata"]["linda"]["run"] == "run_1"
    take_all_back(bench)
    assert json.loads(file.read_text()) == before


def test_insert_edit_and_delete_are_taken_back_together(bench, file):
    before = json.loads(file.read_text())
    bench.run(insert_cell, path="s.ipynb", source="new = 1", index=1)
    bench.run(edit_cell, path="s.ipynb", cell_id="b", old_text="3", new_text="4")
    version = bench.run(edit_cell, path="s.ipynb", cell_id="a", old_text="1", new_text="7").data["version"]
    bench.run(delete_cell, path="s.ipynb", cell_id="a", version=version)
    take_all_back(bench)
    assert json.loads(file.read_text()) == before


def test_what_was_cut_by_a_crash_is_found_again(bench, file):
    split = bench.run(split_cell, request_id="call_x", path="s.ipynb", cell_id="a", line=3)
    found = bench.find(split_cell, request_id="call_x", path="s.ipynb", cell_id="a", line=3)
    assert isinstance(found, ToolResult)
    assert found.data == split.data
    assert bench.find(split_cell, request_id="call_y", path="s.ipynb", cell_id="b", line=2) is not None
    assert bench.find(merge_cells, path="s.ipynb", cell_ids=["b", "c"]) is None
    bench.run(merge_cells, path="s.ipynb", cell_ids=["b", "c"])
    assert isinstance(bench.find(merge_cells, path="s.ipynb", cell_ids=["b", "c"]), ToolResult)


@pytest.mark.parametrize(
    ("tool", "wish"), [(move_cell, {"index": 0}), (change_cell_type, {"cell_type": "raw"}), (clear_outputs, {})]
)
def test_what_a_crash_cut_is_not_tried_again_on_a_cell_that_is_lost(bench, file, tool, wish):
    assert bench.find(tool, path="s.ipynb", cell_id="b", **wish) is None
    with pytest.raises(ToolRetry, match="no cell 'gone'"):  # which the run takes as: nobody knows
        bench.find(tool, path="s.ipynb", cell_id="gone", **wish)


def test_a_question_shows_what_will_become_of_the_cells(bench, file):
    preview = bench.preview(merge_cells, path="s.ipynb", cell_ids=["a", "b"])
    assert preview.sentence == "Merge 2 cells of s.ipynb, from cell 2 on, into one."
    assert [(diff.old, diff.new) for diff in preview.diffs][1] == ("z = 3", "")
    assert "Its outputs go." in bench.preview(change_cell_type, path="s.ipynb", cell_id="a", cell_type="raw").sentence
    assert bench.preview(move_cell, path="s.ipynb", cell_id="c", index=0).sentence == (
        "Move cell 4 of s.ipynb to place 1."
    )


def test_her_cells_say_who_wrote_them_until_taken_back(bench, file):
    before = json.loads(file.read_text())
    bench.run(edit_cell, path="s.ipynb", cell_id="a", old_text="1", new_text="7")
    bench.run(insert_cell, path="s.ipynb", source="new")
    assert cells(file)[1]["metadata"] == {"linda": bench.provenance}
    assert cells(file)[-1]["metadata"] == {"linda": bench.provenance}
    take_all_back(bench)
    assert json.loads(file.read_text()) == before


def test_the_setting_leaves_no_mark(bench, file):
    bench.provenance = {}
    bench.run(edit_cell, path="s.ipynb", cell_id="a", old_text="1", new_text="7")
    bench.run(insert_cell, path="s.ipynb", source="new")
    assert [cell["metadata"] for cell in cells(file)] == [{"tags": ["t"]}, {}, {}, {}, {}]


@pytest.mark.parametrize(
    ("tool", "wish"),
    [
        (move_cell, {"cell_id": "a", "index": 0}),
        (split_cell, {"cell_id": "a", "line": 2}),
        (change_cell_type, {"cell_id": "a", "cell_type": "markdown"}),
    ],
)
def test_a_cell_that_changed_after_it_was_allowed_stays(bench, file, tool, wish):
    wish = {"path": "s.ipynb", **wish}
    bench.approved = bench.preview(tool, **wish)
    before = file.read_text()
    file.write_text(before.replace("print(x)", "print(x) # a person's"))
    changed = file.read_bytes()
    with pytest.raises(StaleRevision, match="since this was asked"):
        bench.run(tool, **wish)
    assert file.read_bytes() == changed
    file.write_text(before)
    bench.run(tool, **wish)
    assert file.read_text() != before


class LosesAnswers:
    """A server whose answer to an edit is lost, and a person who types on at once; `is_done`: the edit was made."""

    def __init__(self, live, *, is_done):
        self._live, self._is_done = live, is_done

    def __getattr__(self, name):
        return getattr(self._live, name)

    async def edit_notebook(self, path, edits):
        if self._is_done:
            outcome = await self._live.edit_notebook(path, edits)
            for cell in outcome.cells:
                source = "".join(cell["source"])
                await self._live.edit_notebook(path, [ReplaceSource(cell["id"], source, f"{source}\n# typed on")])
        raise StaleRevision("It is not as it should be after the edit.")


@pytest.mark.parametrize("is_done", [True, False])
@pytest.mark.parametrize(
    ("tool", "wish"),
    [
        (insert_cell, {"source": "new"}),
        (edit_cell, {"cell_id": "a", "old_text": "x = 1", "new_text": "x = 7"}),
        (move_cell, {"cell_id": "m", "index": 2}),
        (change_cell_type, {"cell_id": "a", "cell_type": "markdown"}),
        (clear_outputs, {"cell_id": "a"}),
        (split_cell, {"cell_id": "a", "line": 2}),
    ],
)
def test_only_what_did_not_happen_goes_from_the_journal(bench, file, tool, wish, is_done):
    bench.live = LosesAnswers(bench.live, is_done=is_done)
    with pytest.raises(StaleRevision):
        bench.run(tool, path="s.ipynb", **wish)
    assert len(bench.journal.entries) == is_done


@pytest.mark.parametrize(
    ("tool", "wish"),
    [
        (edit_cell, {"cell_id": "a#1", "old_text": "x = 1", "new_text": "x = 7"}),
        (move_cell, {"cell_id": "m#0", "index": 2}),
        (split_cell, {"cell_id": "a#1", "line": 2}),
        (merge_cells, {"cell_ids": ["a#1", "b#2"]}),
        (change_cell_type, {"cell_id": "a#1", "cell_type": "markdown"}),
    ],
)
def test_a_cell_may_be_named_by_its_place_too_and_the_change_taken_back(bench, file, tool, wish):
    """As the cells of a notebook with twins are named, also after those got ids of their own."""
    before = shape(file)
    bench.run(tool, path="s.ipynb", **wish)
    assert shape(file) != before
    take_all_back(bench)
    assert shape(file) == before


def test_outputs_of_twins_are_cleared_each_at_its_place(bench, put):
    twins = [code_cell(text, "t", outputs=OUT) | {"execution_count": 1} for text in ("a", "b")]
    file = put("twins.ipynb", notebook(*twins, code_cell("c", "c", outputs=OUT)))
    bench.run(clear_outputs, path="twins.ipynb")
    assert [cell["outputs"] for cell in cells(file)] == [[], [], []]
    assert ["".join(cell["source"]) for cell in cells(file)] == ["a", "b", "c"]
