"""A worker's end takes along what it started."""

from __future__ import annotations

import subprocess
import sys
import time

import psutil

from jupyter_linda.runs.process import popen_options

CODE = """
import subprocess, sys
from jupyter_linda.runs.process import leave
sleeper = [sys.executable, "-S", "-c", "import time; time.sleep(600)"]
middle = [sys.executable, "-S", "-c", "import subprocess; print(subprocess.Popen(%r).pid, flush=True)" % sleeper]
print(subprocess.Popen(sleeper).pid, flush=True)
subprocess.run(middle)
leave()
"""


def test_leaving_ends_children_and_orphans_of_the_group():
    with subprocess.Popen([sys.executable, "-c", CODE], stdout=subprocess.PIPE, **popen_options()) as worker:
        pids = [int(line) for line in worker.stdout]
        assert worker.wait(10) == 0
    assert len(pids) == 2
    deadline = time.monotonic() + 4
    while any(psutil.pid_exists(pid) and psutil.Process(pid).status() != "zombie" for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.05)
