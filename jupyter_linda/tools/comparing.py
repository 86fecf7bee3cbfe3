"""Two data frames side by side: columns, types, rows and values that differ, by position or by key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ..ports import ToolContext, ToolResult
from ..toolkit import tool
from .frame_kinds import KINDS
from .frames import FrameName, ask_frame, check_name, preview_values, rows_text
from .kernel import kernel_of
from .naming import NotebookPath, api_path
from .text import amount

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ports import Json

COMPARE_TIME_S = 8.0

COMPARE = (
    KINDS
    + r'''

import fractions

MOST_COMPARED = 1000000


def compared(user, left, right, keys, tolerance, examples, time_s):
    until = time.time() + time_s
    one, other = open_frame(user, left), open_frame(user, right)
    names = [name for name in one.names + one.levels if name in other.names + other.levels]
    found = {
        "left": side(left, one), "right": side(right, other), "keys": keys, "notes": [],
        "only_left_columns": [name for name in one.names if name not in other.names][:200],
        "only_right_columns": [name for name in other.names if name not in one.names][:200],
        "types": types(one, other), "changed": [], "examples": [], "only_left_rows": 0, "only_right_rows": 0,
        "compared_rows": 0, "changed_rows": 0,
    }
    repeated = [name for name in set(names) if one.names.count(name) > 1 or other.names.count(name) > 1]
    if repeated:
        found["notes"].append("(Columns whose names repeat were not compared: %s.)" % ", ".join(sorted(repeated)[:10]))
    names = [name for name in names if name not in repeated]
    for frame in (one, other):
        found["notes"] += frame.notes
    lefts, rights, labels = pairs(one, other, keys, found)
    found["compared_rows"] = len(lefts)
    changed = set()
    late = []
    for name in [name for name in names if name not in keys and name in one.names and name in other.names]:
        if time.time() > until:
            late.append(name)
            continue
        compare_column(one, other, name, lefts, rights, labels, tolerance, examples, changed, found)
    if late:
        found["notes"].append("(There was no time to compare %d columns: %s.)" % (len(late), ", ".join(late[:10])))
    found["changed_rows"] = len(changed)
    return found


def side(name, frame):
    return {"name": name, "kind": frame.kind, "rows": frame.total, "columns": frame.width}


def types(one, other):
    found = []
    for place, name in enumerate(one.names):
        if one.names.count(name) == 1 and other.names.count(name) == 1:
            theirs = other.types[other.names.index(name)]
            if theirs != one.types[place]:
                found.append({"column": name, "left": one.types[place], "right": theirs})
    return found[:200]


def held(frame, found):
    """How many rows of a frame are gone through."""
    if frame.length > MOST_COMPARED:
        note = "(Only the first %d of %d rows were compared.)" % (MOST_COMPARED, frame.length)
        found["notes"] += [] if note in found["notes"] else [note]
    return min(frame.length, MOST_COMPARED)


def pairs(one, other, keys, found):
    """Places of rows that belong together, and what to call them."""
    first, second = held(one, found), held(other, found)
    if not keys:
        both = min(first, second)
        found["only_left_rows"], found["only_right_rows"] = one.total - both, other.total - both
        return range(both), range(both), range(both)
    mine, theirs = keyed(one, keys, first, found["left"]["name"]), keyed(other, keys, second, found["right"]["name"])
    found["only_left_rows"] = sum(1 for key in mine if key not in theirs)
    found["only_right_rows"] = sum(1 for key in theirs if key not in mine)
    for words, here, there in (("only_left_keys", mine, theirs), ("only_right_keys", theirs, mine)):
        found[words] = [shown_key(key) for key in here if key not in there][:10]
    common = [key for key in mine if key in theirs]
    return [mine[key] for key in common], [theirs[key] for key in common], common


def shown_key(key):
    return ", ".join("missing" if part is None else str(plain(part)) for part in key)


def keyed(frame, keys, length, name):
    lists = [frame.values(frame.find(key), range(length)) for key in keys]
    found = {}
    for place in range(length):
        key = tuple(None if is_empty(one[place]) else one[place] for one in lists)
        if not all(part is None or family(type(part)) for part in key):
            raise Trouble("The key holds things that cannot be compared.")
        if key in found:
            words = "The key %s is not unique in %s: %s stands there twice."
            raise Trouble(words % (", ".join(keys), name, shown_key(key)))
        found[key] = place
    return found


def compare_column(one, other, name, lefts, rights, labels, tolerance, examples, changed, found):
    mine, theirs = one.values(one.find(name), lefts), other.values(other.find(name), rights)
    count = unsure = 0
    for at in range(len(mine)):
        left, right = mine[at], theirs[at]
        kind = type(left)
        if left is right or (kind is type(right) and (kind is float or kind is int or kind is str) and left == right):
            continue
        same = is_same(left, right, tolerance)
        if same is None:
            unsure += 1
        elif not same:
            count += 1
            changed.add(at)
            if len(found["examples"]) < examples and count <= 5:
                row = labels[at] if type(labels[at]) is int else shown_key(labels[at])
                found["examples"].append([row, name, plain(left), plain(right)])
    if unsure:
        found["notes"].append("(%d values of %s are things that cannot be compared.)" % (unsure, name))
    if count:
        found["changed"].append({"column": name, "rows": count})


def exact(value):
    """A number as a fraction, as it is written: a tolerance of 0.1 is a tenth."""
    kind = package(type(value))
    value = value.item() if kind == "numpy" else value
    return fractions.Fraction(repr(value) if type(value) is float else value)


def is_same(left, right, tolerance):
    """None where nobody can tell."""
    if is_empty(left) or is_empty(right):
        return is_empty(left) and is_empty(right)
    kinds = (family(type(left)), family(type(right)))
    if "" in kinds:
        return None
    if kinds[0] != kinds[1] and not all(kind in ("number", "truth") for kind in kinds):
        return False
    if tolerance and kinds[0] == "number":
        if math.isinf(left) or math.isinf(right):
            return bool(left == right)
        try:
            return bool(abs(left - right) <= tolerance)
        except TypeError:
            return bool(abs(exact(left) - exact(right)) <= exact(tolerance))  # decimals and floats do not mix
    try:
        return bool(left == right)
    except TypeError:
        return False
'''
)


@tool(action="read", family="dataframe", resource=kernel_of, shows_values="samples", holds="samples")
async def compare_dataframes(
    context: ToolContext,
    path: NotebookPath,
    left: FrameName,
    right: FrameName,
    keys: Annotated[list[str], Field(max_length=6, description="Columns that name a row; empty: by position.")] = [],  # noqa: B006
    tolerance: Annotated[
        float, Field(ge=0, allow_inf_nan=False, description="Numbers this near count as equal.")
    ] = 0.0,
    examples: Annotated[int, Field(ge=0, le=100, description="Most differences to show.")] = 20,
) -> ToolResult:
    """Compare two data frames in the same running kernel: columns, types, rows and values. Nothing is changed.

    The frames may be of different libraries. Missing equals missing.
    """
    # `data` holds path, left, right, keys, only_left_columns, types, changed, examples, compared_rows, changed_rows, …
    check_name(left)
    check_name(right)
    notebook = api_path(context, path)
    asked = {
        "left": left, "right": right, "keys": keys, "tolerance": tolerance, "examples": examples,
        "time_s": COMPARE_TIME_S,
    }  # fmt: skip
    found = await ask_frame(context, notebook, text=COMPARE, work="compared", arguments=asked)
    return ToolResult(
        text=_text(found),
        title=f"Compared {left} and {right}, {amount(found['changed_rows'], 'changed row')}",
        data={"path": notebook, **found},
    )


def _text(found: Mapping[str, Json]) -> str:
    left, right = found["left"], found["right"]
    lines = [
        f"{side['name']} ({side['kind']}): {side['rows']} rows x {side['columns']} columns" for side in (left, right)
    ]
    for word, side in (("only_left", left), ("only_right", right)):
        if found[f"{word}_columns"]:
            lines.append(f"columns only in {side['name']}: {', '.join(found[f'{word}_columns'])}")
    lines += [f"type of {one['column']}: {one['left']} and {one['right']}" for one in found["types"]]
    by = f"by {', '.join(found['keys'])}" if found["keys"] else "by position"
    lines.append(f"{found['compared_rows']} rows compared {by}, {found['changed_rows']} of them differ")
    for word, side in (("only_left", left), ("only_right", right)):
        if found[f"{word}_rows"]:
            named = "; ".join(found.get(f"{word}_keys", []))
            lines.append(f"{found[f'{word}_rows']} rows only in {side['name']}" + (f": {named}" if named else ""))
    lines += [f"{one['column']}: {one['rows']} rows differ" for one in found["changed"]]
    lines.append(rows_text(["column", left["name"], right["name"]], found["examples"], first="row"))
    return "\n".join(filter(None, [*lines, *found["notes"]]))


compare_dataframes.previews(preview_values)

TOOLS = (compare_dataframes,)
"""The tools of this file."""
