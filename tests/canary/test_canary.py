"""No canary leaves above its level, whichever tool met it; and the levels do let out what they say."""

from __future__ import annotations

import pytest

from jupyter_linda.tools import catalogue
from tests.canary import flight, world
from tests.canary.flight import Flight
from tests.fakes.provider import FakeProvider

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


UNDONE = {
    "no_such_tool", "filter_rows", "aggregate", "describe_dataframe", "compare_dataframes", "plot_dataframe", "change_task",
    "delete_task", "install_packages", "patch_file", "edit_cell", "move_cell", "delete_cell",
}  # fmt: skip
"""Refused because they would show values (the person says no to a model elsewhere), or made to fail for their words."""


@pytest.fixture(autouse=True)
def jp_server_cleanup() -> None:
    """No server lives in this process."""


def test_every_tool_is_called():
    assert {tool.name for tool in catalogue.TOOLS} - world.tools_called() == set()


@pytest.mark.parametrize("first_here", [False, True], ids=["a model elsewhere", "a model here, then one elsewhere"])
def test_no_canary_leaves_above_its_level(tmp_path, first_here):
    with FakeProvider() as provider, Flight(tmp_path, provider) as flown:
        flown.fly(first_here=first_here)
        found = flown.inspect(flight.ALL)
    assert not found.leaks, "\n".join(sorted({leak[:700] for leak in found.leaks}))
    assert set(found.states) == {"done"}
    assert found.bytes_inspected > 100_000
    refused = {name for name, states in found.calls.items() if "done" not in states}
    assert refused <= UNDONE, "a tool that does nothing proves nothing"


def test_with_the_level_raised_the_same_flight_is_seen_to_leak(tmp_path):
    levels = {"version": 1, "default": {"text": "open", "data": "values"}}
    with FakeProvider() as provider, Flight(tmp_path, provider, levels) as flown:
        flown.fly(world.GROUPS[:4], send="once")
        found = flown.inspect(flight.ALL)
    seen = {leak.split(" in ")[0] for leak in found.leaks}
    assert set(flight.ALL) - seen <= {world.IDENTITIES["key"], *world.VALUES.values()} - {
        world.VALUES["row"], world.VALUES["output"], world.VALUES["error"], world.VALUES["variable"]
    }  # fmt: skip
    assert world.IDENTITIES["key"] not in seen, "keys stay at every level"
