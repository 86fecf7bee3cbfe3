"""Cases NB-03, 04, 05, 08, 12, 14, 15, NT-07 and NT-08, through the tools."""

from __future__ import annotations

import asyncio
import json
import re

import pytest

from jupyter_linda.errors import InvalidInput, StaleRevision, ToolRetry
from jupyter_linda.tools.naming import version_of
from jupyter_linda.tools.notebook import read_cell, read_notebook
from jupyter_linda.tools.notebook_edits import edit_cell, insert_cell
from tests.fakes.browser_tab import FakeTab
from tests.fakes.notebooks import code_cell, notebook

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGM4IScHAAK2AQU0pnWqAAAAAElFTkSuQmCC"


def loaded(file):
    return json.loads(file.read_text(encoding="utf-8"))


def six():
    return notebook(*(code_cell(f"cell_{name} = {at}", f"id-{name}") for at, name in enumerate("abcdef")))


def change(bench, path, cell_id, before, after):
    return bench.run(edit_cell, path=path, cell_id=cell_id, source=after, version=version_of(before))


def test_nb_03_ids_of_a_notebook_without_ids_hold_until_they_are_saved(put, bench):
    file = put("noids.ipynb", notebook(code_cell("a = 1"), code_cell("b = a")))
    before = file.read_text()
    listed = bench.run(read_notebook, path="noids.ipynb").data["cells"]
    assert file.read_text() == before, "reading writes nothing"
    change(bench, "noids.ipynb", listed[0]["cell_id"], "a = 1", "a = 2")
    cells = loaded(file)["cells"]
    assert [cell["source"] for cell in cells] == ["a = 2", "b = a"]
    assert [cell["id"] for cell in cells] == [cell["cell_id"] for cell in listed]
    assert all(re.fullmatch(r"[a-zA-Z0-9-_]{1,64}", cell["id"]) for cell in cells)
    again = bench.run(read_notebook, path="noids.ipynb").data["cells"]
    assert [cell["cell_id"] for cell in again] == [cell["cell_id"] for cell in listed]


def test_nb_04_a_twin_id_is_ambiguous_and_can_be_named_by_position(put, bench):
    content = notebook(code_cell("first", "twin"), code_cell("mid", "mid"), code_cell("second", "twin"))
    file = put("dup.ipynb", content)
    before = file.read_text()
    with pytest.raises(ToolRetry, match=r"index 0 and 2.*twin#0 or twin#2"):
        change(bench, "dup.ipynb", "twin", "first", "changed")
    assert file.read_text() == before
    change(bench, "dup.ipynb", "twin#2", "second", "changed")
    cells = loaded(file)["cells"]
    assert [cell["source"] for cell in cells] == ["first", "mid", "changed"]
    assert cells[0]["id"] == "twin"
    assert len({cell["id"] for cell in cells}) == 3


def test_nb_05_a_4_4_notebook_gets_no_ids(put, bench):
    file = put("v44.ipynb", notebook(code_cell("a"), code_cell("b"), minor=4))
    done = bench.run(insert_cell, path="v44.ipynb", source="x", index=1).data
    content = loaded(file)
    assert [cell["source"] for cell in content["cells"]] == ["a", "x", "b"]
    assert all("id" not in cell for cell in content["cells"])
    assert content["nbformat_minor"] == 4
    assert bench.run(read_cell, path="v44.ipynb", cell_id=done["cell_id"]).data["source"] == "x"


async def test_nb_08_text_is_never_split_into_characters(server_put, server_bench):
    from jupyter_linda.tools.notebook_runs import run_cell

    file = server_put("empty.ipynb", notebook())
    source = "for i in range(3):\n    print(i)"
    done = await server_bench.call(insert_cell, path="empty.ipynb", source=source)
    ran = await server_bench.call(run_cell, path="empty.ipynb", cell_id=done.data["cell_id"])
    assert ran.data["text"] == "0\n1\n2"
    cell = loaded(file)["cells"][0]
    assert cell["source"] == ["for i in range(3):\n", "    print(i)"]
    assert cell["outputs"][0]["text"] == ["0\n", "1\n", "2\n"]


def test_nb_12_a_v3_notebook_reads_and_is_not_rewritten(put, bench):
    code = {"cell_type": "code", "collapsed": False, "input": ["6*7"], "language": "python", "metadata": {}}
    code["outputs"] = [{"output_type": "pyout", "prompt_number": 1, "metadata": {}, "text": ["42"]}]
    heading = {"cell_type": "heading", "level": 2, "metadata": {}, "source": ["Totals"]}
    sheets = [{"metadata": {}, "cells": [heading, {**code, "prompt_number": 1}]}]
    old = {"metadata": {"name": "old"}, "nbformat": 3, "nbformat_minor": 0, "worksheets": sheets}
    file = put("v3.ipynb", old)
    before = file.read_text()
    result = bench.run(read_notebook, path="v3.ipynb")
    assert [(c["cell_type"], c["source"]) for c in result.data["cells"]] == [("markdown", "## Totals"), ("code", "6*7")]
    assert "-> output:\n42" in result.text
    again = bench.run(read_notebook, path="v3.ipynb")
    assert again.data == result.data
    with pytest.raises(InvalidInput, match="upgrade the whole file to format 4") as caught:
        change(bench, "v3.ipynb", result.data["cells"][1]["cell_id"], "6*7", "6*8")
    assert "upgrade_notebook upgrades it, if the user wants that" in caught.value.remedy
    assert file.read_text() == before


def test_nb_14_foreign_fields_survive(put, bench):
    file = put("extra.ipynb", notebook(code_cell("1", "k", vendor={"x": 1}), extra_tool={"v": 2}))
    expected = loaded(file)
    change(bench, "extra.ipynb", "k", "1", "2")
    expected["cells"][0]["source"] = "2"
    expected["cells"][0]["metadata"]["linda"] = bench.provenance  # the one thing that comes (mark_cells)
    assert loaded(file) == expected


def test_nb_15_a_noisy_notebook_reads_short_and_clean(put, bench):
    frames = "".join(f"\r{n}%|{'█' * (n // 10)}" for n in range(101))
    trace = [f"\x1b[0;31mframe {n}\x1b[0m" for n in range(40)]
    outputs = [
        {"output_type": "display_data", "metadata": {}, "data": {"image/png": PIXEL.rstrip("=") * 100}},
        {"output_type": "stream", "name": "stderr", "text": [frames]},
        {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero", "traceback": trace},
    ]
    put("noisy.ipynb", notebook(code_cell("plot()", "n", outputs=outputs)))
    text = bench.run(read_notebook, path="noisy.ipynb").text
    assert len(text) < 2000
    assert not re.search(r"[A-Za-z0-9+/=]{100,}", text)
    assert "\x1b" not in text
    assert re.search(r"\[image/png, \d+ bytes\]", text)
    assert "100%" in text
    assert "99%" not in text
    assert "ZeroDivisionError" in text


def test_nt_07_unsaved_edits_in_a_tab_are_kept(put, bench, browsers):
    file = put("six.ipynb", six())

    async def scenario():
        tab = FakeTab(browsers)
        tab.opens("six.ipynb", six())
        tab.cell("six.ipynb", "id-b")["source"] = "typed by the user"
        version = version_of("cell_e = 4")
        await bench.call(edit_cell, path="six.ipynb", cell_id="id-e", source="by linda", version=version)
        return tab.documents["six.ipynb"]["cells"]

    cells = asyncio.run(scenario())
    assert (cells[1]["source"], cells[4]["source"]) == ("typed by the user", "by linda")
    assert loaded(file) == six(), "the file of an open notebook is its tab's to write"


def test_nt_07_in_file_mode_a_newer_file_is_never_overwritten(put, bench):
    file = put("six.ipynb", six())
    bench.run(read_notebook, path="six.ipynb")
    newer = six()
    newer["cells"][4]["source"] = "saved by the user"
    put("six.ipynb", newer)
    with pytest.raises(StaleRevision):
        change(bench, "six.ipynb", "id-e", "cell_e = 4", "by linda")
    assert loaded(file) == newer


@pytest.mark.parametrize("index", [-1, 6])
def test_nt_08_minus_one_and_the_length_append(put, bench, index):
    file = put("six.ipynb", six())
    assert bench.run(insert_cell, path="six.ipynb", source="tail", index=index).data["index"] == 6
    assert [cell["source"] for cell in loaded(file)["cells"]][-1] == "tail"


def test_nt_08_past_the_end_is_refused_naming_the_range(put, bench):
    file = put("six.ipynb", six())
    with pytest.raises(ToolRetry, match=r"-1\.\.6"):
        bench.run(insert_cell, path="six.ipynb", source="tail", index=7)
    assert loaded(file) == six()
    assert "appends" in insert_cell.parameters["properties"]["index"]["description"]
