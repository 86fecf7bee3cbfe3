"""`jupyter linda eval`: with a server of its own, asked before, stopped in the middle."""

from __future__ import annotations

import json
import signal
import sqlite3
import sys
import time
from contextlib import closing

import pytest

from jupyter_linda.evaluation.catalogue import TASKS
from tests.cli.conftest import CommandLine, processes_of
from tests.cli.test_ask import on_terminal, posix
from tests.evaluation.playing import RIGHT, WRONG
from tests.fakes.provider import Fail, Hang, says

pytestmark = pytest.mark.timeout(240)

MODEL = "fake/scripted"
CLOUD = "fake/big-cloud"


@pytest.fixture
def connected(alone: CommandLine, provider) -> CommandLine:
    alone.lab.connect(provider.base_url, models=("scripted", "big-cloud"))
    return alone


def scripted(provider, *replies) -> None:
    for number, plays in enumerate(replies, 1):
        provider.script(f"job-{number:02d}", *plays)


def test_a_pass_and_a_fail_are_told_and_kept(connected, provider, tmp_path):
    scripted(provider, WRONG["undoable-edit"][0]("job-01"), RIGHT["count-rows"]("job-02"))
    keep = tmp_path / "kept"
    done = connected.run("eval", MODEL, "--task", "count-rows", "undoable-edit", "--yes", "--json", "--keep", str(keep))
    assert done.code == 0, done
    made = json.loads(done.out)
    assert [(one["task"], one["state"]) for one in made["tasks"]] == [
        ("undoable-edit", "failed"),
        ("count-rows", "passed"),
    ]
    assert (made["pass_rate"], made["ended"], made["cost_usd"]) == (0.5, "complete", 0)
    assert "the heading is not" in made["tasks"][0]["reason"]
    assert "costs nothing" in done.err
    assert "unread" in done.err
    assert (keep / "count-rows" / "orders.csv").is_file()
    trace = json.loads((keep / "count-rows.trace.json").read_text(encoding="utf-8"))
    assert trace["replies"][-1]["text"] == "137"
    assert "sk-test" not in "".join(path.read_text(errors="replace") for path in keep.rglob("*") if path.is_file())
    assert processes_of(connected.lab.home) == []  # server, worker and kernels went with it
    with closing(sqlite3.connect(connected.lab.data_dir / "linda.sqlite")) as database:
        assert database.execute("select count(*) from chats").fetchone() == (0,)
        assert database.execute("select count(*) from model_calls").fetchone() == (4,)  # they count for budgets


def test_a_model_elsewhere_sees_the_files_of_the_tasks_and_its_cost_is_said_first(connected, provider):
    scripted(provider, RIGHT["clean-a-table"]("job-01"), RIGHT["best-city"]("job-02"))
    done = connected.run("eval", CLOUD, "--task", "best-city", "clean-a-table", "--yes", "--json")
    made = json.loads(done.out)
    assert [one["reason"] for one in made["tasks"]] == ["", ""], done
    assert made["cost_usd"] is None  # an address of one's own has no known price
    assert "runs elsewhere" in done.err
    assert "unknown, look at its prices" in done.err
    seen = json.dumps([request["messages"] for request in provider.requests if request["model"] == "big-cloud"])
    assert "Turin" in seen
    assert "Wilmslow" in seen


@pytest.mark.parametrize("switch", ["all_local", "offline"])
def test_where_nothing_may_leave_no_model_elsewhere_is_tried(connected, provider, switch):
    before = len(provider.requests)
    (connected.lab.data_dir / "privacy.json").write_text(json.dumps({"version": 1, switch: True}))
    done = connected.run("eval", CLOUD, "--task", "count-rows", "--yes")
    assert (done.code, done.out) == (2, "")
    assert "let nothing leave" in done.err
    assert len(provider.requests) == before


def test_without_a_terminal_it_begins_only_with_yes(connected, provider):
    before = len(provider.requests)
    done = connected.run("eval", MODEL)
    assert (done.code, done.out) == (2, "")
    assert "Say --yes" in done.err
    assert len(provider.requests) == before


@posix
def test_on_a_terminal_it_asks_and_no_is_no(connected, provider):
    before = len(provider.requests)
    code, shown = on_terminal(connected, "eval", MODEL, "--task", "count-rows", prompt="Begin? [y/N]", typed="\n")
    assert code == 2, shown
    assert "Nothing was sent" in shown
    assert "1 task for" in shown
    assert len(provider.requests) == before


@posix
def test_ctrl_c_shows_what_is_done_and_leaves_nothing_running(connected, provider):
    scripted(provider, RIGHT["count-rows"]("job-01"), [[Hang()]])
    process = connected.start("eval", MODEL, "--task", "count-rows", "best-city", "--yes")
    lines = b""
    while b"count-rows" not in lines:
        lines = process.stdout.readline()
        assert lines
    until = time.monotonic() + 30
    while not any("job-02" in json.dumps(request["messages"]) for request in provider.requests):
        assert time.monotonic() < until
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "1 of 1 passed (100%), 1 not done" in out.decode()
    assert "Ctrl-C" in out.decode()
    assert b"Traceback" not in err
    assert processes_of(connected.lab.home) == []


def test_a_refused_key_ends_it_after_the_first_task(connected, provider):
    scripted(provider, [[Fail(401, "bad key")]], says("never asked"))
    done = connected.run("eval", MODEL, "--task", "count-rows", "best-city", "--yes", "--json")
    made = json.loads(done.out)
    assert done.code == 1
    assert (made["asked"], len(made["tasks"])) == (2, 1)
    assert "refused the key" in made["ended"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("eval", "nobody/none", "--yes"), "There is no model 'nobody/none'. On offer: fake/scripted"),
        (("eval", "--yes"), "No model is named"),
        (("eval", MODEL, "--task", "nothing", "--yes"), "There is no task 'nothing'"),
    ],
)
def test_what_does_not_exist_is_said_before_anything_starts(connected, arguments, words):
    done = connected.run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


def test_a_folder_with_something_in_it_is_not_written_over(connected, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    done = connected.run("eval", MODEL, "--yes", "--keep", str(tmp_path))
    assert done.code == 2
    assert "is not empty" in done.err


def test_the_list_names_every_task_and_starts_nothing(alone):
    done = alone.run("eval", "--list")
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()] == [task.name for task in TASKS]
    assert len(json.loads(alone.run("eval", "--list", "--json").out)) == len(TASKS)
    assert sys.platform == "win32" or processes_of(alone.lab.home) == []
