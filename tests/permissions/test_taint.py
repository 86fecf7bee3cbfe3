"""After content from outside was read: what still goes by itself, and what asks whatever the rules say."""

from __future__ import annotations

import asyncio
import json
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from jupyter_linda.permissions import gate
from jupyter_linda.permissions.code import NETWORK
from jupyter_linda.permissions.gate import TAINTED
from jupyter_linda.permissions.paths import is_case_blind
from jupyter_linda.permissions.taint import asked_in
from jupyter_linda.ports import Asked
from jupyter_linda.schemas import ContextItem, Grant, Message
from tests.fakes.permission_stores import FakeClock

ALL_AUTO = {"version": 1, "rules": [{"effect": "auto", "action": "any", "path": ""}]}
SOURCE = ("Read notes.md, 3 lines",)
HOME = Asked(frozenset({"sales.ipynb"}), "please mend sales.ipynb and write the sums into sums.csv")
WRITE = {"tool": "write_file", "action": "write"}
EDIT = {"tool": "edit_cell", "action": "write", "kind": "notebook"}
RUN = {"tool": "run_cell", "action": "run", "kind": "notebook"}
SEND = {"tool": "send_mail", "action": "send"}


def judge(bench, path, **fields):
    return asyncio.run(bench.judge(path, **fields))


@pytest.fixture
def open_bench(bench):
    bench.rules.save(json.dumps(ALL_AUTO))
    return bench


@pytest.mark.parametrize(
    ("path", "fields", "effect"),
    [
        ("notes.md", {"tool": "read_file", "action": "read"}, "auto"),
        ("sales.ipynb", EDIT, "auto"),
        ("sums.csv", WRITE, "auto"),
        ("other.csv", WRITE, "ask"),
        ("other.ipynb", EDIT, "ask"),
        ("sales.ipynb", RUN, "auto"),
        ("sales.ipynb", {**RUN, "findings": (NETWORK,)}, "ask"),
        ("other.ipynb", RUN, "ask"),
        ("sales.ipynb", SEND, "ask"),
        ("", {"tool": "add_task", "action": "write", "kind": "none"}, "ask"),
    ],
)
def test_what_a_rule_lets_through_asks_after_reading_unless_the_person_pointed_at_it(open_bench, path, fields, effect):
    assert judge(open_bench, path, asked=HOME, **fields).effect == "auto", "before anything was read"
    verdict = judge(open_bench, path, asked=HOME, tainted_by=SOURCE, **fields)
    assert verdict.effect == effect
    assert (verdict.permit is None) == (effect == "ask")
    if effect == "ask":
        assert verdict.rule == f"{TAINTED}: Read notes.md, 3 lines"


def test_edit_mode_is_bound_too(bench):
    for path, effect in (("sums.csv", "auto"), ("other.csv", "ask")):
        verdict = judge(bench, path, mode="edit", asked=HOME, tainted_by=SOURCE, **WRITE)
        assert verdict.effect == effect


def test_only_what_was_granted_in_this_chat_holds(bench):
    def grant(chat_id):
        values = {"owner_id": "local", "tool": "write_file", "action": "write", "path": "other.csv"}
        now = FakeClock().now()
        bench.grants.grants[:] = [
            Grant(grant_id="g", chat_id=chat_id, created_at=now, expires_at=now + timedelta(days=99_999), **values)
        ]
        return judge(bench, "other.csv", asked=HOME, tainted_by=SOURCE, **WRITE).effect

    assert judge(bench, "other.csv", **WRITE).effect == "ask"
    assert grant("") == "ask"
    assert grant("chat_1") == "auto"


def test_a_persons_answer_to_the_very_call_and_a_deny_hold_as_ever(open_bench):
    assert judge(open_bench, "other.csv", tainted_by=SOURCE, answer="once", **WRITE).effect == "auto"
    open_bench.rules.save(json.dumps({"version": 1, "rules": [{"effect": "deny", "action": "write", "path": ""}]}))
    assert judge(open_bench, "sums.csv", asked=HOME, tainted_by=SOURCE, answer="once", **WRITE).effect == "deny"


def message(text, role="user", **context):
    items = (ContextItem(kind="notebook", **context),) if context else ()
    return Message(
        message_id="m", chat_id="c", parent_id=None, run_id=None, role=role, text=text, context=items,
        created_at=FakeClock().now(),
    )  # fmt: skip


def test_only_the_person_points_at_things():
    asked = asked_in([message("fix Sales.ipynb", path="a/b.ipynb"), message("see evil.csv", role="assistant")])
    assert asked.about("Sales.ipynb")
    assert not asked.about("sales.ipynb"), "another file"
    assert asked.about("sales.ipynb", is_case_blind=True)
    assert asked.about("a/Sales.ipynb"), "beside the notebook that was attached"
    assert asked.about("a/b.ipynb")
    assert not asked.about("deep/Sales.ipynb"), "another file of that name"
    assert not asked.about("evil.csv")
    assert not asked.about("")
    assert not asked_in([message("go to a and do it")]).about("a")


@pytest.mark.parametrize(
    ("words", "path", "is_meant"),
    [
        ("fix sales.ipynb.", "sales.ipynb", True),
        ("修复sales.ipynb中的错误", "sales.ipynb", True),
        ("修复sales.ipynb中的错误", "deep/sales.ipynb", False),
        ("what does report.md say", "keep/report.md", False),
        ("read deep/a/notes.md", "a/notes.md", False),
        ("read a/notes.md", "deep/a/notes.md", False),
        ("read ../notes.md", "notes.md", False),
        ("read ~/notes.md", "notes.md", False),
        ("read /notes.md", "notes.md", False),
        ("read a\\notes.md", "notes.md", False),
        ("read ánotes.md", "notes.md", False),
        ("read notes.md/x.txt", "notes.md", False),
        ("see https://a.example/notes.md", "notes.md", False),
        ("打开数据/销售.csv", "销售.csv", False),
        ("打开“销售.csv”", "销售.csv", True),
        ("read a/notes.md", "a/notes.md", True),
        ("read ./notes.md", "notes.md", True),
        ("read a/notes.md", "b/notes.md", False),
        ("read a/notes.md", "notes.md", False),
        ("read notes.md and tell me", "otes.md", False),
        ("read notes.md and tell me", "tell", False),
        ("read notes.md.bak", "notes.md", False),
        ("read Notes.md", "notes.md", False),
        ("read Xnotes.md", "notes.md", False),
        ("read the notes", ".", False),
    ],
)
def test_a_file_is_pointed_at_by_its_whole_name(words, path, is_meant):
    assert asked_in([message(words)]).about(path) == is_meant


def test_a_name_in_another_case_is_another_file_unless_the_file_system_takes_them_for_one(open_bench, monkeypatch):
    asked = Asked(words="write the sums into Sums.csv")
    assert judge(open_bench, "Sums.csv", asked=asked, tainted_by=SOURCE, **WRITE).effect == "auto"
    assert judge(open_bench, "sums.csv", asked=asked, tainted_by=SOURCE, **WRITE).effect == "ask"
    monkeypatch.setattr(gate, "is_case_blind", lambda real: real.endswith("sums.csv"))
    assert judge(open_bench, "sums.csv", asked=asked, tainted_by=SOURCE, **WRITE).effect == "auto"


@pytest.mark.skipif(sys.platform != "linux", reason="its temporary folders tell upper from lower case")
def test_where_case_counts_is_seen_and_links_do_not_hide_it(tmp_path):
    assert not is_case_blind(str(tmp_path / "none.csv"))
    (tmp_path / "data.csv").write_text("1")
    assert not is_case_blind(str(tmp_path / "data.csv"))
    (tmp_path / "DATA.CSV").symlink_to("data.csv")
    assert not is_case_blind(str(tmp_path / "data.csv"))
    (tmp_path / "DATA.CSV").unlink()
    (tmp_path / "DATA.CSV").hardlink_to(tmp_path / "data.csv")
    assert not is_case_blind(str(tmp_path / "data.csv"))
    assert not is_case_blind("/")


def test_one_file_under_both_spellings_is_a_file_system_that_does_not_tell_them_apart(tmp_path, monkeypatch):
    (tmp_path / "data.csv").write_text("1")
    (tmp_path / "DATA.CSV").hardlink_to(tmp_path / "data.csv")
    monkeypatch.setattr(Path, "iterdir", lambda folder: iter([folder / "data.csv"]))  # what such a one lists
    assert is_case_blind(str(tmp_path / "data.csv"))
    assert is_case_blind(str(tmp_path / "DATA.CSV"))
