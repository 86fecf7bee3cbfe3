"""Texts that run in users' kernels: plain standard library, any Python 3; they only look, and give JSON.

`user` is the user's namespace; these texts run in one of their own, which is dropped afterwards.
A value's own `__repr__`, `__len__` and the like are called for known types only: a stranger's may be slow or worse.
So are its class's: names of types are read past the metaclass, and types compared by identity (`in` asks `__eq__`).
"""

from __future__ import annotations

from .probe_values import COMMON

VARIABLES = (
    COMMON
    + r'''
MOST = 300


def summary(value):
    kind = type(value)
    if kind is int:
        return str(number(value))
    if among(kind, (bool, float, complex, type(None))):
        return short(repr(value), 60)
    if kind is str:
        return short(repr(value[:80]), 60)
    if kind is range or among(kind, CONTAINERS):
        return "%d %s" % (len(value), "bytes" if among(kind, (bytes, bytearray)) else "items")
    top = package(kind)
    if top in ("pandas", "polars", "numpy", "pyarrow", "torch", "scipy"):
        shape = getattr(value, "shape", None)
        if type(shape) is tuple or top == "torch":
            return " x ".join(str(int(part)) for part in shape)
    return ""


def variable(name, value):
    """One variable; one that cannot be looked at is shown as such, and the others are not kept back."""
    try:
        kind = kind_name(type(value))
    except Exception:
        return {"name": named(name), "type": "(unknown)", "summary": "(cannot be looked at)"}
    try:
        return {"name": named(name), "type": kind, "summary": summary(value)}
    except Exception:
        return {"name": named(name), "type": kind, "summary": "(cannot be summed up)"}


def hidden_names():
    """What IPython put there itself."""
    try:
        return dict(sys.modules["IPython"].get_ipython().user_ns_hidden)
    except Exception:
        return {}


def describe(user):
    hidden = hidden_names()
    found = []
    truncated = False
    pairs = [pair for pair in list(user.items()) if type(pair[0]) is str]
    for name, value in sorted(pairs, key=lambda pair: pair[0]):
        if name.startswith("_") or name in ("In", "Out", "exit", "quit", "get_ipython"):
            continue
        if (name in hidden and hidden[name] is value) or among(MODULE, kin(type(value))):
            continue
        if len(found) == MOST:
            truncated = True
            break
        found.append(variable(name, value))
    return answer({"variables": found, "truncated": truncated})
'''
)

FRAME = (
    COMMON
    + r'''
import re

LOOKS_NUMERIC = re.compile(r"^\s*[-+(]?\s*[$\u20ac\u00a3\u00a5]?\s*\d[\d.,_ ]*%?\)?\s*$")
MOST_CELLS = 20000000
MOST_CATEGORIES = 40


class Bench:
    """One description: what it may spend, and what it has to say besides."""

    def __init__(self, rows, time_s, columns, length):
        self.until = time.time() + time_s
        self.rows = rows if columns <= 200 else min(rows, 1) if columns <= 1000 else 0
        self.width = 80 if columns <= 50 else 30
        self.counts = length <= MOST_CELLS
        self.notes = []
        if self.rows < rows:
            self.notes.append("(With so many columns fewer rows are shown.)")
        if not self.counts:
            self.notes.append("(So many rows are not counted through: missing values and ranges are left out.)")

    def has_time(self):
        if self.counts and time.time() > self.until:
            self.counts = False
            self.notes.append("(Counting was cut short: some columns have no missing values and ranges.)")
        return self.counts


def text_note(values):
    """What a column of texts (or of anything) holds, from a sample."""
    texts = [value for value in values if type(value) is str]
    if not texts:
        kinds = sorted(set(kind_name(type(value)) for value in values))
        return "holds " + ", ".join(kinds[:4]) if kinds else None
    if len(texts) < len(values):
        others = sorted(set(kind_name(type(value)) for value in values if type(value) is not str))
        return "text mixed with " + ", ".join(others[:3])
    if all(LOOKS_NUMERIC.match(text) for text in texts):
        return "text that looks like numbers (such as %s)" % repr(short(texts[0], 20))
    return "text"


def told(column, fill):
    """A column that cannot be looked through is shown as such, and the others are not kept back."""
    try:
        fill(column)
    except Exception as error:
        column["note"] = why_not(error)
    return column


def pandas_column(frame, place, name, dtype, bench):
    column = {"name": name, "dtype": named(str(dtype)), "nulls": None}
    return told(column, lambda column: fill_pandas(column, frame.iloc[:, place], bench))


def fill_pandas(column, series, bench):
    dtype = series.dtype
    if bench.has_time():
        column["nulls"] = int(series.isnull().sum())
    if hasattr(dtype, "categories") and hasattr(series, "cat"):
        column["is_ordered"] = bool(dtype.ordered)
        categories = list(dtype.categories)
        if len(categories) > MOST_CATEGORIES:
            column["note"] = "%d categories, the first %d shown" % (len(categories), MOST_CATEGORIES)
        counts = {}
        if bench.has_time():
            codes = series.cat.codes.value_counts()
            counts = dict(zip([int(code) for code in codes.index], [int(count) for count in codes.values]))
        column["categories"] = [
            {"value": plain(value), "count": counts.get(place, 0)}
            for place, value in enumerate(categories[:MOST_CATEGORIES])
        ]
    elif dtype.kind in "iufmM" and len(series) and bench.has_time():
        column["min"] = plain(series.min())
        column["max"] = plain(series.max())
    elif dtype.kind in "OSU" or str(dtype) in ("str", "string"):
        column["note"] = text_note(list(series.iloc[:2000].dropna().iloc[:500]))


def tuple_label(value, bench):
    if type(value) is not tuple:
        return plain(value, bench.width)
    return "(" + ", ".join(repr(p) if type(p) is str else str(p) for p in (plain(v) for v in value)) + ")"


def pandas_rows(frame, places, bench):
    part = frame.iloc[places]
    columns = [pandas_values(part.iloc[:, place]) for place in range(frame.shape[1])]
    labels = list(part.index)
    return [
        [tuple_label(labels[row], bench)] + [plain(values[row], bench.width) for values in columns]
        for row in range(len(labels))
    ]


def describe_pandas(frame, name, kind, rows, time_s):
    if kind == "Series":
        frame = frame.to_frame()
    length, width = len(frame), frame.shape[1]
    bench = Bench(rows, time_s, width, length * max(1, width))
    names, dtypes = list(frame.columns), list(frame.dtypes)
    index = frame.index
    levels = [
        {"name": None if level_name is None else label(level_name), "dtype": named(str(level.dtype))}
        for level_name, level in zip(index.names, index.levels if index.nlevels > 1 else [index])
    ]
    found = {
        "name": name, "kind": "pandas " + kind, "rows": length, "index": levels,
        "columns": [
            pandas_column(frame, place, label(names[place]), dtypes[place], bench) for place in range(width)
        ],
    }
    if frame.columns.nlevels > 1:
        found["column_levels"] = ["(unnamed)" if part is None else label(part) for part in frame.columns.names]
    shown = bench.rows if width else 0
    cut = length > 2 * shown
    found["head"] = pandas_rows(frame, slice(0, shown if cut else length), bench) if shown else []
    found["tail"] = pandas_rows(frame, slice(length - shown, length), bench) if shown and cut else []
    found["notes"] = bench.notes
    return found


def describe_polars(frame, name, kind, rows, time_s):
    if kind == "Series":
        frame = frame.to_frame()
    length, width = frame.shape
    bench = Bench(rows, time_s, width, length * max(1, width))

    def fill(column, series):
        column["nulls"] = int(series.null_count())
        if series.dtype.is_numeric() or series.dtype.is_temporal():
            if length and bench.has_time():
                column["min"], column["max"] = plain(series.min()), plain(series.max())
        else:
            column["note"] = text_note([value for value in series.head(500).to_list() if value is not None])

    columns = []
    for series in frame.get_columns():
        column = {"name": named(series.name), "dtype": named(str(series.dtype)), "nulls": None}
        columns.append(told(column, lambda column: fill(column, series)))
    shown = bench.rows if width else 0
    cut = length > 2 * shown


    def rows_of(part):
        return list(zip(*[polars_values(series) for series in part.get_columns()])) if shown else []

    head = rows_of(frame.head(shown if cut else length))
    tail = rows_of(frame.tail(shown)) if cut else []
    start = length - len(tail)
    return {
        "name": name, "kind": "polars " + kind, "rows": length, "index": [], "columns": columns,
        "head": [[at] + [plain(value, bench.width) for value in row] for at, row in enumerate(head)],
        "tail": [[start + at] + [plain(value, bench.width) for value in row] for at, row in enumerate(tail)],
        "notes": bench.notes,
    }


def describe_arrow(table, name, kind, rows, time_s):
    length, width = table.num_rows, table.num_columns
    bench = Bench(rows, time_s, width, length * max(1, width))
    columns = [
        {"name": named(field.name), "dtype": named(str(field.type)), "nulls": int(table.column(place).null_count)}
        for place, field in enumerate(table.schema)
    ]
    shown = bench.rows if width else 0
    cut = length > 2 * shown

    def part(start, count):
        lists = [arrow_values(table.column(place).slice(start, count)) for place in range(width)]
        return [[start + row] + [plain(values[row], bench.width) for values in lists] for row in range(count)]

    return {
        "name": name, "kind": "pyarrow " + kind, "rows": length, "index": [], "columns": columns,
        "head": part(0, shown if cut else length) if shown else [],
        "tail": part(length - shown, shown) if shown and cut else [], "notes": bench.notes,
    }


KINDS = {
    ("pandas", "DataFrame"): describe_pandas, ("pandas", "Series"): describe_pandas,
    ("polars", "DataFrame"): describe_polars, ("polars", "Series"): describe_polars,
    ("pyarrow", "Table"): describe_arrow,
}


def describe(user, name, rows, time_s):
    if name not in user:
        return answer({"problem": "There is no variable %s in this kernel." % name})
    value = user[name]
    for kind in kin(type(value)):
        top, own = package(kind), kind_name(kind)
        found = KINDS.get((top, own))
        if found is not None:
            frame = value if top == "pyarrow" else bare(value, top, own)
            return answer(found(frame, name, own, rows, time_s))
    if kind_name(type(value)) == "LazyFrame":
        return answer({"problem": "%s is a lazy frame: nothing is computed yet. Collect it first." % name})
    return answer({"problem": "%s is not a data frame: it is a %s." % (name, kind_name(type(value)))})
'''
)
