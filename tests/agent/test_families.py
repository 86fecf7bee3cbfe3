"""Tools by family: few in a prompt, all of them within reach."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from jupyter_linda.agent.families import ALWAYS, FAMILIES, MORE_TOOLS, is_on_demand
from jupyter_linda.worker import TOOLS
from tests.fakes.desk import Desk, says, uses


@pytest.fixture
def families(desk: Desk) -> Desk:
    """Two of the desk's tools belong to families that are opened on demand."""
    tools = dict(desk.tools)
    tools["fire"] = replace(tools["fire"], family="shell")
    tools["flood"] = replace(tools["flood"], family="dataframe")
    desk.tools = tools
    return desk


def offered(desk: Desk, at: int) -> list[str]:
    return [tool["function"]["name"] for tool in desk.model.requests[at].tools]


async def test_a_family_is_offered_once_it_was_asked_for_and_stays_so(families):
    families.model.scripts["go"] = [uses((MORE_TOOLS, {"family": "shell"})), uses(("fire", {"name": "a"})), says("ok")]
    families.model.scripts["later"] = [says("ok")]
    run = families.send("go")
    async with families.working():
        await families.finish(run.run_id)
    always = ["look", "put", "ask_user", "read_result", MORE_TOOLS]
    assert offered(families, 0) == always
    assert offered(families, 1) == [*always, "fire"]
    told = families.view().calls[0]
    assert (told.state, told.title) == ("done", "Further tools: shell")
    assert "- fire: Fire." in told.result
    run = families.send("later")
    async with families.working():  # another process: it stands in the chat
        await families.finish(run.run_id)
    assert offered(families, -1) == [*always, "fire"]


async def test_a_tool_that_is_called_without_being_offered_runs_and_opens_its_family(families):
    families.model.scripts["go"] = [uses(("fire", {"name": "a"})), says("ok")]
    run = families.send("go")
    async with families.working():
        await families.finish(run.run_id)
    assert families.effects.done == ["fire a"]
    assert "fire" not in offered(families, 0)
    assert "fire" in offered(families, 1)


async def test_opening_a_family_is_no_reading_from_outside(families):
    families.model.scripts["go"] = [uses((MORE_TOOLS, {"family": "shell"})), uses(("put", {"name": "a"})), says("ok")]
    run = families.send("go")
    async with families.working():
        await families.finish(run.run_id)
    assert [call.tainted_by for call in families.gate.judged] == [()]
    results = [m["content"] for m in families.model.requests[-1].messages if m["role"] == "tool"]
    assert results[0].startswith("From now on there are also:")


@pytest.mark.parametrize("arguments", [{"family": "nothing"}, {}, {"family": ["shell"]}])
async def test_a_family_that_does_not_exist_is_told_to_the_model(families, arguments):
    families.model.scripts["go"] = [uses((MORE_TOOLS, arguments)), says("ok")]
    run = families.send("go")
    async with families.working():
        assert (await families.finish(run.run_id)).state == "done"
    assert families.view().calls[0].state == "failed"
    assert "The families are: " in families.view().calls[0].result


async def test_a_tool_that_a_rule_denies_everywhere_is_in_no_family(families):
    families.gate.hidden = {"fire"}
    families.model.scripts["go"] = [uses((MORE_TOOLS, {"family": "shell"})), says("ok")]
    run = families.send("go")
    async with families.working():
        await families.finish(run.run_id)
    assert families.view().calls[0].state == "failed"
    more = families.model.requests[0].tools[-1]["function"]
    assert more["parameters"]["properties"]["family"]["enum"] == ["dataframe"]
    assert "shell" not in json.dumps(more)


async def test_a_model_that_cannot_ask_gets_all_of_them(families):
    families.needs_all_tools = True
    families.model.scripts["go"] = [says("ok")]
    run = families.send("go")
    async with families.working():
        await families.finish(run.run_id)
    assert offered(families, 0) == ["look", "put", "fire", "flood", "ask_user", "read_result"]


def test_every_tool_is_always_there_or_in_a_family_that_can_be_asked_for() -> None:
    assert set(TOOLS) >= ALWAYS
    assert {tool.family for tool in TOOLS.values()} == set(FAMILIES)
    assert all(any(is_on_demand(tool) for tool in TOOLS.values() if tool.family == name) for name in FAMILIES)
