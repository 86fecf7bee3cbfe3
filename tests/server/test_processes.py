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
from tests.fakes.provider import End, FakeProvider, Say, Stall, Use, says, uses
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
def test_a_run_that_was_stopped_as_its_worker_died_waits_for_no_other(lab, provider):
    provider.hold()
    provider.script("stop as it dies", [Say("before, "), Stall()])
    with running(lab):
        page = Page(lab)
        chat_id = send(page, "stop as it dies")
        until(lambda: page.call("GET", f"chats/{chat_id}")["messages"][-1]["text"] == "before, ")
        (worker,) = workers_of(lab)
        worker.suspend()
        page.call("POST", f"chats/{chat_id}/stop")
        assert state(page, chat_id) == "running"
        worker.kill()
        until(lambda: page.call("GET", "status")["worker"] != "running")
        seen = []

        def is_stopped() -> bool:
            seen.append(page.call("GET", "status")["worker"])
            return state(page, chat_id) == "stopped"

        until(is_stopped)
        assert "running" not in seen
        assert page.call("GET", f"chats/{chat_id}")["messages"][-1]["status"] == "stopped"
        provider.go()
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


def elsewhere(lab: Lab) -> Lab:
    """Another server of the same home, in another folder."""
    other = Lab(lab.home, app="jupyter_server", settings={"worker_idle_s": 3.0})
    other.root = lab.home / "elsewhere"
    other.root.mkdir(exist_ok=True)
    return other


def say(page: Page, chat_id: str, text: str) -> None:
    page.call("POST", f"chats/{chat_id}/messages", {"text": text, "client_id": f"client-{text}"})


def test_a_run_left_in_another_folder_says_so_and_blocks_nothing(lab, provider):
    provider.hold()
    provider.script("hold on there", [Say("begun "), Stall(), End("stop")])
    provider.script("go on here", says("Here I am."))
    other = elsewhere(lab)
    lab.start()
    with running(other):
        there, here = Page(lab), Page(other)
        chat_id = send(there, "hold on there")

        def view() -> dict:
            return here.call("GET", f"chats/{chat_id}")

        until(lambda: view()["messages"][-1]["text"] == "begun ")
        there.close()
        lab.kill()
        problem = until(lambda: view()["runs"][0]["problem"], what="the word about the run that was left")
        assert str(lab.root.resolve()) in problem["message"]
        assert view()["runs"][0]["state"] == "running"
        say(here, chat_id, "go on here")
        until(lambda: state(here, chat_id) == "done")
        assert [run["state"] for run in view()["runs"]] == ["interrupted", "done"]
        assert str(lab.root.resolve()) in view()["runs"][0]["problem"]["message"]
        assert view()["messages"][-1]["text"] == "Here I am."
        here.close()
    provider.go()


def test_a_message_that_waited_for_a_server_that_then_died_goes_on(lab, provider):
    provider.hold()
    provider.script("hold on there", [Say("begun "), Stall(), End("stop")])
    provider.script("go on here", says("Here I am."))
    other = elsewhere(lab)
    lab.start()
    with running(other):
        there, here = Page(lab), Page(other)
        chat_id = send(there, "hold on there")
        until(lambda: here.call("GET", f"chats/{chat_id}")["messages"][-1]["text"] == "begun ")
        say(here, chat_id, "go on here")
        assert state(here, chat_id) == "queued"
        there.close()
        lab.kill()
        until(lambda: state(here, chat_id) == "done")
        here.close()
    provider.go()


def test_an_answer_to_a_server_that_is_gone_is_kept_and_what_it_waits_for_is_said(lab, provider):
    provider.script("write there", uses(Use("write_file", {"path": "there.txt", "content": "1"})), says("Written."))
    other = elsewhere(lab)
    with running(other):
        here = Page(other)
        with running(lab):
            there = Page(lab)
            chat_id = send(there, "write there")
            until(lambda: state(there, chat_id) == "waiting")
            there.close()
        (question,) = here.call("GET", "questions")["questions"]
        here.call("POST", f"questions/{question['question_id']}/answer", {"answer": "once"})
        (run,) = here.call("GET", f"chats/{chat_id}")["runs"]
        assert "Start one there" in run["problem"]["remedy"]
        assert not (lab.root / "there.txt").exists()
        with running(lab):
            until(lambda: state(here, chat_id) == "done")
            assert here.call("GET", f"chats/{chat_id}")["runs"][0]["problem"] is None
        assert (lab.root / "there.txt").read_text() == "1"
        here.close()


def test_runs_of_a_server_that_died_are_taken_by_one_that_lives_in_the_same_folder(lab, provider):
    """It had nothing to do until then, and no worker."""
    provider.hold()
    provider.script("hold on there", [Say("begun "), Stall(), End("stop")])
    with running(Lab(lab.home, app="jupyter_server", settings={"worker_idle_s": 3.0})) as heir:
        page = Page(heir)
        page.call("GET", "chats")
        lab.start()
        there = Page(lab)
        chat_id = send(there, "hold on there")
        until(lambda: page.call("GET", f"chats/{chat_id}")["messages"][-1]["text"] == "begun ")
        provider.script("hold on there", says("Taken over."))
        there.close()
        lab.kill()
        until(lambda: state(page, chat_id) == "done")
        assert page.call("GET", f"chats/{chat_id}")["messages"][-1]["text"] == "Taken over."
        page.close()
    provider.go()


@pytest.mark.slow
def test_ten_kills_at_random_instants_lose_and_double_nothing(tmp_path, provider):
    found = Crashes(tmp_path, 10, seed=7).run(provider)
    assert {name: value for name, value in found.items() if "outcome" not in name and value} == {}
