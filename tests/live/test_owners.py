"""A server that several people share: what is asked for one of them touches nobody else's tabs."""

from __future__ import annotations

import json

import pytest

from jupyter_linda.errors import Conflict
from jupyter_linda.ports import InsertCell, ReplaceSource
from tests.fakes.browser_tab import FakeTab
from tests.fakes.notebooks import code_cell, notebook


@pytest.fixture
def file(put):
    return put("a.ipynb", notebook(code_cell("x = 1", "a")))


@pytest.fixture
def content(file):
    return json.loads(file.read_text())


@pytest.fixture
def hers(browsers):
    return FakeTab(browsers, "tab_hers", "ada")


@pytest.fixture
def his(browsers):
    return FakeTab(browsers, "tab_his", "bob")


async def test_a_document_opens_in_the_askers_own_tab(live, file, hers, his):
    his.opens("b.ipynb", notebook())  # the newest
    assert await live.of("ada").open_document("a.ipynb")
    assert (len(hers.opened), his.opened) == (1, [])
    assert not await live.of("eve").open_document("a.ipynb")
    assert his.opened == []


async def test_everybody_hears_of_open_notebooks_and_only_the_own_one_is_the_active_one(live, content, hers, his):
    hers.opens("a.ipynb", content)
    his.opens("b.ipynb", notebook())

    async def active(owner_id):
        return {entry["path"]: entry["active"] for entry in await live.of(owner_id).list_notebooks()}

    assert await active("ada") == {"a.ipynb": True, "b.ipynb": False}
    assert await active("bob") == {"a.ipynb": False, "b.ipynb": True}
    assert await active("eve") == {"a.ipynb": False, "b.ipynb": False}


async def test_what_somebody_else_has_open_is_read_from_the_file_and_not_written(live, file, content, his):
    his.opens("a.ipynb", content)
    his.cell("a.ipynb", "a")["source"] = "x = 1  # typed, not saved"
    before, frames = file.read_bytes(), len(his.frames)
    found = await live.of("ada").read_notebook("a.ipynb")
    assert (found.route, found.content["cells"][0]["source"]) == ("file", "x = 1")
    for edit in (ReplaceSource("a", "x = 1", "x = 2"), InsertCell(1, "n", "code", "y")):
        with pytest.raises(Conflict, match="another person's tab"):
            await live.of("ada").edit_notebook("a.ipynb", [edit])
    with pytest.raises(Conflict, match="another person's tab"):
        await live.of("ada").run_cell("a.ipynb", "a", expect="x = 1", timeout_s=5, request_id="r")
    assert (file.read_bytes(), len(his.frames)) == (before, frames)
    assert await live.list_kernels() == []
    his.close()
    assert (await live.of("ada").edit_notebook("a.ipynb", [ReplaceSource("a", "x = 1", "x = 2")])).is_saved


async def test_what_both_have_open_is_edited_in_the_askers_tab(live, content, hers, his):
    hers.opens("a.ipynb", content)
    his.opens("a.ipynb", content)
    outcome = await live.of("ada").edit_notebook("a.ipynb", [ReplaceSource("a", "x = 1", "x = 2")])
    assert outcome.route == "browser"
    assert hers.cell("a.ipynb", "a")["source"] == "x = 2"
    assert his.cell("a.ipynb", "a")["source"] == "x = 1"


async def test_edits_for_different_people_wait_for_each_other(live, file):
    assert live.of("ada").documents.lock("a.ipynb") is live.of("bob").documents.lock("a.ipynb")


async def test_nobody_takes_somebody_elses_tab_over(browsers, hers):
    with pytest.raises(Conflict, match="somebody else"):
        browsers.connect("tab_hers", print, "bob")
    assert browsers.of("ada").is_connected("tab_hers")
