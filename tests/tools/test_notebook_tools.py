"""The notebook tools, over real files."""

from __future__ import annotations

import json

import pytest

from jupyter_linda.errors import NotFound, StaleRevision, ToolFailed, ToolRetry
from jupyter_linda.ports import ToolResult, Unknown
from jupyter_linda.tools import notebook as tools
from jupyter_linda.tools.naming import new_cell_id, version_of
from jupyter_linda.tools.notebook_edits import delete_cell, edit_cell, insert_cell
from jupyter_linda.tools.notebook_runs import create_notebook, run_cell
from tests.fakes.notebooks import code_cell, notebook
from tests.fakes.tool_bench import ToolBench


def sources(file):
    return ["".join(cell["source"]) for cell in json.loads(file.read_text())["cells"]]


@pytest.fixture
def file(put):
    markdown = {"cell_type": "markdown", "id": "m", "metadata": {}, "source": ["# Sales\n", "text"]}
    printed = [{"output_type": "stream", "name": "stdout", "text": ["1\n"]}]
    return put("sales.ipynb", notebook(markdown, code_cell(["x = 1\n", "print(x)"], "c", outputs=printed)))


def test_open_notebooks_come_first(bench, browsers, put, file):
    put("sub/b.ipynb", notebook())
    put(".hidden/c.ipynb", notebook())
    browsers.connect("t", lambda _frame: None, "local")
    browsers.presence("t", {"notebooks": ["sub/b.ipynb", ".hidden/c.ipynb"], "active": "sub/b.ipynb"})
    result = bench.run(tools.list_notebooks)
    assert result.data["notebooks"] == [
        {"path": "sub/b.ipynb", "is_open": True, "is_active": True},
        {"path": "sales.ipynb", "is_open": False, "is_active": False},
    ]


def test_reading_gives_ids_versions_and_outputs(bench, file):
    result = bench.run(tools.read_notebook, path="sales.ipynb")
    assert result.title == "Read sales.ipynb, 2 cells"
    assert f"[cell 2 (index 1)] code id=c version={version_of('x = 1' + chr(10) + 'print(x)')}" in result.text
    assert "-> output:\n1" in result.text
    assert [cell["source"] for cell in result.data["cells"]] == ["# Sales\ntext", "x = 1\nprint(x)"]


def test_a_brief_reading_gives_first_lines(bench, file):
    text = bench.run(tools.read_notebook, path="sales.ipynb", detail="brief").text
    assert "# Sales (+1 line)" in text
    assert "print(x)" not in text


def test_a_range_is_read(bench, file):
    result = bench.run(tools.read_notebook, path="sales.ipynb", start=1, count=1)
    assert [cell["index"] for cell in result.data["cells"]] == [1]
    assert "these are cells 2 to 2" in result.text


def test_a_long_notebook_goes_on_with_first_lines(bench, put):
    put("big.ipynb", notebook(*(code_cell("x = 1\n" * 500, f"c{n}") for n in range(30))))
    result = bench.run(tools.read_notebook, path="big.ipynb")
    assert len(result.text) < 30_000
    assert "id=c29" in result.text
    assert len(result.data["cells"]) == 30


def test_one_cell_is_read_whole(bench, file):
    result = bench.run(tools.read_cell, path="sales.ipynb", cell_id="c")
    assert result.data["outputs_text"] == "1"
    assert result.data["index"] == 1
    with pytest.raises(ToolRetry, match="no cell 'zz'"):
        bench.run(tools.read_cell, path="sales.ipynb", cell_id="zz")


@pytest.mark.parametrize("path", ["", "a.txt", "folder"])
def test_a_path_that_is_no_notebook_is_told(bench, path):
    with pytest.raises(ToolRetry):
        bench.run(tools.read_notebook, path=path)


def test_absolute_and_roundabout_paths_name_the_same_notebook(bench, root, file):
    for path in (f"{root}/sales.ipynb", "./sub/../sales.ipynb"):
        assert bench.run(tools.read_notebook, path=path).data["path"] == "sales.ipynb"
    with pytest.raises((PermissionError, ToolFailed)):
        bench.run(tools.read_notebook, path="/elsewhere/a.ipynb")


def test_a_missing_notebook_is_told(bench):
    with pytest.raises(NotFound):
        bench.run(tools.read_notebook, path="none.ipynb")


def test_inserting_gives_an_id_made_of_the_call(bench, file):
    result = bench.run(insert_cell, path="sales.ipynb", source="y = 2", index=1, request_id="call_7")
    assert result.data["cell_id"] == new_cell_id("call_7")
    assert result.data["index"] == 1
    assert sources(file) == ["# Sales\ntext", "y = 2", "x = 1\nprint(x)"]
    assert (result.diffs[0].old, result.diffs[0].new) == ("", "y = 2")


def test_a_cut_insert_is_found_or_surely_absent(bench, file):
    arguments = {"path": "sales.ipynb", "source": "y = 2"}
    assert bench.find(insert_cell, request_id="call_7", **arguments) is None
    bench.run(insert_cell, request_id="call_7", **arguments)
    assert isinstance(bench.find(insert_cell, request_id="call_7", **arguments), ToolResult)
    bench.run(insert_cell, request_id="call_7", **arguments)
    assert sources(file).count("y = 2") == 1


def test_a_cut_insert_into_a_format_without_ids_is_unknown_when_it_looks_done(root, put):
    put("old.ipynb", notebook(code_cell("y = 2"), minor=4))
    from tests.fakes.server_of_files import live_over

    bench = ToolBench(root, live=live_over(root))
    assert isinstance(bench.find(insert_cell, path="old.ipynb", source="y = 2"), Unknown)
    assert bench.find(insert_cell, path="old.ipynb", source="z") is None


def test_a_passage_is_replaced_when_it_occurs_once(bench, file):
    result = bench.run(edit_cell, path="sales.ipynb", cell_id="c", old_text="x = 1", new_text="x = 10")
    assert sources(file)[1] == "x = 10\nprint(x)"
    assert result.diffs[0].old == "x = 1\nprint(x)"
    with pytest.raises(ToolRetry, match="2 times"):
        bench.run(edit_cell, path="sales.ipynb", cell_id="c", old_text="x", new_text="y")


def test_replacing_a_whole_cell_needs_the_version_that_was_read(bench, file):
    wish = {"path": "sales.ipynb", "cell_id": "c", "source": "new"}
    with pytest.raises(ToolRetry, match="version"):
        bench.run(edit_cell, **wish)
    with pytest.raises(StaleRevision):
        bench.run(edit_cell, **wish, version="00000000")
    version = bench.run(tools.read_cell, path="sales.ipynb", cell_id="c").data["version"]
    assert bench.run(edit_cell, **wish, version=version).data["version"] == version_of("new")
    assert sources(file)[1] == "new"


@pytest.mark.parametrize("wish", [{}, {"source": "a", "old_text": "b", "new_text": "c"}, {"old_text": "x = 1"}])
def test_an_unclear_edit_is_told(bench, file, wish):
    with pytest.raises(ToolRetry):
        bench.run(edit_cell, path="sales.ipynb", cell_id="c", **wish)


def test_a_cut_edit_is_looked_up_by_what_stands_there(bench, file):
    version = version_of("x = 1\nprint(x)")
    whole = {"path": "sales.ipynb", "cell_id": "c", "source": "new", "version": version}
    part = {"path": "sales.ipynb", "cell_id": "c", "old_text": "x = 1", "new_text": "x = 12"}
    assert bench.find(edit_cell, **whole) is None
    assert bench.find(edit_cell, **part) is None
    bench.run(edit_cell, **part)
    assert isinstance(bench.find(edit_cell, **part), ToolResult)
    assert isinstance(bench.find(edit_cell, **whole), Unknown)
    bench.run(edit_cell, **{**whole, "version": version_of("x = 12\nprint(x)")})
    assert isinstance(bench.find(edit_cell, **whole), ToolResult)


def test_deleting_needs_the_version_and_keeps_the_text_in_the_diff(bench, file):
    with pytest.raises(StaleRevision):
        bench.run(delete_cell, path="sales.ipynb", cell_id="c", version="")
    version = version_of("x = 1\nprint(x)")
    wish = {"path": "sales.ipynb", "cell_id": "c", "version": version}
    assert bench.find(delete_cell, **wish) is None
    assert bench.run(delete_cell, **wish).diffs[0].old == "x = 1\nprint(x)"
    assert sources(file) == ["# Sales\ntext"]
    assert isinstance(bench.find(delete_cell, **wish), ToolResult)


@pytest.mark.parametrize(("ids", "minor", "cell_id"), [(("a", "a"), 5, "a#1"), ((None, None), 4, "gone")])
def test_a_cut_deletion_of_a_cell_that_has_no_id_of_its_own_is_never_said_to_be_done(bench, put, ids, minor, cell_id):
    """`gone`: in a format without ids, as another server had named it."""
    put("odd.ipynb", notebook(*(code_cell("y = 2", one) for one in ids), minor=minor))
    wish = {"path": "odd.ipynb", "cell_id": cell_id, "version": version_of("y = 2")}
    assert isinstance(bench.find(delete_cell, **wish), Unknown)


def test_a_notebook_is_created_once(bench, root):
    wish = {"path": "new.ipynb", "cells": [{"source": "# T", "cell_type": "markdown"}, {"source": "a\nb"}]}
    assert bench.find(create_notebook, request_id="call_9", **wish) is None
    bench.run(create_notebook, request_id="call_9", **wish)
    content = json.loads((root / "new.ipynb").read_text())
    assert content["cells"][1]["source"] == ["a\n", "b"]
    assert content["metadata"]["kernelspec"]["name"] == "python3"
    assert isinstance(bench.find(create_notebook, request_id="call_9", **wish), ToolResult)
    assert isinstance(bench.find(create_notebook, request_id="call_8", **wish), Unknown)
    with pytest.raises(ToolRetry, match="exists"):
        bench.run(create_notebook, **wish)


def test_a_created_notebook_is_valid(bench, root):
    import nbformat

    bench.run(create_notebook, path="new.ipynb", cells=[{"source": "a"}, {"source": "# T", "cell_type": "markdown"}])
    nbformat.validate(nbformat.read(root / "new.ipynb", as_version=4))


def test_previews_show_what_would_happen(bench, file):
    version = version_of("x = 1\nprint(x)")
    edit = bench.preview(edit_cell, path="sales.ipynb", cell_id="c", old_text="x = 1", new_text="x = 2")
    assert edit.sentence == "Change cell 2 of sales.ipynb."
    assert (edit.diffs[0].old, edit.diffs[0].new) == ("x = 1\nprint(x)", "x = 2\nprint(x)")
    assert bench.preview(insert_cell, path="sales.ipynb", source="!ls").code == "!ls"
    assert bench.preview(delete_cell, path="sales.ipynb", cell_id="c", version=version).diffs[0].new == ""
    run = bench.preview(run_cell, path="sales.ipynb", cell_id="c")
    assert (run.sentence, run.code, run.findings) == ("Run cell 2 of sales.ipynb.", "x = 1\nprint(x)", ())


def test_people_count_cells_from_1_and_models_are_told_both_numbers(bench, file):
    wish = {"path": "sales.ipynb", "source": "y = 2", "index": 1}
    assert bench.preview(insert_cell, **wish).sentence == "Insert a code cell into sales.ipynb as cell 2."
    done = bench.run(insert_cell, **wish)
    assert "as cell 2 (index 1) of sales.ipynb" in done.text
    assert (done.diffs[0].label, done.data["index"]) == ("sales.ipynb, cell 2 (new)", 1)
    cell_id = done.data["cell_id"]
    assert bench.run(tools.read_cell, path="sales.ipynb", cell_id=cell_id).title == "Read cell 2 of sales.ipynb"
    edited = bench.run(edit_cell, path="sales.ipynb", cell_id=cell_id, old_text="2", new_text="3")
    assert (edited.title, edited.diffs[0].label) == ("Changed cell 2 of sales.ipynb", "sales.ipynb, cell 2")
    assert "Changed cell 2 (index 1) of sales.ipynb" in edited.text
    gone = bench.run(delete_cell, path="sales.ipynb", cell_id=cell_id, version=version_of("y = 3"))
    assert (gone.title, gone.data["index"]) == ("Deleted cell 2 of sales.ipynb", 1)


def test_findings_are_shown_before_a_cell_runs(bench, put):
    put("a.ipynb", notebook(code_cell("!rm -rf data", "c")))
    assert bench.preview(run_cell, path="a.ipynb", cell_id="c").findings == ("runs a shell command", "deletes files")


def test_text_cells_do_not_run(bench, file):
    with pytest.raises(ToolRetry, match="only code cells run"):
        bench.run(run_cell, path="sales.ipynb", cell_id="m")


async def approved_run(bench, tool, preview, **arguments):
    from dataclasses import replace

    make = bench.context
    bench.context = lambda request_id="call_0": replace(make(request_id), approved=preview)
    return await bench.call(tool, **arguments)


def test_what_changed_after_it_was_allowed_is_not_done(bench, file):
    import asyncio

    wish = {"path": "sales.ipynb", "cell_id": "c"}
    edit = {**wish, "old_text": "x = 1", "new_text": "x = 2"}
    run_seen, edit_seen = bench.preview(run_cell, **wish), bench.preview(edit_cell, **edit)
    file.write_text(file.read_text().replace("print(x)", "print(x) # the user's"))
    with pytest.raises(StaleRevision, match="since this was asked"):
        asyncio.run(approved_run(bench, run_cell, run_seen, **wish))
    with pytest.raises(StaleRevision, match="since this was asked"):
        asyncio.run(approved_run(bench, edit_cell, edit_seen, **edit))
    assert sources(file)[1] == "x = 1\nprint(x) # the user's"


def test_opening_without_a_browser_says_so(bench, file):
    assert bench.run(tools.open_notebook, path="sales.ipynb").data == {"path": "sales.ipynb", "opened": False}
    with pytest.raises(NotFound):
        bench.run(tools.open_notebook, path="none.ipynb")


def test_a_new_notebook_is_noted_with_the_place_it_lies_at(bench, root):
    (root / "deep").mkdir()
    (root / "link").symlink_to("deep")
    bench.run(create_notebook, path="link/new.ipynb", cells=[])
    [(kind, path, [change])] = bench.journal.entries.values()
    assert (kind, path, change["real"]) == ("file", "link/new.ipynb", str(root / "deep" / "new.ipynb"))


def test_a_new_notebook_that_lies_in_no_file_is_not_said_to_be_undone(bench, root):
    class Elsewhere:
        async def create_notebook(self, path, content):
            self.made = path

    bench.live = Elsewhere()
    made = bench.run(create_notebook, path="new.ipynb", cells=[])
    assert bench.live.made == "new.ipynb"
    assert "it cannot be undone" in made.text
    assert bench.journal.entries == {}
