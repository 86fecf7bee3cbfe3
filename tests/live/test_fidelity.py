"""Whatever a notebook file holds and however it is laid out: an edit changes its cell, and undone nothing."""

from __future__ import annotations

import asyncio
import random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.fidelity import Fidelity, made
from tests.fakes.server_of_files import live_over
from tests.fakes.tool_bench import ToolBench


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_an_edit_changes_its_cell_alone_and_undone_nothing(tmp_path, seed):
    folder = tmp_path / "team"
    folder.mkdir(exist_ok=True)
    fidelity = Fidelity(ToolBench(folder, live=live_over(folder)), folder)
    chance = random.Random(seed)
    asyncio.run(fidelity.try_all(made(chance), chance))
    assert fidelity.faults == []
    assert fidelity.operations
