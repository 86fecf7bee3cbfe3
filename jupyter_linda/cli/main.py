"""The command line's entry point and its help."""

from __future__ import annotations

import argparse
import importlib.metadata
import io
import os
import signal
import sys

from ..errors import LindaError
from . import ask, doctor, evaluate, start, support

EPILOG = """examples:
  jupyter linda start                     open JupyterLab on a copy of the tour notebook
  jupyter linda ask "what does lakes.ipynb do?"
  jupyter linda ask --yes-to WRITE "insert a cell with x = 1 at the end of lakes.ipynb"
  jupyter linda doctor --offline          check the installation without the network
  jupyter linda eval openai/gpt-5         give a model notebook tasks, and see how many it does right

exit codes: 0 done, 1 failed, 2 wrong usage, 3 something was refused or not answered,
            4 no Jupyter server could be reached or started, 130 stopped with Ctrl-C,
            141 whoever read the output left
"""


def parser() -> argparse.ArgumentParser:
    """All commands and options."""
    made = argparse.ArgumentParser(
        prog="jupyter linda",
        description="Linda, an AI assistant inside JupyterLab.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--version", action="version", version=importlib.metadata.version("jupyter_linda"))
    commands = made.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in (start, ask, doctor, support, evaluate):
        module.add_to(commands)
    return made


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a sign still shows the rest
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter complains at its end
        return 141
    return code


def _run(arguments: list[str] | None) -> int:
    chosen = parser().parse_args(arguments)
    for name in ("SIGTERM", "SIGHUP"):  # a closed terminal ends a command as Ctrl-C does: in order
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _interrupt)
    try:
        return int(chosen.run(chosen))
    except LindaError as error:
        print(f"{error.message} {error.remedy}".strip(), file=sys.stderr)
        return 4 if error.status == 503 else 1
    except KeyboardInterrupt:
        return 130


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
