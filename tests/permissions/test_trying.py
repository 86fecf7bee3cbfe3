"""What would happen if: the same verdict as the gate's, over rules that may not be saved."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from jupyter_linda.permissions.law import Law
from jupyter_linda.permissions.rules import FIRST_RUN, Rule, RuleSet, to_text
from jupyter_linda.permissions.trying import ALWAYS_ASK, TOOLS, attempt
from jupyter_linda.schemas import Trial
from jupyter_linda.tools import catalogue

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def try_it(policy, law=None, **fields):
    return attempt(Trial(**fields), law or Law(FIRST_RUN), policy, now=NOW)


@pytest.mark.parametrize(
    ("tool", "action", "path"),
    [
        ("read_file", "read", "ok.csv"),
        ("write_file", "write", "ok.csv"),
        ("read_file", "read", "../private/s.txt"),
        ("read_file", "read", ".env"),
        ("run_cell", "run", "a.ipynb"),
    ],
)
def test_it_agrees_with_the_gate(bench, tool, action, path):
    outcome = try_it(bench.policy, tool=tool, action=action, path=path).outcome
    assert outcome.effect == asyncio.run(bench.judge(path, tool=tool, action=action)).effect
    assert outcome.by == ("closed" if path == ".env" else "rules")


def test_a_text_that_is_not_saved_is_tried(policy):
    text = to_text(RuleSet(version=1, rules=(Rule(effect="deny", action="any", path=""),)))
    outcome = try_it(policy, text=text, tool="read_file", path="ok.csv").outcome
    assert (outcome.effect, outcome.rule, outcome.is_hidden) == ("deny", "deny: any in the notebook folder", True)


def test_faults_come_instead_of_a_verdict(policy):
    found = try_it(policy, text='{"version": 1, "rules": [{"effect": "auto"}]}', tool="read_file")
    assert found.outcome is None
    assert [(fault.place, fault.line) for fault in found.faults] == [("rules[0].action", 1)]
    assert try_it(policy, text=to_text(FIRST_RUN)).faults == ()


def test_a_policy_is_named_by_its_file(policy):
    bound = Law(FIRST_RUN, (("/etc/p.json", RuleSet(version=1, rules=(Rule(effect="ask", action="read"),))),))
    outcome = try_it(policy, bound, tool="read_file", path="ok.csv").outcome
    assert (outcome.effect, outcome.by, outcome.is_firm) == ("ask", "policy", True)
    assert "/etc/p.json" in outcome.rule


def test_a_call_that_cannot_be_is_told_from_one_that_is_let_through(policy):
    known = {tool.name: tool.action for tool in catalogue.TOOLS}
    assert known == {name: action for action, names in TOOLS.items() for name in names}
    outcome = try_it(policy, tool="read_fil", path="ok.csv").outcome
    assert (outcome.effect, outcome.by) == ("deny", "tool")
    assert outcome.rule.startswith("There is no tool 'read_fil'. The nearest are: read_file")
    outcome = try_it(policy, tool="write_file", action="read", path="ok.csv").outcome
    assert outcome.rule == "write_file is judged as 'write', not as 'read'."


def test_tools_that_always_ask_say_so(policy):
    assert set(ALWAYS_ASK) == {tool.name for tool in catalogue.TOOLS if tool.always_asks}
    open_law = Law(RuleSet(version=1, rules=(Rule(effect="auto", action="any", path=""),)))
    outcome = try_it(policy, open_law, tool="run_shell", action="run").outcome
    assert (outcome.effect, outcome.by, outcome.is_firm) == ("ask", "tool", True)
