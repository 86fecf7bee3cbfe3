"""Looking into files whose formats are unpacked whole or in parts, in a process of its own.

A workbook of a kilobyte or a Parquet file of forty can want more memory than a machine has: then this process ends,
and nothing else.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, BinaryIO

from ..errors import LindaError, ToolFailed, from_wire, to_wire
from .data_formats import Peek, is_packed, peek

if TYPE_CHECKING:
    from ..ports import Json

MEMORY_BYTES = 4_000_000_000
"""A sheet is laid out whole, from its first cell to its last, however few there are between them."""
TIME_S = 20.0


def peek_apart(stream: BinaryIO, name: str, size: int, *, rows: int, sheet: str) -> Peek:
    """`data_formats.peek`; `ToolFailed` where it takes too much. `stream` is a file of the disk."""
    if not is_packed(stream, name):
        return peek(stream, name, size, rows=rows, sheet=sheet)
    wish = {"name": name, "size": size, "rows": rows, "sheet": sheet, "memory": MEMORY_BYTES}
    found: Json = None
    with suppress(subprocess.TimeoutExpired, OSError, ValueError):
        done = subprocess.run(  # noqa: S603  # our own interpreter and module
            [sys.executable, "-P", "-m", __name__, json.dumps(wish)],
            stdin=stream, capture_output=True, timeout=TIME_S, check=False,
        )  # fmt: skip
        found = json.loads(done.stdout) if done.returncode == 0 else None
    if found is None:
        raise ToolFailed(
            f"Looking into {name!r} takes more memory or time than there is for it.",
            remedy="Read it with code in a notebook.",
            kind_of_failure="too_large",
        )
    if "kind" in found:
        raise from_wire(**found)
    return Peek(**found)


def main() -> None:
    """The process: what is wanted in its argument, the file at its input, the answer as JSON."""
    wish = json.loads(sys.argv[1])
    limit = wish.pop("memory")
    with suppress(ImportError, OSError, ValueError):  # where no limit can be set, the system ends this process alone
        import resource  # noqa: PLC0415  # does not exist on Windows

        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    os.lseek(0, 0, os.SEEK_SET)  # whoever opened it has read in it
    with os.fdopen(0, "rb") as stream:
        try:
            found: Json = asdict(peek(stream, **wish))
        except LindaError as error:
            found = to_wire(error)
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
