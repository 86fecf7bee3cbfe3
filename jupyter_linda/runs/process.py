"""A child process with a group of its own, and ending all of it, on every system."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from typing import Any, NoReturn

import psutil

GRACE_S = 3.0
"""How long a worker may take to end by itself after its pipe closed."""


def popen_options() -> dict[str, Any]:
    """Arguments of Popen that give the child a process group (POSIX: a session) of its own."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW, "close_fds": True}
    return {"start_new_session": True, "close_fds": True}


def end_group(process: subprocess.Popen[bytes], *, grace_s: float = GRACE_S) -> int:
    """Wait for a child whose pipe closed, then end whatever is left of its group; returns its exit code."""
    family = _family(process.pid)
    try:
        process.wait(grace_s)
    except subprocess.TimeoutExpired:
        process.kill()
    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    for relative in family:
        with contextlib.suppress(psutil.Error):
            relative.kill()
    return process.wait()


def _family(pid: int) -> list[psutil.Process]:
    with contextlib.suppress(psutil.Error):
        return psutil.Process(pid).children(recursive=True)
    return []


def leave() -> NoReturn:
    """End this process at once, and before it whatever it started: with the server gone nobody else does."""
    for child in _family(os.getpid()):
        with contextlib.suppress(psutil.Error):
            child.kill()
    if sys.platform != "win32" and os.getpgrp() == os.getpid():
        for pid in psutil.pids():
            with contextlib.suppress(OSError):
                if os.getpgid(pid) == os.getpid() != pid:
                    os.kill(pid, signal.SIGKILL)
    os._exit(0)


def end_own_group() -> None:
    """End this process and every child of it at once: the server is gone."""
    for child in _family(os.getpid()):
        with contextlib.suppress(psutil.Error):
            child.kill()
    if sys.platform != "win32" and os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)
