"""Carries tasks out, one after the other, through a server's API as any client would."""

from __future__ import annotations

import contextlib
import json
import shutil
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from ..client import FINAL, LindaClient, Server
from ..errors import LindaError
from .catalogue import missing_package
from .report import Result
from .tasks import Left, Task, answer_to

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Json = Any  # JSON of the API

TASK_TIMEOUT_S = 900.0
MOST_FILE_BYTES = 5_000_000
OWN_FOLDERS = frozenset({".ipynb_checkpoints", "__pycache__"})
"""What Jupyter and Python leave behind by themselves."""
HOPELESS = frozenset({"auth", "billing", "forbidden", "unknown_model", "no_model", "no_consent", "budget"})
"""Faults that the next task would meet too."""


@dataclass(frozen=True)
class Bench:
    """A server whose root folder belongs to the bench, and what to ask there."""

    server: Server
    model: str
    keep: Path | None = None
    """Where what tasks left is kept; None: nowhere."""
    timeout_s: float = TASK_TIMEOUT_S

    def carry_out(self, tasks: Sequence[Task], done: Callable[[Result], None]) -> str:
        """All of them, each reported when it is over. Returns why it ended before its end, or nothing."""
        for number, task in enumerate(tasks, 1):
            package = missing_package(task)
            if package:
                done(Result(task.name, "skipped", f"{package} is not installed"))
                continue
            result, is_hopeless = self._try(task, f"job-{number:02d}")
            done(result)
            if is_hopeless:
                return result.reason
        return ""

    def _try(self, task: Task, name: str) -> tuple[Result, bool]:
        folder = Path(self.server.root_dir) / name
        before = lay_down(task.files, folder)
        try:
            with LindaClient(self.server) as client:
                return self._ask(client, task, folder, before)
        finally:
            self._clear(task, folder)

    def _ask(self, client: LindaClient, task: Task, folder: Path, before: Mapping[str, bytes]) -> tuple[Result, bool]:
        chat_id = client.new_chat(model=self.model)
        started = time.monotonic()
        try:
            accepted = client.send(chat_id, task.prompt_in(folder.name), model=self.model)
            run_id = accepted["run"]["run_id"]
            is_late = self._follow(client, chat_id, run_id, task, folder.name)
            seconds = time.monotonic() - started
            trace = client.request("GET", f"runs/{run_id}/trace")
            files, undone = read_files(folder), None
            if task.is_undone:
                client.request("POST", f"chats/{chat_id}/undo", {"run_id": run_id})
                undone = read_files(folder)
        finally:
            with contextlib.suppress(LindaError):  # the server may be gone, which is said elsewhere
                client.stop(chat_id)
                client.request("DELETE", f"chats/{chat_id}")
        if self.keep is not None:
            (self.keep / f"{task.name}.trace.json").write_text(json.dumps(trace, indent=1, ensure_ascii=False), "utf-8")
        reason = f"it took longer than {self.timeout_s:g} s" if is_late else _fault(trace, self.model)
        reason = reason or task.check(left_of(trace, before, files, undone))
        return _result(task, reason, trace, seconds), (trace["run"].get("problem") or {}).get("kind") in HOPELESS

    def _follow(self, client: LindaClient, chat_id: str, run_id: str, task: Task, folder: str) -> bool:
        """Until the run is over, its questions answered; whether it was stopped for its length."""
        late = threading.Event()

        def stop() -> None:
            late.set()
            with contextlib.suppress(LindaError), LindaClient(self.server) as other:
                other.stop(chat_id)

        timer = threading.Timer(self.timeout_s, stop)
        timer.start()
        try:
            for event in client.follow(chat_id, after=0):
                question = event["payload"].get("question") or {}
                if event["kind"] == "question.changed" and question.get("state") == "open":
                    client.answer(question["question_id"], answer_to(question, task.policy, folder))
                run = event["payload"].get("run") or {}
                if event["kind"] == "run.changed" and run.get("run_id") == run_id and run["state"] in FINAL:
                    break
        finally:
            timer.cancel()
            timer.join()
        return late.is_set()

    def _clear(self, task: Task, folder: Path) -> None:
        """No kernel and no file of one task is there for the next."""
        with contextlib.suppress(httpx.HTTPError):
            headers = {"Authorization": f"token {self.server.token}"}
            with httpx.Client(base_url=self.server.url + "api/", headers=headers, trust_env=False) as jupyter:
                for session in jupyter.get("sessions").json():
                    jupyter.delete(f"sessions/{session['id']}")
        if self.keep is not None:
            shutil.copytree(folder, self.keep / task.name, dirs_exist_ok=True, symlinks=True)
        shutil.rmtree(folder, ignore_errors=True)


def lay_down(files: Mapping[str, str], folder: Path) -> Mapping[str, bytes]:
    """Write a task's files; returns their bytes."""
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content.encode())
    return {name: content.encode() for name, content in files.items()}


def read_files(folder: Path) -> Mapping[str, bytes]:
    """What lies in a folder and below, by relative name; of links and very large files only that they are there."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_dir() or OWN_FOLDERS & set(name.parts):
            continue
        is_plain = not path.is_symlink() and path.is_file() and path.stat().st_size <= MOST_FILE_BYTES
        found[name.as_posix()] = path.read_bytes() if is_plain else b""
    return found


def left_of(
    trace: Json, before: Mapping[str, bytes], files: Mapping[str, bytes], undone: Mapping[str, bytes] | None
) -> Left:
    """What a checker looks at."""
    said = [reply["text"] for reply in trace["replies"] if reply["text"] and reply["status"] != "replaced"]
    return Left(
        before=before,
        files=files,
        reply="\n".join(said),
        last=said[-1] if said else "",
        calls=trace["tools"],
        questions=trace["questions"],
        undone=undone,
    )


def _fault(trace: Json, model: str) -> str:
    """Why a run is no answer of this model at all."""
    run = trace["run"]
    if run["state"] != "done":
        problem = run.get("problem") or {}
        words = f"{problem.get('message', '')} {problem.get('detail', '')}".strip()
        return f"the run ended as {run['state']}: {words}".rstrip(": ")
    others = [call["model"] for call in trace["model_calls"] if call["outcome"] == "done" and call["model"] != model]
    return f"another model answered: {others[0]}" if others else ""


def _result(task: Task, reason: str, trace: Json, seconds: float) -> Result:
    total = trace["total"]
    return Result(
        task=task.name,
        state="failed" if reason else "passed",
        reason=reason,
        steps=trace["run"]["steps"],
        input_tokens=total["input_tokens"],
        output_tokens=total["output_tokens"],
        cost_usd=None if total["unpriced_calls"] else total["cost_usd"],
        seconds=round(seconds, 2),
    )
