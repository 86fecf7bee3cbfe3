"""Files of instructions: nothing but a person's answer to this very call lets a tool write one."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta

import pytest

from jupyter_linda.permissions.instructing import INSTRUCTS, TOO_LARGE
from jupyter_linda.permissions.trying import attempt
from jupyter_linda.ports import Resource
from jupyter_linda.schemas import Grant, Trial

WRITE = {"tool": "write_file", "action": "write"}
OPEN = {"version": 1, "rules": [{"effect": "auto", "action": "any", "path": ""}]}


@pytest.fixture
def open_bench(make_bench):
    bench = make_bench(allow_hidden=True)
    bench.rules.save(json.dumps(OPEN))
    bench.grants.grants.append(
        Grant(
            grant_id="g", owner_id="local", tool="", action="write", path="", chat_id="",
            created_at=bench.clock.now(), expires_at=bench.clock.now() + timedelta(days=1),
        )
    )  # fmt: skip
    return bench


def judge(bench, path, **fields):
    return asyncio.run(bench.judge(path, **{**WRITE, "mode": "edit", **fields}))


@pytest.mark.parametrize(
    "path",
    [
        "AGENTS.md", "data/AGENTS.md", "./data/../AGENTS.md", "agents.MD", "new/deep/AGENTS.md",
        ".linda/instructions.md", ".linda/instructions/a.md", "data/.linda/commands/go.md", ".Linda/skills/x/SKILL.md",
    ],
)  # fmt: skip
def test_no_rule_no_grant_and_no_mode_lets_a_tool_write_one(open_bench, path):
    verdict = judge(open_bench, path)
    assert (verdict.effect, verdict.rule, verdict.permit) == ("ask", INSTRUCTS, None)
    assert open_bench.gate.scopes(open_bench.call(path, **WRITE)) == ()
    assert judge(open_bench, path, answer="once").effect == "auto"


@pytest.mark.parametrize("path", ["notes.md", "data/my AGENTS.md", "AGENTS.md.txt", "data/linda/a.md"])
def test_other_files_go_as_the_rules_say(open_bench, path):
    assert judge(open_bench, path).effect == "auto"
    assert judge(open_bench, "AGENTS.md", tool="read_file", action="read").effect == "auto"
    assert judge(open_bench, "", tool="add_task", resource=Resource("none")).effect == "auto"


def test_a_folder_takes_its_instructions_along(open_bench, team):
    (team / "kit/deep").mkdir(parents=True)
    move = Resource("file", "kit", (("data/kit", "write"),))
    assert judge(open_bench, "kit", tool="move_file", resource=move).effect == "auto"
    (team / "kit/deep/AGENTS.md").write_text("Do it.")
    assert judge(open_bench, "kit", tool="move_file", resource=move).rule == INSTRUCTS
    assert judge(open_bench, "kit", tool="delete_file").rule == INSTRUCTS


def test_a_move_or_copy_to_such_a_name_asks_too(open_bench):
    move = Resource("file", "ok.csv", (("AGENTS.md", "write"),))
    assert judge(open_bench, "ok.csv", tool="move_file", resource=move).rule == INSTRUCTS
    copy = Resource("file", "AGENTS.md", (("ok.csv", "read"),))
    assert judge(open_bench, "AGENTS.md", tool="copy_file", resource=copy).rule == INSTRUCTS


def test_links_do_not_hide_them(open_bench, team):
    (team / "AGENTS.md").write_text("Be brief.")
    (team / "notes.md").symlink_to("AGENTS.md")
    assert judge(open_bench, "notes.md").rule == INSTRUCTS
    (team / "data/AGENTS.md").symlink_to("real.md")
    assert judge(open_bench, "data/AGENTS.md").rule == INSTRUCTS


def test_trying_a_rule_says_so(open_bench):
    trial = Trial(tool="write_file", action="write", path="AGENTS.md")
    result = attempt(trial, open_bench.gate.law(), open_bench.policy, now=open_bench.clock.now())
    assert (result.outcome.effect, result.outcome.rule, result.outcome.is_firm) == ("ask", INSTRUCTS, True)


def test_a_folder_too_large_to_look_through_is_said_to_be_one(open_bench, team, monkeypatch):
    monkeypatch.setattr("jupyter_linda.permissions.instructing.MOST_LOOKED_AT", 3)
    (team / "kit").mkdir()
    for name in "abcd":
        (team / "kit" / name).write_text("")
    assert judge(open_bench, "kit", tool="delete_file").rule == TOO_LARGE
    assert open_bench.gate.scopes(open_bench.call("kit", tool="delete_file", action="write")) == ()
    law, now = open_bench.gate.law(), open_bench.clock.now()
    tried = [attempt(Trial(tool=tool, action="write", path="kit"), law, open_bench.policy, now=now)
             for tool in ("delete_file", "write_file")]  # fmt: skip
    assert [one.outcome.rule == TOO_LARGE for one in tried] == [True, False]


def test_a_folder_is_looked_through_once_for_a_call(open_bench, team, monkeypatch):
    """What an "always" may mean is asked on the loop of all runs: it walks through no folder again."""
    (team / "kit" / "deep").mkdir(parents=True)
    open_bench.rules.save(json.dumps({"version": 1, "rules": [{"effect": "auto", "action": "read"}]}))
    open_bench.grants.grants.clear()
    fields = {"tool": "delete_file", "action": "write"}
    assert asyncio.run(open_bench.judge("kit", **fields)).effect == "ask"

    def walk(_real):
        raise AssertionError("walked again")

    monkeypatch.setattr("jupyter_linda.permissions.instructing._inside", walk)
    assert [scope.path for scope in open_bench.gate.scopes(open_bench.call("kit", **fields))] == ["kit", "kit"]
    with pytest.raises(AssertionError, match="walked again"):
        open_bench.gate.scopes(open_bench.call("kit/deep", **fields))
