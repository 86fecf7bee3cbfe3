"""`jupyter linda start`: the tour, the weights, and JupyterLab in its place."""

from __future__ import annotations

import os
import signal
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tests.cli.conftest import processes_of
from tests.ui.lab import free_port

pytestmark = pytest.mark.timeout(180)

AS_ROOT = ("--", "--allow-root") if hasattr(os, "geteuid") and os.geteuid() == 0 else ()
TOUR = Path(__file__).parents[2] / "notebooks" / "tour.ipynb"


def wait_for_server(port: int, process) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api", timeout=5):
                return
        except OSError:
            assert process.poll() is None, process.stderr.read().decode()
            assert time.monotonic() < deadline
            time.sleep(0.1)


@pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")
def test_jupyterlab_runs_on_a_copy_of_the_tour_and_a_signal_ends_everything(alone, tmp_path):
    folder, port = tmp_path / "not there yet", free_port()
    options = ("--no-weights", "--no-browser", "--port", str(port), "--folder", str(folder), *AS_ROOT)
    log = (tmp_path / "log").open("wb")
    process = alone.start("start", *options, stdout=log)
    wait_for_server(port, process)
    assert (folder / "linda-tour.ipynb").read_bytes() == TOUR.read_bytes()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    log.close()
    deadline = time.monotonic() + 10
    while processes_of(alone.lab.home):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert (tmp_path / "log").read_text().startswith(f"Starting JupyterLab in {folder}")


def test_weights_that_are_not_there_are_told_before_anything_starts(alone, tmp_path):
    pytest.importorskip("xllamacpp")
    done = alone.run("start", "--weights", str(tmp_path / "nowhere.gguf"), "--no-browser")
    assert done.code == 4
    assert "There is no file" in done.err
    assert "Check the path given as --weights." in done.err
    assert not (alone.lab.root / "linda-tour.ipynb").exists()


def test_weights_that_are_something_else_are_refused(alone, tmp_path):
    pytest.importorskip("xllamacpp")
    (tmp_path / "other.gguf").write_bytes(b"something else")
    done = alone.run("start", "--weights", str(tmp_path / "other.gguf"), "--no-browser")
    assert done.code == 4
    assert "not the right file. Nothing was put in place." in done.err
    assert not list(alone.lab.data_dir.rglob("*.gguf"))


def test_an_earlier_copy_of_the_tour_is_left_as_it_is(tmp_path):
    from jupyter_linda.cli.start import copy_tour

    (tmp_path / "linda-tour.ipynb").write_text("my own notes")
    assert copy_tour(tmp_path).read_text() == "my own notes"
