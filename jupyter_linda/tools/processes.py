"""Commands as child processes: bounded in time and output, ended with everything they started."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import psutil

from ..errors import ToolFailed
from ..runs.process import end_group, popen_options

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

HEAD_CHARS, TAIL_CHARS = 8_000, 16_000
"""What is kept of the output: its beginning and its end."""
TERM_WAIT_S = 2.0
"""How long a command may take to end by itself when it is stopped."""
PIPE_WAIT_S = 1.0
"""How long the last output may take when the command is over and something it started still holds its pipe."""
REPORT_S = 0.5
END_TRIES, END_PAUSE_S = 5, 0.02
"""How often it is looked again for what a command left running: while it is ended it may start more."""
MARK = "LINDA_COMMAND"
"""The variable by which everything that a command starts is known."""
_SECRET = re.compile(
    r"(_API_KEY|_TOKEN|_SECRET|_PASSWORD|_ACCESS_KEY)$|^JPY_|^JUPYTERHUB_|^JUPYTER_TOKEN$", re.IGNORECASE
)


@dataclass
class Kept:
    """Head and tail of an output, and how much is missing between."""

    head: str = ""
    tail: deque[str] = field(default_factory=deque)
    size: int = 0

    def add(self, text: str) -> None:
        """More output."""
        self.size += len(text)
        room = HEAD_CHARS - len(self.head)
        if room > 0:
            self.head, text = self.head + text[:room], text[room:]
        if text:
            self.tail.append(text[-TAIL_CHARS:])
            while sum(map(len, self.tail)) - len(self.tail[0]) >= TAIL_CHARS:
                self.tail.popleft()

    def text(self) -> str:
        """The output, with a note where something is left out."""
        tail = "".join(self.tail)[-TAIL_CHARS:]
        missing = self.size - len(self.head) - len(tail)
        return self.head + (f"\n… {missing} characters left out …\n" if missing else "") + tail


@dataclass(frozen=True)
class Ended:
    """How a command ended. `exit_code` None: it was stopped when its time was up."""

    exit_code: int | None
    output: str
    duration_s: float


def clean_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without keys and tokens: what a command prints is shown to a model."""
    return {name: value for name, value in environment.items() if not _SECRET.search(name)}


async def run_command(
    command: str | Sequence[str], *, folder: str, timeout_s: float, report: Callable[[str], None]
) -> Ended:
    """Run a command line through the shell, exactly as it is written, or a program with its arguments.

    However it ends (by itself, by its time limit, by a cancel), nothing that it started is left running.
    """
    started, kept = time.monotonic(), Kept()
    mark = uuid.uuid4().hex
    process = await asyncio.to_thread(_start, command, folder, mark)
    loop = asyncio.get_running_loop()
    over: asyncio.Future[None] = loop.create_future()
    reader = threading.Thread(target=_read, args=(process, kept, report), daemon=True)
    reader.start()

    def tell() -> None:
        if not over.done():
            over.set_result(None)

    def wait() -> None:
        process.wait()
        with contextlib.suppress(RuntimeError):  # the loop may be gone by then
            loop.call_soon_threadsafe(tell)

    threading.Thread(target=wait, daemon=True).start()
    is_late = False
    try:
        async with asyncio.timeout(timeout_s):
            await over
    except TimeoutError:
        is_late = True
    finally:
        await asyncio.shield(asyncio.to_thread(_end, process, reader, mark))
    return Ended(None if is_late else process.returncode, kept.text(), time.monotonic() - started)


def _start(command: str | Sequence[str], folder: str, mark: str) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603  # a person saw this command and allowed it
            command,
            shell=isinstance(command, str),
            cwd=folder,
            env={**clean_environment(os.environ), MARK: mark},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            **popen_options(),
        )
    except (OSError, ValueError) as error:
        raise ToolFailed(f"The command cannot be started: {error}.", kind_of_failure="not_started") from None


def _read(process: subprocess.Popen[bytes], kept: Kept, report: Callable[[str], None]) -> None:
    told_at = 0.0
    stream = process.stdout
    assert stream is not None  # noqa: S101  # it is a pipe
    with stream, contextlib.suppress(ValueError, OSError):
        while piece := stream.read1(65_536):  # type: ignore[attr-defined]  # a BufferedReader
            kept.add(piece.decode(errors="replace"))
            if time.monotonic() - told_at > REPORT_S:
                told_at = time.monotonic()
                report(kept.text()[-1_000:])


def _end(process: subprocess.Popen[bytes], reader: threading.Thread, mark: str) -> None:
    """Ask the whole group to end, then end it, and what left the group; wait for the last output."""
    if process.poll() is None and sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGTERM)
        end_group(process, grace_s=TERM_WAIT_S)
    else:
        end_group(process, grace_s=0.0)
    for _ in range(END_TRIES):
        if not _end_marked(mark):
            break
        time.sleep(END_PAUSE_S)
    reader.join(PIPE_WAIT_S)


def _end_marked(mark: str) -> int:
    """End what was started by a command and went into a group of its own, as daemons do; how many that were."""
    count = 0
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):  # somebody else's, or gone
            if process.environ().get(MARK) == mark:
                process.kill()
                count += 1
    return count
