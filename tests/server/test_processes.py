"""The worker as a child of its server: gone with it, restarted after a crash, ended when idle; and random kills."""

from __future__ import annotations

import contextlib
import sys
import time
from pathlib import Path

import psutil
import pytest

from jupyter_linda.client import LindaClient, Server
from tests.bench.crash import Crashes
from tests.fakes.provider import FakeProvider, Say, Stall, Use, says, uses
from tests.ui.lab import Lab, Page, running

pytestmark = pytest.mark.timeout(400)


def workers_of(lab: Lab) -> list[psutil.Process]:
    found = []
    for child in psutil.Process(lab.process.pid).children():
        with contextlib.suppress(psutil.Error):  # one that just ended
            if "jupyter_linda.worker" in " ".join(child.cmdline()):
                found.append(child)
    return found


def until(condition, *, seconds: float = 30.0, what: str = "it"):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"{what} did not happen within {seconds} s")


@pytest.fixture
def lab(tmp_path: Path, provider: FakeProvider) -> Lab:
    made = Lab(tmp_path, app="jupyter_server", settings={"worker_idle_s": 3.0})
    made.connect(provider.base_url)
    return made


def send(page: Page, text: str) -> str:
    chat_id = page.call("POST", "chats", {})["chat_id"]
    page.call("POST", f"chats/{chat_id}/messages", {"text": text, "client_id": f"client-{chat_id}"})
    return chat_id


def state(page: Page, chat_id: str) -> str:
    return page.call("GET", f"chats/{chat_id}")["runs"][-1]["state"]


def test_no_worker_before_the_first_need_and_it_ends_when_idle(lab):
    with running(lab):
        page = Page(lab)
        page.call("GET", "status")
        page.call("GET", "chats")
        assert workers_of(lab) == []
        chat_id = send(page, "hello")
        until(lambda: state(page, chat_id) == "done")
        assert len(workers_of(lab)) == 1
        until(lambda: workers_of(lab) == [], what="the idle worker's end")
        until(lambda: page.call("GET", "status")["worker"] == "idle")
        again = send(page, "hello again")
        until(lambda: state(page, again) == "done")
        page.close()


def test_worker_and_its_children_are_gone_within_4_s_of_the_servers_death(lab, provider):
    provider.hold()
    provider.script("hold on", [Say("holding"), Stall()])
    lab.start()
    page = Page(lab)
    send(page, "hold on")
    (worker,) = until(lambda: workers_of(lab))
    lab.kill()
    started = time.monotonic()
    until(
        lambda: not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE, seconds=10, what="the worker's end"
    )
    assert time.monotonic() - started <= 4.5
    provider.go()
    page.close()


def test_a_crashed_worker_is_restarted_and_the_status_says_so(lab, provider):
    with running(lab):
        page = Page(lab)
        chat_id = send(page, "hello")
        until(lambda: state(page, chat_id) == "done")
        (worker,) = workers_of(lab)
        worker.kill()
        until(lambda: not workers_of(lab))
        again = send(page, "hello after the crash")
        until(lambda: state(page, again) == "done")
        assert page.call("GET", "status")["worker"] == "running"
        page.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGSTOP")
def test_a_frozen_worker_is_ended_and_its_run_goes_on(tmp_path, provider):
    lab = Lab(tmp_path, app="jupyter_server", settings={"lease_s": 3.0})
    lab.connect(provider.base_url)
    provider.hold()
    provider.script("freeze here", [Say("before, "), Stall()])
    with running(lab):
        page = Page(lab)
        chat_id = send(page, "freeze here")
        until(lambda: page.call("GET", f"chats/{chat_id}")["messages"][-1]["text"] == "before, ")
        provider.script("freeze here", says("after."))
        (worker,) = workers_of(lab)
        worker.suspend()
        until(lambda: state(page, chat_id) == "done", seconds=40)
        assert page.call("GET", f"chats/{chat_id}")["messages"][-1]["text"] == "after."
        provider.go()
        page.close()


def test_a_worker_that_cannot_start_is_told_in_words_and_the_server_lives(tmp_path, provider):
    lab = Lab(tmp_path, app="jupyter_server", settings={"worker_start_timeout_s": 5.0})
    broken = tmp_path / "broken"
    (broken / "litellm").mkdir(parents=True)
    lab.connect(provider.base_url)
    lab.extra_environment = {"PYTHONPATH": str(broken), "LINDA_BREAK": "1"}
    (broken / "sitecustomize.py").write_text(
        "import sys\nif '-m' in sys.orig_argv and 'jupyter_linda.worker' in sys.orig_argv: sys.exit('broken on purpose')\n"
    )
    with running(lab):
        page = Page(lab)
        chat_id = send(page, "hello")
        problem = until(lambda: page.call("GET", "status")["worker_problem"])
        assert "did not start" in problem["message"] or "cannot be started" in problem["message"]
        assert state(page, chat_id) == "queued"
        page.close()


def test_two_servers_of_one_home_share_the_database_and_run_each_message_once(tmp_path, provider):
    first = Lab(tmp_path, app="jupyter_server")
    first.connect(provider.base_url)
    provider.script("count me", uses(Use("list_files", {"path": ""})), says("counted"))
    with running(first):
        second = Lab(tmp_path, app="jupyter_server")
        with running(second):
            pages = [Page(first), Page(second)]
            chats = [send(pages[number % 2], f"count me {number}") for number in range(8)]
            for chat_id in chats:
                until(lambda chat_id=chat_id: state(pages[0], chat_id) == "done")
                view = pages[1].call("GET", f"chats/{chat_id}")
                assert [call["state"] for call in view["calls"]] == ["done"]
                assert [message["role"] for message in view["messages"]] == ["user", "assistant", "assistant"]
            for page in pages:
                page.close()


def test_an_answer_in_another_servers_window_reaches_the_run_that_waits_without_a_worker(tmp_path, provider):
    """The first server's panel hears of it: that server starts its worker again, which writes into its own folder."""
    provider.script("ask me there", uses(Use("write_file", {"path": "there.txt", "content": "1"})), says("Written."))
    first = Lab(tmp_path, app="jupyter_server", settings={"worker_idle_s": 1.0})
    first.connect(provider.base_url)
    with running(first):
        page = Page(first)
        chat_id = send(page, "ask me there")
        until(lambda: state(page, chat_id) == "waiting")
        until(lambda: workers_of(first) == [], what="the idle worker's end")
        second = Lab(tmp_path, app="jupyter_server")
        second.root = tmp_path / "elsewhere"
        second.root.mkdir()
        with running(second), LindaClient(Server(first.url, first.token, str(first.root))) as panel:
            other = Page(second)
            seen = panel.last_seq(chat_id)
            (question,) = other.call("GET", "questions")["questions"]
            other.call("POST", f"questions/{question['question_id']}/answer", {"answer": "once"})
            heard = []
            for event in panel.follow(chat_id, after=seen):
                heard.append(event["kind"])
                if event["kind"] == "run.changed" and event["payload"]["run"]["state"] == "done":
                    break
            other.close()
        assert heard[0] == "question.changed"
        assert (first.root / "there.txt").read_text() == "1"
        assert not (second.root / "there.txt").exists()
        page.close()


@pytest.mark.slow
def test_ten_kills_at_random_instants_lose_and_double_nothing(tmp_path, provider):
    found = Crashes(tmp_path, 10, seed=7).run(provider)
    assert {name: value for name, value in found.items() if "outcome" not in name and value} == {}
