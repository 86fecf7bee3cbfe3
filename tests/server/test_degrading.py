"""A rule closes something and wants the nearest allowed thing: drafts and cells that nobody runs."""

from __future__ import annotations

import json

import nbformat
import pytest

from jupyter_linda.agent.degrading import nearest
from tests.fakes.provider import Use, says, uses

DEGRADE = {"effect": "deny", "degrade": True}


@pytest.fixture
def rules(data_dir):
    data_dir.mkdir(parents=True, exist_ok=True)

    def write(*lines):
        (data_dir / "rules.json").write_text(json.dumps({"version": 1, "rules": lines}))

    return write


async def work(api, use):
    api.connect()
    api.provider.script("do it", uses(use), says("Told."))
    chat_id = await api.new_chat()
    await api.send(chat_id, "do it")
    return chat_id


async def test_a_file_that_may_not_be_written_becomes_a_draft_and_the_model_is_told(api, jp_root_dir, rules):
    rules({**DEGRADE, "action": "write", "path": "reports"}, {"effect": "auto", "action": "write", "path": "drafts"})
    chat_id = await work(api, Use("write_file", {"path": "reports/q3.md", "content": "# Q3\n"}))
    (call,) = (await api.until(chat_id))["calls"]
    (draft,) = (jp_root_dir / "drafts").iterdir()
    assert draft.read_text() == "# Q3\n"
    assert draft.name.startswith("q3-")
    assert not (jp_root_dir / "reports").exists()
    assert call["state"] == "done"
    assert "A rule closes reports/q3.md" in call["result"]
    assert f"drafts/{draft.name}" in call["result"]
    entries = (await api.call("GET", "audit"))["entries"]
    assert [(entry["decision"], entry["resource"]) for entry in reversed(entries)] == [
        ("denied", "reports/q3.md"),
        ("auto", f"drafts/{draft.name}"),
        ("done", f"drafts/{draft.name}"),
    ]


async def test_a_draft_that_asks_shows_what_is_done_instead_and_the_answer_holds_for_that_alone(
    api, jp_root_dir, rules
):
    closed = {**DEGRADE, "action": "write", "path": "reports"}
    reads = {"effect": "auto", "action": "read", "path": ""}
    rules(closed, reads)
    chat_id = await work(api, Use("write_file", {"path": "reports/q3.md", "content": "# Q3\n"}))
    (question,) = (await api.until(chat_id, "waiting"))["questions"]
    assert "instead" in question["preview"]["sentence"]
    assert question["preview"]["rule"] == "unlisted: ask"
    assert question["arguments"]["path"].startswith("drafts/q3-")
    rules(reads, {"effect": "ask", "action": "write", "path": ""})  # what was closed is only asked about now
    await api.answer(question["question_id"], "once")
    view = await api.until(chat_id, "waiting", "done")
    while not [one for one in view["questions"] if one["state"] == "open"]:
        assert view["runs"][-1]["state"] != "done", "the answer to the draft wrote the file that was closed"
        view = await api.until(chat_id, "waiting", "done")
    assert not (jp_root_dir / "reports").exists()
    (second,) = [one for one in view["questions"] if one["state"] == "open"]
    assert second["arguments"]["path"] == "reports/q3.md"
    await api.answer(second["question_id"], "no")
    await api.until(chat_id)


async def test_code_that_may_not_run_becomes_a_cell_that_is_not_run(api, jp_root_dir, rules):
    rules(
        {**DEGRADE, "action": "run", "path": ""},
        {"effect": "auto", "action": "write", "path": ""},
        {"effect": "auto", "action": "read", "path": ""},
    )
    nbformat.write(nbformat.v4.new_notebook(), jp_root_dir / "a.ipynb")
    chat_id = await work(api, Use("run_code", {"path": "a.ipynb", "code": "1 + 1"}))
    (call,) = (await api.until(chat_id))["calls"]
    (cell,) = nbformat.read(jp_root_dir / "a.ipynb", 4).cells
    assert (cell.source, cell.execution_count, cell.outputs) == ("1 + 1", None, [])
    assert "it is not run" in call["result"]


async def test_a_deny_without_degrade_and_a_secret_name_stay_closed(api, jp_root_dir, rules):
    rules(
        {**DEGRADE, "action": "write", "path": ""},
        {"effect": "deny", "action": "write", "path": "payroll"},
        {"effect": "auto", "action": "write", "path": "drafts"},
    )
    for path in ("payroll/x.md", ".env"):
        chat_id = await work(api, Use("write_file", {"path": path, "content": "1"}))
        (call,) = (await api.until(chat_id))["calls"]
        assert call["state"] == "refused"
    assert not (jp_root_dir / "drafts").exists()


@pytest.mark.parametrize(
    ("tool", "arguments", "wanted"),
    [
        ("write_file", {"path": "/data/x.csv", "content": "1", "replaces": "v"}, "drafts/x-abc123.csv"),
        ("write_file", {"path": "C:\\data\\x", "content": "1"}, "drafts/x-abc123"),
        ("write_file", {"path": "..", "content": "1"}, "drafts/..-abc123"),
        ("create_notebook", {"path": "out/n.ipynb", "cells": []}, "drafts/n-abc123.ipynb"),
    ],
)
def test_a_draft_lies_in_its_folder_whatever_was_wanted(tool, arguments, wanted):
    found = nearest(tool, arguments, "call_XYZabc123")
    assert found.arguments["path"] == wanted
    assert found.arguments.get("replaces", "") == ""


@pytest.mark.parametrize("tool", ["run_cell", "delete_file", "run_shell", "edit_cell"])
def test_where_there_is_no_nearest_thing_nothing_is_done(tool):
    assert nearest(tool, {"path": "x"}, "call_1") is None
