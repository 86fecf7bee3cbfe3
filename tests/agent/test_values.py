"""Tools that show values, and tools that always ask, as a run judges them."""

from __future__ import annotations

from jupyter_linda.ports import Resource, ToolContext, ToolResult
from jupyter_linda.toolkit import tool
from tests.fakes.desk import says, uses


def make(**options):
    @tool(action="read", family="test", resource=lambda _arguments: Resource("none"), **options)
    async def rows(context: ToolContext, count: int) -> ToolResult:
        """Rows."""
        return ToolResult("shown")

    return rows


async def run(desk, made, count):
    desk.tools = {**desk.tools, "rows": made}
    desk.model.scripts["go"] = [uses(("rows", {"count": count})), says("done")]
    started = desk.send("go")
    async with desk.working():
        assert (await desk.finish(started.run_id)).state == "done"
    return desk.gate.judged[-1]


async def test_a_model_that_is_not_known_to_be_here_counts_as_elsewhere(desk):
    judged = await run(desk, make(shows_values="samples"), 1)
    assert judged.sends_values
    assert judged.granted_action == "send"


async def test_whether_values_are_shown_may_depend_on_the_arguments(desk):
    judged = await run(desk, make(shows_values=lambda arguments: "samples" if arguments["count"] > 1 else None), 1)
    assert not judged.sends_values
    assert judged.granted_action == "read"


async def test_what_always_asks_is_judged_so(desk):
    assert (await run(desk, make(always_asks=True), 1)).always_asks
