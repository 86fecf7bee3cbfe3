"""Cases KE-01, 03, 04, 07 and 10, through the tools, with real kernels."""

from __future__ import annotations

import asyncio
import json
import os
import time

import pytest

from jupyter_linda.errors import KernelUnavailable
from jupyter_linda.tools.dataframe import describe_dataframe
from jupyter_linda.tools.notebook_runs import run_cell
from tests.fakes.notebooks import code_cell, notebook


def two_cells(first, second="print('next')", **fields):
    return notebook(code_cell(first, "c1", **fields), code_cell(second, "c2"))


async def run(bench, cell_id, **options):
    return await bench.call(run_cell, path="a.ipynb", cell_id=cell_id, **options)


async def test_ke_01_a_kernel_that_dies_is_noticed_and_comes_back(server_put, server_bench):
    server_put("a.ipynb", two_cells("import os\nos._exit(137)"))
    started = time.monotonic()
    result = await run(server_bench, "c1", timeout_s=60)
    assert time.monotonic() - started < 10
    assert result.data["status"] == "kernel_died"
    assert "variables are lost" in result.text
    after = (await run(server_bench, "c2")).data
    assert (after["status"], after["text"]) == ("ok", "next")


async def test_ke_03_a_timeout_whose_interrupt_is_ignored_says_so(server_put, server_bench):
    code = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
    server_put("a.ipynb", two_cells(code))
    started = time.monotonic()
    result = await run(server_bench, "c1", timeout_s=3)
    assert time.monotonic() - started < 10
    assert result.data["status"] == "timeout"
    assert "timed out after 3 s; the interrupt was ignored" in result.text
    spent = os.times()
    second = await run(server_bench, "c2")
    now = os.times()
    assert second.data["status"] == "busy"
    assert (now.user + now.system) - (spent.user + spent.system) < 1.0, "waiting costs no processor time"


async def test_ke_03_a_timeout_that_can_be_interrupted(server_put, server_bench):
    server_put("a.ipynb", two_cells("import time\nprint('begun', flush=True)\ntime.sleep(60)"))
    result = await run(server_bench, "c1", timeout_s=1)
    assert result.data["status"] == "timeout"
    assert "was interrupted" in result.text
    assert "begun" in result.text
    assert (await run(server_bench, "c2")).data["text"] == "next"


async def test_ke_04_a_flood_keeps_head_and_tail(server_put, server_bench, jp_fetch):
    loop = "for i in range(20000):\n    sys.stdout.write(f'{i:06d}|' * 20)\n    sys.stdout.flush()"
    code = f"import sys\n{loop}\nprint('\\nLAST')"
    file = server_put("a.ipynb", two_cells(code))
    task = asyncio.ensure_future(run(server_bench, "c1", timeout_s=100))
    slowest = 0.0
    while not task.done():
        started = time.monotonic()
        await jp_fetch("api", "status")
        slowest = max(slowest, time.monotonic() - started)
    result = await task
    assert slowest < 1.0, "the server stays responsive"
    assert result.data["status"] == "ok"
    assert len(result.text) <= 20_000
    assert "LAST" in result.text
    assert "000000|" in result.text
    stored = json.loads(file.read_text())["cells"][0]["outputs"]
    text = "".join("".join(output["text"]) for output in stored)
    assert len(text) <= 1_000_000
    assert text.rstrip().endswith("LAST")
    left_out = int(text.split("… ")[1].split(" bytes")[0])
    assert left_out > 1_500_000


async def test_ke_07_an_expected_exception_is_a_success(server_put, server_bench):
    file = server_put("a.ipynb", two_cells("1/0", "print('go on')"))
    content = json.loads(file.read_text())
    content["cells"][0]["metadata"] = {"tags": ["raises-exception"]}
    file.write_text(json.dumps(content))
    first, second = await run(server_bench, "c1"), await run(server_bench, "c2")
    assert (first.data["status"], second.data["status"]) == ("ok", "ok")
    assert first.outputs[0]["ename"] == "ZeroDivisionError"
    assert second.data["text"] == "go on"


async def busy_kernel(bench, *, subshells):
    """A kernel with a frame, where the user runs a long cell; the reply of that cell."""
    await run(bench, "c1")
    link = await bench.live.kernels.find("a.ipynb")
    if not subshells:
        link.info = {**link.info, "supported_features": []}
    begun = asyncio.Event()
    _, reply = link.send_execute(
        "import time\nprint('x', flush=True)\ntime.sleep(3)\n",
        lambda kind, _content: kind == "stream" and begun.set(),
        silent=False,
        store_history=True,
    )
    await asyncio.wait_for(begun.wait(), 30)
    return reply


FRAME = "import pandas as pd\ndf = pd.DataFrame({'a': [1, 2]})"


async def test_ke_10_a_busy_kernel_answers_from_a_subshell(server_put, server_bench):
    server_put("a.ipynb", two_cells(FRAME))
    reply = await busy_kernel(server_bench, subshells=True)
    for _ in range(3):
        started = time.monotonic()
        result = await server_bench.call(describe_dataframe, path="a.ipynb", name="df")
        assert time.monotonic() - started < 2
        assert result.data["rows"] == 2
    assert not reply.done()
    assert (await reply)["status"] == "ok"


async def test_ke_10_a_busy_kernel_without_subshells_says_so_and_nothing_is_queued(server_put, server_bench):
    server_put("a.ipynb", two_cells(FRAME, "print(len(In))"))
    reply = await busy_kernel(server_bench, subshells=False)
    for _ in range(3):
        started = time.monotonic()
        with pytest.raises(KernelUnavailable, match="busy") as caught:
            await server_bench.call(describe_dataframe, path="a.ipynb", name="df")
        assert time.monotonic() - started < 2
        assert "interrupt" in caught.value.remedy
    assert (await reply)["status"] == "ok"
    after = await run(server_bench, "c2")
    assert after.data["execution_count"] == 3
    assert after.data["text"] == "4"
