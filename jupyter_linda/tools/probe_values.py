"""Text for kernels that every other one begins with: types past metaclasses, values as strict JSON."""

COMMON = r'''
import json, math, sys, time

BIG = 2 ** 53
NAME = 200
NUMBERS = (bool, int, float)
CONTAINERS = (list, tuple, dict, set, frozenset, bytes, bytearray)
MODULE = type(sys)


def among(kind, kinds):
    return any(kind is one for one in kinds)


def kind_name(kind):
    """A class's name; `kind.__name__` would ask its metaclass."""
    return named(str.__str__(type.__dict__["__name__"].__get__(kind)), 80)


def kind_module(kind):
    """The module a class says it is from; anything may stand there, or nothing."""
    try:
        module = type.__dict__["__module__"].__get__(kind)
    except AttributeError:
        return ""
    return module if type(module) is str else ""


def kin(kind):
    return type.__dict__["__mro__"].__get__(kind)


def package(kind):
    """The package a class is from, where its module holds this very class under its name; else nothing."""
    module = sys.modules.get(kind_module(kind))
    name = str.__str__(type.__dict__["__name__"].__get__(kind))
    if type(module) is MODULE and module.__dict__.get(name) is kind:
        return kind_module(kind).split(".")[0]
    return ""


def short(text, most):
    return text if len(text) <= most else text[: most - 1] + "\u2026"


def named(text, most=NAME):
    """A name on one line, whatever it holds."""
    text = short(text, most)
    return text if text.isprintable() else repr(text)


def number(value):
    if type(value) is bool:
        return value
    if type(value) is int:
        if -BIG <= value <= BIG:
            return value
        return str(value) if value.bit_length() < 256 else "an integer of %d bits" % value.bit_length()
    if math.isnan(value):
        return None
    return value if not math.isinf(value) else ("inf" if value > 0 else "-inf")


def plain(value, most=80):
    """One value as strict JSON."""
    try:
        return plainly(value, most)
    except Exception:
        return "<%s>" % kind_name(type(value))


def plainly(value, most):
    kind = type(value)
    top = package(kind)
    name = kind_name(kind)
    if value is None or (top == "pandas" and name in ("NaTType", "NAType")):
        return None
    if kind is str:
        return short(value, most)
    if among(kind, NUMBERS):
        return number(value)
    if among(kind, CONTAINERS):
        return "<%s of %d>" % (name, len(value))
    if kind is Far:
        return short(value.text, most)
    if top == "numpy" and hasattr(kind, "item") and getattr(value, "ndim", 1) == 0:
        inner = value.item()
        return plain(inner, most) if type(inner) is not kind else str(value)
    if top == "datetime" or (top == "pandas" and (hasattr(kind, "isoformat") or name in ("Period", "Interval"))):
        return short(value.isoformat() if hasattr(kind, "isoformat") else str(value), most)
    if top in ("decimal", "fractions", "uuid"):
        return short(str(value), most)
    return "<%s>" % name


def bare(value, top, name):
    """A frame or series of a library as its own class has it: a subclass's methods are a stranger's."""
    library = sys.modules[top]
    own = getattr(library, name)
    if type(value) is own:
        return value
    if top == "pandas":
        return own(value)
    return own._from_pydf(value._df) if name == "DataFrame" else own._from_pyseries(value._s)


class Far(object):
    """A moment that no calendar of Python holds: its number, with the column's type beside it."""

    def __init__(self, number, dtype):
        self.text = "%d as %s" % (number, dtype) if type(number) is int else "(cannot be shown)"


Far.__name__ = "moments beyond the calendar"


def is_far(error):
    return among(type(error), (ValueError, OverflowError)) and "out of range" in str(error)


def each(count, whole, one, number, dtype):
    """A column's values at once, or one by one where the library cannot hand out some of them."""

    def at_place(place):
        try:
            return one(place)
        except (ValueError, OverflowError, KeyError):
            return Far(number(place), dtype)

    try:
        return whole()
    except (ValueError, OverflowError, KeyError):  # the last: a time zone that this machine does not know
        return [at_place(place) for place in range(count)]


def pandas_values(series):
    def number(place):
        return series.array.__arrow_array__()[place].value

    return each(len(series), series.tolist, lambda place: series.iloc[place], number, str(series.dtype))


def polars_values(series):
    def number(place):
        return series.to_physical()[place]

    return each(len(series), series.to_list, lambda place: series[place], number, str(series.dtype))


def arrow_values(column):
    def number(place):
        return column[place].value

    return each(len(column), column.to_pylist, lambda place: column[place].as_py(), number, str(column.type))


def why_not(error):
    """Why a column is not looked through."""
    return "holds " + Far.__name__ if is_far(error) else "could not be looked through (%s)" % kind_name(type(error))


def label(value):
    """A name of a column or a row: levels of a MultiIndex in one text."""
    if type(value) is tuple:
        return named("/".join(str(plain(part)) for part in value))
    shown = plain(value, NAME)
    return shown if type(shown) is int else named(str(shown))


def answer(found):
    return json.dumps(found, allow_nan=False)
'''
"""Moments beyond the calendar of Python come as their numbers; libraries refuse to hand them out."""
