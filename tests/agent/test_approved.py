"""A tool is told what the person saw who allowed its call, after any wait and in any worker."""

from __future__ import annotations

from jupyter_linda.ports import Resource, ToolContext, ToolResult
from jupyter_linda.runs import questions
from jupyter_linda.schemas import Diff, Preview
from jupyter_linda.toolkit import tool
from tests.fakes.desk import says, uses


async def test_what_was_approved_reaches_the_tool(desk):
    seen = []

    @tool(action="run", family="test", resource=lambda _arguments: Resource("none"))
    async def launch(context: ToolContext, name: str) -> ToolResult:
        """Launch."""
        seen.append(context.approved)
        return ToolResult("launched")

    @launch.previews
    async def preview(arguments, context):
        return Preview(sentence=f"Launch {arguments['name']}.", code="x = 1")

    desk.tools = {**desk.tools, "launch": launch}
    desk.gate.auto = False
    desk.model.scripts["go"] = [uses(("launch", {"name": "a"})), says("done")]
    run = desk.send("go")
    async with desk.working():
        await desk.until_state(run.run_id, "waiting")
    desk.answer("once")
    async with desk.working():
        assert (await desk.finish(run.run_id)).state == "done"
    assert seen == [Preview(sentence="Launch a.", code="x = 1", rule="default")]


async def test_a_call_nobody_was_asked_about_has_nothing_approved(desk):
    seen = []

    @tool(action="read", family="test", resource=lambda _arguments: Resource("none"))
    async def glance(context: ToolContext) -> ToolResult:
        """Glance."""
        seen.append(context.approved)
        return ToolResult("seen")

    desk.tools = {**desk.tools, "glance": glance}
    desk.model.scripts["go"] = [uses(("glance", {})), says("done")]
    run = desk.send("go")
    async with desk.working():
        await desk.finish(run.run_id)
    assert seen == [None]


async def test_what_does_not_show_is_written_out_on_the_card_and_reaches_the_tool_as_it_was(desk):
    seen = []

    @tool(action="run", family="test", resource=lambda _arguments: Resource("none"))
    async def launch(context: ToolContext, code: str) -> ToolResult:
        """Launch."""
        seen.append((context.approved.code, code))
        return ToolResult("launched")

    @launch.previews
    async def preview(arguments, context):
        diff = Diff(label="a", old="\u2066", new="\x1b[2K")
        return Preview(sentence="Launch.", code=arguments["code"], diffs=(diff,))

    desk.tools = {**desk.tools, "launch": launch}
    desk.gate.auto = False
    desk.model.scripts["go"] = [uses(("launch", {"code": "x\u202ey\u200b"})), says("done")]
    run = desk.send("go")
    async with desk.working():
        await desk.until_state(run.run_id, "waiting")
    with desk.log.database.read() as connection:
        (card,) = questions.list_open(connection, "local")
    assert card.preview.code == "x\\u202ey\\u200b"
    assert (card.preview.diffs[0].old, card.preview.diffs[0].new) == ("\\u2066", "\\u001b[2K")
    assert card.arguments == {"code": "x\\u202ey\\u200b"}
    desk.answer("once")
    async with desk.working():
        assert (await desk.finish(run.run_id)).state == "done"
    assert seen == [("x\u202ey\u200b", "x\u202ey\u200b")]


async def test_what_does_not_show_is_written_out_on_a_finished_card_too(desk):
    @tool(action="read", family="test", resource=lambda _arguments: Resource("none"))
    async def change(context: ToolContext) -> ToolResult:
        """Change."""
        diff = Diff(label="a\u202e", old="\u2066", new="access = 'user\u202e'")
        return ToolResult("changed", diffs=(diff,))

    desk.tools = {**desk.tools, "change": change}
    desk.model.scripts["go"] = [uses(("change", {})), says("done")]
    run = desk.send("go")
    async with desk.working():
        await desk.finish(run.run_id)
    wanted = Diff(label="a\\u202e", old="\\u2066", new="access = 'user\\u202e'")
    (card,) = desk.view().calls
    assert card.diffs == (wanted,)
    told = [event.payload["call"] for event in desk.log.read(desk.chat_id, 0) if event.kind == "call.changed"]
    assert told[-1]["diffs"] == [wanted.model_dump()]
