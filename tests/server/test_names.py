"""Names of people are to be replaced, and what finds them is not there: nothing leaves."""

from __future__ import annotations

import pytest

from tests.server.test_leaving import ask


@pytest.fixture
def jp_server_config(jp_server_config):
    linda = {**jp_server_config["LindaSettings"], "redact_names": ["no_such_pipeline"]}
    return {**jp_server_config, "LindaSettings": linda}


async def test_without_the_pipeline_nothing_leaves_and_the_remedy_is_said(api):
    api.provider.requests.clear()
    _, view = await ask(api, "write to Ada Lovelace", answer=None)
    run = view["runs"][-1]
    assert (run["state"], run["problem"]["kind"]) == ("failed", "no_names")
    assert "pip install" in run["problem"]["remedy"]
    assert view["questions"] == []
    assert api.provider.requests == []


async def test_a_model_on_this_machine_needs_none(api):
    api.connect()
    chat_id = await api.new_chat()
    await api.send(chat_id, "hello")
    assert (await api.until(chat_id))["runs"][-1]["state"] == "done"
