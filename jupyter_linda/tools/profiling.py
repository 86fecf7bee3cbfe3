"""Profiles of data frames: schema, missing values, ranges, duplicates, memory; samples are labelled as such."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from ..ports import ToolContext, ToolResult
from ..ports.held import Holds, held
from ..toolkit import tool
from .frame_kinds import KINDS
from .frames import FrameName, ask_frame, check_name, preview_values, shown
from .kernel import kernel_of
from .naming import NotebookPath, api_path
from .text import human_size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ports import Json

MOST_SCHEMA, MOST_STATISTICS = 200, 50
"""Columns that one answer shows."""
PROFILE_TIME_S = 1.2
"""Seconds the kernel may count; what is not counted by then is said."""

PROFILE = (
    KINDS
    + r'''

import collections, re

LOOKS_NUMERIC = re.compile(r"^\s*[-+(]?\s*[$\u20ac\u00a3\u00a5]?\s*\d[\d.,_ ]*%?\)?\s*$")
MOST_CELLS = 2000000
MOST_SAMPLED = 600000
SAMPLE = 20000


def profile(user, name, detail, columns, start, most, time_s):
    until = time.time() + time_s
    frame = open_frame(user, name)
    places = [frame.find(one) for one in columns] or list(range(frame.width))
    chosen = places[start : start + most]
    every = frame.names + frame.levels
    found = {
        "name": name, "kind": frame.kind, "rows": frame.total, "total_columns": len(places), "start": start,
        "index": index_levels(frame) if frame.kind.startswith("pandas") else [], "memory_bytes": memory(frame),
        "columns": [{"name": every[place], "dtype": frame.types[place]} for place in chosen],
        "duplicates": None, "sample_rows": None, "notes": frame.notes,
    }
    if detail == "schema" or not frame.length:
        return found
    sample = thin(frame, min(SAMPLE, max(1000, MOST_SAMPLED // max(1, len(chosen)))))
    if len(sample) < frame.length:
        found["sample_rows"] = len(sample)
    late = 0
    for column, place in zip(found["columns"], chosen):
        if time.time() > until:
            late += 1
            continue
        try:
            fill(frame, column, place, sample, until)
        except Exception as error:
            column["note"] = why_not(error)
    if late:
        frame.notes.append("(There was no time for %d columns: name them in `columns`.)" % late)
    found["duplicates"] = duplicates(frame, until)
    return found


def index_levels(frame):
    index = frame.frame.index
    parts = index.levels if index.nlevels > 1 else [index]
    return [{"name": None if n is None else label(n), "dtype": named(str(p.dtype))} for n, p in zip(index.names, parts)]


def memory(frame):
    try:
        if isinstance(frame, Pandas):
            if frame.width > 300:
                return frame.length * sum(getattr(dtype, "itemsize", 8) for dtype in frame.frame.dtypes)
            return int(frame.frame.memory_usage(index=True, deep=False).sum())
        return int(frame.frame.estimated_size()) if isinstance(frame, Polars) else None
    except Exception:
        return None


def thin(frame, most):
    """Places spread evenly over the frame."""
    if frame.length <= most:
        return range(frame.length)
    return range(0, frame.length, -(-frame.length // most))


def fill(frame, column, place, sample, until):
    column["missing"] = count_missing(frame, place)
    if isinstance(frame, Pandas) and fill_numbers(frame, column, frame.column(place), sample):
        return
    values, kinds = known_values(frame.values(place, sample))
    column["min"], column["max"], column["is_range_sampled"] = extremes(frame, place, values, kinds, until)
    column["is_range_sampled"] = column["is_range_sampled"] and len(sample) < frame.length
    if kinds == {"number"}:
        floats = sorted(map(float, values))
        finite = [value for value in floats if not math.isinf(value)]
        column["infinite"] = len(floats) - len(finite)
        column["mean"] = plain(math.fsum(finite) / len(finite)) if finite else None
        half = len(finite) // 2
        column["median"] = plain((finite[half] + finite[-half - 1]) / 2) if finite else None
    if values and "" not in kinds:
        counts = collections.Counter(values)
        column["distinct"] = len(counts)
        often = sorted(counts.items(), key=lambda pair: -pair[1])[:5]
        if often[0][1] > 1:
            column["often"] = [{"value": plain(value), "count": count} for value, count in often if count > 1]
    note = note_on(values)
    if note:
        column["note"] = note
    if isinstance(frame, Pandas) and frame.sort_of(frame.column(place)) == "category":
        kept = frame.column(place).cat
        column["categories"] = [plain(one) for one in list(kept.categories)[:40]]
        column["is_ordered"] = bool(kept.ordered)


def fill_numbers(frame, column, series, sample):
    """The quick way for a plain numpy column of numbers; False for any other."""
    np = frame.np
    if not isinstance(series.dtype, np.dtype) or series.dtype.kind not in "iuf" or not len(series):
        return False
    array = series.to_numpy()[sample.start : sample.stop : sample.step]
    known = array[~np.isnan(array)]
    finite = known[np.isfinite(known)]
    column["min"], column["max"], column["is_range_sampled"] = plain(series.min()), plain(series.max()), False
    column["infinite"] = len(known) - len(finite)
    column["mean"] = plain(float(finite.mean())) if len(finite) else None
    column["median"] = plain(float(np.median(finite))) if len(finite) else None
    distinct, counts = np.unique(known, return_counts=True)
    column["distinct"] = len(distinct)
    often = [at for at in np.argsort(-counts, kind="stable")[:5].tolist() if counts[at] > 1]
    if often:
        column["often"] = [{"value": plain(distinct[at]), "count": int(counts[at])} for at in often]
    return True


def known_values(raw):
    """(the values that are there, what kinds they are)"""
    found = dict(zip(map(id, map(type, raw)), map(type, raw)))
    simple = all(among(kind, (float, int, str, bool, type(None))) for kind in found.values())
    if simple:
        values = [value for value in raw if value is not None and value == value]
    else:
        values = [value for value in raw if not is_empty(value)]
    kinds = set(family(kind) for kind in found.values()) - {"empty"} if values else set()
    return values, kinds


def count_missing(frame, place):
    found = frame.missing(place)
    return sum(found.marks) if isinstance(found, Bits) else int(found.sum())


def extremes(frame, place, values, kinds, until):
    """The range over all rows where that is quick, else over the sample."""
    if len(kinds) != 1 or kinds & {"", "text", "truth"}:
        return None, None, False
    if isinstance(frame, (Pandas, Polars)) and time.time() < until:
        series = frame.column(place)
        if not (isinstance(frame, Pandas) and frame.sort_of(series) in ("objects", "category")):
            if isinstance(frame, Polars) and series.dtype.is_float():
                series = series.fill_nan(None)
            return plain(series.min()), plain(series.max()), False
    return plain(min(values)), plain(max(values)), True


def note_on(values):
    texts = [value for value in values[:500] if type(value) is str]
    if not values or not texts:
        strange = sorted(set(kind_name(type(value)) for value in values[:500] if not family(type(value))))
        return "holds " + ", ".join(strange[:4]) if strange else None
    if len(texts) < len(values[:500]):
        others = sorted(set(kind_name(type(value)) for value in values[:500] if type(value) is not str))
        return "text mixed with " + ", ".join(others[:3])
    if all(LOOKS_NUMERIC.match(text) for text in texts):
        return "text that looks like numbers (such as %s)" % repr(short(texts[0], 20))
    return "text"


def duplicates(frame, until):
    """{rows, of}: rows that repeat an earlier one, among `of` rows; None where nobody can tell."""
    if not frame.width or time.time() > until:
        return None
    most = max(1, MOST_CELLS // frame.width)
    looked = min(frame.length, most)
    try:
        if isinstance(frame, Polars):
            part = frame.frame.head(looked)
            return {"rows": int(looked - part.unique().height), "of": looked}
        if isinstance(frame, Pandas):
            part = frame.frame.iloc[:looked]
            for place in range(frame.width):
                if frame.sort_of(part.iloc[:, place]) == "objects":
                    if not all(family(type(value)) for value in part.iloc[:, place].tolist()):
                        return None
            part = part.set_axis(list(range(frame.width)), axis=1)
            return {"rows": int(part.duplicated().sum()), "of": looked}
        rows = list(zip(*[column[:looked] for column in frame.columns]))
        if not all(family(type(value)) for row in rows for value in row):
            return None
        return {"rows": len(rows) - len(set(rows)), "of": looked}
    except Exception:
        return None
'''
)


def _shows_values(arguments: Mapping[str, Json]) -> Holds | None:
    """Names and types say nothing about the data; ranges, means and frequent values do."""
    return None if arguments["detail"] == "schema" else "statistics"


def _holds(arguments: Mapping[str, Json]) -> Holds:
    return _shows_values(arguments) or "names"


@tool(action="read", family="dataframe", resource=kernel_of, shows_values=_shows_values, holds=_holds)
async def profile_dataframe(
    context: ToolContext,
    path: NotebookPath,
    name: FrameName,
    detail: Annotated[
        Literal["schema", "statistics"], "schema: names, types, size; statistics: ranges, missing, duplicates too."
    ] = "schema",
    columns: Annotated[list[str], Field(max_length=200, description="Only these columns; empty: all.")] = [],  # noqa: B006
    start_column: Annotated[int, Field(ge=0, description="First column to show, from 0, where there are many.")] = 0,
) -> ToolResult:
    """Profile a data frame, array or list of records in a notebook's running kernel, without touching it.

    Start with the schema; ask for statistics of the columns that matter. Figures from a sample are marked so.
    """
    # `data` holds path, name, kind, rows, total_columns, start, columns (name, dtype, missing, min, …), duplicates, …
    check_name(name)
    notebook = api_path(context, path)
    most = MOST_SCHEMA if detail == "schema" else MOST_STATISTICS
    asked = {
        "name": name, "detail": detail, "columns": columns, "start": start_column, "most": most,
        "time_s": PROFILE_TIME_S,
    }  # fmt: skip
    found = await ask_frame(context, notebook, text=PROFILE, work="profile", arguments=asked)
    return ToolResult(
        text=_text(found, detail),
        title=f"Profiled {name}: {found['rows']} rows x {found['total_columns']} columns",
        data={"path": notebook, **found},
    )


def _text(found: Mapping[str, Json], detail: str) -> str:
    columns, total = found["columns"], found["total_columns"]
    lines = [f"{found['name']} ({found['kind']}): {found['rows']} rows x {total} columns"]
    if found["memory_bytes"] is not None:
        lines[0] += f", at least {human_size(found['memory_bytes'])} in memory"
    levels = [f"{level['name'] or '(unnamed)'}: {level['dtype']}" for level in found["index"]]
    if levels:
        lines.append("index: " + ", ".join(levels))
    if found["sample_rows"]:
        lines.append(
            f"Figures marked ~ come from a sample of {found['sample_rows']} of {found['rows']} rows; "
            "the others count all rows."
        )
    mark = "~" if found["sample_rows"] else ""
    lines += [_column_line(column, detail, mark) for column in columns]
    after = found["start"] + len(columns)
    if len(columns) < total:
        more = f"; go on with start_column {after}" if after < total else ""
        lines.append(f"({len(columns)} of {total} columns shown{more}.)")
    if found["duplicates"] is not None:
        lines.append(f"{found['duplicates']['rows']} duplicate rows among {_among(found)}")
    elif detail != "schema" and found["rows"] and total:
        lines.append("Duplicate rows were not counted.")
    return "\n".join([*lines, *found["notes"]])


def _among(found: Mapping[str, Json]) -> str:
    of = found["duplicates"]["of"]
    return f"all {of} rows" if of == found["rows"] else f"the first {of} of {found['rows']} rows"


def _column_line(column: Mapping[str, Json], detail: str, mark: str) -> str:
    parts = [f"- {column['name']}: {column['dtype']}"]
    if detail != "schema":
        parts += _figures(column, mark)
    return ", ".join(parts)


def _is_number(value: Json) -> bool:
    return isinstance(value, (int, float))


def _figures(column: Mapping[str, Json], mark: str) -> list[str]:
    parts = []
    if column.get("missing") is not None:
        parts.append(f"{column['missing']} missing")
    if column.get("min") is not None:
        about = "~" if column["is_range_sampled"] else ""
        words = f"from {about}{shown(column['min'])} to {about}{shown(column['max'])}"
        parts.append(words if _is_number(column["min"]) and _is_number(column["max"]) else held(words, "samples"))
    parts += [f"{word} {mark}{shown(column[word])}" for word in ("mean", "median") if column.get(word) is not None]
    if column.get("infinite"):
        parts.append(f"{mark}{column['infinite']} infinite")
    if column.get("distinct") is not None:
        parts.append(f"{mark}{column['distinct']} distinct")
    if column.get("categories"):
        listed = (" < " if column["is_ordered"] else ", ").join(map(shown, column["categories"]))
        parts.append(held(f"categories {listed}", "samples"))
    if column.get("often"):
        often = ", ".join(f"{shown(e['value'])} ({mark}{e['count']})" for e in column["often"])
        parts.append(held(f"often {often}", "samples"))
    if column.get("note"):
        parts.append(column["note"])
    return parts


profile_dataframe.previews(preview_values)

TOOLS = (profile_dataframe,)
"""The tools of this file."""
