"""Searching text in files and notebook cells: bounded, and with patterns that cannot run away."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import regex  # type: ignore[import-untyped]  # it has time limits and lets others run; re stops the whole process

from ..errors import LindaError, ToolRetry
from .text import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..ports import Json

LINE_CHARS = 1000
"""Most characters of a line a pattern is tried on."""
SHOWN_CHARS = 240
PATTERN_TIME_S = 3.0
"""Seconds a pattern may run over all lines of a search."""
_REPEATED_GROUP = re.compile(r"\)\s*[*+{]")
_UNBOUNDED = re.compile(r"[*+]|\{\d*,\}")
_CALLS_ITSELF = re.compile(r"\(\?(R|[+-]?\d|&|P>)|\(\?\(DEFINE")
_COUNTS = re.compile(r"[{,](\d{1,20})(?=[,}])")
MOST_REPEATS = 1000
"""A pattern may ask for one thing that often in a row; a line is not tried any further."""

Finder = Callable[[str], bool]


@dataclass(frozen=True)
class Match:
    """A line that matches; `cell_id` is set inside a notebook, `line` then counts in the cell."""

    path: str
    line: int
    text: str
    cell_id: str = ""

    def as_json(self) -> Json:
        """For `ToolResult.data`."""
        found: dict[str, Json] = {"path": self.path, "line": self.line, "text": self.text}
        return {**found, "cell_id": self.cell_id} if self.cell_id else found


def make_finder(query: str, *, is_regex: bool, is_case_sensitive: bool) -> Finder:
    """A test of one line. Refuses patterns that could take exponential time (`ToolRetry`)."""
    if not query:
        raise ToolRetry("The query is empty. Give the text to look for.")
    if not is_regex:
        return _literal(query, is_case_sensitive=is_case_sensitive)
    bare = re.sub(r"\[[^\]]*\]", "x", re.sub(r"\\[^0-9]", "x", query))
    if _REPEATED_GROUP.search(bare) or len(_UNBOUNDED.findall(bare)) > 3 or re.search(r"\\[1-9]|\(\?P=", bare):
        raise ToolRetry(
            "This regular expression may run very long: repeated groups, more than three unbounded repeats and "
            "back-references are not accepted. Search for a literal text, or several times."
        )
    if _CALLS_ITSELF.search(bare) or any(int(number) > MOST_REPEATS for number in _COUNTS.findall(bare)):
        raise ToolRetry(
            "This regular expression may need all memory: patterns that call themselves or a group, and repeats of "
            f"more than {MOST_REPEATS} times, are not accepted. Search for a literal text, or several times."
        )
    try:  # after the checks: compiling alone can take all memory
        pattern = regex.compile(query, 0 if is_case_sensitive else regex.IGNORECASE)
    except (regex.error, RecursionError, OverflowError) as error:
        raise ToolRetry(f"{query!r} is not a regular expression: {error}.") from None
    return _within_time(pattern)


def _within_time(pattern: Any) -> Finder:
    """A pattern's test that lets others run meanwhile, and gives up after `PATTERN_TIME_S` over all lines."""
    spent_s = 0.0

    def find(line: str) -> bool:
        nonlocal spent_s
        begun = time.monotonic()
        try:
            found = pattern.search(line[:LINE_CHARS], timeout=max(0.01, PATTERN_TIME_S - spent_s), concurrent=True)
        except TimeoutError:
            raise ToolRetry(
                f"This regular expression ran for {PATTERN_TIME_S:g} s and was given up. Search for a literal text, "
                "or with a simpler pattern."
            ) from None
        spent_s += time.monotonic() - begun
        return found is not None

    return find


def _literal(query: str, *, is_case_sensitive: bool) -> Finder:
    if is_case_sensitive:
        return lambda line: query in line
    folded = query.casefold()
    return lambda line: folded in line.casefold()


def search_content(path: str, content: bytes, finder: Finder) -> Iterator[Match]:
    """Matches in one file; nothing in binary files. Notebooks: in the sources of their cells."""
    if b"\0" in content[:8192] and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return
    try:
        text = decode(content, name=path).text
    except LindaError:
        return
    sources = _cell_sources(text) if path.endswith(".ipynb") else None
    if sources is not None:
        yield from _search_cells(path, sources, finder)
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if finder(line):
            yield Match(path, number, _shown(line))


def _cell_sources(text: str) -> list[tuple[str, str]] | None:
    """(cell id, source) of every cell; None for what is no notebook after all."""
    try:
        cells = json.loads(text)["cells"]
        return [(str(cell.get("id", f"#{at}")), "".join(cell["source"])) for at, cell in enumerate(cells)]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _search_cells(path: str, sources: list[tuple[str, str]], finder: Finder) -> Iterator[Match]:
    for cell_id, source in sources:
        for number, line in enumerate(source.splitlines(), start=1):
            if finder(line):
                yield Match(path, number, _shown(line), cell_id)


def _shown(line: str) -> str:
    line = line.strip()
    return line if len(line) <= SHOWN_CHARS else line[: SHOWN_CHARS - 1] + "…"
