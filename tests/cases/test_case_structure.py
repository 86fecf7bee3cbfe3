"""Cases NB-13, NT-05, NT-06 and MG-03: parts of cells, runs again, tabs that come back, code in fences."""

from __future__ import annotations

import asyncio
import json

import pytest

from jupyter_linda.errors import ToolRetry
from jupyter_linda.tools.notebook_edits import edit_cell, insert_cell
from jupyter_linda.tools.notebook_runs import create_notebook, run_cell
from jupyter_linda.tools.notebook_structure import merge_cells, split_cell
from tests.fakes.browser_tab import FakeTab
from tests.fakes.notebooks import code_cell, notebook

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGM4IScHAAK2AQU0pnWqAAAAAElFTkSuQmCC"
FIGURE = {"fig.png": {"image/png": PIXEL}}


def loaded(file):
    return json.loads(file.read_text(encoding="utf-8"))


def picture(source, cell_id, attachments):
    return {"cell_type": "markdown", "id": cell_id, "metadata": {}, "attachments": attachments, "source": source}


def missing(cells):
    """Cells that name a picture they do not hold."""
    names = ("fig.png", "my fig.png", "other.png")
    return [
        cell["id"]
        for cell in cells
        for name in names
        if f"attachment:{name.replace(' ', '%20')}" in "".join(cell["source"])
        and name not in cell.get("attachments", {})
    ]


@pytest.mark.parametrize("kind", ["file", "tab"])
def test_nb_13_each_half_of_a_split_cell_holds_its_pictures(put, bench, browsers, kind):
    names = {**FIGURE, "my fig.png": {"image/png": PIXEL}, "other.png": {"image/png": PIXEL}}
    source = "# Title ![o](attachment:other.png)\n![a](attachment:fig.png)\n![b](attachment:my%20fig.png)"
    content = notebook(picture(source, "pic", names))
    file = put("pic.ipynb", content)

    async def scenario():
        tab = FakeTab(browsers)
        if kind == "tab":
            tab.opens("pic.ipynb", content)
        await bench.call(split_cell, path="pic.ipynb", cell_id="pic", line=2)
        return tab.documents["pic.ipynb"]["cells"] if kind == "tab" else loaded(file)["cells"]

    first, second = asyncio.run(scenario())
    assert missing([first, second]) == []
    assert first["attachments"] == names
    assert second["attachments"] == {name: value for name, value in names.items() if name != "other.png"}
    assert "".join(second["source"]).startswith("![a]")


def test_nb_13_a_merge_that_would_lose_pictures_is_refused(put, bench):
    cells = [picture("one", "a", {}), picture("![a](attachment:fig.png)", "pic", FIGURE)]
    file = put("pic.ipynb", notebook(*cells))
    before = file.read_text()
    with pytest.raises(ToolRetry, match="carries pictures"):
        bench.run(merge_cells, path="pic.ipynb", cell_ids=["a", "pic"])
    assert file.read_text() == before


async def test_nt_05_running_again_replaces_the_outputs(server_put, server_bench):
    file = server_put("again.ipynb", notebook(code_cell("print('once')", "c")))
    for count in (1, 2, 3):
        await server_bench.call(run_cell, path="again.ipynb", cell_id="c")
        (cell,) = loaded(file)["cells"]
        (output,) = cell["outputs"]
        assert (output["output_type"], output["name"], "".join(output["text"])) == ("stream", "stdout", "once\n")
        assert cell["execution_count"] == count


def test_nt_06_a_tab_that_comes_back_doubles_nothing(put, bench, browsers):
    six = notebook(*(code_cell(f"cell_{name} = {at}", f"id-{name}") for at, name in enumerate("abcdef")))
    file = put("six.ipynb", six)

    async def scenario():
        tab = FakeTab(browsers)
        tab.opens("six.ipynb", six)
        await bench.call(insert_cell, path="six.ipynb", source="z")
        file.write_text(json.dumps(tab.documents["six.ipynb"]))  # saved, and then the tab is gone
        tab.close()
        await bench.call(insert_cell, path="six.ipynb", source="between")
        again = FakeTab(browsers, client_id="tab_2")
        again.opens("six.ipynb", loaded(file))
        await bench.call(insert_cell, path="six.ipynb", source="w")
        return again.documents["six.ipynb"]["cells"]

    cells = asyncio.run(scenario())
    sources = ["".join(cell["source"]) for cell in cells]
    assert sources == [f"cell_{name} = {at}" for at, name in enumerate("abcdef")] + ["z", "between", "w"]
    assert len({cell["id"] for cell in cells}) == len(cells)


FENCED = [
    "Sure!\n```python\nx = 1\n```\nHope it helps",
    "```\nx = 1\n```",
    "~~~py\nx = '''```'''\n~~~",
    "```python\nx = 1\n```\nthen\n```python\ny = 2\n```",
    "```bash\npip install q\n```\n```python\nx = 1\n```",
    "```python\nx = 1",
]
BARE = ["x = 1", "x = '''```'''", 'text = """\n```\ncode\n```\n"""', "%%markdown\n```\ncode\n```"]


@pytest.mark.parametrize("source", FENCED)
def test_mg_03_a_code_cell_never_gets_a_fence_or_the_words_around_it(put, bench, source):
    file = put("n.ipynb", notebook(code_cell("a", "a")))
    before = file.read_text()
    for tool, arguments in (
        (insert_cell, {"path": "n.ipynb", "source": source}),
        (edit_cell, {"path": "n.ipynb", "cell_id": "a", "source": source, "version": "ca978112"}),
        (create_notebook, {"path": "new.ipynb", "cells": [{"source": source}]}),
    ):
        with pytest.raises(ToolRetry, match="code only"):
            bench.preview(tool, **arguments)
        with pytest.raises(ToolRetry, match="code only"):
            bench.run(tool, **arguments)
    assert file.read_text() == before


@pytest.mark.parametrize("source", BARE)
def test_mg_03_code_that_holds_backquotes_is_code(put, bench, source):
    file = put("n.ipynb", notebook())
    bench.run(insert_cell, path="n.ipynb", source=source)
    assert "".join(loaded(file)["cells"][0]["source"]) == source


def test_mg_03_markdown_keeps_its_fences(put, bench):
    file = put("n.ipynb", notebook())
    bench.run(insert_cell, path="n.ipynb", source=FENCED[0], cell_type="markdown")
    assert "".join(loaded(file)["cells"][0]["source"]) == FENCED[0]
