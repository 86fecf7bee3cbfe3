"""Cases DF-04, 06, 07, 08, 10 and 11, in a real kernel."""

from __future__ import annotations

import json
import time

import pytest

from jupyter_linda.errors import ToolFailed, ToolRetry
from jupyter_linda.tools.dataframe import describe_dataframe
from jupyter_linda.tools.kernel import list_kernels, list_variables
from jupyter_linda.tools.notebook_runs import run_cell
from tests.fakes.notebooks import code_cell, notebook

SETUP = """
import pandas as pd, numpy as np
wide = pd.DataFrame(np.arange(120).reshape(3,40), columns=[f'f{i:02d}' for i in range(40)])
zoned = pd.DataFrame({'ts': pd.to_datetime(['2026-03-08 01:30','2026-03-08 03:30']).tz_localize('America/New_York')})
big = pd.DataFrame({'order_id':[9007199254740993, 9007199254740995], 'ratio':[np.inf, np.nan]})
multi = pd.DataFrame({'v':[1,2,3]}, index=pd.MultiIndex.from_tuples([('a',1),('a',2),('b',1)], names=['grp','n']))
unnamed = pd.DataFrame({'v':[1]}, index=pd.MultiIndex.from_tuples([('a',1)], names=[None, 'n']))
w = pd.DataFrame([[1,2]], columns=pd.MultiIndex.from_product([['x'],['p','q']]))
e1 = pd.DataFrame()
e2 = pd.DataFrame({'a': pd.Series([], dtype=float)})
c = pd.DataFrame({'size': pd.Categorical(['S','L','S'], categories=['S','M','L'], ordered=True)})
texts = pd.DataFrame({'sku':['007','010','007'], 'amount':['1,200','300',None]})
twice = pd.DataFrame([[1, 'x']], columns=['a', 'a'])
long = pd.DataFrame({'n': range(100)})
many = pd.DataFrame(np.zeros((2, 1500)))
class Slow:
    def __repr__(self):
        import time; time.sleep(60)
    __str__ = __repr__
odd = pd.DataFrame({'o': [Slow(), [1, 2], {'a': 1}], 7: [pd.Timedelta('1h'), None, pd.NaT]})
slow, text, number, huge = Slow(), 'é' * 500, 1.5, 10 ** 5000
def helper(): pass
"""


@pytest.fixture
def frames(server_put, server_bench):
    """A kernel that holds the frames of all cases; returns a describer."""
    server_put("a.ipynb", notebook(code_cell(SETUP, "c1"), code_cell("print(sorted(globals()))", "c2")))

    class Frames:
        bench = server_bench

        async def run(self, cell_id="c1"):
            result = await server_bench.call(run_cell, path="a.ipynb", cell_id=cell_id)
            assert result.data["status"] == "ok", result.text
            return result

        async def describe(self, name, **options):
            result = await server_bench.call(describe_dataframe, path="a.ipynb", name=name, **options)
            json.loads(json.dumps(result.data, allow_nan=False))
            return result

    return Frames()


def columns(result):
    return {column["name"]: column for column in result.data["columns"]}


async def test_df_cases(frames):
    await frames.run()

    wide = await frames.describe("wide")
    assert [column["name"] for column in wide.data["columns"]] == [f"f{i:02d}" for i in range(40)]
    assert "..." not in wide.text
    assert wide.data["head"][2][1 + 19] == 99

    zoned = await frames.describe("zoned")
    assert "America/New_York" in columns(zoned)["ts"]["dtype"]
    assert [row[1] for row in zoned.data["head"]] == ["2026-03-08T01:30:00-05:00", "2026-03-08T03:30:00-04:00"]

    big = await frames.describe("big")
    assert [row[1] for row in big.data["head"]] == ["9007199254740993", "9007199254740995"]
    assert [row[2] for row in big.data["head"]] == ["inf", None]
    assert columns(big)["ratio"]["nulls"] == 1

    multi = await frames.describe("multi")
    assert [level["name"] for level in multi.data["index"]] == ["grp", "n"]
    assert multi.data["index"][0]["dtype"] in ("object", "str")
    assert multi.data["index"][1]["dtype"] == "int64"
    assert multi.data["head"][2] == ["('b', 1)", 3]
    unnamed = await frames.describe("unnamed")
    assert [level["name"] for level in unnamed.data["index"]] == [None, "n"]
    assert "(unnamed)" in unnamed.text
    levels = await frames.describe("w")
    assert [column["name"] for column in levels.data["columns"]] == ["x/p", "x/q"]
    assert levels.data["column_levels"] == ["(unnamed)", "(unnamed)"]

    assert "0 rows x 0 columns" in (await frames.describe("e1")).text
    empty = await frames.describe("e2")
    assert (empty.data["rows"], columns(empty)["a"]["dtype"]) == (0, "float64")
    categories = await frames.describe("c")
    assert "S (2) < M (0) < L (1)" in categories.text

    texts = await frames.describe("texts")
    assert "text that looks like numbers" in columns(texts)["sku"]["note"]
    assert "text that looks like numbers" in columns(texts)["amount"]["note"]
    assert columns(texts)["amount"]["nulls"] == 1
    assert [row[1] for row in texts.data["head"]] == ["007", "010", "007"]


async def test_frames_that_are_odd_large_or_hostile(frames):
    await frames.run()
    twice = await frames.describe("twice")
    assert [column["name"] for column in twice.data["columns"]] == ["a", "a"]
    assert twice.data["head"] == [[0, 1, "x"]]

    started = time.monotonic()
    odd = await frames.describe("odd")
    assert time.monotonic() - started < 2, "no stranger's __repr__ is called"
    assert odd.data["head"][0] == [0, "<Slow>", "P0DT1H0M0S"]
    assert odd.data["head"][1][1:] == ["<list of 2>", None]

    long = await frames.describe("long", rows=2)
    assert [row[0] for row in long.data["head"] + long.data["tail"]] == [0, 1, 98, 99]
    assert (columns(long)["n"]["min"], columns(long)["n"]["max"]) == (0, 99)

    many = await frames.describe("many")
    assert len(many.data["columns"]) == 1500
    assert "fewer rows" in many.text


async def test_looking_leaves_no_trace(frames):
    await frames.run()
    before = await frames.run("c2")
    await frames.describe("wide")
    variables = await frames.bench.call(list_variables, path="a.ipynb")
    after = await frames.run("c2")
    known = json.loads(before.data["text"].replace("'", '"'))
    left = set(json.loads(after.data["text"].replace("'", '"'))) - set(known)
    assert {name for name in left if not name.startswith("_")} == set()
    assert after.data["execution_count"] == before.data["execution_count"] + 1

    by_name = {entry["name"]: entry for entry in variables.data["variables"]}
    assert by_name["wide"] == {"name": "wide", "type": "DataFrame", "summary": "3 x 40"}
    assert by_name["number"]["summary"] == "1.5"
    assert len(by_name["text"]["summary"]) <= 60
    assert by_name["slow"]["summary"] == ""
    assert "pd" not in by_name
    assert "huge" in by_name


async def test_what_is_no_frame_is_told(frames):
    await frames.run()
    with pytest.raises(ToolFailed, match="not a data frame: it is a float"):
        await frames.describe("number")
    with pytest.raises(ToolFailed, match="no variable nothing"):
        await frames.describe("nothing")
    with pytest.raises(ToolRetry):
        await frames.describe("wide.x; import os")


async def test_pyarrow_tables_are_described(frames):
    pytest.importorskip("pyarrow")
    await frames.run()
    file = frames.bench.policy.root + "/a.ipynb"
    with open(file, encoding="utf-8") as stream:  # noqa: PTH123
        content = json.load(stream)
    content["cells"].append(code_cell("import pyarrow as pa\nt = pa.table({'x': [1, None], 's': ['a', 'b']})", "c3"))
    with open(file, "w", encoding="utf-8") as stream:  # noqa: PTH123
        json.dump(content, stream)
    await frames.run("c3")
    table = await frames.describe("t")
    assert columns(table)["x"]["nulls"] == 1
    assert table.data["head"] == [[0, 1, "a"], [1, None, "b"]]


async def test_kernels_are_listed_with_their_notebooks(frames):
    await frames.run("c2")
    kernels = (await frames.bench.call(list_kernels)).data["kernels"]
    assert [(kernel["path"], kernel["name"], kernel["language"]) for kernel in kernels] == [
        ("a.ipynb", "python3", "python")
    ]
