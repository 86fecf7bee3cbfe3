"""Starting, restarting and interrupting real kernels, and running code in them."""

from __future__ import annotations

import asyncio
import json
import time

import pytest

from jupyter_linda.errors import KernelUnavailable, ToolFailed, ToolRetry
from jupyter_linda.tools.filtering import filter_rows
from jupyter_linda.tools.kernel import list_kernels, list_variables
from jupyter_linda.tools.kernel_control import interrupt_kernel, restart_kernel, run_code, start_kernel
from jupyter_linda.tools.notebook_runs import run_cell
from jupyter_linda.tools.profiling import profile_dataframe
from tests.fakes.notebooks import code_cell, notebook


@pytest.fixture
def kernels(server_put, server_bench):
    """Calls tools on a notebook of two cells."""
    server_put("sub/a.ipynb", notebook(code_cell("x = 1", "c1"), code_cell("import time; time.sleep(60)", "c2")))

    class Bench:
        bench = server_bench

        async def call(self, tool, **arguments):
            return await server_bench.call(tool, path="sub/a.ipynb", **arguments)

        async def preview(self, tool, **arguments):
            wish = tool.parse(json.dumps({"path": "sub/a.ipynb", **arguments}))
            return await tool.preview(wish, server_bench.context())

    return Bench()


async def test_a_kernel_is_started_once_in_the_notebooks_folder(kernels):
    result = await kernels.call(start_kernel)
    assert (result.data["kernel"], result.data["language"], result.data["state"]) == ("python3", "python", "idle")
    place = await kernels.call(run_code, code="import os; print(os.path.basename(os.getcwd()))")
    assert place.data["text"] == "sub"
    with pytest.raises(ToolRetry, match="running kernel already"):
        await kernels.call(start_kernel)
    assert len((await kernels.bench.call(list_kernels)).data["kernels"]) == 1


async def test_an_unknown_kernel_and_a_missing_one_are_told(kernels):
    with pytest.raises(KernelUnavailable, match="'cobol'"):
        await kernels.call(start_kernel, kernel="cobol")
    for tool, wish in ((restart_kernel, {}), (interrupt_kernel, {}), (run_code, {"code": "1"})):
        with pytest.raises(KernelUnavailable, match="no running kernel"):
            await kernels.call(tool, **wish)


async def test_a_restart_loses_the_variables_and_the_kernel_works_on(kernels):
    await kernels.call(run_cell, cell_id="c1")
    assert (await kernels.call(list_variables)).data["variables"]
    assert "all its variables are lost" in (await kernels.preview(restart_kernel)).sentence
    result = await kernels.call(restart_kernel)
    assert result.data["state"] == "idle"
    assert (await kernels.call(list_variables)).data["variables"] == []
    assert (await kernels.call(run_code, code="x = 2\nx")).data["execution_count"] == 1


async def test_a_restart_ends_a_cell_that_runs(kernels):
    await kernels.call(run_cell, cell_id="c1")
    running = asyncio.ensure_future(kernels.call(run_cell, cell_id="c2"))
    link = await kernels.bench.live.kernels.find("sub/a.ipynb")
    while not link.is_busy:
        await asyncio.sleep(0.02)
    await kernels.call(restart_kernel)
    assert (await running).data["status"] == "kernel_died"
    assert (await kernels.call(run_code, code="1 + 1")).data["text"] == "2"


async def test_an_interrupt_ends_the_cell_and_keeps_the_variables(kernels):
    await kernels.call(run_cell, cell_id="c1")
    running = asyncio.ensure_future(kernels.call(run_cell, cell_id="c2"))
    link = await kernels.bench.live.kernels.find("sub/a.ipynb")
    while not link.is_busy:
        await asyncio.sleep(0.02)
    result = await kernels.call(interrupt_kernel)
    assert result.data["state"] == "idle"
    assert (await running).data["status"] == "interrupted"
    assert (await kernels.call(run_code, code="x")).data["text"] == "1"


async def test_code_runs_without_a_cell_and_its_outputs_are_bounded(kernels, jp_root_dir):
    before = (jp_root_dir / "sub/a.ipynb").read_bytes()
    await kernels.call(run_cell, cell_id="c1")
    stored = (jp_root_dir / "sub/a.ipynb").read_bytes()
    result = await kernels.call(run_code, code="y = x + 1\nprint('x' * 100000)\ny")
    assert result.data["status"] == "ok"
    assert len(result.text) < 20_000
    assert result.data["text"].endswith("2")
    failed = await kernels.call(run_code, code="1/0")
    assert (failed.data["status"], failed.data["error"]) == ("error", "ZeroDivisionError: division by zero")
    late = await kernels.call(run_code, code="import time; time.sleep(30)", timeout_s=0.5)
    assert late.data["status"] == "timeout"
    assert (jp_root_dir / "sub/a.ipynb").read_bytes() == stored
    assert before != stored


async def test_the_question_shows_the_code_and_what_it_does(kernels):
    preview = await kernels.preview(run_code, code="import shutil; shutil.rmtree('data')")
    assert preview.code == "import shutil; shutil.rmtree('data')"
    assert preview.findings == ("deletes files",)
    kernels.bench.answer = None
    for tool, wish in ((run_code, {"code": "1"}), (start_kernel, {}), (restart_kernel, {}), (interrupt_kernel, {})):
        with pytest.raises(PermissionError, match="needs the user's answer"):
            await kernels.call(tool, **wish)


async def test_frames_in_busy_and_foreign_kernels_and_without_libraries(kernels):
    await kernels.call(start_kernel)
    code = "import sys\nrecords = [{'a': 1}, {'a': 2}]\nsys.modules['matplotlib'] = None"
    await kernels.call(run_code, code=code)
    rows = await kernels.call(filter_rows, name="records", where=[{"column": "a", "op": ">", "value": 1}])
    assert rows.data["rows"] == [[1, 2]], "no pandas is needed"
    assert (await kernels.call(run_code, code="'pandas' in sys.modules")).data["text"] == "False"
    link = await kernels.bench.live.kernels.find("sub/a.ipynb")
    begun = asyncio.Event()
    link.send_execute(
        "import time\nprint('go', flush=True)\ntime.sleep(3)",
        lambda kind, _content: kind == "stream" and begun.set(), silent=False, store_history=True,
    )  # fmt: skip
    await asyncio.wait_for(begun.wait(), 30)
    started = time.monotonic()
    assert (await kernels.call(profile_dataframe, name="records")).data["rows"] == 2, "through a subshell"
    assert time.monotonic() - started < 2
    link.info = {**link.info, "supported_features": []}
    started = time.monotonic()
    with pytest.raises(KernelUnavailable, match="busy"):
        await kernels.call(profile_dataframe, name="records")
    assert time.monotonic() - started < 2
    link.info = {**link.info, "language_info": {"name": "R"}}
    with pytest.raises(ToolFailed, match="speaks r"):
        await kernels.call(profile_dataframe, name="records")
