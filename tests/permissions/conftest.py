"""A small team folder beside a private one, and a gate over it."""

from __future__ import annotations

import pytest

from jupyter_linda.permissions.gate import RuleGate
from jupyter_linda.permissions.paths import PathPolicy
from jupyter_linda.permissions.watch import RuleFile
from jupyter_linda.ports import GateCall, Resource
from tests.fakes.permission_stores import FakeAuditLog, FakeClock, FakeGrantBook


@pytest.fixture
def team(tmp_path):
    """team/ is the root; private/ and team-private/ lie beside it."""
    for name in ("team/data", "private", "team-private", "teammate"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "team/ok.csv").write_text("a,b\n1,2\n")
    (tmp_path / "private/s.txt").write_text("S")
    (tmp_path / "team-private/salaries.csv").write_text("S")
    return tmp_path / "team"


@pytest.fixture
def policy(team):
    return PathPolicy(str(team))


class Bench:
    """A gate with its fakes at hand."""

    def __init__(self, team, rules_path, **policy):
        self.team = team
        self.policy = PathPolicy(str(team), **policy)
        self.rules = RuleFile(str(rules_path))
        self.grants, self.audit, self.clock = FakeGrantBook(), FakeAuditLog(), FakeClock()
        self.gate = RuleGate(
            rules=self.rules, policy=self.policy, grants=self.grants, audit=self.audit, clock=self.clock
        )

    def call(self, path="ok.csv", *, tool="read_file", action="read", kind="file", **fields):
        values = {
            "call_id": "call_1",
            "tool": tool,
            "action": action,
            "resource": Resource(kind, path),
            "arguments": "{}",
            "owner_id": "local",
            "chat_id": "chat_1",
            "run_id": "run_1",
            "mode": "ask",
            **fields,
        }
        return GateCall(**values)

    async def judge(self, path="ok.csv", **fields):
        return await self.gate.judge(self.call(path, **fields))


@pytest.fixture
def bench(team, tmp_path):
    return Bench(team, tmp_path / "rules.json")


@pytest.fixture
def make_bench(team, tmp_path):
    return lambda **policy: Bench(team, tmp_path / "rules.json", **policy)
