"""The README's first command, from a clean copy and an empty home, to Linda's first answers."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.packaging.fresh import REPOSITORY, Venv, clean_copy
from tests.ui.lab import free_port

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

READY_TIMEOUT_S = 1200.0
START = "jupyter linda start"


@dataclass(frozen=True)
class Started:
    """JupyterLab as the README's command left it."""

    venv: Venv
    folder: Path
    port: int
    seconds: float

    def ask(self, text: str) -> list[dict[str, Any]]:
        said = subprocess.run(
            ["jupyter", "linda", "ask", text, "--json"],
            cwd=self.folder,
            env=self.venv.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=180,
            check=False,
            executable=str(Path(self.venv.python).with_name("jupyter")),
        )
        assert said.returncode == 0, said.stdout + said.stderr
        return [json.loads(line) for line in said.stdout.splitlines()]


def first_command() -> str:
    blocks = re.findall(r"```[a-z]*\n(.*?)```", (REPOSITORY / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert blocks, "README.md shows no command yet"
    return str(blocks[0]).strip()


def kill_tree(process: subprocess.Popen[bytes]) -> None:
    family = [psutil.Process(process.pid)]
    family += family[0].children(recursive=True)
    for member in family:
        member.kill()
    psutil.wait_procs(family, timeout=10)
    process.wait(10)


@pytest.fixture(scope="module")
def started(fresh_venv: Venv, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    folder = clean_copy(tmp_path_factory.mktemp("clone") / "linda")
    port = free_port()
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0  # JupyterLab wants to be told
    command = first_command()
    assert command.endswith(START)
    command += f" --no-browser --port {port}" + (" -- --allow-root" if is_root else "")
    log = folder.parent / "first.log"
    begun = time.monotonic()
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            shell=True,
            cwd=folder,
            env=fresh_venv.environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
        try:
            while not _answers(port):
                assert process.poll() is None, log.read_text(errors="replace")[-4000:]
                assert time.monotonic() - begun < READY_TIMEOUT_S, log.read_text(errors="replace")[-4000:]
                time.sleep(0.1)
            seconds = time.monotonic() - begun
            print(f"the README's first command served JupyterLab after {seconds:.0f} s")
            yield Started(fresh_venv, folder, port, seconds)
        finally:
            if process.poll() is None:
                kill_tree(process)


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api", timeout=5) as answer:
            return "version" in json.loads(answer.read())
    except OSError:
        return False


def answer_of(events: list[dict[str, Any]]) -> str:
    return "".join(event["payload"].get("text", "") for event in events if event["kind"] == "message.delta")


def end_of(events: list[dict[str, Any]]) -> str:
    return str([event["payload"]["run"]["state"] for event in events if event["kind"] == "run.changed"][-1])


def test_the_first_command_serves_jupyterlab_on_a_copy_of_the_tour(started: Started):
    copy, original = started.folder / "linda-tour.ipynb", started.folder / "notebooks" / "tour.ipynb"
    assert copy.read_bytes() == original.read_bytes()


def test_she_lists_the_notebooks_from_the_command_line(started: Started):
    begun = time.monotonic()
    events = started.ask("list my notebooks")
    print(f"the first answer took {time.monotonic() - begun:.1f} s")
    assert "linda-tour.ipynb" in answer_of(events)
    assert end_of(events) == "done"


def test_small_talk_in_chinese_has_its_fixed_reply(started: Started):
    events = started.ask("你好")
    assert re.search(r"你好|您好", answer_of(events))
    assert not [event for event in events if event["kind"] == "call.changed"]
    assert end_of(events) == "done"


def test_the_demo_model_has_its_weights(started: Started):
    status = subprocess.run(
        [started.venv.python, "-m", "jupyter_linda.cli.main", "doctor", "--offline", "--json"],
        cwd=started.folder,
        env=started.venv.environment(),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=180,
        check=False,
    )
    checks = {check["name"]: check for check in json.loads(status.stdout)}
    assert {name for name, check in checks.items() if check["state"] == "error"} == set()
    assert checks["engine"]["state"] == "ok"
    assert "weights" not in checks["model"]["detail"]
