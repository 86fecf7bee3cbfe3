"""Values that would go to a model elsewhere, and tools that always ask."""

from __future__ import annotations

import asyncio
import json

from jupyter_linda.permissions.approvals import scopes_for
from jupyter_linda.schemas import Grant

ROWS = {"tool": "filter_rows", "kind": "kernel", "path": "a.ipynb"}
SHELL = {"tool": "run_shell", "action": "run", "kind": "folder", "path": "", "always_asks": True}


def judge(bench, path, **fields):
    return asyncio.run(bench.judge(path, **fields))


def give(bench, **fields):
    values = {"grant_id": "grant_1", "owner_id": "local", "tool": "filter_rows", "action": "read", "path": "",
              "chat_id": "", "created_at": bench.clock.now(), "expires_at": None, **fields}  # fmt: skip
    bench.grants.grants.append(Grant(**values))


def test_values_stay_where_the_model_is_here_and_ask_where_it_is_elsewhere(bench):
    assert judge(bench, **ROWS).effect == "auto"
    assert judge(bench, sends_values=True, **ROWS).effect == "ask"
    assert judge(bench, sends_values=True, answer="once", **ROWS).permit is not None


def test_looking_at_values_is_no_change_so_plan_mode_asks_too(bench):
    assert judge(bench, sends_values=True, mode="plan", **ROWS).effect == "ask"


def test_only_a_grant_for_sending_lets_values_out(bench):
    give(bench)
    assert judge(bench, sends_values=True, **ROWS).effect == "ask"
    give(bench, action="send")
    assert judge(bench, sends_values=True, **ROWS).effect == "auto"
    call = bench.call("a.ipynb", tool="filter_rows", kind="kernel", sends_values=True)
    scopes = scopes_for(call, bench.policy)
    assert [(scope.action, scope.path, scope.days) for scope in scopes] == [("send", "a.ipynb", 1)]


def test_a_rule_may_let_values_out_and_a_deny_of_either_action_closes(bench, tmp_path):
    read = {"effect": "auto", "action": "read", "path": ""}
    rules = tmp_path / "rules.json"
    for extra, effect in [
        ({"effect": "auto", "action": "send", "path": "", "tools": ["filter_rows"]}, "auto"),
        ({"effect": "deny", "action": "send", "path": ""}, "deny"),
        ({"effect": "deny", "action": "read", "path": "a.ipynb"}, "deny"),
    ]:
        rules.write_text(json.dumps({"version": 1, "rules": [read, extra]}))
        fresh = type(bench)(bench.team, rules)
        assert judge(fresh, sends_values=True, **ROWS).effect == effect


def test_what_always_asks_passes_no_rule_no_grant_and_no_mode(bench, tmp_path):
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps({"version": 1, "rules": [{"effect": "auto", "action": "any", "path": ""}]}))
    fresh = type(bench)(bench.team, rules)
    give(fresh, tool="", action="run")
    for mode in ("ask", "edit"):
        assert judge(fresh, mode=mode, **SHELL).effect == "ask"
    assert judge(fresh, mode="plan", **SHELL).effect == "deny"
    assert judge(fresh, answer="no", **SHELL).effect == "deny"
    assert judge(fresh, answer="once", **SHELL).effect == "auto"
    assert (
        scopes_for(fresh.call("", tool="run_shell", action="run", kind="folder", always_asks=True), fresh.policy) == ()
    )
