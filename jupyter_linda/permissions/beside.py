"""What lies beside a notebook and has a say in what its plain code does."""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import packages_distributions
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_PYTHON = frozenset([".py", ".pyc", ".pyd", ".so"])
_SETTINGS = frozenset(["matplotlibrc"])
"""Read from the folder in which a kernel runs when a library is imported; they can have LaTeX or a backend run."""
_OF_KERNELS = frozenset(
    ["ipykernel_launcher", "ipykernel", "ipython", "traitlets", "zmq", "tornado", "jupyter_client", "jupyter_core",
     "comm", "debugpy", "psutil", "matplotlib_inline", "jedi", "parso", "prompt_toolkit", "pygments", "stack_data",
     "executing", "asttokens", "pure_eval", "decorator", "wcwidth", "pexpect", "ptyprocess", "nest_asyncio",
     "packaging", "dateutil", "platformdirs", "six", "appnope", "colorama", "exceptiongroup", "typing_extensions",
     "xpython", "anyio"]
)  # fmt: skip


def is_alone(folder: Path) -> bool:
    """Whether nothing in a folder comes in between: an import finds Python's files there before the real ones."""
    try:
        return not any(_is_python(entry) or entry.name.lower() in _SETTINGS for entry in folder.iterdir())
    except OSError:
        return False


def is_posing(folder: Path) -> bool:
    """Whether something in a folder has the name of a module that kernels import to start, or to run anything."""
    try:
        return any(_is_python(entry) and entry.name.split(".")[0].lower() in _known() for entry in folder.iterdir())
    except OSError:
        return True


def _is_python(entry: Path) -> bool:
    is_package = (entry / "__init__.py").exists() or (entry / "__init__.pyc").exists()
    return is_package or entry.suffix.lower() in _PYTHON


@cache
def _known() -> frozenset[str]:
    """Names of modules of Python, of kernels, and of what is installed here; in small letters."""
    names = (*sys.stdlib_module_names, *_OF_KERNELS, *packages_distributions())
    return frozenset(name.lower() for name in names)
