"""What lies beside a notebook and has a say in what its plain code does."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_PYTHON = frozenset([".py", ".pyc", ".pyd", ".so"])
_SETTINGS = frozenset(["matplotlibrc"])
"""Read from the folder in which a kernel runs when a library is imported; they can have LaTeX or a backend run."""


def is_alone(folder: Path) -> bool:
    """Whether nothing in a folder comes in between: an import finds Python's files there before the real ones."""
    try:
        return not any(
            entry.suffix.lower() in _PYTHON
            or entry.name.lower() in _SETTINGS
            or (entry / "__init__.py").exists()
            or (entry / "__init__.pyc").exists()
            for entry in folder.iterdir()
        )
    except OSError:
        return False
