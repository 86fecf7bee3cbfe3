"""Patterns of paths in the syntax of .gitignore: the one file that imports pathspec."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from pathspec import GitIgnoreSpec

__all__ = ["GitIgnoreSpec", "fits"]

OUTSIDE = "\0outside/"
"""Stands before a path outside the root folder: patterns that begin at the root do not fit it."""


@lru_cache(maxsize=2000)
def _spec(pattern: str) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines([_folded(pattern)])


def fits(pattern: str, path: str) -> bool:
    """Whether a path (relative to the root folder, or absolute) fits a pattern; upper and lower case are one.

    So are letters with their accents as one sign or as two: which of them a disk gives back depends on the system.
    """
    name = OUTSIDE + path.lstrip("/") if path.startswith("/") else path
    return bool(_spec(pattern).check_file(_folded(name)).include)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
