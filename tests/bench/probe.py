"""Looks into a kernel: variables and frames, idle and busy, small and large."""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.multikernelmanager import AsyncMultiKernelManager

from jupyter_linda.live.browser import Browsers
from jupyter_linda.live.server import LiveServer
from jupyter_linda.storage.files import Results
from jupyter_linda.tools.aggregating import aggregate
from jupyter_linda.tools.dataframe import describe_dataframe
from jupyter_linda.tools.filtering import filter_rows
from jupyter_linda.tools.kernel import list_variables
from jupyter_linda.tools.profiling import profile_dataframe
from tests.bench.report import Report, main, percentile
from tests.fakes.tool_bench import ToolBench

COUNTS = (10, 100, 1_000, 10_000)
SETUP = """
import numpy as np, pandas as pd
rng = np.random.default_rng(0)
small = pd.DataFrame({'k': list('abcd') * 250, 'x': rng.random(1000)})
long = pd.DataFrame(rng.random((10_000_000, 8)), columns=[f'c{n}' for n in range(8)])
long['whole'] = rng.integers(0, 1000, len(long))
long['text'] = np.array(['north', 'south', 'east'])[rng.integers(0, 3, len(long))]
wide = pd.DataFrame(rng.random((10_000, 2_000)))
"""


def measure(chosen: argparse.Namespace) -> Report:
    """One real kernel; every figure is through the tool, its judgement and its text included."""
    report = Report("probe")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        asyncio.run(_measure(report, Path(folder), chosen.times))
    return report


class _OneSession:
    """The session of one notebook, as a Jupyter server would list it."""

    def __init__(self, kernel_id: str) -> None:
        self.kernel_id = kernel_id

    async def list_sessions(self) -> list[dict[str, object]]:
        return [{"path": "a.ipynb", "kernel": {"id": self.kernel_id, "name": "python3", "execution_state": "idle"}}]


async def _measure(report: Report, folder: Path, times: int) -> None:
    kernels = AsyncMultiKernelManager(kernel_spec_manager=KernelSpecManager())
    kernel_id = await kernels.start_kernel(kernel_name="python3", cwd=str(folder), stderr=subprocess.DEVNULL)
    root = folder / "root"
    root.mkdir()
    app = SimpleNamespace(
        root_dir=str(root), contents_manager=None, session_manager=_OneSession(kernel_id), kernel_manager=kernels
    )
    live = _live(app, folder)
    bench = ToolBench(root, live=live)
    try:
        await live.run_code("a.ipynb", SETUP, timeout_s=300)
        await _variables(report, bench, live, times)
        await _frames(report, bench, times)
    finally:
        await live.close()
        await kernels.shutdown_all(now=True)


def _live(app: SimpleNamespace, folder: Path) -> LiveServer:
    from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
    from traitlets.config import Config

    config = Config({"NotebookNotary": {"db_file": ":memory:", "secret": b"bench"}})
    app.contents_manager = AsyncLargeFileManager(root_dir=app.root_dir, config=config)
    return LiveServer(app, Browsers(), Results(folder / "kept"))


async def _repeat(bench: ToolBench, tool: Any, times: int, **wish: Any) -> list[float]:
    """Milliseconds of each call; the first one warms up and is left out."""
    found = []
    for turn in range(times + 1):
        started = time.perf_counter()
        await bench.call(tool, path="a.ipynb", **wish)
        if turn:
            found.append((time.perf_counter() - started) * 1000)
    return found


def _add(report: Report, name: str, values: list[float], **goal: float) -> None:
    report.add(f"{name}, p50", percentile(values, 0.5), "ms")
    report.add(f"{name}, p95", percentile(values, 0.95), "ms", **goal)


async def _busy(live: LiveServer, work: Callable[[], Awaitable[list[float]]]) -> list[float]:
    """The same while a cell runs."""
    link = await live.kernels.find("a.ipynb")
    assert link is not None
    begun = asyncio.Event()
    msg_id, _ = link.send_execute(
        "import time\nprint('go', flush=True)\ntime.sleep(600)",
        lambda kind, _content: kind == "stream" and begun.set(),
        silent=False,
        store_history=True,
    )
    await asyncio.wait_for(begun.wait(), 30)
    try:
        return await work()
    finally:
        await link.interrupt()
        await link.wait_idle(10)
        link.forget(msg_id)


async def _both(
    report: Report, bench: ToolBench, label: str, times: int, tool: Any, *, goals: tuple[float, float], **wish: Any
) -> None:
    """Idle and busy."""

    async def look() -> list[float]:
        return await _repeat(bench, tool, times, **wish)

    _add(report, f"{label}, idle", await look(), at_most=goals[0])
    _add(report, f"{label}, busy", await _busy(bench.live, look), at_most=goals[1])


async def _variables(report: Report, bench: ToolBench, live: LiveServer, times: int) -> None:
    made = 0
    for count in COUNTS:
        code = f"for n in range({made}, {count}): globals()[f'v{{n:05d}}'] = n if n % 3 else 'text ' * 20"
        await live.run_code("a.ipynb", code, timeout_s=60)
        made = count
        await _both(report, bench, f"{count} variables", times, list_variables, goals=(100, 150))
    code = "for n in list(globals()):\n    if n[:1] == 'v' and n[1:].isdigit(): del globals()[n]"
    await live.run_code("a.ipynb", code, timeout_s=60)


async def _frames(report: Report, bench: ToolBench, times: int) -> None:
    await _both(report, bench, "1,000 x 2 described", times, describe_dataframe, goals=(100, 150), name="small")
    few = max(3, times // 5)
    for name, size, column in (("long", "10 M x 10", "c0"), ("wide", "10,000 x 2,000", "0")):
        await _both(report, bench, f"{size}, schema", few, profile_dataframe, goals=(200, 200), name=name)
        wish = {"name": name, "detail": "statistics"}
        await _both(report, bench, f"{size}, statistics", few, profile_dataframe, goals=(2000, 2000), **wish)
        where = [{"column": column, "op": ">", "value": 0.99}]
        _add(report, f"{size}, rows filtered", await _repeat(bench, filter_rows, few, name=name, where=where))
    by = {"name": "long", "group_by": ["text"], "aggregations": [{"column": "whole", "function": "sum"}]}
    _add(report, "10 M x 10, sum by text", await _repeat(bench, aggregate, few, **by))
    result = await bench.call(profile_dataframe, path="a.ipynb", name="wide", detail="statistics")
    report.add("10,000 x 2,000, characters told", len(result.text), "", at_most=20_000)
    report.add("10,000 x 2,000, bytes for programs", len(json.dumps(result.data)), "", at_most=100_000)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--times", type=int, default=50)


if __name__ == "__main__":
    raise SystemExit(main(measure, _options))
