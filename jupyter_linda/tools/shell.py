"""Shell commands and package installs: each one is shown and asked about, whatever the rules say."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ..errors import NotFound, StaleRevision, ToolFailed, ToolRetry
from ..permissions.code import find_in_shell
from ..permissions.code_tree import INSTALLS, NETWORK
from ..ports import Resource, ToolContext, ToolResult
from ..ports.held import held
from ..schemas import Preview
from ..toolkit import tool
from .kernel import kernel_of, probe
from .naming import NotebookPath, api_path
from .processes import run_command
from .rendering import clean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ports import Json
    from .processes import Ended

INSTALL_TIME_S = 900.0
_PIP = "pip"
_PACKAGE = re.compile(
    r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?(\[[A-Za-z0-9._,\- ]+\])?"
    r"(\s*(==|>=|<=|~=|!=|<|>)\s*[A-Za-z0-9.*+!_-]+(\s*,\s*(==|>=|<=|~=|!=|<|>)\s*[A-Za-z0-9.*+!_-]+)*)?"
)


def _folder(arguments: Mapping[str, Json]) -> Resource:
    return Resource("folder", arguments["folder"])


def _outcome(command: str, ended: Ended, timeout_s: float) -> ToolResult:
    text = clean(ended.output).strip("\n")
    if ended.exit_code is None:
        status = f"stopped after {timeout_s:g} s, with everything it had started"
    else:
        status = f"exit code {ended.exit_code}"
    stream = {"output_type": "stream", "name": "stdout", "text": text}
    return ToolResult(
        text=f"{status}, {ended.duration_s:.1f} s\n{held(text, 'values') or '(no output)'}",
        title=f"{'Ran' if ended.exit_code == 0 else 'Failed:'} {command.splitlines()[0][:80]}",
        outputs=(stream,) if text else (),
        data={
            "command": command,
            "exit_code": ended.exit_code,
            "text": text,
            "duration_s": round(ended.duration_s, 3),
            "is_stopped": ended.exit_code is None,
        },
    )


@tool(action="run", family="shell", resource=_folder, always_asks=True, holds="words")
async def run_shell(
    context: ToolContext,
    command: Annotated[
        str, Field(min_length=1, max_length=10_000, description="The command line, as the shell takes it.")
    ],
    folder: Annotated[str, "Where to run it, relative to the notebook folder; empty for that folder."] = "",
    timeout_s: Annotated[float, Field(gt=0, le=3_600, description="Seconds until it is stopped.")] = 120.0,
) -> ToolResult:
    """Run a shell command in a folder and get its output. The user is always asked first and sees the command.

    It cannot ask anything back, and nothing that it starts is left running. Prefer the other tools where they do.
    """
    # `data` holds command, exit_code, text, duration_s, is_stopped
    _check_command(command)
    real = context.admit_path(folder, "read")
    if not Path(real).is_dir():  # noqa: ASYNC240  # one look at a local folder
        raise NotFound(f"There is no folder {folder!r}.")
    ended = await run_command(command, folder=real, timeout_s=timeout_s, report=context.report)
    return _outcome(command, ended, timeout_s)


def _check_command(command: str) -> None:
    if "\0" in command or not command.strip():
        raise ToolRetry("The command is empty or holds a NUL character.")


@run_shell.previews
async def _preview_shell(arguments: Mapping[str, Json], _context: ToolContext) -> Preview:
    _check_command(arguments["command"])
    return Preview(
        sentence=f"Run a shell command in {arguments['folder'] or 'the notebook folder'}.",
        code=arguments["command"],
        language="bat" if sys.platform == "win32" else "shell",
        findings=tuple(sorted(find_in_shell(arguments["command"]))),
    )


# ---- packages -----------------------------------------------------------------------------------


async def _install_command(context: ToolContext, path: str, packages: list[str]) -> list[str]:
    """The kernel's own Python with pip, and the packages: names and versions, no options, addresses or paths."""
    wrong = [package for package in packages if not _PACKAGE.fullmatch(package.strip())]
    if wrong:
        raise ToolRetry(f"{wrong[0]!r} is no package: give names, with versions if need be, such as pandas>=2.2.")
    text = "import json, sys\n\ndef where():\n    return json.dumps(sys.executable or '')"
    python = await probe(context, path, setup=text, expression="where()", timeout_s=2.0)
    if not python or not Path(python).is_file():  # noqa: ASYNC240  # one look at a local file
        raise ToolFailed(
            "The kernel's Python is not on this machine.",
            remedy="Install the packages where the kernel runs.",
            kind_of_failure="elsewhere",
        )
    options = ["--no-input", "--disable-pip-version-check", "--no-color", "--progress-bar", "off"]
    return [python, "-m", _PIP, "install", *options, "--", *(package.strip() for package in packages)]


def _shown(command: list[str]) -> str:
    return subprocess.list2cmdline(command) if sys.platform == "win32" else shlex.join(command)


@tool(action="run", family="shell", resource=kernel_of, always_asks=True, holds="words")
async def install_packages(
    context: ToolContext,
    path: NotebookPath,
    packages: Annotated[list[str], Field(min_length=1, max_length=30, description="Names, such as pandas>=2.2.")],
    timeout_s: Annotated[float, Field(gt=0, le=3_600, description="Seconds until it is stopped.")] = INSTALL_TIME_S,
) -> ToolResult:
    """Install Python packages with pip into the environment of a notebook's running kernel. The user is always asked.

    Modules that the kernel has already loaded stay as they are until it is restarted.
    """
    # `data` holds command, exit_code, text, duration_s, is_stopped
    command = await _install_command(context, api_path(context, path), packages)
    if context.approved is not None and context.approved.code != _shown(command):
        raise StaleRevision(
            "The kernel's environment is another one now, so nothing was installed.", remedy="Ask again."
        )
    with tempfile.TemporaryDirectory() as folder:  # where no file can take the place of pip, or of what it imports
        ended = await run_command(command, folder=folder, timeout_s=timeout_s, report=context.report)
    if f"No module named {_PIP}" in ended.output:
        raise ToolFailed(
            "The kernel's environment has no pip.",
            remedy="Install the packages with the tool that made the environment (uv, conda, poetry).",
            kind_of_failure="no_pip",
        )
    return _outcome(f"pip install {' '.join(packages)}", ended, timeout_s)


@install_packages.previews
async def _preview_install(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    path = api_path(context, arguments["path"])
    command = await _install_command(context, path, arguments["packages"])
    return Preview(
        sentence=f"Install {', '.join(arguments['packages'])} into the environment of the kernel of {path}.",
        code=_shown(command),
        language="shell",
        findings=(INSTALLS, NETWORK),
    )


TOOLS = (run_shell, install_packages)
"""The tools of this file."""
