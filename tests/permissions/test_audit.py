"""Looking into the audit: filters in any alphabet, and files that spreadsheets may open."""

from __future__ import annotations

import asyncio
import csv
import io
import json

import pytest

from jupyter_linda.permissions.audit import AuditFilter, SqlAudit, as_csv, as_json_lines, csv_head, list_entries
from jupyter_linda.storage.database import Database
from tests.fakes.permission_stores import FakeClock


@pytest.fixture
def database(tmp_path, bench):
    made = Database(f"sqlite:///{tmp_path}/linda.sqlite")
    made.create()
    log, clock = SqlAudit(made), FakeClock()
    for path, tool, action, decision, arguments in (
        ("a.csv", "read_file", "read", "auto", '{"path": "a.csv"}'),
        ("b.ipynb", "run_cell", "run", "asked", '{"code": "=1+1"}'),
        ("销售.csv", "write_file", "write", "denied", '{"content": "Größe 表"}'),
    ):
        call = bench.call(path, tool=tool, action=action, arguments=arguments, chat_id=f"chat_{action}")
        asyncio.run(log.record(call, decision=decision, resource=path, rule="=rule", by="rules", at=clock.now()))
        clock.move(hours=1)
    yield made
    made.close()


def tools(database, **fields):
    with database.read() as connection:
        return [entry.tool for entry in list_entries(connection, "local", AuditFilter(**fields))]


def test_each_filter_narrows(database):
    assert tools(database) == ["write_file", "run_cell", "read_file"]
    assert tools(database, action="run") == ["run_cell"]
    assert tools(database, decision="denied") == ["write_file"]
    assert tools(database, tool="read_file") == ["read_file"]
    assert tools(database, chat_id="chat_read") == ["read_file"]
    assert tools(database, since=FakeClock().at, until=FakeClock().at.replace(hour=13)) == ["read_file"]
    assert tools(database, action="run", decision="auto") == []


@pytest.mark.parametrize(
    ("text", "count"), [("GRÖSSE", 1), ("表", 1), ("销售", 1), ("A.CSV", 1), ("=rule", 3), ("nix", 0)]
)
def test_text_is_found_in_any_alphabet(database, text, count):
    assert len(tools(database, text=text)) == count


def test_a_page_holds_what_fits_not_what_was_looked_at(database):
    with database.read() as connection:
        (oldest,) = list_entries(connection, "local", AuditFilter(text="read"), limit=1)
        assert oldest.tool == "read_file"


def test_csv_reads_back_and_starts_no_formula(database):
    with database.read() as connection:
        entries = list_entries(connection, "local")
    rows = list(csv.DictReader(io.StringIO(csv_head() + as_csv(entries))))
    assert [row["tool"] for row in rows] == ["write_file", "run_cell", "read_file"]
    assert {row["rule"] for row in rows} == {"'=rule"}
    assert json.loads(rows[0]["arguments"]) == {"content": "Größe 表"}


def test_json_lines_hold_exactly_what_the_audit_holds(database):
    with database.read() as connection:
        entries = list_entries(connection, "local")
    lines = as_json_lines(entries).splitlines()
    assert [json.loads(line) for line in lines] == [entry.model_dump(mode="json") for entry in entries]
