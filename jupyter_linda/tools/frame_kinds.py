"""Text for kernels: the libraries' frames behind one view, and finding the one that a name means."""

from __future__ import annotations

from .frame_texts import FRAMES

KINDS = (
    FRAMES
    + r'''


class Pandas(View):
    """A pandas frame, by places: labels may repeat. Named index levels count as columns."""

    def __init__(self, frame, kind, types=None):
        self.pd, self.np, self.frame = sys.modules["pandas"], sys.modules["numpy"], frame
        index = frame.index
        levels = [label(name) for name in index.names if name is not None]
        self.level_at = [at for at, name in enumerate(index.names) if name is not None]
        names = [label(name) for name in frame.columns]
        told = {}
        kept = [] if types else list(frame.dtypes)
        for dtype in kept:
            if id(dtype) not in told:
                told[id(dtype)] = named(str(dtype))
        types = types or [told[id(dtype)] for dtype in kept]
        self.start(kind, names, types, len(frame), len(frame), levels)
        self.types = self.types + [named(str(self.column(self.width + at).dtype)) for at in range(len(levels))]

    def column(self, place):
        if place < self.width:
            return self.frame.iloc[:, place]
        return self.pd.Series(self.frame.index.get_level_values(self.level_at[place - self.width])._values)

    def sort_of(self, series):
        dtype = series.dtype
        if hasattr(dtype, "categories") and hasattr(series, "cat"):
            return "category"
        name = str(dtype)
        if name == "str" or name.startswith(("string", "large_string")):
            return "text"
        found = {"b": "truth", "i": "number", "u": "number", "f": "number", "M": "moment", "m": "span", "U": "text"}
        return found.get(getattr(dtype, "kind", "O"), "objects")

    def missing(self, place):
        return self.np.asarray(self.column(place).isna(), dtype=bool)

    def test(self, place, op, value, name):
        series = self.column(place)
        sort = self.sort_of(series)
        if sort == "category":
            return self.test_categories(series, op, value, name)
        if sort == "objects" or (sort == "truth" and op in TEXTS):
            marks = (holds(one, op, value, name) for one in series.tolist())
            return self.np.fromiter(marks, dtype=bool, count=self.length)
        if op in TEXTS:
            if sort != "text":
                raise Trouble("%s is no text column: %r does not apply." % (name, op))
            done = self.test_text(series, op, value)
        else:
            wanted = self.fitted(series, sort, value, name)
            done = series == wanted if op == "==" else ORDER[op](series, wanted)
        marks = done.fillna(False) if str(done.dtype) != "bool" else done
        return self.np.asarray(marks, dtype=bool) & ~self.np.asarray(series.isna(), dtype=bool)

    def test_text(self, series, op, value):
        if op == "contains":
            return series.str.contains(value, case=False, regex=False)
        return series.str.startswith(value) if op == "starts with" else series.str.endswith(value)

    def test_categories(self, series, op, value, name):
        known = list(series.cat.categories)
        if op in ORDER and series.cat.ordered:
            at = [place for place, one in enumerate(known) if holds(one, "==", value, name)]
            if not at:
                listed = ", ".join(str(plain(one)) for one in known[:40])
                raise Trouble("%s has no category %r. It has: %s." % (name, value, listed))
            fits = [ORDER[op](place, at[0]) for place in range(len(known))]
        else:
            fits = [holds(one, op, value, name) for one in known]
        return self.np.array(fits + [False], dtype=bool)[series.cat.codes.to_numpy()]

    def fitted(self, series, sort, value, name):
        if sort == "text":
            if type(value) is not str:
                raise Trouble("%s holds text: compare it with a text, not with %r." % (name, value))
            return value
        if sort in ("number", "truth"):
            return as_number(value, name)
        try:
            made = (self.pd.Timedelta if sort == "span" else self.pd.Timestamp)(value if type(value) is str else None)
            if made is self.pd.NaT:
                raise ValueError(value)
        except (ValueError, TypeError):
            what = ("spans", "'2 days 03:00'") if sort == "span" else ("times", "'2026-03-08 01:30'")
            raise Trouble("%s holds %s: compare it with one such as %s, not %r." % ((name,) + what + (value,)))
        is_day = "date32" in str(series.dtype) or "date64" in str(series.dtype)
        if is_day:
            return self.day(made, value, name)
        zone = getattr(series.dt, "tz", None) if sort == "moment" else None
        if sort == "moment" and zone is None and made.tzinfo is not None:
            raise Trouble("%s has no time zone: give a time without one." % name)
        if zone is None or made.tzinfo is not None:
            return made
        try:
            return made.tz_localize(zone)
        except Exception:
            raise no_such_time(value, zone)

    def day(self, made, value, name):
        """What a column of dates is compared with: whole days only, exactly."""
        if made.tzinfo is not None or made != made.normalize():
            raise Trouble("%s holds dates: compare it with one such as '2026-03-08', not %r." % (name, value))
        return made.date()

    def places(self, marks):
        return range(self.length) if marks is None else self.np.flatnonzero(marks)

    def values(self, place, places=None):
        series = self.column(place)
        return pandas_values(series if places is None else series.iloc[list(places)])

    def sorted_places(self, places, place, descending):
        places = self.np.asarray(places, dtype=self.np.int64)
        part = self.column(place).iloc[places].reset_index(drop=True)
        if self.sort_of(part) == "objects":
            values = part.tolist()
            known = [at for at, value in enumerate(values) if not is_empty(value)]
            order = ordered(known, [values[at] for at in known], descending)
            order += [at for at, value in enumerate(values) if is_empty(value)]
        else:
            order = part.sort_values(ascending=not descending, kind="stable", na_position="last").index
        return [int(at) for at in places[list(order[:1000])]]

    def row_labels(self, places, width):
        labels = list(self.frame.index[list(places)])
        return [tuple_label(one, width) for one in labels]


def no_such_time(value, zone):
    return Trouble("%s does not exist, or exists twice, in %s: give it with its offset from UTC." % (value, zone))


def tuple_label(value, width):
    if type(value) is not tuple:
        return plain(value, width)
    parts = [plain(part, width) for part in value]
    return "(" + ", ".join(repr(part) if type(part) is str else str(part) for part in parts) + ")"


class Polars(View):
    """A polars frame."""

    def __init__(self, frame, kind, types=None):
        self.pl, self.frame = sys.modules["polars"], frame
        types = types or [named(str(dtype)) for dtype in frame.dtypes]
        self.start(kind, [named(name) for name in frame.columns], types, frame.height, frame.height)

    def column(self, place):
        return self.frame.to_series(place)

    def missing(self, place):
        series = self.column(place)
        found = series.is_null()
        return found | series.is_nan().fill_null(False) if series.dtype.is_float() else found

    def test(self, place, op, value, name):
        series, pl = self.column(place), self.pl
        dtype = series.dtype
        if dtype in (pl.String, pl.Categorical) or str(dtype).startswith("Enum"):
            ranked = op in ORDER and dtype != pl.String
            if type(value) is not str:
                raise Trouble("%s holds text: compare it with a text, not with %r." % (name, value))
            if ranked and str(dtype).startswith("Enum") and value not in dtype.categories.to_list():
                listed = ", ".join(named(one) for one in dtype.categories.to_list()[:40])
                raise Trouble("%s has no category %r. It has: %s." % (name, value, listed))
            done = self.test_text(series if ranked else series.cast(pl.String), op, value)
        elif op in TEXTS:
            raise Trouble("%s is no text column: %r does not apply." % (name, op))
        elif dtype.is_numeric() or dtype == pl.Boolean:
            wanted = as_number(value, name)
            if dtype == pl.Boolean:
                series = series.cast(pl.Int8)
            done = series == wanted if op == "==" else ORDER[op](series, wanted)
        elif str(dtype).startswith("Datetime") or dtype == pl.Date:
            wanted = self.moment(dtype, value, name)
            done = series == wanted if op == "==" else ORDER[op](series, wanted)
        else:
            done = pl.Series([holds(one, op, value, name) for one in series.to_list()], dtype=pl.Boolean)
        return done.fill_null(False) & ~self.missing(place)

    def test_text(self, series, op, value):
        if op == "contains":
            return series.str.to_lowercase().str.contains(value.lower(), literal=True)
        if op in TEXTS:
            return series.str.starts_with(value) if op == "starts with" else series.str.ends_with(value)
        return series == value if op == "==" else ORDER[op](series, value)

    def moment(self, dtype, value, name):
        """A one-row series of the column's own type: it compares exactly, zone and unit included."""
        zone = getattr(dtype, "time_zone", None)
        like = datetime.datetime.now(datetime.timezone.utc) if zone else None
        made = as_moment(value, name, like)
        if dtype == self.pl.Date:
            return self.pl.Series([made.date()])
        is_local = zone and datetime.datetime.fromisoformat(value.replace("Z", "+00:00")).tzinfo is None
        if is_local:
            naive = self.pl.Series([made.replace(tzinfo=None)]).dt.cast_time_unit(dtype.time_unit)
            try:
                return naive.dt.replace_time_zone(zone)
            except Exception:
                raise no_such_time(value, zone)
        if zone:
            made = made.astimezone(datetime.timezone.utc).replace(tzinfo=None)
            moved = self.pl.Series([made]).dt.cast_time_unit(dtype.time_unit).dt.replace_time_zone("UTC")
            return moved.dt.convert_time_zone(zone)
        return self.pl.Series([made]).dt.cast_time_unit(dtype.time_unit)

    def places(self, marks):
        return range(self.length) if marks is None else marks.arg_true()

    def values(self, place, places=None):
        series = self.column(place)
        return polars_values(series if places is None else series.gather([int(at) for at in places]))

    def sorted_places(self, places, place, descending):
        places = self.pl.Series(places, dtype=self.pl.UInt32) if type(places) is range else places
        part = self.column(place).gather(places)
        if part.dtype == self.pl.Object:
            values = part.to_list()
            known = [at for at, value in enumerate(values) if not is_empty(value)]
            order = ordered(known, [values[at] for at in known], descending)
            order += [at for at, value in enumerate(values) if is_empty(value)]
            return [int(places[at]) for at in order[:1000]]
        if part.dtype.is_float():
            part = part.fill_nan(None)
        return [int(at) for at in places.gather(part.arg_sort(descending=descending, nulls_last=True).head(1000))]

    def row_labels(self, places, width):
        return list(places)


def open_pandas(value, kind, name):
    frame = bare(value, "pandas", kind)
    return Pandas(frame.to_frame() if kind == "Series" else frame, "pandas " + kind)


def open_polars(value, kind, name):
    frame = bare(value, "polars", kind)
    return Polars(frame.to_frame() if kind == "Series" else frame, "polars " + kind)


def open_arrow(value, kind, name):
    """Behind pandas or polars where one is loaded: their types hold arrow's exactly, without copying."""
    fields = list(value.schema)
    types = [named(str(field.type)) for field in fields]
    table = value if kind == "Table" else sys.modules["pyarrow"].Table.from_batches([value])
    if module("pandas"):
        keep = sys.modules["pandas"].ArrowDtype
        dictionary = sys.modules["pyarrow"].types.is_dictionary
        frame = table.to_pandas(types_mapper=lambda one: None if dictionary(one) else keep(one), ignore_metadata=True)
        return Pandas(frame, "pyarrow " + kind, types)
    if module("polars") and len(set(table.column_names)) == len(fields):
        return Polars(sys.modules["polars"].from_arrow(table), "pyarrow " + kind, types)
    head = table.slice(0, MOST_HELD)
    columns = [arrow_values(head.column(place)) for place in range(len(fields))]
    found = Records("pyarrow " + kind, [named(field.name) for field in fields], columns, table.num_rows)
    found.types = types
    return found


def open_numpy(value, kind, name):
    words = "numpy array"
    if package(type(value)) != "numpy":
        value = sys.modules["numpy"].asarray(value)
    if value.ndim not in (1, 2) or (value.ndim == 2 and value.dtype.names):
        words = "%s is an array of %d dimensions; one or two can be looked at as a table."
        raise Trouble(words % (name, value.ndim), False)
    if module("pandas"):
        return Pandas(sys.modules["pandas"].DataFrame(value), words)
    head = value[:MOST_HELD]
    if value.dtype.names:
        fields = value.dtype.names
        return Records(words, [named(one) for one in fields], [head[one].tolist() for one in fields], len(value))
    columns = [head.tolist()] if value.ndim == 1 else [head[:, at].tolist() for at in range(value.shape[1])]
    return Records(words, list(range(len(columns))), columns, len(value))


def open_list(value, kind, name):
    own = list if kind == "list" else tuple
    held, length = list(own.__iter__(value))[:MOST_HELD], own.__len__(value)
    if held and all(type(row) is dict for row in held):
        names = []
        seen = set()
        for row in held:
            for key in list(row):
                if type(key) is str and key not in seen and len(names) < 5000:
                    seen.add(key)
                    names.append(key)
        columns = [[row.get(one) for row in held] for one in names]
        return Records("list of records", [named(one) for one in names], columns, length)
    if held and all(type(row) in (list, tuple) for row in held):
        wide = min(5000, max(len(row) for row in held))
        columns = [[row[at] if at < len(row) else None for row in held] for at in range(wide)]
        return Records("list of rows", list(range(wide)), columns, length)
    if held and all(family(type(one)) for one in held):
        return Records("list", ["value"], [held], length)
    raise Trouble("%s is not a data frame: it is a list of other things." % name, False)


def open_dict(value, kind, name):
    pairs = list(dict.items(value))[:5000]
    columns = []
    for _, column in pairs:
        if type(column) in (list, tuple):
            columns.append(list(column[:MOST_HELD]))
        elif package(type(column)) == "numpy" and kind_name(type(column)) == "ndarray" and column.ndim == 1:
            columns.append(column[:MOST_HELD].tolist())
    if not pairs or len(columns) < len(pairs) or len(set(len(column) for column in columns)) > 1:
        raise Trouble("%s is not a data frame: it is a dict, and not one of equally long columns." % name, False)
    return Records("dict of columns", [label(key) for key, _ in pairs], columns, len(pairs[0][1]))


OPENERS = {
    ("pandas", "DataFrame"): open_pandas, ("pandas", "Series"): open_pandas,
    ("polars", "DataFrame"): open_polars, ("polars", "Series"): open_polars,
    ("pyarrow", "Table"): open_arrow, ("pyarrow", "RecordBatch"): open_arrow, ("numpy", "ndarray"): open_numpy,
    ("builtins", "list"): open_list, ("builtins", "tuple"): open_list, ("builtins", "dict"): open_dict,
}


def open_frame(user, name):
    """The view on the frame that a variable holds."""
    if name not in user:
        raise Trouble("There is no variable %s in this kernel." % name)
    value = user[name]
    for kind in kin(type(value)):
        found = OPENERS.get((package(kind), kind_name(kind)))
        if found is not None:
            return found(value, kind_name(kind), name)
    if kind_name(type(value)) == "LazyFrame":
        raise Trouble("%s is a lazy frame: nothing is computed yet. Collect it first." % name, False)
    raise Trouble("%s is not a data frame: it is a %s." % (name, kind_name(type(value))), False)
'''
)
"""What every text on frames begins with."""
