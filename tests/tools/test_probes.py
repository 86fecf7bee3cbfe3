"""What runs in kernels to look at variables: it runs nothing of the user's, and one bad variable hides no other."""

from __future__ import annotations

import json
import time

import pytest

from jupyter_linda.live.probing import wrap
from jupyter_linda.tools.frame_kinds import KINDS
from jupyter_linda.tools.probes import FRAME, VARIABLES

HOSTILE = """
ran = []

def trap(name):
    def get(self, *_more):
        ran.append(name)
        raise SystemExit(name)
    return get

class Meta(type):
    __name__ = property(trap("meta.__name__"))
    __module__ = property(trap("meta.__module__"))
    __mro__ = property(trap("meta.__mro__"))
    __dict__ = property(trap("meta.__dict__"))
    __class__ = property(trap("meta.__class__"))
    __eq__ = trap("meta.__eq__")
    __hash__ = trap("meta.__hash__")
    __getattribute__ = trap("meta.__getattribute__")
    __instancecheck__ = trap("meta.__instancecheck__")

class Metal(metaclass=Meta):
    pass

class Liar:
    __class__ = property(trap("__class__"))
    __module__ = property(trap("__module__"))
    __name__ = property(trap("__name__"))
    __getattribute__ = trap("__getattribute__")
    __repr__ = trap("__repr__")
    __str__ = trap("__str__")
    __len__ = trap("__len__")
    __bool__ = trap("__bool__")
    __eq__ = trap("__eq__")

class Name(str):
    __str__ = trap("name.__str__")
    __repr__ = trap("name.__repr__")
    __len__ = trap("name.__len__")
    split = trap("name.split")

Odd = type(Name("Odd"), (), {"__module__": Name("odd")})
Posing = type("DataFrame", (), {"__module__": "pandas", "shape": property(trap("shape")), "item": trap("item"),
                                "isoformat": trap("isoformat"), "__getattribute__": trap("posing")})
metal, liar, odd, posing = Metal(), Liar(), Odd(), Posing()
get_ipython = trap("get_ipython")
before, z_after = 1, 2
"""


def look(setup, expression, code="", **names):
    """Run code as a cell, then look as the kernel would; the answer and the names."""
    exec(code, names)
    return json.loads(eval(wrap(setup, expression), names)), names


def variables(code="", **names):
    found, names = look(VARIABLES, "describe(user)", code, **names)
    return {entry["name"]: entry for entry in found["variables"]}, names


def test_hostile_classes_are_listed_by_name_and_nothing_of_theirs_runs():
    listed, names = variables(HOSTILE)
    assert names["ran"] == []
    kinds = {name: listed[name]["type"] for name in ("metal", "liar", "odd", "posing", "before", "z_after", "Metal")}
    assert kinds == {
        "metal": "Metal", "liar": "Liar", "odd": "Odd", "posing": "DataFrame", "before": "int", "z_after": "int",
        "Metal": "Meta",
    }  # fmt: skip
    assert [listed[name]["summary"] for name in ("metal", "liar", "odd", "posing")] == ["", "", "", ""]


@pytest.mark.parametrize("name", ["metal", "liar", "odd", "posing", "Metal"])
def test_a_hostile_value_is_no_frame_and_nothing_of_its_runs(name):
    found, names = look(FRAME, f"describe(user, {name!r}, 3, 2.0)", HOSTILE)
    assert "is not a data frame" in found["problem"]
    assert names["ran"] == []


KIN = (
    HOSTILE
    + """
import numpy as np, pandas as pd, polars as pl

def traps(*names, **of_properties):
    found = {name: trap(name) for name in names}
    return {**found, **{name: property(trap(name)) for name in of_properties.pop("read", ())}}

def kin_of(base, *names, read=()):
    return type("Kin", (base,), traps(*names, read=read))

frame = kin_of(pd.DataFrame, "__len__", "copy", read=["iloc", "columns", "dtypes", "shape"])({"a": [1, 2]})
series = kin_of(pd.Series, "to_frame", "__len__", "copy", read=["_constructor_expanddim"])([1, 2], name="a")
polar = kin_of(pl.DataFrame, "get_columns", "head", "tail", read=["shape", "columns", "height"])({"a": [1, 2]})
polar_series = kin_of(pl.Series, "to_frame", "__len__", "null_count")("a", [1, 2])
rows = kin_of(list, "__len__", "__iter__", "__getitem__")([{"a": 1}, {"a": 2}])
pairs = kin_of(dict, "__len__", "__iter__", "items", "keys")(a=[1, 2])
array = np.arange(1, 3).view(kin_of(np.ndarray, "__len__", "__getitem__", read=["ndim", "shape"]))
ran.clear()
"""
)


@pytest.mark.parametrize("name", ["frame", "series", "polar", "polar_series", "rows", "pairs", "array"])
def test_kin_of_a_librarys_class_is_looked_at_and_nothing_of_its_own_runs(name):
    names = {}
    exec(KIN, names)
    if name not in ("rows", "pairs", "array"):  # which `describe` takes for no frames
        found = json.loads(eval(wrap(FRAME, f"describe(user, {name!r}, 3, 2.0)"), names))
        assert [row[1] for row in found["head"]] == [1, 2]
    view = f"(lambda found: answer([found.length, [int(one) for one in found.values(0)]]))(open_frame(user, {name!r}))"
    assert json.loads(eval(wrap(KINDS, view), names)) == [2, [1, 2]]
    assert names["ran"] == []


def test_a_variable_that_cannot_be_looked_at_is_shown_as_such():
    code = "import numpy\nclass Shapeless: pass\nnumpy.Shapeless = Shapeless\nShapeless.__module__ = 'numpy'\n"
    code += "Shapeless.shape = ('wide', 'long')\nbad, good = Shapeless(), 1"
    try:
        listed, _ = variables(code)
    finally:
        exec("import numpy\ndel numpy.Shapeless")
    assert listed["bad"] == {"name": "bad", "type": "Shapeless", "summary": "(cannot be summed up)"}
    assert listed["good"]["summary"] == "1"


def test_long_and_unprintable_names_are_shortened_to_one_line():
    listed, _ = variables(**{"x" * 100_000: 1, "a\nb: int  7": 2, "c": type("Y" * 10_000, (), {})()})
    assert all(len(name) <= 200 for name in listed)
    assert "'a\\nb: int  7'" in listed
    assert len(listed["c"]["type"]) <= 80


def test_a_number_of_a_million_digits_is_not_written_out():
    started = time.monotonic()
    listed, _ = variables("huge, small = 1 << 40_000_000, -7")
    assert time.monotonic() - started < 10
    assert listed["huge"]["summary"] == "an integer of 40000001 bits"
    assert listed["small"]["summary"] == "-7"


def test_arrays_and_frames_are_summed_up_by_their_shape():
    pytest.importorskip("polars")
    listed, _ = variables(
        "import numpy as np, pandas as pd, polars as pl\na = np.zeros((2, 3))\n"
        "d = pd.DataFrame({'x': [1, 2]})\ns = pd.Series([1])\np = pl.DataFrame({'x': [1]})"
    )
    shapes = {name: (listed[name]["type"], listed[name]["summary"]) for name in "adsp"}
    assert shapes == {
        "a": ("ndarray", "2 x 3"), "d": ("DataFrame", "2 x 1"), "s": ("Series", "1"), "p": ("DataFrame", "1 x 1"),
    }  # fmt: skip


COLUMNS = {
    "pandas": "import pandas as pd\ndf = pd.DataFrame([[1, 2]], columns=['c' * 5000, ('d' * 300, 'e' * 300)])",
    "polars": "import polars as pl\ndf = pl.DataFrame({'c' * 5000: [1], 'd' * 600: [{'e' * 5000: 2}]})",
    "pyarrow": "import pyarrow as pa\ndf = pa.table({'c' * 5000: [1], 'd' * 600: [{'e' * 5000: 2}]})",
}


@pytest.mark.parametrize("library", list(COLUMNS))
def test_long_names_of_columns_are_shortened(library):
    pytest.importorskip(library)
    found, _ = look(FRAME, "describe(user, 'df', 3, 2.0)", COLUMNS[library])
    assert [column["name"][:4] for column in found["columns"]] == ["cccc", "dddd"]
    assert all(len(column["name"]) <= 200 and len(column["dtype"]) <= 200 for column in found["columns"])


def test_a_column_that_cannot_be_looked_through_hides_no_other():
    code = (
        "import pandas as pd\nclass Broken(pd.arrays.IntegerArray):\n    def isna(self): raise OSError('no')\n"
        "b = Broken(pd.array([5, 6])._data, pd.array([5, 6])._mask)\n"
        "df = pd.DataFrame({'a': [1, 2], 'b': pd.Series(b, copy=False), 'c': [3, 4]})"
    )
    found, _ = look(FRAME, "describe(user, 'df', 3, 2.0)", code)
    columns = {column["name"]: column for column in found["columns"]}
    assert columns["b"]["note"] == "could not be looked through (OSError)"
    assert (columns["c"]["min"], columns["c"]["max"]) == (3, 4)
    assert found["head"] == [[0, 1, 5, 3], [1, 2, 6, 4]]
