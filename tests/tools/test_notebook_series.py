"""Running several cells in a real kernel, and searching the cells of many notebooks."""

from __future__ import annotations

import json

import pytest

from jupyter_linda.errors import StaleRevision, ToolRetry
from jupyter_linda.schemas import Preview
from jupyter_linda.tools.notebook_series import run_cells, search_notebooks
from tests.fakes.notebooks import code_cell, notebook

TEXT = {"cell_type": "markdown", "id": "t", "metadata": {}, "source": "# Text"}


def five():
    return notebook(
        code_cell("x = 1\nprint('one')", "a"), TEXT, code_cell("  ", "e"), code_cell("print(x + 1)", "b"),
        code_cell("1/0", "c"), code_cell("print('never')", "d"),
    )  # fmt: skip


def count_of(file):
    return {cell["id"]: cell.get("execution_count") for cell in json.loads(file.read_text())["cells"]}


async def test_all_cells_run_in_order_until_one_fails(server_put, server_bench):
    file = server_put("a.ipynb", five())
    result = await server_bench.call(run_cells, path="a.ipynb")
    assert [(one["cell_id"], one["status"], one["text"][:9]) for one in result.data["ran"]] == [
        ("a", "ok", "one"), ("b", "ok", "2"), ("c", "error", "---------"),
    ]  # fmt: skip
    assert result.data["ran"][-1]["error"] == "ZeroDivisionError: division by zero"
    assert result.data["left"] == ["d"]
    assert result.title == "Ran 2 cells of a.ipynb, stopped at cell 5"
    assert count_of(file) == {"a": 1, "t": None, "e": None, "b": 2, "c": 3, "d": None}


@pytest.mark.parametrize(
    ("wish", "ids"),
    [
        ({"which": "until", "cell_id": "b"}, ["a", "b"]),
        ({"which": "from", "cell_id": "d"}, ["d"]),
        ({"which": "range", "cell_id": "t", "end_cell_id": "b"}, ["b"]),
    ],
)
def test_the_cells_of_a_wish_are_shown_before_they_run(bench, put, wish, ids):
    content = five()
    put("a.ipynb", content)
    shown = bench.preview(run_cells, path="a.ipynb", **wish)
    sources = {cell["id"]: cell["source"] for cell in content["cells"]}
    many = "1 cell" if len(ids) == 1 else f"{len(ids)} cells"
    assert shown.sentence == f"Run {many} of a.ipynb."
    assert all(sources[one] in shown.code for one in ids)
    assert sum(source in shown.code for source in sources.values() if source.strip()) == len(ids)


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"which": "from"}, "name the cell"),
        ({"which": "range", "cell_id": "a"}, "end_cell_id"),
        ({"which": "range", "cell_id": "b", "end_cell_id": "a"}, "top to bottom"),
        ({"which": "from", "cell_id": "nope"}, "no cell"),
    ],
)
def test_a_wish_that_names_no_cells_is_refused(bench, put, wish, words):
    put("a.ipynb", five())
    with pytest.raises(ToolRetry, match=words):
        bench.preview(run_cells, path="a.ipynb", **wish)


async def test_cells_that_changed_since_they_were_allowed_do_not_run(server_put, server_bench):
    file = server_put("a.ipynb", five())
    context = server_bench.context()
    from dataclasses import replace

    seen = Preview(sentence="Run", code="# cell 1\nprint('other')")
    with pytest.raises(StaleRevision):
        await run_cells.body(replace(context, approved=seen), path="a.ipynb", which="until", cell_id="a")
    assert count_of(file)["a"] is None


@pytest.fixture
def library(put):
    out = [{"output_type": "stream", "name": "stdout", "text": ["total sales 42\n"]}]
    put("a.ipynb", notebook(code_cell("sales = 1", "a", outputs=out)))
    put("sub/b.ipynb", notebook(TEXT, code_cell("# Sales of May", "b")))
    put("odd.ipynb", {"cells": [1, {"cell_type": "code", "source": 3, "outputs": [7]}], "nbformat": 4})
    put("older.ipynb", {"worksheets": [{"cells": [{"cell_type": "code", "source": "sales"}]}], "nbformat": 3})
    put(".secret/c.ipynb", notebook(code_cell("sales", "c")))


def test_sources_and_outputs_of_all_notebooks_are_searched(bench, library):
    matches = bench.run(search_notebooks, query="sales").data["matches"]
    assert {(m["path"], m["cell_id"], m["is_output"]) for m in matches} == {
        ("a.ipynb", "a", False), ("a.ipynb", "a", True), ("sub/b.ipynb", "b", False), ("older.ipynb", "#0", False),
    }  # fmt: skip
    only = bench.run(search_notebooks, query="sales", where="outputs", path="").data["matches"]
    assert [m["text"] for m in only] == ["total sales 42"]
    assert len(bench.run(search_notebooks, query="sales", path="sub").data["matches"]) == 1


def test_unsaved_changes_of_open_notebooks_are_found(bench, browsers, library):
    from tests.fakes.browser_tab import FakeTab

    FakeTab(browsers).opens("a.ipynb", notebook(code_cell("unsaved = 1", "a")))
    matches = bench.run(search_notebooks, query="UNSAVED").data["matches"]
    assert [(m["path"], m["cell_id"]) for m in matches] == [("a.ipynb", "a")]
    assert bench.run(search_notebooks, query="UNSAVED", is_case_sensitive=True).data["matches"] == []


def test_matches_are_bounded_and_said_to_be(bench, put):
    put("a.ipynb", notebook(code_cell("x\n" * 100, "a")))
    result = bench.run(search_notebooks, query="x", max_matches=10)
    assert len(result.data["matches"]) == 10
    assert result.data["truncated"]


async def test_what_ran_is_told_though_a_later_cell_was_changed_meanwhile(server_put, server_bench):
    file = server_put("a.ipynb", notebook(code_cell("x = 1", "a"), code_cell("x += 1", "b"), code_cell("x", "c")))
    run = server_bench.live.run_cell

    async def run_while_somebody_types(path, cell_id, **options):
        outcome = await run(path, cell_id, **options)
        if cell_id == "a":
            file.write_text(file.read_text().replace("x += 1", "x += 10"))
        return outcome

    server_bench.live.run_cell = run_while_somebody_types
    result = await server_bench.call(run_cells, path="a.ipynb")
    assert [(one["cell_id"], one["status"]) for one in result.data["ran"]] == [("a", "ok")]
    assert result.data["left"] == ["b", "c"]
    assert "Cell 2 did not run: Cell b of 'a.ipynb' changed since it was read." in result.text
    assert result.title == "Ran 1 cell of a.ipynb, then stopped"


async def test_twins_run_one_after_the_other(server_put, server_bench):
    server_put("a.ipynb", notebook(code_cell("print('one')", "t"), code_cell("print('two')", "t")))
    result = await server_bench.call(run_cells, path="a.ipynb")
    assert [(one["status"], one["text"]) for one in result.data["ran"]] == [("ok", "one"), ("ok", "two")]
