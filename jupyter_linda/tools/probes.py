"""Texts that run in users' kernels: plain standard library, any Python 3; they only look, and give JSON.

`user` is the user's namespace; these texts run in one of their own, which is dropped afterwards.
A value's own `__repr__`, `__len__` and the like are called for known types only: a stranger's may be slow or worse.
"""

_COMMON = r'''
import json, math, time

BIG = 2 ** 53


def known(value, top):
    """Whether the value's class comes from a package."""
    return (type(value).__module__ or "").split(".")[0] == top


def short(text, most):
    return text if len(text) <= most else text[: most - 1] + "\u2026"


def number(value):
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -BIG <= value <= BIG else str(value)
    if math.isnan(value):
        return None
    return value if not math.isinf(value) else ("inf" if value > 0 else "-inf")


def plain(value, most=80):
    """One value as strict JSON."""
    kind = type(value)
    if value is None or kind.__name__ in ("NaTType", "NAType"):
        return None
    if kind is str:
        return short(value, most)
    if kind in (bool, int, float):
        return number(value)
    if kind in (list, tuple, dict, set, frozenset, bytes, bytearray):
        return "<%s of %d>" % (kind.__name__, len(value))
    if known(value, "numpy") and hasattr(kind, "item") and getattr(value, "ndim", 1) == 0:
        inner = value.item()
        return plain(inner, most) if type(inner) is not kind else str(value)
    if kind.__module__ in ("datetime", "pandas") or kind.__module__.startswith("pandas._libs"):
        return short(value.isoformat() if hasattr(kind, "isoformat") else str(value), most)
    if kind.__module__ in ("decimal", "fractions", "uuid"):
        return short(str(value), most)
    return "<%s>" % kind.__name__


def label(value):
    """A name of a column or a row: levels of a MultiIndex in one text."""
    if type(value) is tuple:
        return "/".join(str(plain(part)) for part in value)
    shown = plain(value)
    return shown if isinstance(shown, (str, int)) and not isinstance(shown, bool) else str(shown)


def answer(found):
    return json.dumps(found, allow_nan=False)
'''

VARIABLES = (
    _COMMON
    + r"""
MOST = 300


def summary(value):
    kind = type(value)
    if kind in (bool, int, float, complex, type(None)):
        return short(repr(value) if kind is not int or -BIG <= value <= BIG else str(value)[:60], 60)
    if kind is str:
        return short(repr(value[:80]), 60)
    if kind in (list, tuple, dict, set, frozenset, bytes, bytearray, range):
        return "%d items" % len(value) if kind not in (bytes, bytearray) else "%d bytes" % len(value)
    if kind.__module__.split(".")[0] in ("pandas", "polars", "numpy", "pyarrow", "torch", "scipy"):
        shape = getattr(value, "shape", None)
        if type(shape) is tuple or kind.__module__.startswith("torch"):
            return " x ".join(str(int(part)) for part in shape)
    return ""


def describe(user):
    hidden = {}
    try:
        hidden = user["get_ipython"]().user_ns_hidden
    except Exception:
        pass
    found = []
    truncated = False
    for name in sorted(key for key in list(user) if type(key) is str):
        if name.startswith("_") or name in ("In", "Out", "exit", "quit", "get_ipython"):
            continue
        value = user.get(name)
        if (name in hidden and hidden[name] is value) or type(value).__name__ == "module":
            continue
        if len(found) == MOST:
            truncated = True
            break
        try:
            text = summary(value)
        except Exception:
            text = ""
        found.append({"name": name, "type": type(value).__name__, "summary": text})
    return answer({"variables": found, "truncated": truncated})
"""
)

FRAME = (
    _COMMON
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
        kinds = sorted(set(type(value).__name__ for value in values))
        return "holds " + ", ".join(kinds[:4]) if kinds else None
    if len(texts) < len(values):
        return "text mixed with " + ", ".join(sorted(set(type(v).__name__ for v in values if type(v) is not str))[:3])
    if all(LOOKS_NUMERIC.match(text) for text in texts):
        return "text that looks like numbers (such as %s)" % repr(short(texts[0], 20))
    return "text"


def pandas_column(series, name, bench):
    dtype = series.dtype
    column = {"name": name, "dtype": str(dtype), "nulls": None}
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
    return column


def tuple_label(value, bench):
    if type(value) is not tuple:
        return plain(value, bench.width)
    return "(" + ", ".join(repr(p) if type(p) is str else str(p) for p in (plain(v) for v in value)) + ")"


def pandas_rows(frame, places, bench):
    part = frame.iloc[places]
    columns = [list(part.iloc[:, place]) for place in range(frame.shape[1])]
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
    names = list(frame.columns)
    index = frame.index
    levels = [
        {"name": None if level_name is None else label(level_name), "dtype": str(level.dtype)}
        for level_name, level in zip(index.names, index.levels if index.nlevels > 1 else [index])
    ]
    found = {
        "name": name, "kind": "pandas " + kind, "rows": length, "index": levels,
        "columns": [pandas_column(frame.iloc[:, place], label(names[place]), bench) for place in range(width)],
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
    columns = []
    for series in frame.get_columns():
        column = {"name": series.name, "dtype": str(series.dtype), "nulls": int(series.null_count())}
        if series.dtype.is_numeric() or series.dtype.is_temporal():
            if length and bench.has_time():
                column["min"], column["max"] = plain(series.min()), plain(series.max())
        else:
            column["note"] = text_note([value for value in series.head(500).to_list() if value is not None])
        columns.append(column)
    shown = bench.rows if width else 0
    cut = length > 2 * shown
    head = [list(row) for row in frame.head(shown if cut else length).rows()] if shown else []
    tail = [list(row) for row in frame.tail(shown).rows()] if shown and cut else []
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
        {"name": field.name, "dtype": str(field.type), "nulls": int(table.column(place).null_count)}
        for place, field in enumerate(table.schema)
    ]
    shown = bench.rows if width else 0
    cut = length > 2 * shown

    def part(start, count):
        lists = [table.column(place).slice(start, count).to_pylist() for place in range(width)]
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
    for kind in type(value).__mro__:
        found = KINDS.get(((kind.__module__ or "").split(".")[0], kind.__name__))
        if found is not None:
            return answer(found(value, name, kind.__name__, rows, time_s))
    if type(value).__name__ == "LazyFrame":
        return answer({"problem": "%s is a lazy frame: nothing is computed yet. Collect it first." % name})
    return answer({"problem": "%s is not a data frame: it is a %s." % (name, type(value).__name__)})
'''
)
