"""Cases DF-04, 06, 07, 08, 10 and 11 asked of profile, filter and aggregate; KE-10 of all that look into frames."""

from __future__ import annotations

import asyncio
import json
import time

import pytest

from jupyter_linda.errors import KernelUnavailable, ToolRetry
from jupyter_linda.tools.aggregating import aggregate
from jupyter_linda.tools.comparing import compare_dataframes
from jupyter_linda.tools.filtering import filter_rows
from jupyter_linda.tools.notebook_runs import run_cell
from jupyter_linda.tools.plotting import plot_dataframe
from jupyter_linda.tools.profiling import profile_dataframe
from tests.fakes.notebooks import code_cell, notebook

SETUP = """
import pandas as pd, numpy as np
wide = pd.DataFrame(np.arange(120).reshape(3,40), columns=[f'f{i:02d}' for i in range(40)])
zoned = pd.DataFrame({'ts': pd.to_datetime(['2026-03-08 01:30','2026-03-08 03:30']).tz_localize('America/New_York')})
big = pd.DataFrame({'order_id':[9007199254740993, 9007199254740995], 'ratio':[np.inf, np.nan]})
multi = pd.DataFrame({'v':[1,2,3]}, index=pd.MultiIndex.from_tuples([('a',1),('a',2),('b',1)], names=['grp','n']))
w = pd.DataFrame([[1,2]], columns=pd.MultiIndex.from_product([['x'],['p','q']]))
e1 = pd.DataFrame()
e2 = pd.DataFrame({'a': pd.Series([], dtype=float)})
c = pd.DataFrame({'size': pd.Categorical(['S','L','S'], categories=['S','M','L'], ordered=True)})
texts = pd.DataFrame({'sku':['007','010','007'], 'amount':['1,200','300',None]})
"""


@pytest.fixture
def ask(server_put, server_bench):
    """Calls a tool on the notebook of the frames; every answer is strict JSON."""
    server_put("a.ipynb", notebook(code_cell(SETUP, "c1"), code_cell("print(len(In))", "c2")))

    async def call(tool, **arguments):
        result = await server_bench.call(tool, path="a.ipynb", **arguments)
        json.loads(json.dumps(result.data, allow_nan=False))
        return result

    call.bench = server_bench
    return call


def fits(column, op, value=None):
    return [{"column": column, "op": op, "value": value}]


async def test_df_04_06_07_no_column_hidden_no_hour_moved_no_digit_lost(ask):
    await ask(run_cell, cell_id="c1")
    wide = await ask(profile_dataframe, name="wide", detail="statistics")
    assert [column["name"] for column in wide.data["columns"]] == [f"f{i:02d}" for i in range(40)]
    assert "..." not in wide.text
    assert (await ask(filter_rows, name="wide", columns=["f19"], order="last", rows=1)).data["rows"] == [[2, 99]]

    zoned = await ask(filter_rows, name="zoned", where=fits("ts", "==", "2026-03-08 03:30"))
    assert zoned.data["rows"] == [[1, "2026-03-08T03:30:00-04:00"]]
    span = await ask(filter_rows, name="zoned", where=fits("ts", "<", "2026-03-08T06:31:00+00:00"))
    assert span.data["matching_rows"] == 1, "01:30 in New York is 06:30 UTC"

    rows = (await ask(filter_rows, name="big", where=fits("order_id", "==", "9007199254740993"))).data["rows"]
    assert rows == [[0, "9007199254740993", "inf"]]
    total = await ask(aggregate, name="big", aggregations=[{"column": "order_id", "function": "sum"}])
    assert total.data["rows"] == [[str(9007199254740993 + 9007199254740995)]]


async def test_df_08_10_11_indexes_empty_frames_categories_and_texts(ask):
    await ask(run_cell, cell_id="c1")
    multi = await ask(filter_rows, name="multi", where=fits("grp", "==", "b"))
    assert multi.data["rows"] == [["('b', 1)", 3]]
    levels = (await ask(profile_dataframe, name="multi")).data["index"]
    assert [level["name"] for level in levels] == ["grp", "n"]
    assert [column["name"] for column in (await ask(profile_dataframe, name="w")).data["columns"]] == ["x/p", "x/q"]

    assert "0 rows x 0 columns" in (await ask(profile_dataframe, name="e1", detail="statistics")).text
    empty = await ask(profile_dataframe, name="e2", detail="statistics")
    assert (empty.data["rows"], empty.data["columns"][0]["dtype"]) == (0, "float64")
    sizes = await ask(profile_dataframe, name="c", detail="statistics")
    assert "categories S < M < L" in sizes.text
    counted = await ask(aggregate, name="c", group_by=["size"], aggregations=[{"function": "rows"}])
    assert counted.data["rows"] == [["S", 2], ["L", 1]]

    texts = (await ask(profile_dataframe, name="texts", detail="statistics")).data["columns"]
    assert ["looks like numbers" in column["note"] for column in texts] == [True, True]
    assert [column["missing"] for column in texts] == [0, 1]
    with pytest.raises(ToolRetry, match="text such as '1,200'"):
        await ask(aggregate, name="texts", aggregations=[{"column": "amount", "function": "sum"}])
    zeros = await ask(filter_rows, name="texts", where=fits("sku", "starts with", "0"))
    assert zeros.data["matching_rows"] == 3
    distinct = await ask(aggregate, name="texts", aggregations=[{"column": "sku", "function": "distinct"}])
    assert distinct.data["rows"] == [[2]]


async def test_ke_10_no_look_at_a_frame_waits_behind_a_cell_or_is_left_in_line(ask):
    await ask(run_cell, cell_id="c1")
    link = await ask.bench.live.kernels.find("a.ipynb")
    looks = (
        (profile_dataframe, {"name": "big"}),
        (filter_rows, {"name": "big"}),
        (aggregate, {"name": "big", "aggregations": [{"function": "rows"}]}),
        (compare_dataframes, {"left": "big", "right": "big"}),
        (plot_dataframe, {"name": "big", "kind": "histogram", "y": ["order_id"]}),
    )
    for has_subshells in (True, False):
        if not has_subshells:
            link.info = {**link.info, "supported_features": []}
        begun = asyncio.Event()
        _, reply = link.send_execute(
            "import time\nprint('x', flush=True)\ntime.sleep(4)",
            lambda kind, _content, begun=begun: kind == "stream" and begun.set(), silent=False, store_history=True,
        )  # fmt: skip
        await asyncio.wait_for(begun.wait(), 30)
        for tool, wish in looks[: 4 if has_subshells else 5]:
            started = time.monotonic()
            if has_subshells:
                await ask(tool, **wish)
            else:
                with pytest.raises(KernelUnavailable, match="busy"):
                    await ask(tool, **wish)
            assert time.monotonic() - started < 2, tool.name
        assert (await reply)["status"] == "ok"
    assert (await ask(run_cell, cell_id="c2")).data["text"] == "5", "the two cells, the two of the user, this one"
