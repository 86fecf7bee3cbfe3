"""The path that is judged is the path that is opened, however a call spells it."""

from __future__ import annotations

import json

import pytest

from jupyter_linda.errors import LindaError, ToolFailed, ToolRetry
from jupyter_linda.ports import Kernel
from jupyter_linda.tools.deleting import delete_file
from jupyter_linda.tools.file import write_file
from jupyter_linda.tools.file_changes import move_file, patch_file
from jupyter_linda.tools.kernel import list_kernels, list_variables
from jupyter_linda.tools.notebook import list_notebooks, read_notebook
from jupyter_linda.tools.notebook_edits import insert_cell
from jupyter_linda.tools.notebook_runs import create_notebook
from tests.fakes.browser_tab import FakeTab
from tests.fakes.server_of_files import live_over
from tests.fakes.tool_bench import ToolBench

NOTEBOOK = {
    "cells": [{"cell_type": "code", "execution_count": None, "id": "c0", "metadata": {}, "outputs": [], "source": "S"}],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}


@pytest.fixture
def closed(root, browsers, put, tmp_path):
    """A bench whose rules close the folder `closed`; a link leads from there to an open folder."""
    put("closed/x.ipynb", NOTEBOOK)
    put("open/inner/y.ipynb", NOTEBOOK)
    (root / "closed/link").symlink_to(root / "open/inner")
    (root / "closed/out.ipynb").symlink_to(tmp_path / "outside.ipynb")
    (tmp_path / "outside.ipynb").write_text(json.dumps(NOTEBOOK))
    rules = [
        {"effect": "auto", "action": "any", "path": ""},
        {"effect": "deny", "action": "any", "path": "closed"},
    ]
    (tmp_path / "rules.json").write_text(json.dumps({"version": 1, "rules": rules}))
    return ToolBench(root, live=live_over(root, browsers), rules_file=tmp_path / "rules.json", answer=None)


@pytest.mark.parametrize("name", ["x", "out"])
@pytest.mark.parametrize("is_absolute", [False, True])
def test_a_step_back_behind_a_link_is_judged_where_it_leads(closed, root, name, is_absolute):
    path = f"closed/link/../{name}.ipynb"
    path = f"{root}/{path}" if is_absolute else path
    for tool, more in ((read_notebook, {}), (insert_cell, {"source": "1"})):
        with pytest.raises(PermissionError):
            closed.run(tool, path=path, **more)
    assert json.loads((root / "closed/x.ipynb").read_text()) == NOTEBOOK


@pytest.mark.parametrize("path", ["RTC:closed/x.ipynb", "./RTC:closed/x.ipynb", "a/../RTC:closed/x.ipynb"])
def test_the_drive_of_collaboration_is_no_way_around_a_rule(closed, browsers, path):
    frames = []
    browsers.connect("tab", frames.append, "local")
    browsers.presence("tab", {"notebooks": ["RTC:closed/x.ipynb"], "active": ""})
    for tool, more in ((read_notebook, {}), (insert_cell, {"source": "1"}), (list_variables, {})):
        with pytest.raises(LindaError, match="RTC"):
            closed.run(tool, path=path, **more)
    assert frames == [], "nothing was asked of the tab"


SPELLINGS = ["nb.ipynb", "./nb.ipynb", "nb.ipynb/.", "nb.ipynb//", "sub/../nb.ipynb", "NB2.IPYNB/.", "link.txt",
             "{root}/nb.ipynb/.", "{root}//sub/../nb.ipynb"]  # fmt: skip


@pytest.fixture
def spelled(root, put):
    put("nb.ipynb", NOTEBOOK)
    (root / "sub").mkdir()
    (root / "NB2.IPYNB").write_text("{}")
    (root / "link.txt").symlink_to(root / "nb.ipynb")
    return root


@pytest.mark.parametrize("path", [*SPELLINGS, "new.ipynb/.", "new.ipynb//"])
def test_a_notebook_is_no_text_file_however_it_is_spelled(spelled, bench, path):
    path = path.format(root=spelled)
    before = {file.name: file.read_bytes() for file in spelled.iterdir() if file.is_file()}
    for tool, more in ((write_file, {"content": "x"}), (patch_file, {"old_text": "S", "new_text": "T"})):
        for call in (bench.run, bench.preview):
            with pytest.raises(ToolRetry, match="insert_cell"):
                call(tool, path=path, **more)
    assert {file.name: file.read_bytes() for file in spelled.iterdir() if file.is_file()} == before


@pytest.mark.parametrize("path", [path for path in SPELLINGS if "NB2" not in path and "link" not in path])
def test_an_open_notebook_stays_in_its_place_however_it_is_spelled(spelled, bench, browsers, path):
    FakeTab(browsers).opens("nb.ipynb", NOTEBOOK)
    path = path.format(root=spelled)
    with pytest.raises(ToolRetry, match="open in JupyterLab"):
        bench.run(move_file, path=path, to="x.ipynb")
    with pytest.raises(ToolRetry, match="open in JupyterLab"):
        bench.run(delete_file, path=path)


@pytest.mark.parametrize("path", ["c/../../x.ipynb", "../x.ipynb", "{root}/../x.ipynb", "{root}/c/../../x.ipynb"])
def test_a_notebook_outside_the_root_gets_one_answer_however_it_is_spelled(root, bench, path):
    path = path.format(root=root)
    for call in (bench.run, bench.preview):
        with pytest.raises(ToolFailed, match="outside the server's root folder") as caught:
            call(create_notebook, path=path)
        assert caught.value.kind_of_failure == "outside_root"
    assert [file.name for file in root.parent.iterdir() if file.suffix == ".ipynb"] == []


@pytest.mark.parametrize("path", ["", ".", "./", "open/..", "{root}"])
def test_open_notebooks_are_listed_by_the_rules_for_files(closed, browsers, root, path):
    tab = FakeTab(browsers)
    tab.opens("closed/x.ipynb", NOTEBOOK)
    tab.opens("open/inner/y.ipynb", NOTEBOOK)
    result = closed.run(list_notebooks, path=path.format(root=root))
    assert result.data["notebooks"] == [{"path": "open/inner/y.ipynb", "is_open": True, "is_active": True}]
    assert "closed" not in result.text


def test_kernels_of_closed_notebooks_are_not_named(closed):
    async def kernels():
        return [
            Kernel(f"k{n}", "python3", "python", path, "idle") for n, path in enumerate(("closed/x.ipynb", "o.ipynb"))
        ]

    closed.live.list_kernels = kernels
    assert [kernel["path"] for kernel in closed.run(list_kernels).data["kernels"]] == ["o.ipynb"]
