"""Text for kernels: one view on pandas, polars, arrow, numpy and plain records, and conditions on their rows.

Numbers stay exact, missing is one thing everywhere, names may repeat, and no stranger's method is called.
"""

from __future__ import annotations

from .probe_values import COMMON

FRAMES = (
    COMMON
    + r'''
import datetime, operator, random

MOST_HELD = 200000
ORDER = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
TEXTS = ("contains", "starts with", "ends with")
FAMILIES = {}
BEYOND = (
    "Some of these moments lie beyond the calendar of Python (the years 1 to 9999). "
    "Leave their column out, or make it numbers or texts with code first."
)


class Trouble(Exception):
    """What cannot be done, in words; `retry` where the call can be mended, else what kind of failure it is."""

    def __init__(self, words, retry=True, kind="no_frame"):
        Exception.__init__(self, words)
        self.words, self.retry, self.kind = words, retry, kind


def told(user, work, text):
    """The JSON text of a piece of work, or of the trouble it met."""
    try:
        return answer(work(user, **json.loads(text)))
    except Trouble as trouble:
        return answer({"problem": trouble.words, "retry": trouble.retry, "kind": trouble.kind})
    except Exception as error:
        if is_far(error):
            return answer({"problem": BEYOND, "retry": False, "kind": "not_possible"})
        return answer({"problem": "It could not be done: %s." % fault(error), "retry": False, "kind": "not_done"})
    except BaseException as error:
        if kind_name(type(error)) != "PanicException":  # of polars: it passes by Exception; an interrupt must go on
            raise
        words = "It could not be done: polars gave up on these values."
        return answer({"problem": words, "retry": False, "kind": "not_done"})


def fault(error):
    """An error of a library in words: a stranger's own text is not asked for."""
    known = package(type(error)) in ("builtins", "pandas", "polars", "numpy", "pyarrow", "matplotlib")
    return kind_name(type(error)) + (": " + named(str(error).split("\n")[0], 300) if known else "")


def module(name):
    found = sys.modules.get(name)
    return found if type(found) is MODULE else None


def family(kind):
    """What a value of this class is for comparisons; nothing for strangers."""
    if id(kind) not in FAMILIES:
        FAMILIES[id(kind)] = family_of(kind)
    return FAMILIES[id(kind)]


def family_of(kind):
    if kind is str:
        return "text"
    if kind is bool:
        return "truth"
    if kind is int or kind is float:
        return "number"
    if kind is type(None):
        return "empty"
    top, name = package(kind), kind_name(kind)
    if top == "numpy":
        start = name.rstrip("0123456789_")
        found = {"bool": "truth", "int": "number", "uint": "number", "float": "number", "str": "text"}
        return found.get(start, "moment" if name == "datetime64" else "")
    if top in ("decimal", "fractions") and name in ("Decimal", "Fraction"):
        return "number"
    if top in ("datetime", "pandas"):
        found = {"datetime": "moment", "Timestamp": "moment", "date": "date", "time": "time", "timedelta": "span"}
        found.update({"Timedelta": "span", "NaTType": "empty", "NAType": "empty"})
        return found.get(name, "")
    return ""


def is_empty(value):
    of = family(type(value))
    return of == "empty" or (of == "number" and value != value)


def as_number(value, name):
    """A condition's number; numbers too large for JSON come as text."""
    if family(type(value)) in ("number", "truth"):
        return value
    try:
        return int(value) if value.strip().lstrip("+-").isdigit() else float(value)
    except (ValueError, AttributeError):
        raise Trouble("%s holds numbers: compare it with a number, not with %r." % (name, value))


def as_moment(value, name, like=None):
    """A condition's date or time, of the kind of `like`."""
    try:
        made = datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
    except (ValueError, AttributeError):
        raise Trouble("%s holds dates or times: compare it with one such as 2026-03-08T01:30, not %r." % (name, value))
    zone = getattr(like, "tzinfo", None)
    if made.tzinfo is not None and zone is None:
        raise Trouble("%s has no time zone: give a time without one." % name)
    return made.replace(tzinfo=zone) if made.tzinfo is None and zone is not None else made


def holds(value, op, wanted, name):
    """One value against one condition; values of other kinds do not fit it, strangers never do."""
    of = family(type(value))
    if of in ("", "empty") or (of == "number" and value != value):
        return False
    if op in TEXTS:
        return of == "text" and text_holds(value, op, wanted)
    if of == "text" and type(wanted) is not str:
        return False
    if of in ("number", "truth"):
        large = type(wanted) is str and wanted.lstrip("-").isdigit() and len(wanted) > 15
        if large:
            wanted = int(wanted)
        elif family(type(wanted)) not in ("number", "truth"):
            return False
    elif of in ("moment", "date"):
        wanted = as_moment(wanted, name, value)
        wanted = wanted.date() if of == "date" else wanted
    elif of != "text":
        value, wanted = str(value), str(wanted)
    return bool(value == wanted if op == "==" else ORDER[op](value, wanted))


def text_holds(value, op, wanted):
    if op == "contains":
        return wanted.lower() in value.lower()
    return value.startswith(wanted) if op == "starts with" else value.endswith(wanted)


class Bits(object):
    """Which rows of plain records fit."""

    def __init__(self, marks):
        self.marks = marks

    def __and__(self, other):
        return Bits([a and b for a, b in zip(self.marks, other.marks)])

    def __or__(self, other):
        return Bits([a or b for a, b in zip(self.marks, other.marks)])

    def __invert__(self):
        return Bits([not mark for mark in self.marks])


class View(object):
    """What every kind of frame can do here. `total` rows there are, `length` of them are looked at."""

    def start(self, kind, names, types, length, total, levels=()):
        self.kind, self.names, self.types = kind, [str(name) for name in names], types
        self.width, self.length, self.total = len(names), length, total
        self.levels = [str(level) for level in levels]
        self.notes = []
        if length < total:
            self.notes.append("(Only the first %d of %d rows were looked at.)" % (length, total))

    def find(self, name):
        """A column's place; `name#2` names the column at that place where names repeat."""
        every = self.names + self.levels
        found = [place for place, one in enumerate(every) if one == name]
        base, _, at = name.rpartition("#")
        if not found and at.isdigit() and int(at) < len(every) and every[int(at)] == base:
            found = [int(at)]
        if len(found) > 1:
            words = " or ".join("%s#%d" % (name, place) for place in found)
            raise Trouble("There are %d columns %s: name one as %s." % (len(found), name, words))
        if not found:
            near = [one for one in every if name.lower() in one.lower() or one.lower() in name.lower()][:10]
            raise Trouble("There is no column %s. There are: %s." % (name, ", ".join(near or every[:40])))
        return found[0]

    def fit(self, conditions):
        """Which rows fit all conditions; None where there are none."""
        marks = None
        for condition in conditions:
            mark = self.mark(self.find(condition["column"]), condition["op"], condition.get("value"))
            marks = mark if marks is None else marks & mark
        return marks

    def mark(self, place, op, value):
        name = (self.names + self.levels)[place]
        if op in ("is missing", "is not missing"):
            return self.missing(place) if op == "is missing" else ~self.missing(place)
        if op in ("in", "not in"):
            if type(value) is not list or not value:
                raise Trouble("%r needs a list of values." % op)
            found = self.test(place, "==", value[0], name)
            for one in value[1:200]:
                found = found | self.test(place, "==", one, name)
            return found if op == "in" else ~found & ~self.missing(place)
        if op == "between":
            if type(value) is not list or len(value) != 2:
                raise Trouble("'between' needs a list of two values, the lowest and the highest.")
            return self.test(place, ">=", value[0], name) & self.test(place, "<=", value[1], name)
        if value is None or type(value) in (list, dict):
            raise Trouble("%r needs one value; for missing values use 'is missing'." % op)
        if op in TEXTS and type(value) is not str:
            raise Trouble("%r needs a text." % op)
        if op == "!=":
            return ~self.test(place, "==", value, name) & ~self.missing(place)
        return self.test(place, op, value, name)

    def choose(self, marks, order, most, sort=None, descending=False):
        """(number of rows that fit, places of those to show)."""
        places = self.places(marks)
        count = len(places)
        if sort is not None:
            return count, self.sorted_places(places, self.find(sort), descending)[:most]
        if order == "last":
            picked = places[max(0, count - most) :]
        elif order == "random":
            picked = [places[at] for at in sorted(random.Random(0).sample(range(count), min(count, most)))]
        else:
            picked = places[:most]
        return count, [int(place) for place in picked]

    def rows(self, places, columns, width):
        """Rows as strict JSON, each with its label in front."""
        lists = [self.values(column, places) for column in columns]
        labels = self.row_labels(places, width)
        return [[labels[at]] + [plain(one[at], width) for one in lists] for at in range(len(places))]


class Records(View):
    """Columns of plain Python values."""

    def __init__(self, kind, names, columns, total):
        self.columns = columns
        length = len(columns[0]) if columns else 0
        self.start(kind, names, [type_words(column) for column in columns], length, total)

    def missing(self, place):
        return Bits([is_empty(value) for value in self.columns[place]])

    def test(self, place, op, value, name):
        return Bits([holds(one, op, value, name) for one in self.columns[place]])

    def places(self, marks):
        if marks is None:
            return list(range(self.length))
        return [place for place, mark in enumerate(marks.marks) if mark]

    def values(self, place, places=None):
        column = self.columns[place]
        return list(column) if places is None else [column[at] for at in places]

    def sorted_places(self, places, place, descending):
        column = self.columns[place]
        known = [at for at in places if not is_empty(column[at])]
        return ordered(known, [column[at] for at in known], descending) + [at for at in places if is_empty(column[at])]

    def row_labels(self, places, width):
        return list(places)


def ordered(places, values, descending):
    """Places in the order of their values."""
    if len(set(family(type(value)) for value in values) - {"truth"}) > 1 or any(not family(type(v)) for v in values):
        raise Trouble("Values of different kinds have no order.")
    try:
        pairs = sorted(zip(values, places), key=lambda pair: pair[0], reverse=descending)
    except TypeError:
        raise Trouble("These values have no order.")
    return [place for _, place in pairs]


def type_words(values):
    """What a column of plain values holds, from its first thousand."""
    kinds = []
    for value in values[:1000]:
        if type(value) is not type(None) and not among(type(value), kinds):
            kinds.append(type(value))
    return " or ".join(kind_name(kind) for kind in kinds[:3]) or "nothing"
'''
)
"""Plain records, and what every kind of frame shares; `frame_kinds` adds the libraries."""
