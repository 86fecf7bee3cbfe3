"""Finding a Jupyter server with Linda, or starting one for a moment."""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..client import LindaClient, LindaMissing, Server
from ..errors import LindaError, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

START_TIMEOUT_S = 60.0


def _running_servers() -> Iterable[Mapping[str, Any]]:
    """What Jupyter itself wrote down of the servers of this user: {url, token, root_dir, pid, …} each."""
    from jupyter_server.serverapp import list_running_servers  # noqa: PLC0415  the whole server: a second and a half

    found: Iterable[Mapping[str, Any]] = list_running_servers()
    return found


def find_server(folder: Path) -> Server | None:
    """The running server of this user whose root holds the folder and that has Linda; the deepest root first."""
    found = []
    for info in _running_servers():
        root = Path(str(info.get("root_dir") or info.get("notebook_dir") or "/")).resolve()
        if folder == root or root in folder.parents:
            found.append(Server(str(info["url"]), str(info.get("token", "")), str(root)))
    for server in sorted(found, key=lambda server: -len(server.root_dir)):
        with contextlib.suppress(LindaError), LindaClient(server, timeout_s=5.0) as client:
            client.status()
            return server
    return None


@contextlib.contextmanager
def some_server(folder: Path) -> Iterator[Server]:
    """A running server, or one of our own on a free port that ends with the block."""
    running = find_server(folder)
    if running is not None:
        yield running
        return
    with own_server(folder) as server:
        yield server


@contextlib.contextmanager
def own_server(folder: Path, *options: str) -> Iterator[Server]:
    """A server of our own on a free port that ends with the block, with further options of `jupyter server`."""
    token = secrets.token_urlsafe(24)
    with tempfile.TemporaryFile() as output:
        command = [
            sys.executable,
            "-P",  # no module of the folder in which the command is used
            "-m",
            "jupyter_server",
            "--no-browser",
            "--ServerApp.port=0",
            "--ServerApp.ip=127.0.0.1",
            f"--ServerApp.root_dir={folder}",
            "--ServerApp.allow_root=True",
            "--ServerApp.port_retries=0",
            *options,
        ]
        process = subprocess.Popen(  # noqa: S603  # our own interpreter
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=_environment(token),
            start_new_session=True,  # Ctrl-C is for the command: it still has to ask the server to stop its run
        )
        try:
            yield _wait_for(process, folder, token, output)
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _environment(token: str) -> dict[str, str]:
    return {**os.environ, "JUPYTER_TOKEN": token}  # not on the command line, where every user could read it


def _wait_for(process: subprocess.Popen[bytes], folder: Path, token: str, output: object) -> Server:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        for info in _running_servers():
            if info.get("pid") == process.pid:
                server = Server(str(info["url"]), token, str(folder))
                if _has_linda(server):
                    return server
        time.sleep(0.1)
    output.seek(0)  # type: ignore[attr-defined]  # a temporary file
    tail = output.read().decode(errors="replace")[-1500:]  # type: ignore[attr-defined]  # a temporary file
    raise Unavailable(
        f"No Jupyter server could be started in {folder}.\n{tail}",
        remedy="`jupyter linda doctor` checks the installation.",
    )


def _has_linda(server: Server) -> bool:
    """Whether it answers; a server that never will is an error."""
    with LindaClient(server, timeout_s=5.0) as client:
        try:
            client.status()
        except LindaMissing:
            raise Unavailable(
                "The server that was started for this has no Linda: her server extension is switched off.",
                remedy="`jupyter linda doctor` says where.",
            ) from None
        except LindaError:
            return False
    return True
