"""`jupyter linda ask`: through a running server, on a terminal and without one, and alone."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import CommandLine, processes_of
from tests.fakes.provider import End, Fail, Say, Stall, Use, in_turn, says, uses

pytestmark = pytest.mark.timeout(180)

posix = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals and signals as POSIX has them")


def write(name: str, content: str = "written") -> Use:
    return Use("write_file", {"path": name, "content": content})


def until(condition, *, seconds: float = 20.0):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
    return found


def test_the_reply_streams_to_the_terminal(linda, provider):
    provider.hold()
    provider.script("stream here", [Say("first half, "), Stall(60), Say("second half"), End("stop")])
    process = linda.start("ask", "stream here", bufsize=0)
    assert process.stdout.read(11).decode() == "first half,"  # while the provider still holds the rest back
    provider.go()
    rest, errors = process.communicate(timeout=60)
    provider.hold()
    assert rest.decode() == " second half\n"
    assert (process.returncode, errors) == (0, b"")


def test_the_question_can_come_from_standard_input(linda, provider):
    provider.script("from a pipe", says("Read it."))
    done = linda.run("ask", "-", given="from a pipe\n")
    assert (done.code, done.out) == (0, "Read it.\n")


def test_a_chat_goes_on_where_it_was(linda, provider):
    provider.script("remember 7", says("I will."))
    provider.script("which number", says("Seven."))
    events = [json.loads(line) for line in linda.run("ask", "remember 7", "--json").out.splitlines()]
    done = linda.run("ask", "which number", "--chat", events[0]["chat_id"])
    assert done.out == "Seven.\n"
    roles = [message["role"] for message in provider.requests[-1]["messages"] if message["role"] != "system"]
    assert roles == ["user", "assistant", "user"]


def test_without_a_terminal_consent_is_refused(linda, provider, lab):
    provider.script("write refused", uses(write("refused.txt")), says("As you wish."))
    done = linda.run("ask", "write refused")
    assert done.code == 3
    assert "no terminal to ask on: no" in done.out
    assert "– Create the file refused.txt: Nobody could be asked, which means no." in done.out
    assert "said no" not in done.out
    assert "As you wish." in done.out
    assert not (lab.root / "refused.txt").exists()


def test_yes_to_write_writes(linda, provider, lab):
    provider.script("write allowed", uses(write("allowed.txt")), says("Written."))
    done = linda.run("ask", "write allowed", "--yes-to", "WRITE")
    assert done.code == 0, done
    assert "Yes (--yes-to)" in done.out
    assert (lab.root / "allowed.txt").read_text() == "written"


def test_yes_to_run_does_not_allow_a_write(linda, provider, lab):
    provider.script("write under run", uses(write("under-run.txt")), says("Not then."))
    assert linda.run("ask", "write under run", "--yes-to", "RUN").code == 3
    assert not (lab.root / "under-run.txt").exists()


def on_terminal(linda: CommandLine, *arguments: str, prompt: str, typed: str | bytes) -> tuple[int, str]:
    """Run on a pseudo-terminal, type an answer when the prompt shows; returns exit code and everything shown."""
    import pty

    controller, terminal = pty.openpty()
    process = linda.start(*arguments, stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    shown: list[bytes] = []

    def read() -> None:
        while True:
            try:
                piece = os.read(controller, 4096)
            except OSError:
                return  # the last process let go of the terminal
            if not piece:
                return
            shown.append(piece)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    until(lambda: prompt.encode() in b"".join(shown), seconds=60)
    os.write(controller, typed.encode() if isinstance(typed, str) else typed)
    code = process.wait(60)
    reader.join(5)
    os.close(controller)
    return code, b"".join(shown).decode(errors="replace")


@posix
def test_yes_on_a_terminal_allows_once(linda, provider, lab):
    provider.script("ask on a terminal", uses(write("typed.txt", "line one\nline two")), says("Done so."))
    code, shown = on_terminal(linda, "ask", "ask on a terminal", prompt="Allow once? [y/N]", typed="y\n")
    assert code == 0, shown
    assert "line two" in shown  # what it would write is shown before the question
    assert shown.index("line two") < shown.index("Allow once?")
    assert (lab.root / "typed.txt").read_text() == "line one\nline two"


@posix
@pytest.mark.parametrize("typed", ["\n", "n\n", "\x04"])
def test_anything_else_on_a_terminal_refuses(linda, provider, lab, typed):
    provider.script("refuse on a terminal", uses(write("not-typed.txt")), says("As you wish."))
    code, shown = on_terminal(linda, "ask", "refuse on a terminal", prompt="Allow once? [y/N]", typed=typed)
    assert code == 3, shown
    assert not (lab.root / "not-typed.txt").exists()


@posix
def test_a_choice_on_a_terminal_is_answered_by_its_number(linda, provider):
    provider.script(
        "which one", uses(Use("ask_user", {"question": "Which colour?", "choices": ["red", "blue"]})), says("Fine.")
    )
    code, shown = on_terminal(linda, "ask", "which one", prompt="> ", typed="2\n")
    assert code == 0, shown
    answers = [message for message in provider.requests[-1]["messages"] if message["role"] == "tool"]
    assert "blue" in answers[-1]["content"]


def test_json_prints_every_event_of_the_run_and_nothing_else(linda, provider):
    provider.script("as json", says("one two", size=3))
    done = linda.run("ask", "as json", "--json")
    events = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 0
    assert (
        "".join(event["payload"].get("text", "") for event in events if event["kind"] == "message.delta") == "one two"
    )
    assert events[-1]["kind"] == "run.changed"
    assert events[-1]["payload"]["run"]["state"] == "done"
    seqs = [event["seq"] for event in events]
    assert seqs == sorted(set(seqs))


def test_a_failing_provider_ends_with_1_and_the_remedy(linda, provider):
    provider.script("fail now", [Fail(401, "bad key")])
    done = linda.run("ask", "fail now")
    assert done.code == 1
    assert "The provider refused the key." in done.err
    assert "Check the key in" in done.err


def test_a_wait_and_who_answered_are_said_beside_the_answer(linda, provider):
    provider.script("wait a moment", in_turn([Fail(429, "slow", (("Retry-After", "0.1"),))], says("Done.")))
    done = linda.run("ask", "wait a moment")
    assert (done.code, done.out) == (0, "Done.\n")
    assert "The provider asks to wait" in done.err
    assert re.search(r"Next try in [01] s\.", done.err)  # the wait has some chance in it


def test_an_unknown_chat_or_model_is_said_plainly(linda):
    unknown = linda.run("ask", "hello", "--chat", "chat_nowhere")
    assert unknown.code == 1
    assert "Traceback" not in unknown.err
    assert unknown.err.strip()


@pytest.mark.parametrize("chat", ["../../x", "..", ".", "a/b", "a?b#c", "%2e%2e"])
def test_an_odd_chat_id_leads_nowhere_else(linda, chat):
    odd = linda.run("ask", "hello", "--chat", chat)
    assert (odd.code, odd.out) == (1, "")
    assert odd.err.startswith("There is no ")
    assert "Traceback" not in odd.err


def refused(done) -> str:
    assert (done.returncode, done.stdout) == (2, b""), done
    assert b"Traceback" not in done.stderr
    return done.stderr.decode()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (b"caf\xe9 in Latin-1", "not text"),
        (b"", "nothing came on standard input"),
        (b" \n ", "nothing came"),
        (b"a\0b", "NUL"),
        (b"x" * 200_001, "Put the long part into a file"),
    ],
)
def test_standard_input_that_is_no_question_is_refused_in_words(linda, given, words):
    done = subprocess.run(
        linda.command("ask", "-"), env=linda.environment(), cwd=linda.lab.root, input=given, capture_output=True
    )
    assert words in refused(done)


@posix
@pytest.mark.parametrize("arguments", [(b"caf\xe9",), (b"hello", b"--notebook", b"caf\xe9.ipynb"), (b"  ",)])
def test_arguments_that_are_no_text_are_refused_in_words(linda, arguments):
    command = [*map(os.fsencode, linda.command("ask")), *arguments]
    done = subprocess.run(
        command, env=linda.environment(), cwd=linda.lab.root, stdin=subprocess.DEVNULL, capture_output=True
    )
    assert refused(done)


def begun(process: subprocess.Popen[bytes]) -> str:
    """The chat of a command with --json, once its reply has begun."""
    line = b""
    while b"begun" not in line:
        line = process.stdout.readline()
        assert line
    return json.loads(line)["chat_id"]


def newest_state(lab, chat_id: str) -> str:
    return lab.linda(f"chats/{chat_id}")["runs"][-1]["state"]


@posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_command_that_is_ended_stops_its_run_first(linda, provider, lab, name):
    provider.hold()
    provider.script("ends by signal", [Say("begun "), Stall(600), Say("never said"), End("stop")])
    process = linda.start("ask", "ends by signal", "--json")
    chat_id = begun(process)
    process.send_signal(getattr(signal, name))
    _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (130, b"")
    until(lambda: newest_state(lab, chat_id) == "stopped")
    provider.go()


@posix
def test_a_reader_that_leaves_stops_the_run_without_a_traceback(linda, provider, lab):
    provider.script("piped to head", [Say("begun "), Say("more " * 3000, size=5, pause_s=0.02), End("stop")])
    process = linda.start("ask", "piped to head", "--json")
    chat_id = begun(process)
    process.stdout.close()
    with process.stderr:
        assert (process.wait(30), process.stderr.read()) == (141, b"")
    until(lambda: newest_state(lab, chat_id) == "stopped")


def test_signs_that_the_terminal_lacks_do_not_end_the_command(linda, provider, lab):
    provider.script("in another script", uses(Use("list_files", {"path": ""})), says("Größe: 湖"))
    done = linda.run("ask", "in another script", PYTHONIOENCODING="ascii")
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("Gr\\xf6\\xdfe: \\u6e56\n")


@posix
def test_bytes_that_are_no_text_on_a_terminal_refuse(linda, provider, lab):
    provider.script("garbled answer", uses(write("garbled.txt")), says("As you wish."))
    code, shown = on_terminal(linda, "ask", "garbled answer", prompt="Allow once? [y/N]", typed=b"\xffy\n")
    assert code == 3, shown
    assert "Traceback" not in shown
    assert not (lab.root / "garbled.txt").exists()


@posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_alone_and_ended_it_leaves_no_process_and_no_run_that_seems_to_go_on(alone, provider, name):
    provider.hold()
    provider.script("alone and ended", [Say("begun "), Stall(600), Say("never said"), End("stop")])
    alone.lab.connect(provider.base_url)
    process = alone.start("ask", "alone and ended", "--json")
    chat_id = begun(process)
    process.send_signal(getattr(signal, name))
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, b"")
    until(lambda: not processes_of(alone.lab.home), seconds=6)
    with closing(sqlite3.connect(alone.lab.data_dir / "linda.sqlite")) as database:
        row = database.execute("SELECT state, stop_asked_at FROM runs WHERE chat_id = ?", (chat_id,)).fetchone()
    assert row[0] == "stopped", row
    provider.go()


@posix
def test_control_c_stops_the_run(linda, provider, lab):
    provider.hold()
    provider.script("never ends", [Say("begun "), Stall(600), Say("never said"), End("stop")])
    process = linda.start("ask", "never ends", "--json")
    line = b""
    while b"begun" not in line:
        line = process.stdout.readline()
        assert line
    chat_id = json.loads(line)["chat_id"]
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Traceback" not in errors

    def state():
        return lab.linda(f"chats/{chat_id}")["runs"][-1]["state"]

    until(lambda: state() == "stopped")
    provider.go()


def test_a_chat_that_is_deleted_meanwhile_ends_the_command(linda, provider, lab):
    provider.hold()
    provider.script("delete under me", [Say("begun "), Stall(600), End("stop")])
    process = linda.start("ask", "delete under me", "--json")
    line = process.stdout.readline()
    httpx.delete(
        f"{lab.url}linda/api/chats/{json.loads(line)['chat_id']}",
        headers={"Authorization": f"token {lab.token}"},
        trust_env=False,
    )
    _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors.decode()) == (1, "The chat was deleted meanwhile, and the run with it.\n")
    provider.go()


def test_alone_it_starts_a_server_for_the_moment_and_leaves_nothing(alone, provider):
    provider.script("all alone", uses(write("alone.txt")), says("Alone."))
    alone.lab.connect(provider.base_url)
    done = alone.run("ask", "all alone", "--yes-to", "WRITE")
    assert done.code == 0, done
    assert done.out.endswith("Alone.\n")
    assert (alone.lab.root / "alone.txt").read_text() == "written"
    until(lambda: not processes_of(alone.lab.home), seconds=6)
    assert not re.search(r"token|http://", done.out + done.err)


def test_alone_without_a_working_linda_ends_with_4(alone, tmp_path):
    Path(alone.lab.home / "config" / "jupyter_server_config.json").write_text(
        json.dumps({"ServerApp": {"jpserver_extensions": {"jupyter_linda": False}}})
    )
    done = alone.run("ask", "hello")
    assert done.code == 4
    assert "doctor" in done.err
    until(lambda: not processes_of(alone.lab.home), seconds=6)
