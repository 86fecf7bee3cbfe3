"""Looking into a workbook in a process of its own: a file of a kilobyte can want more memory than a machine has."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ..errors import ToolFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..ports import Json

READER = "python_calamine"
MEMORY_BYTES = 3_000_000_000
"""A sheet is laid out whole, from its first cell to its last, however few there are between them."""
TIME_S = 20.0
_CODE = r"""
import datetime, json, sys

wish = json.loads(sys.argv[1])
try:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (wish["memory"], wish["memory"]))
except (ImportError, OSError, ValueError):
    pass  # where no limit can be set, this process alone is ended by the system
import python_calamine as calamine


def told(cell):
    if isinstance(cell, datetime.timedelta):
        return ["timedelta", cell.total_seconds()]
    for kind in (datetime.datetime, datetime.date, datetime.time):
        if isinstance(cell, kind):
            return [kind.__name__, cell.isoformat()]
    return cell if isinstance(cell, (str, int, float)) else str(cell)


def look():
    book = calamine.CalamineWorkbook.from_filelike(sys.stdin.buffer)
    sheets = list(book.sheet_names)
    chosen = wish["sheet"] or (sheets[0] if sheets else "")
    if chosen not in sheets:
        return {"sheets": sheets, "sheet": ""}
    found = book.get_sheet_by_name(chosen)
    lines = [[told(cell) for cell in line] for line in found.to_python(skip_empty_area=True, nrows=wish["rows"])]
    return {"sheets": sheets, "sheet": chosen, "lines": lines, "rows": found.height, "width": found.width}


try:
    answer = look()
except calamine.CalamineError as error:
    answer = {"fault": str(error)}
sys.stdout.write(json.dumps(answer))
"""


@dataclass(frozen=True)
class Sheet:
    """One sheet's first lines. `name` is empty where there is none of the name that was asked for."""

    sheets: Sequence[str]
    name: str
    lines: Sequence[Sequence[Json]] = ()
    rows: int = 0
    width: int = 0


def has_reader() -> bool:
    """Whether what reads workbooks is installed: it is an extra."""
    return find_spec(READER) is not None


def first_lines(content: bytes, sheet: str, rows: int) -> Sheet:
    """The first lines of a sheet ("": the first one); `ToolFailed` for what cannot be read or is too much to read."""
    wish = json.dumps({"sheet": sheet, "rows": rows, "memory": MEMORY_BYTES})
    try:
        done = subprocess.run(  # noqa: S603  # our own interpreter and text
            [sys.executable, "-P", "-c", _CODE, wish], input=content, capture_output=True, timeout=TIME_S, check=False
        )
        found = json.loads(done.stdout) if done.returncode == 0 else None
    except (subprocess.TimeoutExpired, OSError):
        found = None
    if found is None:
        raise ToolFailed(
            "Looking into this workbook takes more memory or time than there is for it.",
            remedy="Read it with code in a notebook.",
            kind_of_failure="too_large",
        )
    if "fault" in found:
        raise ToolFailed(f"This workbook cannot be read: {found['fault']}.", kind_of_failure="damaged")
    lines = [[_cell(cell) for cell in line] for line in found.get("lines", ())]
    return Sheet(found["sheets"], found["sheet"], lines, found.get("rows", 0), found.get("width", 0))


_MADE: Mapping[str, Callable[[Json], Json]] = {
    "timedelta": lambda seconds: timedelta(seconds=seconds), "datetime": datetime.fromisoformat,
    "date": date.fromisoformat, "time": time.fromisoformat,
}  # fmt: skip


def _cell(told: Json) -> Json:
    """A cell's value; moments and spans come with their kind."""
    return _MADE[told[0]](told[1]) if isinstance(told, list) else told
