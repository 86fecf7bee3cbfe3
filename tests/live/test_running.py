"""Running cells in real kernels."""

from __future__ import annotations

import asyncio
import json
import time

import pytest

from jupyter_linda.errors import InvalidInput, KernelUnavailable, StaleRevision, ToolFailed
from jupyter_linda.live.outputs import OutputCollector
from jupyter_linda.live.running import Execution
from tests.fakes.browser_tab import FakeTab
from tests.fakes.notebooks import code_cell, notebook


def run(live, path="a.ipynb", cell_id="c1", **options):
    values = {"expect": None, "timeout_s": 60.0, "request_id": "call_1", **options}
    return live.run_cell(path, cell_id, **values)


async def test_a_closed_notebook_runs_in_its_folder_and_keeps_the_outputs(live, put):
    file = put(
        "sub/a.ipynb", notebook(code_cell(["import os\n", "print(os.path.basename(os.getcwd()))\n", "6*7"], "c1"))
    )
    outcome = await run(live, "sub/a.ipynb")
    assert outcome.status == "ok"
    assert outcome.execution_count == 1
    cell = json.loads(file.read_text())["cells"][0]
    assert cell["execution_count"] == 1
    assert cell["outputs"] == [
        {"name": "stdout", "output_type": "stream", "text": ["sub\n"]},
        {"data": {"text/plain": ["42"]}, "execution_count": 1, "metadata": {}, "output_type": "execute_result"},
    ]


async def test_the_running_kernel_of_a_notebook_is_adopted(live, put, jp_serverapp):
    put("a.ipynb", notebook(code_cell("x = 1", "c1"), code_cell("print(x)", "c2")))
    session = await jp_serverapp.session_manager.create_session(path="a.ipynb", name="a.ipynb", type="notebook")
    await run(live)
    assert (await run(live, cell_id="c2")).outputs[0]["text"] == "1\n"
    assert [kernel.kernel_id for kernel in await live.list_kernels()] == [session["kernel"]["id"]]


async def test_a_stale_busy_of_the_server_does_not_hold_a_run_back(live, put, jp_serverapp):
    """A kernel that died busy stays "busy" on the server's side when its restart is not heard."""
    put("a.ipynb", notebook(code_cell("print('ran')", "c1")))
    session = await jp_serverapp.session_manager.create_session(path="a.ipynb", name="a.ipynb", type="notebook")
    manager = jp_serverapp.kernel_manager.get_kernel(session["kernel"]["id"])
    await asyncio.sleep(2)  # its own start-up statuses have come
    manager.execution_state = "busy"
    outcome = await run(live)
    assert (outcome.status, outcome.outputs[0]["text"] if outcome.outputs else "") == ("ok", "ran\n")


async def test_an_answer_that_comes_between_two_requests_is_heard(live, put):
    """Sending swallowed the signal of the answer that was there already: runs hung until their time was up."""
    put("a.ipynb", notebook(code_cell("1", "c1")))
    await run(live)
    link = await live.kernels.find("a.ipynb")
    for _ in range(5):
        first, answer = link.send_execute("1", None, silent=True, store_history=False)
        time.sleep(0.2)  # the answer comes while this loop does not look
        second, other = link.send_execute("import time; time.sleep(60)", None, silent=True, store_history=False)
        await asyncio.wait([answer], timeout=15)
        assert answer.done()
        assert not other.done()
        await link.stop(second)
        await asyncio.wait_for(other, 15)
        link.forget(first)
        link.forget(second)


async def test_outputs_are_replaced_not_appended(live, put):
    file = put("a.ipynb", notebook(code_cell("print(1)", "c1")))
    await run(live)
    await run(live)
    cell = json.loads(file.read_text())["cells"][0]
    assert [output["text"] for output in cell["outputs"]] == ["1\n"]
    assert cell["execution_count"] == 2


async def test_streams_merge_displays_update_and_clears_clear(live, put):
    source = (
        "import sys\nfrom IPython.display import display, clear_output\nprint('gone')\nclear_output(wait=True)\n"
        "for i in range(3): print(i, flush=True)\nh = display('a', display_id=True)\nh.update('b')\n"
        "print('e', file=sys.stderr)"
    )
    put("a.ipynb", notebook(code_cell(source, "c1")))
    outputs = (await run(live)).outputs
    assert [output["output_type"] for output in outputs] == ["stream", "display_data", "stream"]
    assert outputs[0]["text"] == "0\n1\n2\n"
    assert outputs[1]["data"]["text/plain"] == "'b'"
    assert outputs[2]["name"] == "stderr"


async def test_an_error_is_reported_with_its_traceback(live, put):
    put("a.ipynb", notebook(code_cell("1/0", "c1")))
    outcome = await run(live)
    assert outcome.status == "error"
    assert outcome.outputs[0]["ename"] == "ZeroDivisionError"


async def test_a_cell_that_changed_since_it_was_read_is_not_run(live, put):
    put("a.ipynb", notebook(code_cell("x = 2", "c1")))
    with pytest.raises(StaleRevision):
        await run(live, expect="x = 1")
    assert list(await live.list_kernels()) == []


async def test_only_code_cells_run(live, put):
    put("a.ipynb", notebook({"cell_type": "markdown", "id": "m", "metadata": {}, "source": "x"}))
    with pytest.raises(InvalidInput, match="not a code cell"):
        await run(live, cell_id="m")


async def test_an_unknown_kernel_is_named_with_those_there_are(live, put):
    content = notebook(code_cell("1", "c1"))
    content["metadata"]["kernelspec"]["name"] = "julia-9"
    put("a.ipynb", content)
    with pytest.raises(KernelUnavailable, match=r"'julia-9'.*installed: .*python3"):
        await run(live)


async def test_progress_is_told_while_it_runs(live, put):
    put(
        "a.ipynb",
        notebook(code_cell("import time\nfor i in range(8):\n    print(i, flush=True)\n    time.sleep(0.1)", "c1")),
    )
    told = []
    await run(live, on_progress=told.append)
    assert len(told) >= 2
    assert told[0].startswith("0")


async def test_cancelling_interrupts_the_cell_that_is_ours(live, put):
    put(
        "a.ipynb",
        notebook(code_cell("import time\nprint('go', flush=True)\ntime.sleep(60)", "c1"), code_cell("1", "c2")),
    )
    begun = asyncio.Event()
    task = asyncio.ensure_future(run(live, on_progress=lambda _text: begun.set()))
    await asyncio.wait_for(begun.wait(), 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await run(live, cell_id="c2")).status == "ok"


async def test_a_stop_whose_interrupt_is_lost_is_repeated(live, put):
    """An interrupt that comes while the kernel only begins is ignored there."""
    put(
        "a.ipynb",
        notebook(code_cell("1", "c1"), code_cell("import time\nprint('go', flush=True)\ntime.sleep(60)", "c2")),
    )
    await run(live)
    link = await live.kernels.find("a.ipynb")
    interrupts, interrupt = [], link.interrupt

    async def lose_the_first():
        interrupts.append(1)
        if len(interrupts) > 1:
            await interrupt()

    link.interrupt = lose_the_first
    begun = asyncio.Event()
    task = asyncio.ensure_future(run(live, cell_id="c2", on_progress=lambda _text: begun.set()))
    await asyncio.wait_for(begun.wait(), 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await link.wait_idle(10.0)
    assert len(interrupts) == 2


async def test_a_busy_kernel_gets_nothing_sent_and_cancelling_leaves_the_other_cell_alone(live, put):
    put("a.ipynb", notebook(code_cell("x = 1", "c1")))
    await run(live)
    link = await live.kernels.find("a.ipynb")
    begun = asyncio.Event()
    code = "import time\nprint('x', flush=True)\ntime.sleep(3.5)\ndone = 1"
    theirs, reply = link.send_execute(
        code, lambda kind, _content: kind == "stream" and begun.set(), silent=False, store_history=False
    )
    await asyncio.wait_for(begun.wait(), 30)
    outcome = await run(live)
    assert outcome.status == "busy"
    task = asyncio.ensure_future(run(live))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await reply)["status"] == "ok"
    link.forget(theirs)


async def test_a_source_that_changed_while_it_ran_keeps_its_own_outputs(live, put):
    file = put("a.ipynb", notebook(code_cell("import time\nprint('go', flush=True)\ntime.sleep(1)", "c1")))

    def change(_text):
        file.write_text(file.read_text().replace("time.sleep(1)", "time.sleep(2)"))

    outcome = await run(live, on_progress=change)
    assert outcome.status == "ok"
    assert "were not stored" in outcome.note
    assert json.loads(file.read_text())["cells"][0]["outputs"] == []


# ---- in a browser tab ------------------------------------------------------------------------------


@pytest.fixture
def tab(browsers, put):
    content = notebook(code_cell("40+2", "c1"), code_cell("1/0", "c2", metadata={"tags": ["raises-exception"]}))
    put("a.ipynb", content)
    tab = FakeTab(browsers)
    tab.opens("a.ipynb", content)
    return tab


async def test_an_open_notebook_runs_in_its_tab(live, tab):
    told = []
    outcome = await run(live, on_progress=told.append)
    assert (outcome.status, outcome.route, outcome.execution_count) == ("ok", "browser", 1)
    assert outcome.outputs[0]["text"] == "4\n2"
    assert told == ["working"]
    assert tab.frames[-1]["params"] == {"path": "a.ipynb", "cell_id": "c1", "expect": "40+2"}
    assert list(await live.list_kernels()) == []


async def test_what_the_tab_says_of_a_run_is_passed_on(live, tab):
    tab.run_status = "kernel_died"
    assert "variables are lost" in (await run(live)).note
    tab.run_status = "error"
    assert (await run(live)).status == "error"
    assert (await run(live, cell_id="c2")).status == "ok"


async def never(_tab, _frame):
    await asyncio.Event().wait()


async def test_a_run_that_takes_too_long_is_cancelled_in_its_tab(live, tab, monkeypatch):
    cancelled = asyncio.Event()

    async def until_cancelled(tab, frame):
        receive = tab.browsers._tabs[tab.client_id].send

        def hear(frame):
            receive(frame)
            if frame["type"] == "cancel":
                cancelled.set()

        tab.browsers._tabs[tab.client_id].send = hear
        await cancelled.wait()

    tab.on_run = until_cancelled
    tab.run_status = "interrupted"
    outcome = await run(live, timeout_s=0.1)
    assert outcome.status == "timeout"
    assert "was interrupted" in outcome.note

    monkeypatch.setattr("jupyter_linda.live.server.INTERRUPT_WAIT_S", 0.1)
    tab.on_run = never
    outcome = await run(live, timeout_s=0.1)
    assert (outcome.status, outcome.outputs) == ("timeout", [])
    for task in tab._tasks:
        task.cancel()


async def test_a_tab_that_closes_during_a_run_is_told_and_nothing_runs_twice(live, tab):
    async def close(tab, _frame):
        tab.close()

    tab.on_run = close
    with pytest.raises(ToolFailed) as caught:
        await run(live)
    assert caught.value.kind_of_failure == "tab_closed"
    assert [frame["operation"] for frame in tab.frames if frame["type"] == "request"].count("run_cell") == 1
    assert list(await live.list_kernels()) == []


async def test_stopping_a_run_tells_its_tab(live, tab):
    tab.on_run = never
    begun = asyncio.Event()
    task = asyncio.ensure_future(run(live, on_progress=lambda _text: begun.set()))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert tab.frames[-1]["type"] == "cancel"
    for waiting in tab._tasks:
        waiting.cancel()


async def test_documents_are_opened_in_the_newest_tab(live, browsers):
    assert await live.open_document("a.ipynb") is False
    old, new = FakeTab(browsers, "old"), FakeTab(browsers, "new")
    assert await live.open_document("a.ipynb", cell_id="c1") is True
    assert (old.opened, new.opened) == ([], [("a.ipynb", "c1")])


async def test_open_notebooks_are_listed_the_active_one_first(live, browsers):
    old, new = FakeTab(browsers, "old"), FakeTab(browsers, "new")
    old.opens("a.ipynb", notebook())
    new.opens("a.ipynb", notebook(), active=False)
    new.opens("b.ipynb", notebook())
    listed = await live.list_notebooks()
    seen = [(entry["path"], entry["active"], entry["clients"]) for entry in listed]
    assert seen == [("b.ipynb", True, 1), ("a.ipynb", False, 2)]


class SlowToTell:
    """A kernel whose last outputs and idle status come a while after its reply."""

    def __init__(self):
        self.died = asyncio.Event()
        self.interrupts = 0

    def send_execute(self, _code, hear, **_options):
        reply = asyncio.get_running_loop().create_future()
        reply.set_result({"status": "ok", "execution_count": 4})
        self.telling = asyncio.ensure_future(self._tell(hear))
        return "m1", reply

    async def _tell(self, hear):
        for text in "abc":
            await asyncio.sleep(0.1)
            hear("stream", {"name": "stdout", "text": text})
        hear("status", {"execution_state": "idle"})

    def is_running(self, _msg_id):
        return True

    async def interrupt(self):
        self.interrupts += 1

    def forget(self, _msg_id):
        pass


async def test_time_that_is_up_after_the_code_ended_interrupts_nothing_else():
    """Outputs were still on their way: the interrupt would have hit the cell that the person ran next."""
    link, collector = SlowToTell(), OutputCollector(1000)
    status, note = await Execution(link, collector).run("x", timeout_s=0.15, stop_on_error=True)
    await link.telling
    assert (status, note, link.interrupts) == ("ok", "", 0)
    assert collector.outputs()[0]["text"] == "abc"
