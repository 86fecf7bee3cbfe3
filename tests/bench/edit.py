"""Edits: in an open notebook while somebody types, and in a closed one beside plain nbformat and nbclient."""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from playwright.sync_api import sync_playwright

from tests.bench.report import Report, main, median, percentile
from tests.fakes.notebooks import code_cell, notebook
from tests.fakes.provider import FakeProvider, Use, says, uses
from tests.ui.lab import CHROMIUM, CHROMIUM_OPTIONS, Lab, Page, running
from tests.ui.panel import Panel

AT_ONCE = 25
"""Calls of one reply."""
TYPED = "the quick brown fox jumps over the lazy dog 0123456789 "
PAUSE_MS = 50
"""Between two letters: somebody who types fast."""
RULES = {"version": 1, "rules": [{"effect": "auto", "action": "any", "path": ""}]}
OVER = ("done", "failed", "stopped", "interrupted")


def measure(chosen: argparse.Namespace) -> Report:
    """Whole calls: judged, written into the journal, done, read back, written down."""
    report = Report("edit")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, FakeProvider() as provider:
        lab = Lab(Path(folder))
        lab.connect(provider.base_url)
        (lab.data_dir / "rules.json").write_text(json.dumps(RULES))
        with running(lab), sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_OPTIONS)
            _open(report, lab, provider, browser, chosen.edits)
            browser.close()
            _closed(report, lab, provider, chosen.times)
    return report


# ---- in an open notebook -------------------------------------------------------------------------


def _open(report: Report, lab: Lab, provider: FakeProvider, browser: Any, edits: int) -> None:
    path = lab.root / "open.ipynb"
    path.write_text(
        json.dumps(notebook(code_cell("", "typed"), code_cell("n = 0\n\n", "both"), code_cell("n = 0", "c")))
    )
    panel = Panel(browser.new_page(), lab)
    panel.open(path)
    page = Page(lab)
    saves: list[float] = []
    panel.page.on("requestfinished", lambda request: _note_save(request, path.name, saves))
    shown: list[float] = []
    took: list[float] = []
    typed = {"typed": "", "both": ""}
    refused: list[str] = []
    for turn in range(-1, edits // AT_ONCE):  # one to warm up
        cell = "both" if turn % 4 == 3 else "typed"  # now and then in the very cell that she edits
        _focus(panel, 1 if cell == "both" else 0)
        calls = _edits(turn)
        provider.script(f"turn {turn}.", uses(*calls), says("Done."))
        chat_id = page.call("POST", "chats", {"mode": "edit"})["chat_id"]
        page.call("POST", f"chats/{chat_id}/messages", {"text": f"turn {turn}.", "client_id": f"edit-turn-{turn:04d}"})
        view = page.call("GET", f"chats/{chat_id}")
        at = 0
        while view["runs"][-1]["state"] not in OVER:
            for letter in TYPED[at % len(TYPED) :][:6]:
                panel.page.keyboard.type(letter)
                panel.page.wait_for_timeout(PAUSE_MS)
                typed[cell] += letter
                at += 1
            view = page.call("GET", f"chats/{chat_id}")
        done = [call for call in view["calls"] if call["state"] == "done"]
        refused += [call["result"] for call in view["calls"] if call["state"] != "done"]
        if turn >= 0:
            took += [_seconds(call) for call in done]
            shown += [_until_shown(call, saves) for call in done]
    sources = panel.cell_sources()
    lost = sum(len(text) - _common(text, sources[at]) for at, text in enumerate(typed.values()))
    report.add("edits in an open notebook while somebody types", len(took), "")
    report.add("refused because the cell was being typed in", sum("changed" in words for words in refused), "")
    report.add("refused for another reason", sum("changed" not in words for words in refused), "", equals=0)
    report.add("characters typed meanwhile", sum(map(len, typed.values())), "")
    report.add("characters lost", lost, "", equals=0)
    report.add("until the cell on screen has an edit, median", median(shown) * 1000, "ms")
    report.add("until the cell on screen has an edit, p95", percentile(shown, 0.95) * 1000, "ms", at_most=80)
    report.add("until it is saved and read back too, median", median(took) * 1000, "ms")
    report.add("until it is saved and read back too, p95", percentile(took, 0.95) * 1000, "ms")
    panel.page.close()
    page.close()


def _focus(panel: Panel, number: int) -> None:
    """The cursor at the end of a cell."""
    panel.page.locator(".jp-Notebook .jp-Cell").nth(number).locator(".cm-content").click()
    panel.page.keyboard.press("Control+End")


def _edits(turn: int) -> list[Use]:
    calls = []
    for step in range(AT_ONCE):
        number = (turn + 1) * AT_ONCE + step
        if step % 5 == 4:
            name, wish = "insert_cell", {"source": f"new = {number}"}
        else:
            cell_id = "both" if turn % 4 == 3 else "c"
            name, wish = "edit_cell", {"cell_id": cell_id, "old_text": " = 0", "new_text": "n = 0"}
        calls.append(Use(name, {"path": "open.ipynb", **wish}, index=step))
    return calls


def _common(typed: str, source: str) -> int:
    """How many of the typed characters are in the source, in order."""
    found = 0
    for letter in source:
        found += found < len(typed) and letter == typed[found]
    return found


def _note_save(request: Any, name: str, saves: list[float]) -> None:
    """When a save began (s since 1970): the tab first looks at the file, right after the cell has the edit."""
    if request.method == "GET" and f"/api/contents/{name}?content=0" in request.url:
        saves.append(request.timing["startTime"] / 1000)


def _until_shown(call: Any, saves: Sequence[float]) -> float:
    """From a call's begin until the save that its edit began."""
    begun = datetime.fromisoformat(call["begun_at"]).timestamp()
    return min(at for at in saves if at >= begun) - begun


def _seconds(call: Any) -> float:
    begun, done = (datetime.fromisoformat(call[name]) for name in ("begun_at", "done_at"))
    return (done - begun).total_seconds()


# ---- in a closed notebook ------------------------------------------------------------------------


def _closed(report: Report, lab: Lab, provider: FakeProvider, times: int) -> None:
    content = notebook(*(code_cell(f"x{at} = {at}", f"c{at}") for at in range(100)))
    for name in ("closed.ipynb", "plain.ipynb"):
        (lab.root / name).write_text(json.dumps(content, indent=1))
    inserts = [Use("insert_cell", {"path": "closed.ipynb", "source": f"y = {at}"}, index=at) for at in range(times)]
    runs = [Use("run_cell", {"path": "closed.ipynb", "cell_id": f"c{at}"}, index=at) for at in range(times)]
    plain_edit, plain_run = _plain_edits(lab.root / "plain.ipynb", times), _plain_runs(lab.root / "plain.ipynb", times)
    edited = _turn(lab, provider, "closed inserts", inserts)
    ran = _turn(lab, provider, "closed runs", runs)[1:]  # the first starts the kernel
    report.add("insert in a closed notebook, median", median(edited) * 1000, "ms", baseline=median(plain_edit) * 1000)
    report.add("run in a closed notebook, median", median(ran) * 1000, "ms", baseline=median(plain_run) * 1000)


def _turn(lab: Lab, provider: FakeProvider, key: str, calls: Sequence[Use]) -> list[float]:
    page = Page(lab)
    provider.script(key, uses(*calls), says("Done."))
    chat_id = page.call("POST", "chats", {"mode": "edit"})["chat_id"]
    page.call("POST", f"chats/{chat_id}/messages", {"text": key, "client_id": f"{chat_id}-1"})
    view = page.call("GET", f"chats/{chat_id}")
    while view["runs"][-1]["state"] not in OVER:
        time.sleep(0.2)
        view = page.call("GET", f"chats/{chat_id}")
    page.close()
    return [_seconds(call) for call in view["calls"] if call["state"] == "done"]


def _plain_edits(path: Path, times: int) -> list[float]:
    took = []
    for at in range(times):
        started = time.perf_counter()
        content = nbformat.read(path, as_version=4)
        content.cells.append(nbformat.v4.new_code_cell(f"y = {at}"))
        nbformat.write(content, path)
        took.append(time.perf_counter() - started)
    return took


def _plain_runs(path: Path, times: int) -> list[float]:
    content = nbformat.read(path, as_version=4)
    client = NotebookClient(content, kernel_name="python3")
    took = []
    with client.setup_kernel():
        for at in range(times):
            started = time.perf_counter()
            client.execute_cell(content.cells[at], at)
            nbformat.write(content, path)
            took.append(time.perf_counter() - started)
    return took[1:]


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--edits", type=int, default=1000)
    parser.add_argument("--times", type=int, default=30, help="edits and runs in a closed notebook")


if __name__ == "__main__":
    raise SystemExit(main(measure, _options))
