"""The path that is judged is the path that is opened, however a call spells it."""

from __future__ import annotations

import json

import pytest

from jupyter_linda.errors import LindaError
from jupyter_linda.ports import Kernel
from jupyter_linda.tools.kernel import list_kernels, list_variables
from jupyter_linda.tools.notebook import list_notebooks, read_notebook
from jupyter_linda.tools.notebook_edits import insert_cell
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
    browsers.connect("tab", frames.append)
    browsers.presence("tab", {"notebooks": ["RTC:closed/x.ipynb"], "active": ""})
    for tool, more in ((read_notebook, {}), (insert_cell, {"source": "1"}), (list_variables, {})):
        with pytest.raises(LindaError, match="RTC"):
            closed.run(tool, path=path, **more)
    assert frames == [], "nothing was asked of the tab"


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
