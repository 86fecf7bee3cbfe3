"""What a notebook's JSON must look like before anything works with it, and in words what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..ports import Json

KNOWN_FORMATS = (1, 2, 3, 4)
_Check = Callable[["Json"], bool]


def words_of(value: Json) -> str:
    """What a JSON value is, for a person."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "an object"


def format_of(content: Json) -> tuple[int, str]:
    """A notebook's major format, or what is wrong with what should say it."""
    if not isinstance(content, dict):
        return 0, f"it holds {words_of(content)}, not an object"
    if "nbformat" not in content:
        return 0, "nbformat is missing"
    major = content["nbformat"]
    if not _is_whole(major):
        return 0, f"nbformat is {words_of(major)}, not a whole number"
    if major not in KNOWN_FORMATS:
        return 0, f"it has notebook format {major}, which is not known"
    return major, ""


def fault_of(content: Json) -> str:
    """The first thing that is not as format 4 says, as far as anything here relies on it; nothing if all is well."""
    return next(_faults(content), "")


def _faults(content: Json) -> Iterator[str]:
    yield from _misplaced(content, "", ("nbformat_minor", "a whole number", _is_whole), ("metadata", *_OBJECT))
    yield from _misplaced(content.get("metadata") or {}, "metadata.", ("kernelspec", *_OBJECT_OR_NULL))
    cells = content.get("cells")
    if not isinstance(cells, list):
        yield f"cells is {words_of(cells)}, not a list" if "cells" in content else "cells is missing"
        return
    for index, cell in enumerate(cells):
        where = f"cell {index + 1} (index {index})"
        if not isinstance(cell, dict):
            yield f"{where} is {words_of(cell)}, not an object"
            return
        yield from (f"{where}: {fault}" for fault in _cell_faults(cell))


def _cell_faults(cell: dict[str, Json]) -> Iterator[str]:
    if "cell_type" not in cell:
        yield "cell_type is missing"
    yield from _misplaced(
        cell, "", ("cell_type", "a text", _is_text), ("source", *_LINES), ("metadata", *_OBJECT_OR_NULL),
        ("attachments", *_OBJECT_OR_NULL), ("outputs", "a list", _is_list_or_null),
    )  # fmt: skip
    yield from _misplaced(cell.get("metadata") or {}, "metadata.", ("tags", "a list", _is_list_or_null))
    for number, output in enumerate(cell.get("outputs") or (), start=1):
        if not isinstance(output, dict):
            yield f"output {number} is {words_of(output)}, not an object"
            return
        yield from (f"output {number}: {fault}" for fault in _output_faults(output))


def _output_faults(output: dict[str, Json]) -> Iterator[str]:
    yield from _misplaced(
        output, "", ("output_type", "a text", _is_text), ("text", *_LINES), ("data", *_OBJECT_OR_NULL),
        ("metadata", *_OBJECT_OR_NULL), ("traceback", "a list", _is_list_or_null),
    )  # fmt: skip
    data = output.get("data") or {}
    yield from _misplaced(data, "data.", *((mime, *_LINES) for mime in data if mime.startswith("text/")))


def _misplaced(holder: dict[str, Json], prefix: str, *expected: tuple[str, str, _Check]) -> Iterator[str]:
    """Members that are there and are not what they should be."""
    for name, wanted, fits in expected:
        if name in holder and not fits(holder[name]):
            yield f"{prefix}{name} is {words_of(holder[name])}, not {wanted}"


def _is_whole(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_object(value: Json) -> bool:
    return isinstance(value, dict)


def _is_object_or_null(value: Json) -> bool:
    return value is None or isinstance(value, dict)


def _is_list_or_null(value: Json) -> bool:
    return value is None or isinstance(value, list)


def _is_lines(value: Json) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(line, str) for line in value))


_LINES = ("a text or a list of texts", _is_lines)
_OBJECT = ("an object", _is_object)
_OBJECT_OR_NULL = ("an object", _is_object_or_null)
