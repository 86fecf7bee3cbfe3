"""JupyterLab without and with Linda, interleaved: time to the first 200, memory, and with the panel open."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import psutil
from playwright.sync_api import sync_playwright

from tests.bench.report import Report, main, median
from tests.ui.lab import CHROMIUM, CHROMIUM_OPTIONS, Lab

SETTLE_S = 4.0
"""Memory is read this long after the start, when the imports after the start are over."""


def measure(chosen: argparse.Namespace) -> Report:
    """Start pairs of servers, one without and one with Linda."""
    times: dict[bool, list[float]] = {False: [], True: []}
    bare: dict[bool, list[float]] = {False: [], True: []}
    opened: dict[bool, list[float]] = {False: [], True: []}
    workers: list[float] = []
    _once(with_linda=True)  # byte code and disk cache
    _once(with_linda=False)
    for pair in range(chosen.pairs):
        for with_linda in (False, True) if pair % 2 == 0 else (True, False):
            seconds, megabytes, with_page, worker = _once(with_linda=with_linda, open_page=pair < chosen.page_pairs)
            times[with_linda].append(seconds)
            bare[with_linda].append(megabytes)
            if with_page:
                opened[with_linda].append(with_page)
            if with_linda and worker:
                workers.append(worker)
    report = Report("startup")
    report.add(
        "server start to first 200, median", median(times[True]), "s", baseline=median(times[False]), at_most=0.3
    )
    report.add("server memory (RSS), bare, median", median(bare[True]), "MB", baseline=median(bare[False]), at_most=25)
    if opened[True]:
        report.add(
            "server memory (RSS), panel open, median",
            median(opened[True]),
            "MB",
            baseline=median(opened[False]),
            at_most=60,
        )
    report.add("pairs", chosen.pairs, "")
    if workers:
        report.add("worker memory while idle (RSS), if it was started", median(workers), "MB")
    report.add("panel's start-up JS and CSS, minified", _bundle_kb(), "kB", at_most=400)
    return report


def _once(*, with_linda: bool, open_page: bool = False) -> tuple[float, float, float, float]:
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(Path(folder), with_linda=with_linda)
        started = time.perf_counter()
        lab.start()
        seconds = time.perf_counter() - started
        try:
            assert lab.process is not None
            process = psutil.Process(lab.process.pid)
            time.sleep(SETTLE_S)
            megabytes = process.memory_info().rss / 1e6
            with_page, worker = _with_page(lab, process, with_linda=with_linda) if open_page else (0.0, 0.0)
        finally:
            lab.stop()
    return seconds, megabytes, with_page, worker


def _with_page(lab: Lab, process: psutil.Process, *, with_linda: bool) -> tuple[float, float]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_OPTIONS)
        page = browser.new_page(viewport={"width": 1400, "height": 850})
        page.goto(f"{lab.url}lab?token={lab.token}")
        page.wait_for_selector(".jp-Launcher", timeout=60_000)
        if with_linda:
            page.click('[data-id="linda-panel"]')
            page.wait_for_selector("#linda-panel button", timeout=30_000)
        time.sleep(SETTLE_S)
        megabytes = process.memory_info().rss / 1e6
        worker = (
            sum(
                child.memory_info().rss
                for child in process.children()
                if "jupyter_linda.worker" in " ".join(child.cmdline())
            )
            / 1e6
        )
        browser.close()
    return megabytes, worker


def _bundle_kb() -> float:
    """Everything JupyterLab fetches of the panel at its start, as the production build has it."""
    static = (
        Path(sys.modules["jupyter_linda"].__file__).parent / "labextension" / "static"
        if "jupyter_linda" in sys.modules
        else None
    )
    if static is None:
        import jupyter_linda

        static = Path(jupyter_linda.__file__).parent / "labextension" / "static"
    names = [
        file
        for file in static.iterdir()
        if file.suffix in (".js", ".css") and "views" not in file.name and not file.name.endswith("LICENSE.txt")
    ]
    return sum(file.stat().st_size for file in names) / 1000


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--page-pairs", type=int, default=3)


if __name__ == "__main__":
    raise SystemExit(main(measure, _options))
