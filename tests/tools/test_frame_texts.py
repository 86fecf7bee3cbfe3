"""The texts for kernels on columns that libraries handle in their own ways: run here, on frames of each library."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from jupyter_linda.tools.aggregating import AGGREGATE
from jupyter_linda.tools.comparing import COMPARE
from jupyter_linda.tools.filtering import FILTER
from jupyter_linda.tools.plotting import PLOT
from jupyter_linda.tools.probes import FRAME
from jupyter_linda.tools.profiling import PROFILE

DAYS = [datetime.date(2026, 1, 1), datetime.date(2026, 3, 1), None]
FRAMES = {
    "arrow_days": pa.table({"d": pa.array(DAYS, pa.date32())}),
    "pandas_days": pd.DataFrame({"d": pd.Series(DAYS, dtype=pd.ArrowDtype(pa.date32()))}),
    "polars_days": pl.DataFrame({"d": DAYS}),
    "decimals": pd.DataFrame({"x": [Decimal("1.1"), Decimal("2.2"), None]}),
    "floats": pd.DataFrame({"x": [1.2, 2.4, None]}),
    "categories": pd.DataFrame({"c": pd.Categorical(["b", "a", None]), "g": [1, 1, 2]}),
    "dictionary": pa.table({"c": pa.array(["b", "a", None]).dictionary_encode(), "g": [1, 1, 2]}),
    "objects": pl.DataFrame({"o": pl.Series([object(), None], dtype=pl.Object)}),
    "numbers": pl.DataFrame({"o": pl.Series([3, None, 1], dtype=pl.Object)}),
    "far_polars": pl.DataFrame(
        {"t": pl.Series([2**62, 0, None], dtype=pl.Int64).cast(pl.Datetime("us")), "n": [1, 2, 3]}
    ),
    "far_arrow": pa.table({"t": pa.array([2**62, 0, None], pa.timestamp("us")), "n": [1, 2, 3]}),
    "far_pandas": pd.DataFrame(
        {"t": pd.Series(pa.array([2**62, 0, None], pa.timestamp("us")), dtype=pd.ArrowDtype(pa.timestamp("us")))}
    ).assign(n=[1, 2, 3]),
    "ranks": pl.DataFrame({"e": pl.Series(["low", "high"], dtype=pl.Enum(["low", "high"]))}),
}


def run(text, work, **arguments):
    space = {}
    exec(text, space)  # our own text, as a kernel runs it
    return json.loads(space["told"](dict(FRAMES), space[work], json.dumps(arguments)))


def rows(name, *where, sort="", order="first"):
    return run(
        FILTER, "filtered", name=name, where=list(where), columns=[], order=order, sort=sort,
        descending=order == "largest", rows=5, cells=100,
    )  # fmt: skip


@pytest.mark.parametrize("name", ["arrow_days", "pandas_days", "polars_days"])
def test_dates_are_compared_with_dates_in_every_library(name):
    assert rows(name, {"column": "d", "op": ">", "value": "2026-02-01"})["matching_rows"] == 1
    assert rows(name, {"column": "d", "op": "==", "value": "2026-01-01"})["matching_rows"] == 1
    assert rows(name, {"column": "d", "op": "!=", "value": "2026-01-01"})["matching_rows"] == 1


def test_a_tolerance_holds_between_decimals_and_floats():
    asked = {"left": "decimals", "right": "floats", "keys": [], "examples": 5, "time_s": 5}
    assert run(COMPARE, "compared", tolerance=0.1, **asked)["changed"] == [{"column": "x", "rows": 1}]
    assert run(COMPARE, "compared", tolerance=0.2, **asked)["changed"] == []


@pytest.mark.parametrize("name", ["categories", "dictionary"])
@pytest.mark.parametrize(("by", "wanted"), [([], [["a", "b"]]), (["g"], [[1, "a", "b"], [2, None, None]])])
def test_categories_without_an_order_go_by_their_values(name, by, wanted):
    parts = [{"column": "c", "function": function, "name": function} for function in ("min", "max")]
    found = run(AGGREGATE, "aggregated", name=name, where=[], by=by, parts=parts, sort="", groups=5)
    assert found["rows"] == wanted


def test_objects_in_polars_are_sorted_where_they_have_an_order_and_refused_where_they_have_none():
    assert [row[1] for row in rows("numbers", sort="o", order="smallest")["rows"]] == [1, 3, None]
    assert [row[1] for row in rows("numbers", sort="o", order="largest")["rows"]] == [3, 1, None]
    assert "have no order" in rows("objects", sort="o", order="smallest")["problem"]
    parts = [{"column": "o", "function": "count", "name": "n"}]
    found = run(AGGREGATE, "aggregated", name="objects", where=[], by=["o"], parts=parts, sort="", groups=5)
    assert "cannot be grouped by" in found["problem"]


def test_a_panic_of_a_library_is_an_answer():
    space = {}
    exec(FILTER, space)  # as above
    panic = type("PanicException", (BaseException,), {})

    def work(_user):
        raise panic

    assert "gave up" in json.loads(space["told"]({}, work, "{}"))["problem"]


def test_a_rank_that_is_none_is_refused_with_the_ranks_there_are():
    assert "It has: low, high" in rows("ranks", {"column": "e", "op": ">", "value": "middle"})["problem"]


FAR = ["far_polars", "far_arrow", "far_pandas"]


def described(name):
    space = {}
    exec(FRAME, space)
    return json.loads(space["describe"](dict(FRAMES), name=name, rows=3, time_s=1.0))


@pytest.mark.parametrize("name", FAR)
def test_moments_that_no_calendar_holds_are_shown_as_their_numbers_beside_the_others(name):
    for found in (rows(name)["rows"], described(name)["head"]):
        times = [row[1] for row in found]
        assert times[0].startswith(f"{2**62} as ")
        assert times[1].startswith("1970-01-01T00:00:00")
        assert times[2] is None
        assert [row[2] for row in found] == [1, 2, 3]
    assert rows(name, {"column": "n", "op": ">", "value": 1})["matching_rows"] == 2


@pytest.mark.parametrize("name", FAR)
def test_a_profile_says_which_column_holds_them_and_looks_through_the_others(name):
    asked = {"detail": "statistics", "columns": [], "start": 0, "most": 50, "time_s": 5.0}
    times, numbers = run(PROFILE, "profile", name=name, **asked)["columns"]
    assert (times["missing"], times["note"]) == (1, "holds moments beyond the calendar")
    assert (numbers["min"], numbers["max"]) == (1, 3)


@pytest.mark.parametrize("name", FAR)
def test_what_cannot_be_worked_out_of_them_is_said_in_our_words(name):
    parts = [{"column": "n", "function": "sum", "name": "r"}]
    problem = run(AGGREGATE, "aggregated", name=name, where=[], by=["t"], parts=parts, sort="", groups=5)["problem"]
    assert "beyond the calendar of Python" in problem


def drawn(frame, kind, *, most=50_000, **asked):
    """The axes that are drawn, before they become a picture."""
    space = {}
    exec(PLOT, space)  # our own text, as a kernel runs it
    space["MOST_POINTS"], figures = most, []
    space["picture"] = lambda figure, found: figures.append(figure) or found
    wish = {"name": "df", "kind": kind, "x": "", "y": [], "where": [], "title": "", **asked}
    found = json.loads(space["told"]({"df": frame}, space["plotted"], json.dumps(wish)))
    assert "problem" not in found, found
    return figures[0].axes[0]


@pytest.mark.parametrize("most", [50_000, 10])
@pytest.mark.parametrize(("kind", "words"), [("bar", "sum of v"), ("histogram", "rows")])
def test_what_is_counted_in_a_sample_says_so_at_its_axis(most, kind, words):
    frame = pd.DataFrame({"k": ["a", "b"] * 20, "v": range(40)})
    axes = drawn(frame, kind, y=["v"], x="k" if kind == "bar" else "", most=most)
    assert axes.get_ylabel() == words + (" in the sample" if most == 10 else "")


@pytest.mark.parametrize("values", [[2**64 - 1] * 3, [1e300, 1e300], [5, 5], [], [1.0, 1.0 + 2**-52]])
def test_values_that_lie_too_near_for_bins_are_one_bar(values):
    axes = drawn(
        pd.DataFrame({"v": pd.Series(values, dtype="uint64" if 2**64 - 1 in values else float)}), "histogram", y=["v"]
    )
    assert sum(bar.get_height() for bar in axes.patches) == len(values)
