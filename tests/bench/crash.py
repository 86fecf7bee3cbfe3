"""Kills (worker, server, both) at random instants during scripted runs with side effects: nothing lost, nothing doubled."""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import nbformat
import psutil

from tests.bench.report import Report, main, median
from tests.fakes.provider import FakeProvider, Use, says, uses
from tests.ui.lab import Lab, Page

RULES = {
    "version": 1,
    "rules": [
        {"effect": "auto", "action": action, "path": "", "tools": ["*"], "note": "the bench asks nobody"}
        for action in ("read", "write", "run")
    ],
}
KINDS = ("worker", "server", "both")
NOTEBOOK = "jobs.ipynb"


class Crashes:
    """One home, one notebook, many jobs; each job inserts a cell, runs a cell, writes a file, and answers."""

    def __init__(self, folder: Path, jobs: int, *, seed: int) -> None:
        self.random = random.Random(seed)
        self.jobs = jobs
        self.lab = Lab(folder, app="jupyter_server", settings={"lease_s": 5.0, "worker_idle_s": 600.0})
        self.resume_s: list[float] = []
        self.killed: Counter[str] = Counter()
        cells = [
            nbformat.v4.new_code_cell(f"_ = open('ran.txt', 'a').write('{job}\\n')", id=f"job-{job}")
            for job in range(jobs)
        ]
        notebook = nbformat.v4.new_notebook(cells=cells)
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(notebook, self.lab.root / NOTEBOOK)

    def prepare(self, provider: FakeProvider) -> None:
        self.lab.connect(provider.base_url)
        (self.lab.data_dir / "rules.json").write_text(json.dumps(RULES))
        for job in range(self.jobs):
            provider.script(
                f"job {job}!",
                uses(Use("insert_cell", {"path": NOTEBOOK, "index": -1, "source": f"# job {job}"})),
                uses(Use("run_cell", {"path": NOTEBOOK, "cell_id": f"job-{job}"})),
                uses(Use("write_file", {"path": f"out-{job}.txt", "content": f"{job}\n"})),
                says(f"Job {job} is done.", size=4, pause_s=0.01),
            )

    def run(self, provider: FakeProvider) -> dict[str, Any]:
        self.prepare(provider)
        self.lab.start()
        chats: list[str] = []
        try:
            for job in range(self.jobs):
                chats.append(self._one(job))
            return self._judge(chats)
        finally:
            self.lab.stop()

    def _one(self, job: int) -> str:
        page = Page(self.lab)
        chat_id = page.call("POST", "chats", {})["chat_id"]
        text = f"job {job}! In {NOTEBOOK}, and into out-{job}.txt."  # named, so that nothing is asked about
        body = {"text": text, "client_id": f"client-{job:04d}"}
        page.call("POST", f"chats/{chat_id}/messages", body)
        time.sleep(self.random.uniform(0.0, 1.2))
        kind = self.random.choice(KINDS)
        self._kill(kind)
        self.killed[kind] += 1
        killed_at = time.perf_counter()
        if kind != "worker":
            page.close()
            self.lab.start()
            page = Page(self.lab)
            page.call("POST", f"chats/{chat_id}/messages", body)  # the client does not know whether its POST arrived
        self._finish(page, chat_id, killed_at)
        page.close()
        return chat_id

    def _kill(self, kind: str) -> None:
        assert self.lab.process is not None
        server = psutil.Process(self.lab.process.pid)
        workers = [child for child in server.children() if "jupyter_linda.worker" in " ".join(child.cmdline())]
        if kind in ("server", "both"):
            self.lab.process.kill()
            self.lab.process.wait()
        if kind in ("worker", "both"):
            for worker in workers:
                worker.kill()

    def _finish(self, page: Page, chat_id: str, killed_at: float) -> None:
        deadline = time.monotonic() + 120
        before, is_resumed = "", False
        while time.monotonic() < deadline:
            try:
                view = page.call("GET", f"chats/{chat_id}")
            except httpx.HTTPError:
                time.sleep(0.1)
                continue
            run = view["runs"][-1]
            now = json.dumps([view["calls"], view["messages"], run["state"]])
            before = before or now
            if not is_resumed and now != before:
                is_resumed = True
                self.resume_s.append(time.perf_counter() - killed_at)
            if run["state"] in ("done", "failed", "stopped", "interrupted"):
                return
            for question in view["questions"]:
                if question["state"] == "open":
                    page.call("POST", f"questions/{question['question_id']}/answer", {"answer": "Leave it"})
            time.sleep(0.05)
        raise AssertionError(f"the run of {chat_id} did not end: {run}")

    def _judge(self, chats: list[str]) -> dict[str, Any]:
        page = Page(self.lab)
        views = [page.call("GET", f"chats/{chat_id}") for chat_id in chats]
        page.close()
        root = self.lab.root
        notebook = json.loads((root / NOTEBOOK).read_text())
        sources = Counter("".join(cell["source"]) for cell in notebook["cells"])
        ran = Counter((root / "ran.txt").read_text().split()) if (root / "ran.txt").exists() else Counter()
        lost = doubled_writes = lost_writes = twice = unanswered = unknown = 0
        for job, view in enumerate(views):
            users = [message for message in view["messages"] if message["role"] == "user"]
            lost += len(users) != 1 or len(view["runs"]) != 1
            last = view["messages"][-1]
            unanswered += view["runs"][-1]["state"] != "done" or last["text"] != f"Job {job} is done."
            inserted = sources[f"# job {job}"]
            doubled_writes += max(0, inserted - 1)
            lost_writes += inserted == 0
            lost_writes += not (root / f"out-{job}.txt").exists() or (root / f"out-{job}.txt").read_text() != f"{job}\n"
            twice += max(0, ran[str(job)] - 1)
            states = {call["name"]: call["state"] for call in view["calls"]}
            unknown += states.get("run_cell") == "unknown"
            lost_writes += states.get("run_cell") == "done" and ran[str(job)] == 0
        return {
            "messages lost": lost,
            "answers missing": unanswered,
            "writes lost": lost_writes,
            "writes doubled": doubled_writes,
            "cells run twice": twice,
            "cells whose outcome was asked": unknown,
        }


def measure(chosen: argparse.Namespace) -> Report:
    """Kill, look, and count."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, FakeProvider() as provider:
        crashes = Crashes(Path(folder), chosen.kills, seed=chosen.seed)
        found = crashes.run(provider)
    report = Report("crash")
    for kind in KINDS:
        report.add(f"kills of {kind}", crashes.killed[kind], "")
    for name, value in found.items():
        report.add(name, value, "", equals=None if "outcome" in name else 0)
    report.add("time to resume after the kill, median (a server's restart included)", median(crashes.resume_s), "s")
    return report


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)


if __name__ == "__main__":
    raise SystemExit(main(measure, _options))
