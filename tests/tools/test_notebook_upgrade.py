"""Format upgrades: only asked for, whole, and with everything that was in the notebook."""

from __future__ import annotations

import asyncio
import json

import nbformat
import pytest

from jupyter_linda.errors import InvalidInput, ToolFailed, ToolRetry
from jupyter_linda.ports import Unknown
from jupyter_linda.tools.notebook import read_notebook
from jupyter_linda.tools.notebook_edits import edit_cell
from jupyter_linda.tools.notebook_upgrade import upgrade_notebook

V3 = {
    "metadata": {"name": "Old", "mine": {"a": 1}},
    "nbformat": 3,
    "nbformat_minor": 0,
    "worksheets": [
        {
            "cells": [
                {"cell_type": "heading", "level": 2, "source": "Title"},
                {
                    "cell_type": "code",
                    "language": "python",
                    "input": ["x = 1\n", "print(x)"],
                    "collapsed": False,
                    "metadata": {"my": "own"},
                    "prompt_number": 7,
                    "outputs": [{"output_type": "stream", "stream": "stdout", "text": ["1\n"]}],
                },
            ]
        }
    ],
}


def test_an_old_notebook_is_upgraded_whole_and_can_be_edited_then(root, bench, put):
    file = put("old.ipynb", V3)
    read = bench.run(read_notebook, path="old.ipynb")
    cell_id = read.data["cells"][1]["cell_id"]
    with pytest.raises(InvalidInput, match="upgrade"):
        bench.run(edit_cell, path="old.ipynb", cell_id=cell_id, old_text="x = 1", new_text="x = 2")
    assert "from notebook format 3.0 to 4.5" in bench.preview(upgrade_notebook, path="old.ipynb").sentence
    before = file.read_bytes()
    bench.run(upgrade_notebook, path="old.ipynb")
    made = nbformat.read(file, as_version=nbformat.NO_CONVERT)
    nbformat.validate(made)
    assert (made.nbformat, made.nbformat_minor, made.metadata.mine) == (4, 5, {"a": 1})
    assert made.cells[0].source == "## Title"
    assert (made.cells[1].source, made.cells[1].execution_count, made.cells[1].metadata["my"]) == (
        "x = 1\nprint(x)",
        7,
        "own",
    )
    assert made.cells[1].outputs[0].text == "1\n"
    [change] = bench.journal.entries["entry_0"][2]
    assert bench.journal.kept[change["old"]] == before
    bench.run(edit_cell, path="old.ipynb", cell_id=cell_id, old_text="x = 1", new_text="x = 2")  # the id holds
    assert json.loads(file.read_text())["cells"][1]["source"] == ["x = 2\n", "print(x)"]


def test_what_has_the_newest_format_is_left_alone(root, bench, put):
    file = put("new.ipynb", {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    before = file.read_bytes()
    with pytest.raises(ToolRetry, match=r"4\.5 already"):
        bench.run(upgrade_notebook, path="new.ipynb")
    assert file.read_bytes() == before


def test_what_would_not_be_valid_is_refused_and_stays(root, bench, put):
    cell = {"cell_type": "code", "source": "x", "metadata": {}, "outputs": [], "execution_count": "seven"}
    file = put("odd.ipynb", {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 2})
    before = file.read_bytes()
    with pytest.raises(ToolFailed, match="would not be a valid notebook"):
        bench.run(upgrade_notebook, path="odd.ipynb")
    assert file.read_bytes() == before
    assert bench.journal.entries == {}


def test_a_notebook_that_a_tab_has_open_is_not_upgraded_under_it(root, bench, put, browsers):
    put("old.ipynb", V3)

    async def work():
        browsers.connect("tab", lambda _frame: None, "local")
        browsers.presence("tab", {"notebooks": ["old.ipynb"], "active": "old.ipynb"})
        await bench.call(upgrade_notebook, path="old.ipynb")

    with pytest.raises(ToolRetry, match="is open in JupyterLab"):
        asyncio.run(work())


def test_after_a_crash_the_file_says_whether_it_happened(root, bench, put):
    put("old.ipynb", V3)
    assert bench.find(upgrade_notebook, path="old.ipynb") is None
    bench.run(upgrade_notebook, path="old.ipynb")
    assert bench.find(upgrade_notebook, path="old.ipynb").data["format"] == "4.5"


@pytest.mark.parametrize("content", ["", "{", "[]", '{"nbformat": "x"}', "[" * 100_000])
def test_after_a_crash_what_is_no_notebook_any_more_is_asked_about(bench, root, content):
    (root / "a.ipynb").write_text(content)
    assert isinstance(bench.find(upgrade_notebook, path="a.ipynb"), Unknown)
