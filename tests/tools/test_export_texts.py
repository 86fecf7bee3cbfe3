"""The text that writes frames to files, run here: whatever it says it wrote is in the file, or it says what is not."""

from __future__ import annotations

import csv
import datetime
import json
import math

import openpyxl
import pandas as pd
import polars as pl
import pytest

from jupyter_linda.tools.exporting import EXPORT, _notes


@pytest.fixture
def export(tmp_path):
    """(frame, format) -> the written file, and what the kernel says of it."""

    def write(frame, form):
        target = tmp_path / f"made.{form}"
        target.write_bytes(b"")
        space = {}
        exec(EXPORT, space)  # our own text, as a kernel runs it
        asked = {"name": "df", "where": [], "columns": [], "target": str(target), "form": form}
        return target, json.loads(space["told"]({"df": frame}, space["exported"], json.dumps(asked)))

    return write


def cells_of(target):
    return [[(cell.value, cell.data_type) for cell in row] for row in openpyxl.load_workbook(target).active.iter_rows()]


@pytest.mark.parametrize("names", [["a", "a", "a#1"], ["a#1", "a", "a", "a"], ["x", "x#1", "x#1", "x"]])
def test_no_column_is_lost_whatever_repeated_names_look_like(export, names):
    frame = pd.DataFrame([range(len(names))], columns=names)
    target, found = export(frame, "json")
    [row] = json.loads(target.read_text())
    assert sorted(row.values()) == list(range(len(names)))
    assert found["columns"] == len(row)
    for form in ("csv", "parquet"):
        target, _ = export(frame, form)
        made = pd.read_csv(target) if form == "csv" else pd.read_parquet(target)
        assert list(made.columns) == list(row), form


def test_text_is_no_formula_in_excel(export):
    texts = ["=1+1", '=HYPERLINK("http://x.invalid")', "#N/A", "+1", "a\x00b\ufffe", "7"]
    target, _ = export(pd.DataFrame({"=SUM(A1)": texts}), "xlsx")
    head, *body = cells_of(target)
    assert head == [("=SUM(A1)", "s")]
    assert body == [[(text.replace("\x00", "").replace("\ufffe", ""), "s")] for text in texts]


def test_moments_that_excel_cannot_hold_are_text(export):
    exact = ["2026-01-01T10:00:00.123456789", "1850-01-01T10:00:00"]
    column = pd.to_datetime([*exact, "2026-01-01T10:00:00.250"], format="ISO8601")
    target, _ = export(pd.DataFrame({"d": column}), "xlsx")
    rows = [row[0][0] for row in cells_of(target)[1:]]
    assert rows[:2] == exact
    assert rows[2].isoformat() == "2026-01-01T10:00:00.250000"


def test_rows_without_columns_are_strict_json_too(export):
    target, found = export(pd.DataFrame(index=[1, 2]), "json")
    assert json.loads(target.read_text()) == [{}, {}]
    assert found["rows"] == 2


def test_lists_and_spans_of_polars_reach_a_csv_file(export):
    frame = pl.DataFrame({"l": [[1, 2], None], "s": [{"x": 1.5}, {"x": math.nan}], "d": [datetime.timedelta(1), None]})
    target, _ = export(frame, "csv")
    with target.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [json.loads(row["l"] or "null") for row in rows] == [[1, 2], None]
    assert [json.loads(row["s"]) for row in rows] == [{"x": 1.5}, {"x": None}]
    assert [row["d"] for row in rows] == ["1 day, 0:00:00", ""]


def test_what_is_not_written_as_it_was_is_said(export):
    frame = pd.DataFrame({"o": [{1, 2}, b"x", 3, [{4}]], "c": [1 + 2j, 1j, 0j, 2j], "t": ["x" * 40_000, "a", "b", "c"]})
    target, found = export(frame, "json")
    assert [row["c"] for row in json.loads(target.read_text())] == ["(1+2j)", "1j", "0j", "2j"]
    assert (found["kinds"], found["cut"]) == (3, 0)
    assert "3 values have no form in such a file" in _notes(found)
    _, found = export(frame, "xlsx")
    assert (found["kinds"], found["cut"]) == (3, 1)
    assert "1 texts are longer than a cell of Excel holds and were cut." in _notes(found)
    _, found = export(frame[["t"]], "csv")
    assert _notes(found) == ""
