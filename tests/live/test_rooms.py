"""Notebooks in collaboration rooms: a real server, a real room and a second person who types meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json

import pytest

from jupyter_linda.errors import InvalidInput, NotFound, StaleRevision
from jupyter_linda.live import rooms
from jupyter_linda.ports import ChangeType, DeleteCell, InsertCell, MoveCell, ReplaceSource, SetOutputs
from tests.fakes.browser_tab import FakeTab
from tests.fakes.notebooks import code_cell, notebook
from tests.fakes.room_client import joined

pytest.importorskip(
    "jupyter_server_ydoc", reason="jupyter-collaboration is not installed here; CI makes a place for it"
)

pytestmark = pytest.mark.filterwarnings(  # its rooms leave streams open when they end
    "ignore:Unclosed:ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)

STREAM = {"output_type": "stream", "name": "stdout", "text": ["1\n", "2"]}
HTML = {"output_type": "display_data", "metadata": {}, "data": {"text/html": ["<b>", "x</b>"]}}


@pytest.fixture
def jp_server_config(jp_root_dir):
    return {
        "ServerApp": {
            "jpserver_extensions": {"jupyter_server_ydoc": True, "jupyter_server_fileid": True},
            "token": "",
            "password": "",
            "disable_check_xsrf": True,
            "allow_unauthenticated_access": True,
        },
        "BaseFileIdManager": {"root_dir": str(jp_root_dir), "db_path": str(jp_root_dir / ".ids.db")},
        "YDocExtension": {
            "ystore_class": "jupyter_server_ydoc.stores.TempFileYStore",
            "document_save_delay": 0.5,
            "document_cleanup_delay": 1.5,
        },
    }


@pytest.fixture
def file(put):
    cells = [
        code_cell("a = 1", "a", vendor={"x": 1}),
        code_cell("def f():\n    return 1\n", "b", outputs=[STREAM, HTML], execution_count=3),
        {"cell_type": "markdown", "id": "c", "metadata": {"tags": ["t"]}, "source": "# 中文 😀"},
    ]
    return put("a.ipynb", notebook(*cells))


@pytest.fixture
def join(jp_fetch, jp_http_port, jp_base_url):
    return lambda path="a.ipynb": joined(jp_fetch, jp_http_port, jp_base_url, path)


@pytest.fixture(autouse=True)
def no_rooms_left(jp_serverapp, jp_asyncio_loop):
    """Rooms end with their test: their tasks would outlive its loop."""
    yield
    extension = next(iter(jp_serverapp.extension_manager.extension_apps["jupyter_server_ydoc"]))

    async def close():
        for name in list(extension.ywebsocket_server.rooms):
            await extension.ywebsocket_server.delete_room(name=name)
        with contextlib.suppress(RuntimeError):  # no room was made, so it was not started
            await extension.ywebsocket_server.stop()
        while [task for task in asyncio.all_tasks() if "pycrdt" in repr(task.get_coro())]:
            await asyncio.sleep(0.01)  # a thread that writes for them would keep the process

    jp_asyncio_loop.run_until_complete(close())
    gc.collect()


def on_disk(file):
    """Its cells; none while Jupyter's own saving shows half a file."""
    try:
        return json.loads(file.read_text())["cells"]
    except json.JSONDecodeError:
        return []


def source(cell):
    return "".join(cell["source"])


async def live_source(live, cell_id):
    cells = (await live.read_notebook("a.ipynb")).content["cells"]
    return next(source(cell) for cell in cells if cell["id"] == cell_id)


async def saved(file, condition, *, seconds=10.0):
    async with asyncio.timeout(seconds):
        while not ((cells := on_disk(file)) and condition(cells)):
            await asyncio.sleep(0.02)


# ---- reading ---------------------------------------------------------------------------------------


async def test_without_a_room_nothing_is_different(live, file, jp_serverapp):
    assert (await live.read_notebook("a.ipynb")).route == "file"
    outcome = await live.edit_notebook("a.ipynb", [ReplaceSource("a", "a = 1", "a = 2")])
    assert (outcome.route, outcome.is_saved) == ("file", True)


async def test_a_room_is_read_with_what_was_typed_just_now(live, file, join):
    async with join() as person:
        person.types("a", "1")
        await asyncio.sleep(0.2)
        found = await live.read_notebook("a.ipynb")
        assert found.route == "shared"
        assert [source(cell) for cell in found.content["cells"]] == person.sources()
        assert found.content["cells"][0]["source"] == "a = 11"
        assert found.content["cells"][1]["execution_count"] == 3
        assert found.content["cells"][1]["outputs"][1]["data"]["text/html"] == "<b>x</b>"
        assert (found.content["nbformat"], found.content["nbformat_minor"]) == (4, 5)
        assert found.content["metadata"]["kernelspec"]["name"] == "python3"


async def test_a_room_of_an_old_notebook_is_read_and_not_edited(live, put, join):
    """A room has it in format 4, and would save it so after the first edit."""
    cell = {"cell_type": "code", "input": "a", "language": "python", "metadata": {}, "outputs": [], "prompt_number": 1}
    sheets = [{"cells": [cell], "metadata": {}}]
    file = put("old.ipynb", {"metadata": {"name": ""}, "nbformat": 3, "nbformat_minor": 0, "worksheets": sheets})
    before = file.read_bytes()
    async with join("old.ipynb") as person:
        found = await live.read_notebook("old.ipynb")
        assert (found.route, found.is_upgraded) == ("shared", True)
        with pytest.raises(InvalidInput, match="old notebook format"):
            await live.edit_notebook("old.ipynb", [ReplaceSource(found.content["cells"][0]["id"], "a", "b")])
        assert person.sources() == ["a"]
        await asyncio.sleep(1.0)  # longer than a room waits before it saves
    assert file.read_bytes() == before


async def test_ids_of_a_room_stay_when_it_is_gone_in_a_format_without_them(live, put, join):
    put("old.ipynb", notebook(code_cell("x"), code_cell("y"), minor=4))
    async with join("old.ipynb"):
        shared = await live.read_notebook("old.ipynb")
    async with asyncio.timeout(10):
        while (again := await live.read_notebook("old.ipynb")).route == "shared":
            await asyncio.sleep(0.1)
    assert [cell["id"] for cell in again.content["cells"]] == [cell["id"] for cell in shared.content["cells"]]


# ---- editing ---------------------------------------------------------------------------------------


async def test_every_kind_of_edit_in_one_transaction(live, file, join):
    async with join() as person:
        events = []
        person.notebook.ydoc.observe(events.append)
        outcome = await live.edit_notebook(
            "a.ipynb",
            [
                InsertCell(1, "new", "code", "print('新')", {"linda": {"run": "r"}}),
                ReplaceSource("a", "a = 1", "a = 2", {"run": "r"}),
                SetOutputs("b"),
                MoveCell("c", 0),
                ChangeType("new", "print('新')", "markdown"),
                DeleteCell("b", "def f():\n    return 1\n"),
            ],
        )
        assert (outcome.route, outcome.is_saved) == ("shared", False)
        await person.sees(lambda: len(events) > 0)
        assert len(events) == 1
        assert person.sources() == ["# 中文 😀", "a = 2", "print('新')"]
        assert [cell["cell_type"] for cell in person.notebook.ycells] == ["markdown", "code", "markdown"]
        assert person.cell("a")["metadata"].to_py()["linda"] == {"run": "r"}
        assert person.cell("a").to_py()["vendor"] == {"x": 1}
        assert person.cell("c")["metadata"].to_py()["tags"] == ["t"]
        await saved(file, lambda cells: [source(cell) for cell in cells] == person.sources())
        assert on_disk(file)[1]["metadata"]["linda"] == {"run": "r"}
        await live.edit_notebook("a.ipynb", [ReplaceSource("a", "a = 2", "a = 1", {})])
        await person.sees(lambda: "linda" not in person.cell("a")["metadata"])


@pytest.mark.parametrize(
    "bad",
    [
        ReplaceSource("b", "older", "x"),
        DeleteCell("none", "x"),
        InsertCell(9, "n", "code", "x"),
        InsertCell(0, "n", "code", "half \ud83d"),
        SetOutputs("c"),
    ],
)
async def test_one_edit_that_does_not_fit_leaves_the_room_as_it_was(live, file, join, bad):
    async with join() as person:
        before = person.notebook.get()
        with pytest.raises((StaleRevision, NotFound, InvalidInput)):
            await live.edit_notebook("a.ipynb", [InsertCell(0, "m", "code", "m"), DeleteCell("a", "a = 1"), bad])
        await asyncio.sleep(0.2)
        assert person.notebook.get() == before


async def test_a_kept_cell_comes_back_with_its_outputs(live, file, join):
    async with join() as person:
        whole = person.cell("b").to_py()
        kept = await live.keep_cells("a.ipynb", ["b"])
        await live.edit_notebook("a.ipynb", [DeleteCell("b", "def f():\n    return 1\n")])
        await live.edit_notebook("a.ipynb", [InsertCell(1, "b", "code", "def f():\n    return 1\n", kept=kept)])
        await person.sees(lambda: [cell["id"] for cell in person.notebook.ycells] == ["a", "b", "c"])
        assert person.cell("b").to_py() == whole
        await live.edit_notebook("a.ipynb", [SetOutputs("b")])
        await person.sees(lambda: len(person.cell("b")["outputs"]) == 0)
        await live.edit_notebook("a.ipynb", [SetOutputs("b", kept)])
        await person.sees(lambda: person.cell("b").to_py() == whole)
        await live.edit_notebook("a.ipynb", [ChangeType("b", "def f():\n    return 1\n", "raw")])
        await live.edit_notebook("a.ipynb", [ChangeType("b", "def f():\n    return 1\n", "code", kept)])
        await person.sees(lambda: person.cell("b").to_py() == whole)


async def test_an_insert_that_is_tried_twice_happens_once(live, file, join):
    async with join() as person:
        for _ in range(2):
            await live.edit_notebook("a.ipynb", [InsertCell(-1, "n", "code", "n")])
        await person.sees(lambda: person.sources().count("n") == 1)
        assert (await live.read_notebook("a.ipynb")).content["cells"][-1]["id"] == "n"


async def test_nothing_is_lost_while_somebody_types_in_the_same_cell(live, file, join):
    """Every key of the person and every edit of hers is there in the end, in the room and in the file."""
    keys = "the quick brown fox jumps over the lazy dog " * 2
    async with join() as person:

        async def type_all():
            for key in keys:
                person.types("b", key)
                await asyncio.sleep(0.03)

        typing = asyncio.ensure_future(type_all())
        done, refused = 0, 0
        while not typing.done():
            now = await live_source(live, "b")
            new = now.replace("def f():\n", f"def f():\n    # 第 {done} 行\n", 1)
            await asyncio.sleep(0.003)  # as long as a thought takes: the person has typed since
            try:
                await live.edit_notebook("a.ipynb", [ReplaceSource("b", now, new)])
                done += 1
            except StaleRevision:
                refused += 1
            await live.edit_notebook("a.ipynb", [InsertCell(0, f"n{done}x{refused}", "code", "n")])
        await typing
        assert done > 2
        await person.sees(lambda: all(f"# 第 {n} 行\n" in str(person.cell("b")["source"]) for n in range(done)))
        text = str(person.cell("b")["source"])
        assert text.endswith("    return 1\n" + keys)
        assert len(text.splitlines()) == done + 3
        await person.sees(lambda: person.sources().count("n") == done + refused)
        await saved(file, lambda cells: [source(cell) for cell in cells] == person.sources())


async def test_a_change_that_is_under_way_merges_with_hers(live, file, join):
    """Typed before her edit came, arrived after it: both are there, and the other line's cursor stays."""
    async with join() as person:
        ytext = person.cell("b")["source"]
        cursor = ytext.sticky_index(len("def f():\n    return"), -1) if hasattr(ytext, "sticky_index") else None
        edit = asyncio.ensure_future(
            live.edit_notebook(
                "a.ipynb", [ReplaceSource("b", "def f():\n    return 1\n", "def 函数():\n    return 1\n")]
            )
        )
        person.types("b", "0", at=len("def f():\n    return 1"))  # not sent yet
        await edit
        await person.sees(lambda: "函数" in str(person.cell("b")["source"]))
        assert str(person.cell("b")["source"]) == "def 函数():\n    return 10\n"
        if cursor is not None:
            assert cursor.get_index() == len("def 函数():\n    return".encode())
        await saved(file, lambda cells: source(cells[1]) == "def 函数():\n    return 10\n")


# ---- rooms that come and go ------------------------------------------------------------------------


async def test_a_room_goes_before_a_tab_that_has_it(live, file, join, browsers):
    tab = FakeTab(browsers)
    tab.opens("a.ipynb", json.loads(file.read_text()))
    async with join():
        assert (await live.edit_notebook("a.ipynb", [ReplaceSource("a", "a = 1", "a = 2")])).route == "shared"
    assert tab.frames == []


async def test_a_room_that_everybody_left_has_saved_before_the_edit_is_called_done(live, file, join):
    async with join():
        pass
    await asyncio.sleep(1.2)  # the room goes 1.5 s after the last, and drops what it has not saved by then
    outcome = await live.edit_notebook("a.ipynb", [ReplaceSource("a", "a = 1", "a = 2", {"run": "r"})])
    await asyncio.sleep(1.0)
    assert source(on_disk(file)[0]) == "a = 2"
    assert on_disk(file)[0]["metadata"]["linda"] == {"run": "r"}
    assert outcome.is_saved
    assert (await live.read_notebook("a.ipynb")).route == "file"


async def test_edits_while_people_come_and_go_all_happen_once(live, file, join):
    stop = asyncio.Event()

    async def visits():
        while not stop.is_set():
            async with join() as person:
                person.types("a", "!")
                await asyncio.sleep(0.15)
            await asyncio.sleep(0.05)

    visiting = asyncio.ensure_future(visits())
    routes = [(await live.edit_notebook("a.ipynb", [InsertCell(-1, f"n{n}", "code", f"{n}")])).route for n in range(12)]
    stop.set()
    await visiting
    assert "shared" in routes
    found = (await live.read_notebook("a.ipynb")).content["cells"]
    assert [cell["id"] for cell in found] == ["a", "b", "c", *(f"n{n}" for n in range(12))]
    await saved(file, lambda cells: [source(cell) for cell in cells] == [source(cell) for cell in found])


async def test_no_room_is_made_while_the_file_is_written(live, file, join, monkeypatch):
    """A room made between reading and writing the file would hold the old text, and put it back."""
    files = live.documents._files
    replace, joining = files.replace, []

    async def slowly(snapshot, content, **options):
        joining.append(asyncio.ensure_future(enter()))
        await asyncio.sleep(0.3)
        await replace(snapshot, content, **options)

    async def enter():
        async with join() as person:
            return person.sources()

    monkeypatch.setattr(files, "replace", slowly)
    outcome = await live.edit_notebook("a.ipynb", [ReplaceSource("a", "a = 1", "a = 2")])
    assert outcome.route == "file"
    assert (await joining[0])[0] == "a = 2"


async def test_a_room_that_still_loads_is_not_taken_for_an_empty_notebook(live, file, join, monkeypatch):
    from jupyter_server_ydoc.loaders import FileLoader

    load, go = FileLoader.load_content, asyncio.Event()

    async def slowly(self, *arguments):
        await go.wait()
        return await load(self, *arguments)

    monkeypatch.setattr(FileLoader, "load_content", slowly)
    monkeypatch.setattr(rooms, "LOADING_TIMEOUT_S", 0.5)

    async def enter():
        async with join() as person:
            return person.sources()

    entering = asyncio.ensure_future(enter())
    async with asyncio.timeout(10):
        with pytest.raises(StaleRevision, match="still loading"):
            while (await live.read_notebook("a.ipynb")).route == "file":
                await asyncio.sleep(0.01)
    go.set()
    found = await live.read_notebook("a.ipynb")
    assert (found.route, len(found.content["cells"])) == ("shared", 3)
    await entering


# ---- running ---------------------------------------------------------------------------------------


async def test_outputs_land_in_the_room_once(live, file, join):
    async with join() as person:
        outcome = await live.run_cell("a.ipynb", "a", expect="a = 1", timeout_s=60, request_id="r1")
        assert outcome.status == "ok"
        await live.edit_notebook("a.ipynb", [ReplaceSource("a", "a = 1", "print(6 * 7)")])
        outcome = await live.run_cell("a.ipynb", "a", expect="print(6 * 7)", timeout_s=60, request_id="r2")
        assert (outcome.status, outcome.note) == ("ok", "")
        await person.sees(lambda: len(person.cell("a")["outputs"]) == 1)
        output = person.cell("a")["outputs"][0]
        assert (output["output_type"], str(output["text"])) == ("stream", "42\n")
        assert person.cell("a")["execution_count"] == outcome.execution_count
        assert person.cell("a")["metadata"].get("trusted") is not True
        await saved(file, lambda cells: len(cells[0]["outputs"]) == 1)
        assert on_disk(file)[0]["execution_count"] == outcome.execution_count


async def test_a_cell_that_changed_while_it_ran_gets_no_outputs(live, file, join):
    begun, go = file.with_name("begun"), file.with_name("go")
    code = f"import pathlib, time\npathlib.Path({str(begun)!r}).touch()\n"
    code += f"while not pathlib.Path({str(go)!r}).exists():\n    time.sleep(0.01)\nprint(1)"
    async with join() as person:
        await live.edit_notebook("a.ipynb", [ReplaceSource("a", "a = 1", code)])
        running = asyncio.ensure_future(live.run_cell("a.ipynb", "a", expect=None, timeout_s=60, request_id="r1"))
        await person.sees(lambda: str(person.cell("a")["source"]) == code)
        await person.sees(begun.exists, seconds=30)
        person.types("a", " # mine")
        while await live_source(live, "a") != code + " # mine":
            await asyncio.sleep(0.01)
        go.touch()
        outcome = await running
        assert "changed while it ran" in outcome.note
        assert len(person.cell("a")["outputs"]) == 0


async def test_a_tab_that_has_it_runs_it_once_it_has_caught_up(live, file, join, browsers):
    """The shared document is ahead of the tab for a moment: the tab's refusal is no failure."""
    tab = FakeTab(browsers)
    tab.opens("a.ipynb", json.loads(file.read_text()))
    async with join():
        await live.edit_notebook("a.ipynb", [ReplaceSource("a", "a = 1", "a = 2")])
        running = asyncio.ensure_future(live.run_cell("a.ipynb", "a", expect="a = 2", timeout_s=10, request_id="r"))
        while not tab.frames:
            await asyncio.sleep(0.01)
        tab.cell("a.ipynb", "a")["source"] = "a = 2"
        assert ((await running).status, (await running).route) == ("ok", "browser")
