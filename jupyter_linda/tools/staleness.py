"""Cells that ran out of order, and cells whose result is older than what they use. Pure; parsing is a hint."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from .naming import for_people
from .rendering import cell_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..ports import Json

MOST_NOTES = 6
_BUILTIN = frozenset(dir(builtins))


def notes_on_order(cells: Sequence[Mapping[str, Json]]) -> list[str]:
    """One line for each thing a reader of the outputs should know, in the order of the cells."""
    ran = [(at, cell, cell.get("execution_count")) for at, cell in enumerate(cells) if cell.get("cell_type") == "code"]
    counted = [(at, cell, count) for at, cell, count in ran if isinstance(count, int)]
    notes = [*_out_of_order(counted), *_stale(counted)]
    more = len(notes) - MOST_NOTES
    return notes[:MOST_NOTES] + ([f"… and {more} more of this kind."] if more > 0 else [])


def _out_of_order(counted: Sequence[tuple[int, Mapping[str, Json], int]]) -> Iterator[str]:
    highest, highest_at = -1, -1
    for at, _, count in counted:
        if count < highest:
            yield (
                f"{for_people(at)} ran before {for_people(highest_at)}, which stands above it "
                f"(In [{count}] and In [{highest}])."
            )
        else:
            highest, highest_at = count, at


def _stale(counted: Sequence[tuple[int, Mapping[str, Json], int]]) -> Iterator[str]:
    """A cell that uses a name which another cell made anew after it ran."""
    parsed = [(at, count, *_names(cell_source(cell))) for at, cell, count in counted]
    for at, count, used, _ in parsed:
        for other, later, _, made in parsed:
            shared = sorted(used & made)
            if other != at and later > count and shared:
                names = ", ".join(f"`{name}`" for name in shared[:3])
                yield (
                    f"{for_people(at)} is stale: it uses {names}, which {for_people(other)} "
                    f"made anew afterwards (In [{count}] and In [{later}])."
                )
                break


def _names(source: str) -> tuple[set[str], set[str]]:
    """(names a cell uses from outside itself, names it makes) at its top level; nothing where it cannot be parsed."""
    if source.lstrip().startswith("%%"):
        return set(), set()  # another language, or a measurement of something
    lines = [line for line in source.split("\n") if not line.lstrip().startswith(("%", "!", "?"))]
    try:
        tree = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set(), set()
    made: set[str] = set()
    used: set[str] = set()
    for statement in tree.body:
        loads, stores = _of_statement(statement)
        used |= loads - made - _BUILTIN
        made |= stores
    return used, made


def _of_statement(statement: ast.stmt) -> tuple[set[str], set[str]]:
    loads: set[str] = set()
    stores: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            (loads if isinstance(node.ctx, ast.Load) else stores).add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            stores.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            continue  # a module imported again is the same module
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        loads.add(statement.target.id)
    return loads, stores
