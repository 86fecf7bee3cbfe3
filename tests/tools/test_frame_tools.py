"""The tools on data frames, in real kernels."""

from __future__ import annotations

import ast
import base64
import csv
import json

import pandas as pd
import pytest

from jupyter_linda.errors import NotAllowed, ToolFailed, ToolRetry
from jupyter_linda.tools.aggregating import AGGREGATE, aggregate
from jupyter_linda.tools.comparing import COMPARE, compare_dataframes
from jupyter_linda.tools.exporting import EXPORT, export_dataframe
from jupyter_linda.tools.filtering import FILTER, filter_rows
from jupyter_linda.tools.notebook_runs import run_cell
from jupyter_linda.tools.plotting import PLOT, plot_dataframe
from jupyter_linda.tools.profiling import PROFILE, profile_dataframe
from tests.fakes.notebooks import code_cell, notebook

SETUP = """
import pandas as pd, numpy as np, polars as pl, pyarrow as pa
base = pd.DataFrame({
    'k': ['a', 'b', 'a', None], 'x': [1.5, np.nan, np.inf, -2.0], 'big': [2**62, 2**62, 2**62, 9007199254740993],
    't': ['7', '1,200', 'Yes', None], 'd': pd.to_datetime(
        ['2026-03-08 01:30', '2026-03-08 03:30', None, '2026-03-09 00:00']).tz_localize('America/New_York'),
    'c': pd.Categorical(['S', 'L', 'S', None], categories=['S', 'M', 'L'], ordered=True),
    'whole': pd.array([1, None, 3, 4], dtype='Int64'), 'flag': [True, False, True, True],
})
plain = pl.from_pandas(base)
arrow = pa.Table.from_pandas(base)
records = [{'k': 'a', 'x': 1.5, 'big': 2**62}, {'k': 'b', 'x': None, 'big': 2**62}]
columns = {'k': ['a', 'b'], 'x': [1, 2]}
array = np.arange(12).reshape(4, 3)
twice = pd.DataFrame([[1, 'x'], [2, 'y']], columns=['a', 'a'])
multi = pd.DataFrame({'v': [1, 2, 3]}, index=pd.MultiIndex.from_tuples([('a', 1), ('a', 2), ('b', 1)], names=['grp', 'n']))
wide_levels = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_product([['x'], ['p', 'q']]))
e1, e2 = pd.DataFrame(), pd.DataFrame({'a': pd.Series([], dtype=float)})
many = pd.DataFrame(np.zeros((30, 1500)))
class Meta(type):
    def __eq__(self, other): raise SystemExit
    def __hash__(self): raise SystemExit
    __name__ = property(lambda self: 1 / 0)
class Hostile(metaclass=Meta):
    def __repr__(self): raise SystemExit
    __str__ = __hash__ = __eq__ = __lt__ = __bool__ = __len__ = __float__ = __repr__
    def __getattr__(self, name): raise SystemExit
odd = pd.DataFrame({'o': pd.Series([Hostile(), 1, '1', [1], None], dtype=object), 'n': range(5)})
changed = base.copy()
changed.loc[1, 'big'] = 5
changed['more'] = 1
changed = changed.drop(columns=['t'])
changed['flag'] = changed['flag'].astype(int)
class Frame(pd.DataFrame):
    pass
own = Frame({'a': [1, 2]})
lazy = plain.lazy()
state = (base.copy(), list(globals()))
"""


@pytest.fixture
def frames(server_put, server_bench):
    """A kernel that holds the frames; calls tools on its notebook."""
    server_put("a.ipynb", notebook(code_cell(SETUP, "c1"), code_cell("print(base.equals(state[0]), len(In))", "c2")))

    class Frames:
        bench = server_bench

        async def run(self, cell_id="c1"):
            result = await server_bench.call(run_cell, path="a.ipynb", cell_id=cell_id)
            assert result.data["status"] == "ok", result.text
            return result

        async def call(self, tool, **arguments):
            return await server_bench.call(tool, path="a.ipynb", **arguments)

    return Frames()


def fits(column, op, value=None):
    return {"column": column, "op": op, "value": value}


CONDITIONS = [
    (fits("x", ">", 1), [0, 2]),
    (fits("x", "==", "inf"), [2]),
    (fits("x", "is missing"), [1]),
    (fits("k", "!=", "a"), [1]),
    (fits("k", "not in", ["a"]), [1]),
    (fits("big", "==", "9007199254740993"), [3]),
    (fits("big", "==", 9007199254740993), [3]),
    (fits("big", "==", 9007199254740992), []),
    (fits("t", "contains", "yES"), [2]),
    (fits("t", "starts with", "1,"), [1]),
    (fits("d", ">=", "2026-03-08 03:00"), [1, 3]),
    (fits("d", "<", "2026-03-08T07:30:00Z"), [0]),
    (fits("d", "between", ["2026-03-08", "2026-03-08 12:00"]), [0, 1]),
    (fits("c", "in", ["S", "L"]), [0, 1, 2]),
    (fits("whole", ">=", 3), [2, 3]),
    (fits("flag", "==", False), [1]),
]


async def test_conditions_mean_the_same_in_every_library(frames):
    await frames.run()
    for name in ("base", "plain", "arrow"):
        for condition, places in CONDITIONS:
            found = await frames.call(filter_rows, name=name, where=[condition])
            assert [row[0] for row in found.data["rows"]] == places, (name, condition)
    ranked = await frames.call(filter_rows, name="base", where=[fits("c", "<", "L")])
    assert ranked.data["matching_rows"] == 2
    assert (await frames.call(filter_rows, name="arrow", where=[fits("c", "<", "L")])).data["matching_rows"] == 2
    both = await frames.call(filter_rows, name="base", where=[fits("x", ">", 1), fits("k", "==", "a")], rows=1)
    assert both.text.startswith("base (pandas DataFrame): 2 of 4 rows fit; 1 of 2 rows, 8 columns shown")


async def test_rows_are_strict_json_whatever_the_frame(frames):
    await frames.run()
    row = (await frames.call(filter_rows, name="base")).data["rows"][0]
    assert row == [0, "a", 1.5, "4611686018427387904", "7", "2026-03-08T01:30:00-05:00", "S", 1, True]
    assert (await frames.call(filter_rows, name="multi", where=[fits("grp", "==", "a")])).data["rows"] == [
        ["('a', 1)", 1],
        ["('a', 2)", 2],
    ]
    assert (await frames.call(filter_rows, name="wide_levels")).data["columns"] == ["x/p", "x/q"]
    assert (await frames.call(filter_rows, name="records", where=[fits("x", "is missing")])).data["rows"] == [
        [1, "b", None, "4611686018427387904"]
    ]
    assert (await frames.call(filter_rows, name="columns", where=[fits("x", ">", 1)])).data["rows"] == [[1, "b", 2]]
    assert (await frames.call(filter_rows, name="array", where=[fits("1", ">", 4)])).data["matching_rows"] == 2
    for name in ("e1", "e2"):
        assert (await frames.call(filter_rows, name=name)).data["rows"] == []
    many = await frames.call(filter_rows, name="many", rows=100)
    assert len(many.data["rows"]) * len(many.data["columns"]) <= 3000
    assert "of 1500 columns" in many.text
    largest = await frames.call(filter_rows, name="plain", order="largest", sort_by="whole", columns=["whole"])
    assert [row[1] for row in largest.data["rows"]] == [4, 3, 1, None]
    assert (await frames.call(filter_rows, name="own")).data["matching_rows"] == 2


async def test_what_cannot_be_asked_is_said_with_what_to_mend(frames):
    await frames.run()
    for name, condition, words in [
        ("base", fits("nothing", "==", 1), "no column nothing"),
        ("base", fits("x", "==", "much"), "compare it with a number"),
        ("base", fits("d", ">", "soon"), "holds times"),
        ("plain", fits("d", ">", "soon"), "dates or times"),
        ("base", fits("d", ">", "2026-03-08 02:30"), "does not exist"),
        ("plain", fits("d", ">", "2026-03-08 02:30"), "does not exist"),
        ("base", fits("x", "contains", "1"), "no text column"),
        ("base", fits("c", "<", "XXL"), "no category"),
        ("base", fits("k", "between", "a"), "list of two"),
        ("twice", fits("a", "==", 1), "name one as a#0 or a#1"),
        ("nowhere", fits("a", "==", 1), "no variable nowhere"),
    ]:
        with pytest.raises(ToolRetry, match=words):
            await frames.call(filter_rows, name=name, where=[condition])
    assert (await frames.call(filter_rows, name="twice", where=[fits("a#1", "==", "y")])).data["rows"] == [[1, 2, "y"]]
    with pytest.raises(ToolFailed, match="lazy"):
        await frames.call(filter_rows, name="lazy")
    with pytest.raises(ToolFailed, match="not a data frame"):
        await frames.call(profile_dataframe, name="Hostile")
    with pytest.raises(ToolRetry, match="variable's name"):
        await frames.call(filter_rows, name="base.x; import os")


async def test_strangers_are_shown_by_class_and_never_asked(frames):
    await frames.run()
    rows = (await frames.call(filter_rows, name="odd", where=[fits("n", ">=", 0)])).data["rows"]
    assert [row[1] for row in rows] == ["<Hostile>", 1, "1", "<list of 1>", None]
    assert (await frames.call(filter_rows, name="odd", where=[fits("o", "==", 1)])).data["matching_rows"] == 1
    assert (await frames.call(filter_rows, name="odd", where=[fits("o", "==", "1")])).data["matching_rows"] == 1
    profile = await frames.call(profile_dataframe, name="odd", detail="statistics")
    assert "mixed with" in profile.text
    assert profile.data["duplicates"] is None
    with pytest.raises(ToolRetry, match="cannot be grouped"):
        await frames.call(aggregate, name="odd", group_by=["o"], aggregations=[{"function": "rows"}])
    same = await frames.call(compare_dataframes, left="odd", right="odd")
    assert same.data["changed_rows"] == 0
    assert (await frames.run("c2")).data["text"] == "True 3"


async def test_a_profile_tells_the_schema_first_and_figures_when_asked(frames):
    await frames.run()
    schema = await frames.call(profile_dataframe, name="base")
    assert "America/New_York" in schema.text
    assert "missing" not in schema.text
    assert all(set(column) == {"name", "dtype"} for column in schema.data["columns"])
    for name in ("base", "plain", "arrow"):
        found = await frames.call(profile_dataframe, name=name, detail="statistics")
        by_name = {column["name"]: column for column in found.data["columns"]}
        assert by_name["big"]["max"] == "4611686018427387904", name
        assert (by_name["x"]["missing"], by_name["x"]["max"], by_name["x"]["infinite"]) == (1, "inf", 1), name
        assert by_name["d"]["min"] == "2026-03-08T01:30:00-05:00", name
        assert by_name["k"]["often"] == [{"value": "a", "count": 2}], name
        assert found.data["duplicates"] == {"rows": 0, "of": 4}, name
    many = await frames.call(profile_dataframe, name="many")
    assert "(200 of 1500 columns shown; go on with start_column 200.)" in many.text
    rest = await frames.call(profile_dataframe, name="many", start_column=1400)
    assert len(rest.data["columns"]) == 100
    assert (await frames.call(profile_dataframe, name="multi")).data["index"][0]["name"] == "grp"
    for name in ("e1", "e2", "twice", "records", "array", "columns", "wide_levels"):
        await frames.call(profile_dataframe, name=name, detail="statistics")


async def test_aggregates_are_exact_and_the_same_in_every_library(frames):
    await frames.run()
    wanted = [{"function": "rows"}] + [
        {"column": column, "function": function}
        for column, function in [("big", "sum"), ("whole", "sum"), ("whole", "mean"), ("whole", "missing"), ("k", "distinct"), ("flag", "sum")]
    ]  # fmt: skip
    for name in ("base", "plain", "arrow"):
        found = await frames.call(aggregate, name=name, aggregations=wanted, group_by=["k"])
        assert found.data["rows"] == [
            ["a", 2, "9223372036854775808", 4, 2.0, 0, 1, 2],
            ["b", 1, "4611686018427387904", None, None, 1, 1, 0],
            [None, 1, "9007199254740993", 4, 4.0, 0, 0, 1],
        ], name
        all_rows = await frames.call(aggregate, name=name, aggregations=wanted)
        assert all_rows.data["rows"][0][:3] == [4, str(3 * 2**62 + 9007199254740993), 8], name
    ranked = await frames.call(
        aggregate, name="base", aggregations=[{"function": "rows"}], group_by=["c"], sort_by="-rows"
    )
    assert ranked.data["rows"] == [["S", 2], ["L", 1], [None, 1]]
    with pytest.raises(ToolRetry, match="text such as '7'"):
        await frames.call(aggregate, name="base", aggregations=[{"column": "t", "function": "sum"}])
    levels = await frames.call(
        aggregate, name="multi", aggregations=[{"column": "v", "function": "max"}], group_by=["grp"]
    )
    assert levels.data["rows"] == [["a", 2], ["b", 3]]
    empty = await frames.call(
        aggregate, name="e2", aggregations=[{"column": "a", "function": "sum"}, {"function": "rows"}]
    )
    assert empty.data["rows"] == [[None, 0]]


async def test_two_frames_are_compared_by_key_or_position(frames):
    await frames.run()
    found = await frames.call(compare_dataframes, left="base", right="changed")
    assert found.data["only_left_columns"] == ["t"]
    assert found.data["only_right_columns"] == ["more"]
    assert found.data["types"] == [{"column": "flag", "left": "bool", "right": "int64"}]
    assert found.data["examples"] == [[1, "big", "4611686018427387904", 5]]
    across = await frames.call(compare_dataframes, left="base", right="plain")
    assert across.data["changed_rows"] == 0
    with pytest.raises(ToolRetry, match="not unique"):
        await frames.call(compare_dataframes, left="base", right="plain", keys=["k"])
    keyed = await frames.call(compare_dataframes, left="records", right="columns", keys=["k"])
    assert keyed.data["changed"] == [{"column": "x", "rows": 2}]


async def test_a_picture_is_drawn_and_pyplot_is_left_alone(frames):
    await frames.run()
    found = await frames.call(plot_dataframe, name="base", kind="bar", x="k", y=["whole"], title="销售 $x$")
    kind, png = found.images[0]
    assert kind == "image/png"
    assert base64.b64decode(png).startswith(b"\x89PNG")
    assert found.outputs[0]["data"]["image/png"] == png
    assert "png" not in found.data
    for options in (
        {"kind": "line", "x": "d", "y": ["whole", "x"]},
        {"kind": "scatter", "x": "x", "y": ["whole"]},
        {"kind": "histogram", "y": ["x"]},
        {"kind": "box", "y": ["x", "whole"]},
    ):
        for name in ("base", "plain"):
            await frames.call(plot_dataframe, name=name, **options)
    with pytest.raises(ToolRetry, match="no numbers"):
        await frames.call(plot_dataframe, name="base", kind="line", y=["t"])
    loaded = await frames.bench.live.evaluate(
        "a.ipynb", "import sys", {"pyplot": "str('matplotlib.pyplot' in sys.modules)"}
    )
    assert loaded == {"pyplot": "False"}


async def test_frames_are_exported_exactly_and_nothing_is_overwritten(frames, jp_root_dir):
    await frames.run()
    for name in ("base", "plain", "arrow"):
        await frames.call(export_dataframe, name=name, file=f"out/{name}.csv")
        with (jp_root_dir / f"out/{name}.csv").open(newline="") as stream:
            rows = list(csv.DictReader(stream))
        assert [row["big"] for row in rows] == ["4611686018427387904"] * 3 + ["9007199254740993"], name
        await frames.call(export_dataframe, name=name, file=f"out/{name}.json")
        content = json.loads((jp_root_dir / f"out/{name}.json").read_text(), parse_constant=lambda word: 1 / 0)
        assert content[0]["d"] == "2026-03-08T01:30:00-05:00", name
        assert (content[1]["x"], content[3]["big"]) == (None, 9007199254740993), name
        await frames.call(export_dataframe, name=name, file=f"out/{name}.parquet", where=[fits("k", "==", "a")])
        assert len(pd.read_parquet(jp_root_dir / f"out/{name}.parquet")) == 2, name
    await frames.call(export_dataframe, name="multi", file="levels.jsonl")
    assert (jp_root_dir / "levels.jsonl").read_text().split("\n")[0] == '{"grp": "a", "n": 1, "v": 1}'
    await frames.call(export_dataframe, name="twice", file="twice.csv")
    assert (jp_root_dir / "twice.csv").read_text() == "a,a#1\n1,x\n2,y\n"
    [change] = list(frames.bench.journal.entries.values())[-1][2]
    assert (change["path"], change["old"]) == ("twice.csv", "gone")
    assert frames.bench.journal.kept[change["new"]] == (jp_root_dir / "twice.csv").read_bytes()
    await frames.call(export_dataframe, name="base", file="book.xlsx")
    book = pd.read_excel(jp_root_dir / "book.xlsx", engine="openpyxl")
    assert str(book["big"][3]) == "9007199254740993"
    await frames.call(export_dataframe, name="records", file="plain.parquet")
    before = (jp_root_dir / "twice.csv").stat()
    with pytest.raises(ToolRetry, match="nothing is overwritten"):
        await frames.call(export_dataframe, name="base", file="twice.csv")
    assert (jp_root_dir / "twice.csv").stat().st_mtime_ns == before.st_mtime_ns
    with pytest.raises(ToolRetry, match="no format"):
        await frames.call(export_dataframe, name="base", file="out/base.bin")
    assert [path.name for path in (jp_root_dir / "out").iterdir() if path.name.startswith(".")] == []


async def test_an_export_obeys_the_rules_of_paths(frames, jp_root_dir, tmp_path):
    await frames.run()
    outside = tmp_path / "outside"
    outside.mkdir()
    (jp_root_dir / "link").symlink_to(outside)
    with pytest.raises((PermissionError, NotAllowed)):
        await frames.call(export_dataframe, name="base", file=".hidden.csv")
    frames.bench.answer = None
    for file in ("link/a.csv", "base.csv"):
        with pytest.raises(PermissionError, match="needs the user's answer"):
            await frames.call(export_dataframe, name="base", file=file)
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("text", [AGGREGATE, COMPARE, EXPORT, FILTER, PLOT, PROFILE])
def test_the_texts_are_plain_enough_for_old_pythons(text):
    ast.parse(text, feature_version=(3, 5))
    assert "eval(" not in text
    assert "exec(" not in text


LURES = ("matplotlib", "cycler", "kiwisolver", "PIL", "fractions", "openpyxl", "certifi")
"""Modules that pictures, comparisons and workbooks import, and one that is only looked for."""


async def test_no_file_beside_the_notebook_runs_by_a_look_and_cells_import_it_as_ever(frames, server_put, jp_root_dir):
    for name in LURES:
        (jp_root_dir / f"{name}.py").write_text("open('ran', 'a').write(__name__)")
    (jp_root_dir / "helper.py").write_text("x = 1")
    code = (
        "import pandas as pd, sys\nbase = pd.DataFrame({'k': ['a', 'b'], 'x': [1, 2]})\nfinders = list(sys.meta_path)"
    )
    later = "import helper\nassert '' in sys.path\nassert not {type(one).__name__ for one in sys.meta_path} - {type(one).__name__ for one in finders}, sys.meta_path"
    server_put("a.ipynb", notebook(code_cell(code, "c1"), code_cell(later, "c2")))
    await frames.run()
    assert (await frames.call(plot_dataframe, name="base", kind="bar", x="k", y=["x"])).images
    await frames.call(compare_dataframes, left="base", right="base")
    await frames.call(export_dataframe, name="base", file="base.xlsx")
    await frames.run("c2")
    assert not (jp_root_dir / "ran").exists()


async def test_a_picture_is_not_drawn_by_latex(frames, server_put, jp_root_dir):
    (jp_root_dir / "matplotlibrc").write_text("text.usetex: True\n")
    server_put("a.ipynb", notebook(code_cell("import pandas as pd\nbase = pd.DataFrame({'x': [1, 2]})", "c1")))
    await frames.run()
    with pytest.raises(ToolFailed, match="LaTeX") as caught:
        await frames.call(plot_dataframe, name="base", kind="line", y=["x"])
    assert (caught.value.kind_of_failure, caught.value.remedy) == ("not_possible", "")
