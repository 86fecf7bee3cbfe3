"""Looks into real kernels: silent, traceless, and never behind a running cell."""

from __future__ import annotations

import asyncio
import json

import pytest

from jupyter_linda.errors import KernelUnavailable, ToolFailed
from tests.fakes.notebooks import code_cell, notebook


async def start(live):
    put_and_run = live.run_cell("a.ipynb", "c1", expect=None, timeout_s=60, request_id="call_1")
    assert (await put_and_run).status == "ok"
    return await live.kernels.find("a.ipynb")


@pytest.fixture
def file(put):
    return put("a.ipynb", notebook(code_cell("x = 1", "c1"), code_cell("print(sorted(globals()))", "c2")))


async def names(live):
    return await live.run_cell("a.ipynb", "c2", expect=None, timeout_s=60, request_id="call_2")


async def test_expressions_are_evaluated_beside_the_users_names(live, file):
    await start(live)
    found = await live.evaluate(
        "a.ipynb", "def show(v):\n    return 'is ' + str(v)", {"a": "show(user['x'])", "b": "'é\\n'"}
    )
    assert found == {"a": "is 1", "b": "é\n"}


async def test_nothing_is_left_behind(live, file):
    await start(live)
    before = await names(live)
    for _ in range(3):
        await live.evaluate("a.ipynb", "leak = 1\nimport json as leaked", {"a": "str(leak)"})
    after = await names(live)
    assert after.execution_count == before.execution_count + 1
    assert "leak" not in after.outputs[0]["text"]
    assert after.outputs[0]["text"].replace("'_i3', ", "") == before.outputs[0]["text"]


async def test_an_expression_that_raises_is_told(live, file):
    await start(live)
    with pytest.raises(ToolFailed, match="a: ZeroDivisionError"):
        await live.evaluate("a.ipynb", "", {"a": "str(1/0)"})


async def test_a_kernel_of_another_language_is_left_alone(live, file):
    link = await start(live)
    link.info = {**link.info, "language_info": {"name": "R"}}
    with pytest.raises(ToolFailed, match="speaks r"):
        await live.evaluate("a.ipynb", "", {"a": "'x'"})


async def test_without_a_kernel_it_says_so(live, file):
    with pytest.raises(KernelUnavailable, match="no running kernel"):
        await live.evaluate("a.ipynb", "", {"a": "'x'"})


async def busy(link, code="import time\nprint('go', flush=True)\ntime.sleep(3)"):
    """A cell of somebody else that runs now; its reply."""
    begun = asyncio.Event()
    _, reply = link.send_execute(
        code, lambda kind, _content: kind == "stream" and begun.set(), silent=False, store_history=True
    )
    await asyncio.wait_for(begun.wait(), 30)
    return reply


async def test_a_busy_kernel_with_subshells_answers_at_once(live, file):
    link = await start(live)
    reply = await busy(link)
    found = await live.evaluate("a.ipynb", "", {"a": "str(user['x'])"}, timeout_s=2.0)
    assert found == {"a": "1"}
    assert not reply.done(), "the user's cell goes on undisturbed"
    assert (await reply)["status"] == "ok"


async def test_a_busy_kernel_without_subshells_is_not_sent_anything(live, file):
    link = await start(live)
    link.info = {**link.info, "supported_features": []}
    sent = []
    send = link._client.shell_channel.send
    reply = await busy(link)
    link._client.shell_channel.send = lambda message: (sent.append(message), send(message))
    for _ in range(3):
        with pytest.raises(KernelUnavailable, match="busy"):
            await live.evaluate("a.ipynb", "", {"a": "'x'"})
    assert sent == []
    assert (await reply)["status"] == "ok"


async def test_a_look_that_takes_too_long_is_withdrawn(live, file):
    link = await start(live)
    link.info = {**link.info, "supported_features": []}
    with pytest.raises(KernelUnavailable):
        await live.evaluate("a.ipynb", "import time\ntime.sleep(30)", {"a": "'x'"}, timeout_s=0.5)
    assert await link.wait_idle(5.0)
    assert await live.evaluate("a.ipynb", "", {"a": "str(user['x'])"}) == {"a": "1"}


ENDLESS = "import time\nwhile not user.get('go_on'): time.sleep(0.01)"


async def stuck(live, setup=ENDLESS):
    """A look that is given up, and goes on in the kernel until a cell sets `go_on`."""
    with pytest.raises(KernelUnavailable, match=r"longer than 0\.2 s.*may still run"):
        await live.evaluate("a.ipynb", setup, {"a": "'x'"}, timeout_s=0.2)


async def subshells(link):
    return (await link.ask_control("list_subshell_request", {}, timeout_s=5.0))["subshell_id"]


async def let_go(link):
    _, reply = link.send_execute("go_on = True", None, silent=True, store_history=False)
    await asyncio.wait_for(reply, 10)


async def test_a_look_that_never_ends_does_not_stand_in_the_way_of_the_next(live, file):
    link = await start(live)
    await stuck(live)
    for _ in range(3):
        assert await live.evaluate("a.ipynb", "", {"a": "str(user['x'])"}, timeout_s=5.0) == {"a": "1"}
    assert len(await subshells(link)) == 2, "one is stuck, one is used again"
    assert (await names(live)).status == "ok", "cells run beside it"


async def test_looks_that_pile_up_are_told_and_what_ended_is_used_again(live, file):
    link = await start(live)
    for _ in range(4):
        await stuck(live)
    for _ in range(2):
        with pytest.raises(KernelUnavailable, match=r"4 earlier looks.*still run in it") as caught:
            await live.evaluate("a.ipynb", "", {"a": "'x'"}, timeout_s=5.0)
        assert "restart the kernel" in caught.value.remedy
    assert len(await subshells(link)) == 4
    await let_go(link)
    while not link.subshells._free:
        await asyncio.sleep(0.01)
    assert await live.evaluate("a.ipynb", "", {"a": "'x'"}, timeout_s=5.0) == {"a": "x"}
    assert len(await subshells(link)) == 4


async def test_a_look_whose_caller_is_cancelled_does_not_stand_in_the_way_of_the_next(live, file):
    link = await start(live)
    task = asyncio.ensure_future(live.evaluate("a.ipynb", ENDLESS, {"a": "'x'"}, timeout_s=60.0))
    while not link.subshells._taken:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await live.evaluate("a.ipynb", "", {"a": "'x'"}, timeout_s=5.0) == {"a": "x"}


async def test_without_subshells_a_look_whose_caller_is_cancelled_is_interrupted(live, file):
    link = await start(live)
    link.info = {**link.info, "supported_features": []}
    task = asyncio.ensure_future(live.evaluate("a.ipynb", ENDLESS, {"a": "'x'"}, timeout_s=60.0))
    while not link.is_busy:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await link.wait_idle(5.0)


async def test_leaving_a_kernel_with_a_look_that_never_ends_leaves_its_cells_running(live, file):
    """To delete a busy subshell would make ipykernel's shell thread wait for it, deaf to every cell."""
    await start(live)
    await stuck(live)
    await live.kernels.close()
    assert (await asyncio.wait_for(names(live), 20)).status == "ok"


async def test_a_subshell_that_somebody_deleted_is_made_anew(live, file):
    link = await start(live)
    await live.evaluate("a.ipynb", "", {"a": "'x'"})
    for subshell_id in await subshells(link):
        await link.ask_control("delete_subshell_request", {"subshell_id": subshell_id}, timeout_s=5.0)
    with pytest.raises(KernelUnavailable, match="did not answer"):
        await live.evaluate("a.ipynb", "", {"a": "'x'"}, timeout_s=1.0)
    assert await live.evaluate("a.ipynb", "", {"a": "'x'"}, timeout_s=5.0) == {"a": "x"}


async def test_a_figure_that_a_running_cell_draws_stays_open(live, file):
    link = await start(live)
    code = (
        "import sys, types, time\nfrom IPython import get_ipython\n"
        "backend = types.ModuleType('matplotlib_inline.backend_inline')\n"
        "def show(): pass\nshow._draw_called = True\nbackend.show = show\n"
        "sys.modules['matplotlib_inline.backend_inline'] = backend\nflushed = []\n"
        "def flush():\n    if show._draw_called: flushed.append(1)\n"
        "get_ipython().events.register('post_execute', flush)\nprint('go', flush=True)\ntime.sleep(1.5)\n"
        "get_ipython().events.unregister('post_execute', flush)"
    )
    reply = await busy(link, code)
    found = await live.evaluate("a.ipynb", "", {"a": "str(user['x'])"})
    assert found == {"a": "1"}
    await reply
    state = "__import__('json').dumps([user['flushed'], user['show']._draw_called, sorted(vars(user['show']))])"
    flushed, drawn, attributes = json.loads((await live.evaluate("a.ipynb", "", {"a": state}))["a"])
    assert flushed == []
    assert drawn is True
    assert attributes == ["_draw_called"]


async def test_after_a_restart_it_works_again(live, file, jp_serverapp):
    link = await start(live)
    await live.evaluate("a.ipynb", "", {"a": "'x'"})
    await jp_serverapp.kernel_manager.restart_kernel(link.kernel_id)
    await asyncio.wait_for(link.died.wait(), 10)
    assert await live.evaluate("a.ipynb", "", {"a": "str('x' in user)"}, timeout_s=5.0) == {"a": "False"}
