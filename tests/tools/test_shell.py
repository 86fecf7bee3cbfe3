"""Shell commands and installs, as real processes."""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
import time
from pathlib import Path

import psutil
import pytest

from jupyter_linda.errors import KernelUnavailable, NotFound, StaleRevision, ToolFailed, ToolRetry
from jupyter_linda.schemas import Preview
from jupyter_linda.tools.notebook_runs import run_cell
from jupyter_linda.tools.processes import Kept, clean_environment, run_command
from jupyter_linda.tools.shell import install_packages, run_shell
from tests.fakes.notebooks import code_cell, notebook
from tests.fakes.tool_bench import ToolBench

posix = pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")


def is_running(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_it_always_asks_whatever_the_rules_and_the_mode_say(root, tmp_path):
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps({"version": 1, "rules": [{"effect": "auto", "action": "any", "path": "/"}]}))
    bench = ToolBench(root, rules_file=rules, answer=None)
    with pytest.raises(PermissionError, match="needs the user's answer"):
        bench.run(run_shell, command="echo no")
    assert bench.audit.entries[-1]["rule"] == "run_shell always asks"
    bench.answer = "once"
    assert bench.run(run_shell, command="echo yes").data["text"] == "yes"


def test_the_question_shows_the_exact_command_and_what_it_does(bench):
    preview = bench.preview(run_shell, command="curl x | sh; rm -rf data")
    assert preview.code == "curl x | sh; rm -rf data"
    assert preview.sentence == "Run a shell command in the notebook folder."
    assert {"deletes files", "runs a shell command", "uses the network"} == set(preview.findings)


@posix
def test_a_command_runs_in_its_folder_and_tells_how_it_ended(root, bench):
    (root / "sub dir").mkdir()
    result = bench.run(run_shell, command="pwd; echo err >&2; exit 3", folder="sub dir")
    assert result.data["text"] == f"{root / 'sub dir'}\nerr"
    assert result.data["exit_code"] == 3
    assert result.title == "Failed: pwd; echo err >&2; exit 3"
    with pytest.raises(NotFound):
        bench.run(run_shell, command="pwd", folder="none")
    with pytest.raises(PermissionError):
        bench.run(run_shell, command="pwd", folder=".git")


@posix
def test_a_command_cannot_wait_for_input_and_sees_no_keys(bench, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("JPY_API_TOKEN", "secret")
    result = bench.run(run_shell, command="cat; env", timeout_s=10)
    assert "secret" not in result.text
    assert "PATH=" in result.text
    assert clean_environment({"HF_TOKEN": "x", "HOME": "h", "AWS_SECRET_ACCESS_KEY": "y"}) == {"HOME": "h"}


@posix
def test_a_flood_keeps_head_and_tail(bench):
    code = f"{sys.executable} -c \"print('FIRST'); [print(n, 'x' * 90) for n in range(50000)]; print('LAST')\""
    result = bench.run(run_shell, command=code)
    assert result.data["text"].startswith("FIRST")
    assert result.data["text"].endswith("LAST")
    assert "characters left out" in result.data["text"]
    assert len(result.text) < 30_000


def test_what_is_kept_is_what_came_whatever_its_pieces():
    kept = Kept()
    for number in range(10_000):
        kept.add(f"{number} ")
    text = kept.text()
    assert text.startswith("0 1 2 ")
    assert text.endswith(" 9998 9999 ")
    whole = "".join(f"{number} " for number in range(10_000))
    assert kept.size == len(whole)


@posix
def test_time_is_up_for_the_command_and_all_it_started(bench):
    started = time.monotonic()
    result = bench.run(run_shell, command="trap '' TERM; sleep 60 & echo $!; sleep 60", timeout_s=0.7)
    assert time.monotonic() - started < 8
    assert result.data["exit_code"] is None
    assert "stopped after 0.7 s" in result.text
    assert not is_running(int(result.data["text"].split()[0]))


@posix
def test_nothing_is_left_running_when_the_command_is_over(bench):
    started = time.monotonic()
    result = bench.run(run_shell, command="sleep 60 & echo $!")
    assert time.monotonic() - started < 5
    assert result.data["exit_code"] == 0
    assert not is_running(int(result.data["text"]))


@posix
@pytest.mark.parametrize("ends_by", ["itself", "its time limit"])
def test_what_goes_into_a_group_of_its_own_is_ended_too(root, bench, ends_by):
    """As daemons do: a new session, and no parent that leads back to the command."""
    daemon = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        open('pid', 'w').write(str(os.getpid()))\n"
        "        time.sleep(60)\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        "while not os.path.exists('pid') or not open('pid').read(): time.sleep(0.01)\n"
    )
    (root / "daemon.py").write_text(daemon)
    wait = "" if ends_by == "itself" else "; sleep 60"
    limit = {} if ends_by == "itself" else {"timeout_s": 2.0}
    result = bench.run(run_shell, command=f"{sys.executable} daemon.py{wait}", **limit)
    assert result.data["is_stopped"] == (ends_by != "itself")
    pid = int((root / "pid").read_text())
    deadline = time.monotonic() + 5
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_running(pid)


@posix
async def test_a_cancel_ends_the_whole_group(tmp_path):
    file = tmp_path / "pid"
    command = f"sh -c 'sleep 60 & echo $! > {file}; wait'"
    task = asyncio.ensure_future(run_command(command, folder=str(tmp_path), timeout_s=60, report=lambda _text: None))
    while not (file.exists() and file.read_text().strip()):
        await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not is_running(int(file.read_text()))


@posix
def test_the_progress_is_told_and_the_loop_is_free(bench):
    ticks = []

    async def run():
        async def tick():
            while True:
                ticks.append(time.monotonic())
                await asyncio.sleep(0.02)

        ticking = asyncio.ensure_future(tick())
        await bench.call(run_shell, command="for i in 1 2 3; do echo line $i; sleep 0.6; done")
        ticking.cancel()

    asyncio.run(run())
    assert any("line 2" in report for report in bench.reports)
    assert max(after - before for before, after in itertools.pairwise(ticks)) < 0.5


def test_only_packages_are_installed_no_options_paths_or_addresses(bench, monkeypatch):
    for package in (
        "-r x",
        "--index-url=http://x",
        "../evil",
        "git+https://x/y",
        "a b",
        "x; rm",
        "a\nb",
        "http://x/y.whl",
        "",
    ):
        with pytest.raises(ToolRetry, match="is no package"):
            bench.run(install_packages, path="a.ipynb", packages=[package])


async def test_packages_go_into_the_kernels_own_environment(server_put, server_bench, jp_root_dir):
    server_put("a.ipynb", notebook(code_cell("x = 1", "c1")))
    with pytest.raises(KernelUnavailable, match="no running kernel"):
        await server_bench.call(install_packages, path="a.ipynb", packages=["pip"])
    await server_bench.call(run_cell, path="a.ipynb", cell_id="c1")
    wish = {"path": "a.ipynb", "packages": ["pip", "packaging>=20"], "timeout_s": 60}
    context = server_bench.context()
    preview = await install_packages.preview(install_packages.parse(json.dumps(wish)), context)
    assert preview.code.startswith(f"{Path(sys.executable)} -m pip install --no-input")
    assert preview.code.endswith("-- pip 'packaging>=20'")
    (jp_root_dir / "pip.py").write_text("raise SystemExit('this is no pip')")
    result = await server_bench.call(install_packages, **wish)
    assert result.data["exit_code"] == 0, result.text
    assert "already satisfied" in result.text
    server_bench.approved = Preview(sentence="x", code="another python -m pip install pip")
    with pytest.raises(StaleRevision, match="another one now"):
        await server_bench.call(install_packages, **wish)


async def test_an_environment_without_pip_is_told(server_put, server_bench, monkeypatch):
    server_put("a.ipynb", notebook(code_cell("x = 1", "c1")))
    await server_bench.call(run_cell, path="a.ipynb", cell_id="c1")
    monkeypatch.setattr("jupyter_linda.tools.shell._PIP", "no_such_pip_module")
    with pytest.raises(ToolFailed, match="has no pip"):
        await server_bench.call(install_packages, path="a.ipynb", packages=["pip"])
