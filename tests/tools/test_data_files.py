"""The beginnings of data files."""

from __future__ import annotations

import gzip
import json
import sys
import time
from datetime import datetime, timedelta

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from jupyter_linda.errors import ToolFailed, ToolRetry
from jupyter_linda.tools.data_files import peek_data_file

DAY = datetime(2026, 3, 8)  # noqa: DTZ001  # as files hold it


def types(result):
    return {column["name"]: column["type"] for column in result.data["columns"]}


def test_a_csv_file_tells_columns_types_and_rows(root, bench):
    text = "id,sku,when,amount,note\n1,007,2026-03-08 01:30,1.5,\n2,010,2026-03-09,,x\n"
    (root / "a.csv").write_text(text)
    result = bench.run(peek_data_file, path="a.csv")
    assert types(result) == {
        "id": "whole numbers", "sku": "text", "when": "moments", "amount": "numbers with missing ones",
        "note": "text with missing ones",
    }  # fmt: skip
    assert result.data["rows"][0] == ["1", "007", "2026-03-08 01:30", "1.5", ""]
    assert result.data["rows_total"] == 2
    assert "2 rows x 5 columns" in result.text


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        (b"a;b\n1,5;2\n3;4\n", ["a", "b"]),
        ("名字|值\n甲|1\n".encode("gb18030"), ["名字", "值"]),
        ("\ufeffa,b\n1,2\n".encode(), ["a", "b"]),
        ("a,b\n1,2\n".encode("utf-16"), ["a", "b"]),
        (b"1,2\n3,4\n", ["column 1", "column 2"]),
        (b'a,b\n"x\ny",2\n', ["a", "b"]),
        (b"", []),
    ],
)
def test_csv_files_of_other_kinds_are_read(root, bench, content, columns):
    (root / "a.csv").write_bytes(content)
    assert list(types(bench.run(peek_data_file, path="a.csv"))) == columns


def test_a_huge_csv_file_is_not_read_whole(root, bench):
    line = ",".join(f"é{n}" for n in range(20)) + "\n"
    with (root / "a.csv").open("w", encoding="utf-8") as stream:
        stream.write(line)
        for _ in range(100):
            stream.write(line * 10_000)
    started = time.monotonic()
    result = bench.run(peek_data_file, path="a.csv")
    assert time.monotonic() - started < 10
    assert result.data["rows_total"] is None
    assert len(result.data["rows"]) == 5
    with gzip.open(root / "b.csv.gz", "wb") as packed:
        packed.write(line.encode() * 200_000)
    assert bench.run(peek_data_file, path="b.csv.gz").data["total_columns"] == 20


def test_json_and_json_lines(root, bench):
    records = [{"a": 1, "big": 2**60, "deep": {"x": [1]}}, {"a": None, "b": "t"}]
    (root / "a.json").write_text(json.dumps(records))
    (root / "a.jsonl").write_text("\n".join(map(json.dumps, records)))
    for name in ("a.json", "a.jsonl"):
        result = bench.run(peek_data_file, path=name)
        assert types(result) == {
            "a": "whole numbers with missing ones", "big": "whole numbers with missing ones",
            "deep": "objects with missing ones", "b": "text with missing ones",
        }  # fmt: skip
        assert result.data["rows"][0] == [1, str(2**60), '{"x": [1]}', None]
        assert result.data["rows_total"] == 2
    (root / "b.json").write_text(json.dumps({"meta": 1, "items": records}))
    assert "under 'items'" in bench.run(peek_data_file, path="b.json").text
    (root / "c.json").write_text("[" + ",".join(['{"a": "' + "x" * 100 + '"}'] * 50_000) + "]")
    assert bench.run(peek_data_file, path="c.json").data["rows_total"] is None
    (root / "d.json").write_text("{nonsense")
    with pytest.raises(ToolFailed, match="no JSON"):
        bench.run(peek_data_file, path="d.json")


def test_a_parquet_file_tells_its_schema_and_length(root, bench):
    table = pa.table({
        "n": range(100_000), "d": [DAY] * 100_000, "big": pa.array([2**60] * 100_000),
        "l": [[1, 2]] * 100_000, "f": [float("nan")] * 100_000,
    })  # fmt: skip
    pq.write_table(table, root / "a.parquet")
    result = bench.run(peek_data_file, path="a.parquet", rows=1)
    assert result.data["rows_total"] == 100_000
    assert types(result)["d"] == "timestamp[us]"
    assert result.data["rows"] == [[0, "2026-03-08T00:00:00", str(2**60), "[1, 2]", None]]
    (root / "b.parquet").write_bytes((root / "a.parquet").read_bytes()[:5000])
    with pytest.raises(ToolFailed, match="cannot be read"):
        bench.run(peek_data_file, path="b.parquet")


def test_an_excel_file_tells_its_sheets(root, bench):
    book = openpyxl.Workbook()
    book.active.append(["name", "amount", "when"])
    book.active.append(["x", 3, DAY])
    book.create_sheet("other").append([1, 2])
    book.save(root / "a.xlsx")
    result = bench.run(peek_data_file, path="a.xlsx")
    assert result.data["sheets"] == ["Sheet", "other"]
    assert types(result) == {"name": "text", "amount": "whole numbers", "when": "dates"}
    assert result.data["rows"] == [["x", 3.0, "2026-03-08"]]
    assert bench.run(peek_data_file, path="a.xlsx", sheet="other").data["total_columns"] == 2
    with pytest.raises(ToolRetry, match="There are: Sheet, other"):
        bench.run(peek_data_file, path="a.xlsx", sheet="none")
    (root / "b.xlsx").write_bytes(b"PK\3\4 nonsense")
    with pytest.raises(ToolFailed, match="cannot be read"):
        bench.run(peek_data_file, path="b.xlsx")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the process is ended by the system, if at all")
def test_a_workbook_of_a_kilobyte_that_wants_more_memory_than_there_is_ends_nothing_of_ours(root, bench):
    book = openpyxl.Workbook()
    book.active["A1"] = book.active["XFD1048576"] = 1
    book.save(root / "a.xlsx")
    with pytest.raises(ToolFailed, match="more memory or time"):
        bench.run(peek_data_file, path="a.xlsx")


def test_a_sheet_that_begins_further_down_is_counted_from_there(root, bench):
    book = openpyxl.Workbook()
    for row, values in enumerate([["name", "when"], ["x", DAY], ["y", None]], start=7):
        for column, value in enumerate(values, start=3):
            book.active.cell(row, column, value)
    book.active["D9"] = timedelta(hours=30)
    book.save(root / "a.xlsx")
    result = bench.run(peek_data_file, path="a.xlsx")
    assert (result.data["rows_total"], list(types(result))) == (2, ["name", "when"])
    assert [row[0] for row in result.data["rows"]] == ["x", "y"]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the process is ended by the system, if at all")
def test_a_parquet_file_that_unpacks_to_more_than_there_is_ends_nothing_of_ours(root, bench, monkeypatch):
    monkeypatch.setattr("jupyter_linda.tools.peeking.MEMORY_BYTES", 1_500_000_000)
    long = pa.array(["\0" * 200_000_000])
    table = pa.table({str(at): long for at in range(5)})
    pq.write_table(table, root / "a.parquet", compression="zstd", use_dictionary=False, write_statistics=False)
    assert (root / "a.parquet").stat().st_size < 100_000
    with pytest.raises(ToolFailed, match="more memory or time"):
        bench.run(peek_data_file, path="a.parquet", rows=1)


def test_without_an_excel_reader_it_says_what_to_install(root, bench, tmp_path, monkeypatch):
    (tmp_path / "python_calamine.py").write_text("raise ImportError")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (root / "a.xlsx").write_bytes(b"")
    with pytest.raises(ToolFailed, match="nothing that reads those") as caught:
        bench.run(peek_data_file, path="a.xlsx")
    assert "jupyter_linda[excel]" in caught.value.remedy


def test_wide_files_and_no_rows(root, bench):
    pd.DataFrame([[0] * 500] * 50).to_csv(root / "a.csv", index=False)
    names = ",".join(f"c{n}" for n in range(500))
    (root / "b.csv").write_text(names + "\n" + ",".join(["0"] * 500) + "\n")
    result = bench.run(peek_data_file, path="b.csv", rows=0)
    assert result.data["rows"] == []
    assert "(300 of 500 columns shown.)" in result.text
    many = bench.run(peek_data_file, path="a.csv", rows=100)
    assert sum(map(len, many.data["rows"])) <= 3000


def test_what_is_no_data_file_is_told(root, bench):
    (root / "a.py").write_text("x")
    with pytest.raises(ToolRetry, match="no data file"):
        bench.run(peek_data_file, path="a.py")
    (root / "a.csv").write_bytes(b"\0\1\2")
    with pytest.raises(ToolFailed, match="binary"):
        bench.run(peek_data_file, path="a.csv")


def test_rows_are_values_and_names_are_not():
    assert peek_data_file.shows_values({"path": "a.csv", "rows": 5, "sheet": ""})
    assert not peek_data_file.shows_values({"path": "a.csv", "rows": 0, "sheet": ""})


def test_a_csv_file_with_a_long_field_or_an_open_quote_is_looked_into(root, bench):
    (root / "long.csv").write_text("id,text\n1," + "x" * 140_000 + "\n")
    assert bench.run(peek_data_file, path="long.csv").data["rows_total"] == 1
    (root / "late.csv").write_text("a,b\n" + "1,2\n" * 400 + "1," + "x" * 140_000 + "\n")
    assert bench.run(peek_data_file, path="late.csv").data["rows_total"] == 401
    (root / "open.csv").write_bytes(b'a,b\n1,"2\r3\n')
    assert bench.run(peek_data_file, path="open.csv").data["total_columns"] == 2


@pytest.mark.parametrize("kind", ["timestamp", "date", "zone"])
def test_moments_that_no_calendar_holds_are_shown_as_their_numbers(root, bench, kind):
    import pyarrow as pa
    import pyarrow.parquet as pq

    values = {
        "timestamp": pa.array([2**62], pa.timestamp("us")), "date": pa.array([2**31 - 1], pa.date32()),
        "zone": pa.array([7], pa.timestamp("us", tz="Mars/Base")),
    }  # fmt: skip
    pq.write_table(pa.table({"t": values[kind], "z": [3]}), root / "far.parquet")
    [[shown, three]] = bench.run(peek_data_file, path="far.parquet").data["rows"]
    assert str(values[kind][0].value) in shown
    assert three == 3


@pytest.mark.parametrize("content", ["[" + "9" * 5000 + "]", "[" * 100_000])
def test_json_beyond_all_measure_is_refused_in_words_of_ours(root, bench, content):
    (root / "a.json").write_text(content)
    with pytest.raises(ToolFailed, match="a number in it is too long, or it is nested too deeply"):
        bench.run(peek_data_file, path="a.json")
