"""Tools called the way a run calls them: parse, judge by a real gate, run with the permit."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

from jupyter_linda.permissions.gate import RuleGate
from jupyter_linda.permissions.paths import PathPolicy
from jupyter_linda.permissions.watch import RuleFile
from jupyter_linda.ports import GateCall, ToolContext
from jupyter_linda.ports.held import plain
from tests.fakes.journal import FakeJournal
from tests.fakes.permission_stores import FakeAuditLog, FakeClock, FakeGrantBook


class ToolBench:
    """A root folder, a gate over it with the first-run profile, and a person who says `answer`."""

    def __init__(self, root, *, live=None, rules_file="", answer="once", **policy):
        self.policy = PathPolicy(str(root), **policy)
        self.rules = RuleFile(str(rules_file) or str(root / "none.json"))
        self.audit = FakeAuditLog()
        self.gate = RuleGate(
            rules=self.rules, policy=self.policy, grants=FakeGrantBook(), audit=self.audit, clock=FakeClock()
        )
        self.live = live
        self.answer = answer
        self.reports = []
        self.journal = FakeJournal()
        self.tasks = None
        self.provenance = {"run": "run_1", "time": "2026-01-01T00:00:00+00:00", "model": "linda/demo"}
        self.approved = None
        self._count = 0

    def context(self, request_id="call_0"):
        return ToolContext(
            live=self.live, root_dir=self.policy.root, request_id=request_id, chat_id="chat_1", run_id="run_1",
            model="linda/demo", report=self.reports.append, admit_path=self.gate.admitter(request_id),
            is_visible=self.gate.is_visible, journal=self.journal,
            provenance=self.provenance, tasks=self.tasks, approved=self.approved,
        )  # fmt: skip

    async def call(self, tool, *, request_id="", **arguments):
        """The result as a model here reads it; a refusal of the gate raises `PermissionError` with its reason."""
        self._count += 1
        request_id = request_id or f"call_{self._count}"
        text = json.dumps(arguments)
        parsed = tool.parse(text)
        call = GateCall(
            call_id=request_id, tool=tool.name, action=tool.action, resource=tool.resource(parsed), arguments=text,
            owner_id="local", chat_id="chat_1", run_id="run_1", mode="ask", answer=self.answer,
            always_asks=tool.always_asks,
        )  # fmt: skip
        verdict = await self.gate.judge(call)
        if verdict.permit is None:
            raise PermissionError(verdict.reason)
        result = await tool.run(verdict.permit, parsed, self.context(request_id))
        json.dumps(result.data, allow_nan=False)
        return replace(result, text=plain(result.text))

    def run(self, tool, **arguments):
        """`call` for tests that need no loop of their own."""
        return asyncio.run(self.call(tool, **arguments))

    def preview(self, tool, **arguments):
        return asyncio.run(tool.preview(tool.parse(json.dumps(arguments)), self.context()))

    def find(self, tool, *, request_id="call_0", **arguments):
        return asyncio.run(tool.find(tool.parse(json.dumps(arguments)), self.context(request_id)))
