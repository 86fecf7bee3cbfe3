"""Notebooks by file and by browser tab."""

from __future__ import annotations

import asyncio
import json
import stat
import threading
import time

import pytest

from jupyter_linda.errors import AmbiguousCell, Conflict, InvalidInput, NotAllowed, NotFound, StaleRevision
from jupyter_linda.live.browser import Browsers
from jupyter_linda.live.documents import Documents
from jupyter_linda.live.files import ContentsNotebooks, DiskNotebooks, choose_files
from jupyter_linda.permissions.paths import PathPolicy
from jupyter_linda.ports import ChangeType, DeleteCell, InsertCell, MoveCell, ReplaceSource, SetOutputs
from tests.fakes.browser_tab import FakeTab
from tests.fakes.notebooks import code_cell, notebook
from tests.fakes.server_of_files import live_over


@pytest.fixture
def root(tmp_path):
    return tmp_path


@pytest.fixture
def documents(root, browsers):
    return Documents(DiskNotebooks(PathPolicy(str(root), allow_hidden=True)), browsers)


@pytest.fixture
def file(root):
    """Two cells, with fields nobody knows, written with tabs and no final newline."""
    target = root / "a.ipynb"
    content = notebook(code_cell("a", "a", vendor={"x": 1}), code_cell(["b = 1\n", "b"], "b"), extra_tool={"v": 2})
    target.write_text(json.dumps(content, indent="\t"))
    return target


def loaded(path):
    return json.loads(path.read_text())


# ---- the file route --------------------------------------------------------------------------------


async def test_an_edit_leaves_everything_else_as_it_was(documents, file):
    before, text = loaded(file), file.read_text()
    file.chmod(0o640)
    outcome = await documents.edit("a.ipynb", [ReplaceSource("b", "b = 1\nb", "b = 2\nb")])
    after = loaded(file)
    assert after["cells"][1].pop("source") == ["b = 2\n", "b"]
    before["cells"][1].pop("source")
    assert after == before
    assert file.read_text() == text.replace("b = 1", "b = 2")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert (outcome.route, outcome.is_saved, outcome.cells[0]["id"]) == ("file", True, "b")


async def test_insert_and_delete_in_one_edit(documents, file):
    await documents.edit("a.ipynb", [InsertCell(-1, "new", "markdown", "# T"), DeleteCell("a", "a")])
    assert [cell["id"] for cell in loaded(file)["cells"]] == ["b", "new"]


async def test_an_edit_of_a_stale_cell_changes_nothing(documents, file):
    text = file.read_text()
    with pytest.raises(StaleRevision):
        await documents.edit("a.ipynb", [InsertCell(0, "n", "code", "x"), ReplaceSource("a", "older", "new")])
    assert file.read_text() == text


async def test_a_file_that_changes_during_the_edit_is_not_overwritten(documents, file, monkeypatch):
    files = documents._files
    read = files.read

    async def read_then_change(path):
        snapshot = await read(path)
        file.write_text(file.read_text().replace('"a"', '"changed"'))
        return snapshot

    files.read = read_then_change
    with pytest.raises(StaleRevision, match="changed meanwhile"):
        await documents.edit("a.ipynb", [ReplaceSource("b", "b = 1\nb", "mine")])
    assert "changed" in file.read_text()
    assert "mine" not in file.read_text()


async def test_edits_side_by_side_are_all_kept(documents, file):
    edits = [documents.edit("a.ipynb", [InsertCell(-1, f"n{n}", "code", str(n))]) for n in range(10)]
    await asyncio.gather(*edits)
    assert {cell["id"] for cell in loaded(file)["cells"]} == {"a", "b", *(f"n{n}" for n in range(10))}


async def test_a_missing_notebook_and_a_link_to_a_secret_are_refused(documents, root):
    with pytest.raises(NotFound):
        await documents.read("none.ipynb")
    (root / ".env").write_text("{}")
    (root / "b.ipynb").symlink_to(root / ".env")
    with pytest.raises(NotAllowed):
        await documents.read("b.ipynb")


async def test_creating_twice_is_a_conflict(documents, root):
    await documents.create("sub/n.ipynb", notebook())
    with pytest.raises(Conflict):
        await documents.create("sub/n.ipynb", notebook(code_cell("x", "x")))
    assert (root / "sub/n.ipynb").read_text() == json.dumps(notebook(), indent=1) + "\n"


async def test_an_unchanged_file_is_not_written_again(documents, file):
    stamp = file.stat().st_mtime_ns
    await documents.edit("a.ipynb", [ReplaceSource("a", "a", "a")])
    assert file.stat().st_mtime_ns == stamp


async def longest_stall_of(work):
    """How long others waited for the loop meanwhile, and how long the work took."""
    gaps = []

    async def tick():
        last = time.perf_counter()
        while True:
            await asyncio.sleep(0.001)
            gaps.append(time.perf_counter() - last)
            last = time.perf_counter()

    ticking = asyncio.ensure_future(tick())
    await asyncio.sleep(0.01)
    started = time.perf_counter()
    await work
    took = time.perf_counter() - started
    await asyncio.sleep(0.01)
    ticking.cancel()
    return max(gaps), took


async def test_a_large_notebook_does_not_hold_up_the_server(root):
    outputs = [{"output_type": "display_data", "metadata": {}, "data": {"application/json": [0.1234567] * 20_000}}]
    (root / "large.ipynb").write_text(
        json.dumps(notebook(*(code_cell("x", f"c{n}", outputs=outputs) for n in range(25))))
    )
    live = live_over(root)
    for work in (live.read_notebook("large.ipynb"), live.edit_notebook("large.ipynb", [ReplaceSource("c0", "x", "y")])):
        stall, took = await longest_stall_of(work)
        assert stall < took / 3


# ---- the browser route -----------------------------------------------------------------------------


async def test_an_open_notebook_is_read_with_its_unsaved_changes(documents, browsers, file):
    tab = FakeTab(browsers)
    tab.opens("a.ipynb", loaded(file))
    tab.cell("a.ipynb", "a")["source"] = "typed just now"
    found = await documents.read("a.ipynb")
    assert found.route == "browser"
    assert found.content["cells"][0]["source"] == "typed just now"


async def test_an_open_notebook_is_edited_in_its_tab_and_the_file_is_left_alone(documents, browsers, file):
    text = file.read_text()
    tab = FakeTab(browsers)
    tab.opens("a.ipynb", loaded(file))
    tab.cell("a.ipynb", "b")["source"] = "typed just now"
    tab.saves = False
    outcome = await documents.edit("a.ipynb", [ReplaceSource("a", "a", "a2"), InsertCell(-1, "n", "code", "n")])
    assert (outcome.route, outcome.is_saved) == ("browser", False)
    assert [cell["source"] for cell in tab.documents["a.ipynb"]["cells"]] == ["a2", "typed just now", "n"]
    assert file.read_text() == text


async def test_what_a_tab_has_made_of_an_old_notebook_is_not_edited_until_it_is_saved(documents, browsers, root):
    """JupyterLab converts it as it opens; the save that follows an edit would upgrade the file unasked."""
    cell = {"cell_type": "code", "input": "a", "language": "python", "metadata": {}, "outputs": [], "prompt_number": 1}
    old = {"metadata": {"name": ""}, "nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": [cell]}]}
    file = root / "old.ipynb"
    file.write_text(json.dumps(old))
    tab = FakeTab(browsers)
    tab.opens("old.ipynb", notebook(code_cell("a", "a")))
    assert (await documents.read("old.ipynb")).is_upgraded
    with pytest.raises(InvalidInput, match="old notebook format") as refused:
        await documents.edit("old.ipynb", [ReplaceSource("a", "a", "b")])
    assert "close it; then upgrade_notebook works" in refused.value.remedy
    assert tab.cell("old.ipynb", "a")["source"] == "a"
    file.write_text(json.dumps(notebook(code_cell("a", "a"))))  # the user saved it
    assert not (await documents.read("old.ipynb")).is_upgraded
    await documents.edit("old.ipynb", [ReplaceSource("a", "a", "b")])
    assert tab.cell("old.ipynb", "a")["source"] == "b"


async def test_a_file_that_a_tab_has_open_is_looked_into_once_as_long_as_it_stays(
    documents, browsers, file, monkeypatch
):
    looks, read = [], documents._files._read_bytes
    monkeypatch.setattr(documents._files, "_read_bytes", lambda path: looks.append(path) or read(path))
    FakeTab(browsers).opens("a.ipynb", loaded(file))
    await documents.read("a.ipynb")
    await documents.edit("a.ipynb", [ReplaceSource("a", "a", "b")])
    assert looks == ["a.ipynb"]
    file.write_text(json.dumps({**loaded(file), "changed": True}))
    await documents.read("a.ipynb")
    assert looks == ["a.ipynb", "a.ipynb"]


async def test_an_output_that_tells_of_an_old_format_makes_no_old_notebook(documents, browsers, root):
    output = {"output_type": "display_data", "metadata": {}, "data": {"application/json": {"nbformat": 3}}}
    content = notebook(code_cell("a", "a", outputs=[output]))
    (root / "new.ipynb").write_text(json.dumps(content))
    FakeTab(browsers).opens("new.ipynb", content)
    assert not (await documents.read("new.ipynb")).is_upgraded
    assert (await documents.edit("new.ipynb", [ReplaceSource("a", "a", "b")])).route == "browser"


async def test_an_insert_in_a_tab_whose_format_keeps_no_ids_is_found_in_the_file_too(documents, browsers, root):
    old = notebook(code_cell("a", "a"), code_cell("b", "b"), minor=4)  # a tab gives every cell an id
    tab = FakeTab(browsers)
    tab.opens("old.ipynb", old)
    outcome = await documents.edit("old.ipynb", [InsertCell(1, "n", "code", "x")])
    assert [cell["source"] for cell in tab.documents["old.ipynb"]["cells"]] == ["a", "x", "b"]
    assert (outcome.cells[0]["id"], outcome.cells[0]["source"]) == ("n", "x")
    tab.close()
    (root / "old.ipynb").write_text(json.dumps(notebook(code_cell("a"), code_cell("x"), code_cell("b"), minor=4)))
    assert [cell["id"] for cell in (await documents.read("old.ipynb")).content["cells"]][1] == "n"


async def test_an_edit_that_a_tab_refuses_is_looked_at_and_said_in_our_words(documents, browsers, file):
    tab = FakeTab(browsers)
    tab.opens("a.ipynb", loaded(file))
    with pytest.raises(StaleRevision, match=r"Cell a of a\.ipynb changed since it was read"):
        await documents.edit("a.ipynb", [ReplaceSource("a", "something else", "a2")])
    with pytest.raises(InvalidInput, match="the allowed range is"):
        await documents.edit("a.ipynb", [InsertCell(99, "n", "code", "x")])
    assert [frame["operation"] for frame in tab.frames] == ["edit_notebook", "read_notebook"] * 2
    again = [InsertCell(-1, "n", "code", "x")]
    await documents.edit("a.ipynb", again)
    await documents.edit("a.ipynb", again)  # after a crash: it is there already
    assert [cell["id"] for cell in tab.documents["a.ipynb"]["cells"]].count("n") == 1


async def test_edits_of_one_cell_that_follow_each_other_are_looked_at_before_a_tab_is_asked(documents, browsers, file):
    tab = FakeTab(browsers)
    tab.opens("a.ipynb", loaded(file))
    for edits in ([ReplaceSource("a", "a", "x"), ReplaceSource("a", "a", "y")],
                  [DeleteCell("a", "a"), InsertCell(0, "a", "code", "x"), ReplaceSource("a", "a", "y")]):  # fmt: skip
        with pytest.raises(StaleRevision, match=r"Cell a of a\.ipynb changed"):
            await documents.edit("a.ipynb", edits)
    assert {frame["operation"] for frame in tab.frames} == {"read_notebook"}
    assert tab.cell("a.ipynb", "a")["source"] == loaded(file)["cells"][0]["source"]


async def test_of_two_tabs_exactly_one_is_asked_the_newest_active(documents, browsers, file):
    old, new, other = FakeTab(browsers, "old"), FakeTab(browsers, "new"), FakeTab(browsers, "other")
    old.opens("a.ipynb", loaded(file))
    new.opens("a.ipynb", loaded(file))
    other.opens("b.ipynb", notebook())
    await documents.edit("a.ipynb", [ReplaceSource("a", "a", "a2")])
    assert old.frames == other.frames == []
    assert [frame["operation"] for frame in new.frames] == ["edit_notebook"]


async def test_the_tabs_own_refusal_is_passed_on(documents, browsers, file):
    tab = FakeTab(browsers)
    tab.opens("a.ipynb", loaded(file))
    with pytest.raises(StaleRevision):
        await documents.edit("a.ipynb", [ReplaceSource("a", "older", "x")])
    content = loaded(file)
    content["cells"][1]["id"] = "a"
    tab.opens("a.ipynb", content)
    with pytest.raises(AmbiguousCell):
        await documents.edit("a.ipynb", [ReplaceSource("a", "a", "x")])


async def test_a_tab_that_closed_before_the_edit_falls_back_to_the_file(documents, browsers, file):
    tab = FakeTab(browsers)
    tab.opens("a.ipynb", loaded(file))
    browsers._tabs["tab_1"].send = lambda frame: tab.close()
    outcome = await documents.edit("a.ipynb", [ReplaceSource("a", "a", "a2")])
    assert outcome.route == "file"
    assert loaded(file)["cells"][0]["source"] == "a2"


async def test_an_edit_that_was_saved_before_the_tab_closed_is_not_done_twice(documents, browsers, file):
    tab = FakeTab(browsers)
    tab.opens("a.ipynb", loaded(file))

    def save_and_close():
        file.write_text(json.dumps(tab.documents["a.ipynb"]))
        tab.close()

    tab.before_reply = save_and_close
    outcome = await documents.edit("a.ipynb", [InsertCell(-1, "n", "code", "n")])
    assert [cell["id"] for cell in loaded(file)["cells"]] == ["a", "b", "n"]
    assert outcome.cells[0]["id"] == "n"


async def test_a_tab_that_closed_on_other_changes_is_a_stale_revision(documents, browsers, file):
    tab = FakeTab(browsers)
    tab.opens("a.ipynb", loaded(file))

    def save_other_and_close():
        file.write_text(file.read_text().replace('"a"', '"by the user"', 1))
        content = loaded(file)
        content["cells"][0]["id"], content["cells"][0]["source"] = "a", "by the user"
        file.write_text(json.dumps(content))
        tab.close()

    tab.before_reply = save_other_and_close
    with pytest.raises(StaleRevision):
        await documents.edit("a.ipynb", [ReplaceSource("a", "a", "mine")])
    assert loaded(file)["cells"][0]["source"] == "by the user"


async def test_a_frozen_tab_keeps_its_file_untouched(documents, browsers, file, monkeypatch):
    monkeypatch.setattr("jupyter_linda.live.documents.READ_TIMEOUT_S", 0.05)
    monkeypatch.setattr("jupyter_linda.live.documents.EDIT_TIMEOUT_S", 0.05)
    text = file.read_text()
    tab = FakeTab(browsers)
    tab.opens("a.ipynb", loaded(file))
    tab.is_silent = True
    with pytest.raises(StaleRevision, match="does not answer"):
        await documents.edit("a.ipynb", [ReplaceSource("a", "a", "a2")])
    assert file.read_text() == text
    assert tab.frames[-1]["type"] == "cancel"


async def test_a_tab_that_no_longer_holds_it_hands_over_to_the_file(documents, browsers, file):
    tab = FakeTab(browsers)
    tab.opens("a.ipynb", loaded(file))
    tab.documents.clear()
    assert (await documents.read("a.ipynb")).route == "file"
    assert (await documents.edit("a.ipynb", [ReplaceSource("a", "a", "a2")])).route == "file"


# ---- tabs ------------------------------------------------------------------------------------------


async def test_a_late_goodbye_does_not_drop_a_tab_that_came_back():
    browsers = Browsers()
    first, second = [].append, [].append
    browsers.connect("t", first, "local")
    browsers.presence("t", {"notebooks": ["RTC:a.ipynb"], "active": "RTC:a.ipynb"})
    browsers.connect("t", second, "local")
    browsers.disconnect("t", first)
    assert browsers.holder("a.ipynb") == "t"
    browsers.disconnect("t", second)
    assert browsers.holder("a.ipynb") is None


async def test_replies_nobody_waits_for_are_dropped():
    browsers = Browsers()
    browsers.reply({"request_id": "req_none", "result": 1})
    browsers.progress({"request_id": "req_none", "text": "x"})
    browsers.presence("nobody", {"notebooks": []})
    browsers.disconnect("nobody")


# ---- contents managers that are not plain files ------------------------------------------------------


class OwnManager:
    """The least a contents manager has: get, save, file_exists; asynchronous or not."""

    def __init__(self):
        self.models = {}

    def file_exists(self, path):
        return path in self.models

    async def get(self, path, content=True, type=None):
        from tornado.web import HTTPError

        if path not in self.models:
            raise HTTPError(404, "no such entity")
        return {"content": json.loads(json.dumps(self.models[path])), "type": type}

    def save(self, model, path):
        self.models[path] = json.loads(json.dumps(model["content"]))


async def test_other_contents_managers_are_used_through_get_and_save(browsers, root):
    manager = OwnManager()
    files = choose_files(manager, PathPolicy(str(root)))
    assert isinstance(files, ContentsNotebooks)
    documents = Documents(files, browsers)
    await documents.create("a.ipynb", notebook(code_cell("a", "a"), extra_tool=1))
    await documents.edit("a.ipynb", [ReplaceSource("a", "a", "a2")])
    assert manager.models["a.ipynb"]["cells"][0]["source"] == "a2"
    assert manager.models["a.ipynb"]["extra_tool"] == 1
    with pytest.raises(NotFound):
        await documents.read("none.ipynb")
    with pytest.raises(Conflict):
        await documents.create("a.ipynb", notebook())


async def test_the_servers_own_manager_means_plain_files(jp_serverapp, root):
    assert isinstance(choose_files(jp_serverapp.contents_manager, PathPolicy(str(root))), DiskNotebooks)


HTML = {"output_type": "display_data", "metadata": {}, "data": {"text/html": ["<b>x</b>"]}}


@pytest.mark.parametrize("is_trusted", [True, False])
async def test_an_edit_neither_gives_nor_takes_trust(jp_serverapp, jp_root_dir, browsers, is_trusted):
    (jp_root_dir / "a.ipynb").write_text(json.dumps(notebook(code_cell("a", "a", outputs=[HTML]), code_cell("b", "b"))))
    manager = jp_serverapp.contents_manager
    if is_trusted:
        await manager.trust_notebook("a.ipynb")
    documents = Documents(choose_files(manager, PathPolicy(str(jp_root_dir))), browsers)
    await documents.edit("a.ipynb", [ReplaceSource("b", "b", "b2")])
    cells = (await manager.get("a.ipynb"))["content"]["cells"]
    assert cells[1]["source"] == "b2"
    assert cells[0]["metadata"].get("trusted", False) is is_trusted


async def test_new_outputs_are_not_trusted(jp_serverapp, jp_root_dir, browsers):
    (jp_root_dir / "a.ipynb").write_text(json.dumps(notebook(code_cell("a", "a"))))
    manager = jp_serverapp.contents_manager
    await manager.trust_notebook("a.ipynb")
    documents = Documents(choose_files(manager, PathPolicy(str(jp_root_dir))), browsers)
    await documents.store_outputs("a.ipynb", "a", expect="a", outputs=[HTML], execution_count=1)
    cell = (await manager.get("a.ipynb"))["content"]["cells"][0]
    assert cell["outputs"][0]["data"]["text/html"] == "<b>x</b>"
    assert cell["metadata"].get("trusted", False) is False


class SlowNotebooks(DiskNotebooks):
    """The first replacing waits in its thread until it is let go, as a slow disk does."""

    def __init__(self, policy):
        super().__init__(policy)
        self.begun, self.go = threading.Event(), threading.Event()

    async def replace(self, snapshot, content, *, keeps_trust=False):
        if not self.begun.is_set():
            self.begun.set()
            await asyncio.to_thread(self.go.wait)
        await super().replace(snapshot, content, keeps_trust=keeps_trust)


async def test_an_edit_whose_caller_is_cancelled_ends_before_the_next_begins(root, browsers, file):
    """Found by killing workers at random: a cancelled call's write came after, and over, the next call's."""
    slow = SlowNotebooks(PathPolicy(str(root), allow_hidden=True))
    documents = Documents(slow, browsers)
    first = asyncio.ensure_future(documents.edit("a.ipynb", [InsertCell(-1, "one", "code", "one")]))
    while not slow.begun.is_set():
        await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    second = asyncio.ensure_future(documents.edit("a.ipynb", [InsertCell(-1, "two", "code", "two")]))
    await asyncio.sleep(0)
    slow.go.set()
    await second
    assert [cell["id"] for cell in loaded(file)["cells"]] == ["a", "b", "one", "two"]


# ---- moving, retyping, clearing; and whole cells that come back ------------------------------------------


@pytest.mark.parametrize("route", ["file", "browser"])
async def test_structure_changes_by_both_routes(documents, browsers, file, route):
    if route == "browser":
        FakeTab(browsers).opens("a.ipynb", loaded(file))
    edits = [InsertCell(-1, "c", "code", "c"), MoveCell("a", -1), ChangeType("b", "b = 1\nb", "markdown")]
    outcome = await documents.edit("a.ipynb", [SetOutputs("a"), *edits])
    assert outcome.route == route
    found = (await documents.read("a.ipynb")).content["cells"]
    assert [(cell["id"], cell["cell_type"]) for cell in found] == [("b", "markdown"), ("c", "code"), ("a", "code")]
    assert found[2]["vendor"] == {"x": 1}


@pytest.mark.parametrize("route", ["file", "browser"])
async def test_a_kept_cell_comes_back_with_its_outputs(root, file, route):
    browsers = Browsers()
    content = loaded(file)
    content["cells"][1] |= {"execution_count": 5, "outputs": [{"output_type": "stream", "name": "stdout", "text": "1"}]}
    file.write_text(json.dumps(content))
    if route == "browser":
        FakeTab(browsers).opens("a.ipynb", content)
    live = live_over(root, browsers)
    kept = await live.keep_cells("a.ipynb", ["b"])
    await live.edit_notebook("a.ipynb", [DeleteCell("b", "b = 1\nb")])
    await live.edit_notebook("a.ipynb", [InsertCell(1, "b", "code", "b = 1\nb", kept=kept)])
    back = (await live.read_notebook("a.ipynb")).content["cells"][1]
    assert (back["execution_count"], back["outputs"][0]["text"], back["id"]) == (5, "1", "b")


@pytest.mark.parametrize("route", ["file", "browser"])
async def test_a_type_that_is_taken_back_keeps_the_tags_given_since(root, file, route):
    browsers = Browsers()
    content = loaded(file)
    content["cells"][1] |= {"execution_count": 5, "outputs": [{"output_type": "stream", "name": "stdout", "text": "1"}]}
    file.write_text(json.dumps(content))
    live = live_over(root, browsers)
    kept = await live.keep_cells("a.ipynb", ["b"])
    await live.edit_notebook("a.ipynb", [ChangeType("b", "b = 1\nb", "markdown")])
    content = loaded(file)
    content["cells"][1]["metadata"]["tags"] = ["since"]
    file.write_text(json.dumps(content))
    if route == "browser":
        FakeTab(browsers).opens("a.ipynb", content)
    await live.edit_notebook("a.ipynb", [ChangeType("b", "b = 1\nb", "code", kept)])
    back = (await live.read_notebook("a.ipynb")).content["cells"][1]
    assert (back["metadata"]["tags"], back["execution_count"], back["outputs"][0]["text"]) == (["since"], 5, "1")


async def test_a_link_put_in_a_files_place_after_it_was_judged_is_not_followed(documents, browsers, root, file):
    secret = root / "secret.ipynb"
    secret.write_text(file.read_text())
    judged = documents.of(browsers, str(file.resolve()))
    assert (await judged.edit("a.ipynb", [ReplaceSource("a", "a", "a2")])).route == "file"
    file.rename(root / "old.ipynb")
    file.symlink_to(secret)
    before = secret.read_bytes()
    for work in (
        judged.read("a.ipynb"),
        judged.edit("a.ipynb", [InsertCell(-1, "n", "code", "x")]),
        judged.create("a.ipynb", notebook()),
    ):
        with pytest.raises(NotAllowed, match="resolves outside"):
            await work
    assert secret.read_bytes() == before
    assert (await documents.read("a.ipynb")).route == "file"
