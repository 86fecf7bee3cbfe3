"""Notebooks of tasks: made as text, and read again from what was left."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Json = Any  # nbformat


@dataclass(frozen=True)
class Cell:
    """A cell as a checker looks at it."""

    cell_id: str
    kind: str
    source: str
    metadata: Mapping[str, Json]
    count: int | None
    """Its execution count."""
    said: str
    """Text of its outputs: streams, results and errors."""
    has_error: bool
    pictures: tuple[bytes, ...]
    """PNG pictures of its outputs."""


def notebook(*cells: Mapping[str, Json]) -> str:
    """A notebook of format 4.5 for Python."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    made = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def code(cell_id: str, source: str, *outputs: Mapping[str, Json], count: int | None = None) -> dict[str, Json]:
    """A code cell."""
    return {
        "cell_type": "code",
        "execution_count": count,
        "id": cell_id,
        "metadata": {},
        "outputs": list(outputs),
        "source": _lines(source),
    }


def text(cell_id: str, source: str) -> dict[str, Json]:
    """A Markdown cell."""
    return {"cell_type": "markdown", "id": cell_id, "metadata": {}, "source": _lines(source)}


def printed(said: str) -> dict[str, Json]:
    """What a cell printed."""
    return {"name": "stdout", "output_type": "stream", "text": _lines(said)}


def raised(name: str, value: str) -> dict[str, Json]:
    """An error that was saved."""
    trace = [
        "-" * 75,
        f"{name}                 Traceback (most recent call last)",
        f"{name}: {value}",
    ]
    return {"ename": name, "evalue": value, "output_type": "error", "traceback": trace}


def _lines(source: str) -> list[str]:
    return source.splitlines(keepends=True)


def read_cells(content: bytes | None) -> list[Cell] | None:
    """The cells of a notebook; None where there is no notebook to read."""
    if content is None:
        return None
    try:
        cells = json.loads(content)["cells"]
        return [_read(cell) for cell in cells]
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _read(cell: Mapping[str, Json]) -> Cell:
    outputs = cell.get("outputs") or []
    return Cell(
        cell_id=str(cell.get("id", "")),
        kind=str(cell["cell_type"]),
        source=_joined(cell["source"]),
        metadata=cell.get("metadata") or {},
        count=cell.get("execution_count"),
        said="".join(_said(output) for output in outputs),
        has_error=any(output["output_type"] == "error" for output in outputs),
        pictures=tuple(picture for output in outputs if (picture := _picture(output))),
    )


def _said(output: Mapping[str, Json]) -> str:
    if output["output_type"] == "error":
        return f"{output.get('ename', '')}: {output.get('evalue', '')}\n"
    return _joined(output.get("text") or (output.get("data") or {}).get("text/plain") or "")


def _picture(output: Mapping[str, Json]) -> bytes:
    held = _joined((output.get("data") or {}).get("image/png") or "")
    try:
        return base64.b64decode(held)
    except binascii.Error:
        return b""


def _joined(held: str | Sequence[str]) -> str:
    return held if isinstance(held, str) else "".join(held)
