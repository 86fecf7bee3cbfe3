"""Group by and aggregate: exact sums, missing values left out, groups of missing values kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..errors import ToolRetry
from ..ports import ToolContext, ToolResult
from ..toolkit import tool
from .frame_kinds import KINDS
from .frames import Conditions, FrameName, ask_frame, check_name, preview_values, rows_text, share_words
from .kernel import kernel_of
from .naming import NotebookPath, api_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ports import Json
    from ..ports.held import Holds

AGGREGATE = (
    KINDS
    + r'''

SMALL = ("rows", "count", "missing", "distinct")
EXACT = 2 ** 62


def aggregated(user, name, where, by, parts, sort, groups):
    frame = open_frame(user, name)
    marks = frame.fit(where)
    keys = [frame.find(one) for one in by]
    wanted = [(frame.find(part["column"]) if part["column"] else -1, part["function"]) for part in parts]
    count = frame.total if marks is None else len(frame.places(marks))
    for place, function in wanted:
        check(frame, place, function, parts)
    work = {Pandas: group_pandas, Polars: group_polars}.get(type(frame), group_records)
    rows = work(frame, marks, keys, wanted)
    names = [(frame.names + frame.levels)[place] for place in keys] + [part["name"] for part in parts]
    if sort:
        descending = sort not in names and sort.startswith("-")
        sort = sort[1:] if descending else sort
        if sort not in names:
            raise Trouble("sort_by names no column of the result: %s." % ", ".join(names))
        at = names.index(sort)
        known = [row for row in rows if not is_empty(row[at])]
        places = ordered(range(len(known)), [row[at] for row in known], descending)
        rows = [known[place] for place in places] + [row for row in rows if is_empty(row[at])]
    return {
        "name": name, "kind": frame.kind, "total_rows": frame.total, "matching_rows": count, "total_groups": len(rows),
        "columns": names, "rows": [[plain(value) for value in row] for row in rows[:groups]], "notes": frame.notes,
    }


def check(frame, place, function, parts):
    """Refuse what a library would answer with something else than was meant."""
    if place < 0:
        if function != "rows":
            raise Trouble("%s needs a column." % function)
        return
    name = (frame.names + frame.levels)[place]
    sample = frame.values(place, range(min(frame.length, 2000)))
    kinds = set(family(type(value)) for value in sample if not is_empty(value))
    if function not in ("sum", "mean", "median", "std"):
        if "" in kinds and function in ("min", "max", "distinct"):
            raise Trouble("%s holds things that have no %s." % (name, function))
        return
    fits = {"sum": ("number", "truth", "span"), "mean": ("number", "truth", "span", "moment")}
    for kind in kinds - set(fits.get(function, ("number", "truth"))):
        if kind == "moment" and function == "median":
            continue
        words = {"text": "text", "": "other things"}.get(kind, kind + "s")
        like = next((repr(short(value, 20)) for value in sample if type(value) is str), "")
        raise Trouble("%s holds %s%s, which has no %s. Convert it with code first." % (
            name, words, " such as " + like if like else "", function))


def unsafe(frame, place, series):
    """Whether a sum of these whole numbers may not fit into 64 bits: then it is made of exact ones."""
    try:
        low, high = series.min(), series.max()
        return max(abs(int(low)), abs(int(high))) * max(1, frame.length) > EXACT
    except (TypeError, ValueError, OverflowError):
        return False


def total(values):
    return sum(values) if values else None


def group_pandas(frame, marks, keys, wanted):
    pd = frame.pd
    places = None if marks is None else frame.np.flatnonzero(marks)
    columns = {}
    for at, place in enumerate(keys):
        columns["k%d" % at] = taken(frame, place, places)
        if frame.sort_of(columns["k%d" % at]) == "objects":
            if not all(family(type(value)) for value in columns["k%d" % at].tolist()):
                raise Trouble("%s holds things that cannot be grouped by." % (frame.names + frame.levels)[place])
    for at, (place, function) in enumerate(wanted):
        if place >= 0:
            series = taken(frame, place, places)
            if function == "sum" and frame.sort_of(series) == "number" and series.dtype.kind in "iu":
                if unsafe(frame, place, series):
                    series = series.astype(object)
            if frame.sort_of(series) in ("truth", "category") and function in ("sum", "mean", "median", "std"):
                series = series.astype("Float64" if frame.sort_of(series) == "truth" else object)
            if frame.sort_of(series) == "category" and function in ("min", "max") and not series.cat.ordered:
                series = series.astype(object)  # without an order of their own, categories go by their values
            columns["v%d" % at] = series
    if keys:
        part = pd.DataFrame(columns, copy=False)
        names = ["k%d" % at for at in range(len(keys))]
        try:
            grouped = part.groupby(names, dropna=False, observed=True, sort=True)
            grouped.ngroups
        except TypeError:
            grouped = part.groupby(names, dropna=False, observed=True, sort=False)
        sizes = grouped.size()
        labels = [one if type(one) is tuple else (one,) for one in sizes.index.tolist()]
        made = [
            sizes.tolist() if place < 0 else pandas_part(grouped["v%d" % at], function, sizes.index)
            for at, (place, function) in enumerate(wanted)
        ]
        return [list(labels[row]) + [one[row] for one in made] for row in range(len(labels))]
    length = frame.length if places is None else len(places)
    return [[
        length if place < 0 else pandas_whole(columns["v%d" % at], function)
        for at, (place, function) in enumerate(wanted)
    ]]


def taken(frame, place, places):
    series = frame.column(place)
    return (series if places is None else series.iloc[places]).reset_index(drop=True)


def pandas_part(group, function, index):
    """One aggregation of every group, in the groups' order."""
    if function == "rows":
        found = group.size()
    elif function == "missing":
        found = group.size() - group.count()
    elif function == "distinct":
        found = group.nunique()
    elif function == "sum":
        exact = group.obj.dtype == object
        found = group.agg(lambda one: total(one.dropna().tolist())) if exact else group.sum(min_count=1)
    elif function in ("min", "max") and group.obj.dtype == object:
        found = group.agg(lambda one: extreme(one.dropna().tolist(), function))
    else:
        found = getattr(group, function)()
    return found.reindex(index).tolist() if not found.index.equals(index) else found.tolist()


def extreme(values, function):
    values = [value for value in values if not is_empty(value)]
    if len(set(family(type(value)) for value in values) - {"truth"}) > 1:
        raise Trouble("Values of different kinds have no %s." % function)
    return (min if function == "min" else max)(values) if values else None


def pandas_whole(series, function):
    if function in ("rows", "missing", "distinct"):
        if function == "rows":
            return len(series)
        return int(series.isna().sum() if function == "missing" else series.nunique())
    if function == "count":
        return int(series.count())
    if series.dtype == object:
        known = series.dropna().tolist()
        if function == "sum":
            return total(known)
        if function in ("min", "max"):
            return extreme(known, function)
        return getattr(sys.modules["pandas"].Series([float(value) for value in known], dtype="float64"), function)()
    return series.sum(min_count=1) if function == "sum" else getattr(series, function)()


def group_polars(frame, marks, keys, wanted):
    pl = frame.pl
    for place in keys:
        if frame.column(place).dtype == pl.Object:
            raise Trouble("%s holds things that cannot be grouped by." % frame.names[place])
    series = [frame.column(place).alias("k%d" % at) for at, place in enumerate(keys)]
    made = []
    for at, (place, function) in enumerate(wanted):
        name = "v%d" % at
        if place < 0:
            made.append(pl.len().alias(name))
            continue
        column = frame.column(place).alias(name)
        if column.dtype.is_float():
            column = column.fill_nan(None)
        if column.dtype.is_integer() and function == "sum" and unsafe(frame, place, column):
            column = column.cast(pl.Int128)
        series.append(column)
        one = pl.col(name)
        some = pl.when(one.count() > 0).then(one.sum())
        made.append({
            "rows": pl.len(), "count": one.count(), "missing": one.null_count(),
            "distinct": one.drop_nulls().n_unique(), "sum": some, "mean": one.mean(), "median": one.median(),
            "min": one.min(), "max": one.max(), "std": one.std(),
        }[function].alias(name))
    part = pl.DataFrame(series) if series else pl.DataFrame({"none": pl.Series([0] * frame.length, dtype=pl.Int8)})
    part = part if marks is None else part.filter(marks)
    if not keys:
        return [list(row) for row in part.select(made).rows()]
    names = ["k%d" % at for at in range(len(keys))]
    grouped = part.group_by(names, maintain_order=True).agg(made)
    return [list(row) for row in grouped.sort(names, nulls_last=True).rows()]


def group_records(frame, marks, keys, wanted):
    groups, order = {}, []
    lists = [frame.columns[place] for place in keys]
    for at in frame.places(marks):
        values = tuple("\0missing" if is_empty(one[at]) else one[at] for one in lists)
        if not all(family(type(value)) for value in values):
            raise Trouble("These columns hold things that cannot be grouped by.")
        if values not in groups:
            groups[values] = []
            order.append(values)
        groups[values].append(at)
    if not keys and not order:
        order, groups = [()], {(): []}
    rows = []
    for values in order:
        shown = [None if value == "\0missing" else value for value in values]
        rows.append(shown + [records_part(frame, place, function, groups[values]) for place, function in wanted])
    return rows


def records_part(frame, place, function, places):
    if place < 0 or function == "rows":
        return len(places)
    values = [frame.columns[place][at] for at in places]
    known = [value for value in values if not is_empty(value)]
    if function in ("count", "missing"):
        return len(known) if function == "count" else len(values) - len(known)
    if function == "distinct":
        return len(set(known))
    if not known:
        return None
    if function == "sum":
        return math.fsum(known) if any(type(value) is float for value in known) else total(known)
    if function in ("min", "max"):
        return extreme(known, function)
    mean = math.fsum(known) / len(known)
    if function == "mean":
        return mean
    if function == "std":
        spread = math.fsum((value - mean) ** 2 for value in known)
        return math.sqrt(spread / (len(known) - 1)) if len(known) > 1 else None
    ranked = sorted(known)
    half = len(ranked) // 2
    return ranked[half] if len(ranked) % 2 else (ranked[half - 1] + ranked[half]) / 2
'''
)


class Aggregation(BaseModel):
    """One figure of each group."""

    model_config = ConfigDict(extra="forbid")
    column: Annotated[str, Field(description="The column; empty with function rows.")] = ""
    function: Literal["rows", "count", "missing", "distinct", "sum", "mean", "median", "min", "max", "std"]
    name: Annotated[str, Field(description="What to call it; empty: function and column.", max_length=100)] = ""


_FIGURES = frozenset({"rows", "count", "mean", "median", "sum", "std", "missing", "distinct"})


def _shown(arguments: Mapping[str, Json]) -> Holds:
    """Figures over all rows are statistics; names of groups, extremes and the like are values of the data."""
    functions = {str(dict(one)["function"]) for one in arguments["aggregations"]}
    return "statistics" if not arguments["group_by"] and functions <= _FIGURES else "samples"


@tool(action="read", family="dataframe", resource=kernel_of, shows_values=_shown, holds=_shown)
async def aggregate(
    context: ToolContext,
    path: NotebookPath,
    name: FrameName,
    aggregations: Annotated[list[Aggregation], Field(min_length=1, max_length=20, description="The figures to make.")],
    group_by: Annotated[
        list[str], Field(max_length=6, description="Columns to group by; empty: all rows at once.")
    ] = [],  # noqa: B006
    where: Conditions = [],  # noqa: B006
    sort_by: Annotated[str, "Order by this column of the result, largest first with a minus before its name."] = "",
    groups: Annotated[int, Field(ge=1, le=200, description="Most groups to show; all are counted.")] = 50,
) -> ToolResult:
    """Group a data frame in the notebook's running kernel and compute figures of each group; nothing is changed.

    Missing values are left out of every figure but `rows` and `missing`. Text is never added up.
    """
    # `data` holds path, name, kind, total_rows, matching_rows, total_groups, columns, rows, notes
    check_name(name)
    notebook = api_path(context, path)
    parts = [
        {**dict(one), "name": dict(one)["name"] or f"{dict(one)['function']} {dict(one)['column']}".strip()}
        for one in aggregations
    ]
    names = [str(part["name"]) for part in parts]
    if len(set(names)) < len(names):
        raise ToolRetry("Two aggregations have the same name: give each a name of its own.")
    asked = {
        "name": name, "where": [dict(one) for one in where], "by": group_by, "parts": parts, "sort": sort_by,
        "groups": groups,
    }  # fmt: skip
    found = await ask_frame(context, notebook, text=AGGREGATE, work="aggregated", arguments=asked)
    shown = share_words(len(found["rows"]), found["total_groups"], "groups")
    head = f"{name} ({found['kind']}): {found['matching_rows']} of {found['total_rows']} rows"
    head += f", {shown} shown" if group_by else ""
    return ToolResult(
        text="\n".join([head, rows_text(found["columns"], found["rows"], first=""), *found["notes"]]),
        title=f"Aggregated {name}" + (f" by {', '.join(group_by)}, {found['total_groups']} groups" if group_by else ""),
        data={"path": notebook, **found},
    )


aggregate.previews(preview_values)

TOOLS = (aggregate,)
"""The tools of this file."""
