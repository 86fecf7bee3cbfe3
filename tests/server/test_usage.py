"""What model calls took, and the trace of a run, through the whole product."""

from __future__ import annotations

import json

import pytest
from tornado.httpclient import HTTPClientError

from tests.fakes.provider import End, Say, Use, says, uses


def kind_of(refused):
    return json.loads(refused.value.response.body)["kind"]


async def asked(api, provider, *replies):
    api.connect()
    provider.script("count me", *replies)
    chat_id = await api.new_chat()
    await api.send(chat_id, "count me")
    return await api.until(chat_id)


async def test_a_run_is_told_from_its_prompt_to_its_cost(api, provider, jp_root_dir):
    (jp_root_dir / "a.txt").write_text("A")
    view = await asked(
        api, provider, uses(Use("read_file", {"path": "a.txt"})), [Say("It says A."), End("stop", usage=(321, 45))]
    )
    run_id = view["runs"][-1]["run_id"]
    trace = await api.call("GET", f"runs/{run_id}/trace")
    assert (trace["run"]["run_id"], trace["asked"]["text"]) == (run_id, "count me")
    assert [call["outcome"] for call in trace["model_calls"]] == ["done", "done"]
    first, last = trace["model_calls"]
    assert last["begun_at"] <= last["first_at"] <= last["ended_at"]
    assert (last["input_tokens"], last["output_tokens"], last["is_local"], last["cost_usd"]) == (321, 45, True, 0.0)
    assert [(one["tool"], one["decision"]) for one in trace["decisions"]] == [
        ("read_file", "auto"),
        ("read_file", "done"),
    ]
    assert [(tool["name"], tool["state"]) for tool in trace["tools"]] == [("read_file", "done")]
    assert [reply["text"] for reply in trace["replies"]] == ["", "It says A."]
    assert len(trace["contexts"]) == 2
    assert trace["contexts"][0]["used"] == sum(part["tokens"] for part in trace["contexts"][0]["parts"])
    assert trace["total"]["calls"] == 2

    usage = await api.call("GET", "usage", params={"days": "1"})
    assert usage["total"] == trace["total"]
    assert [row["name"] for row in usage["models"]] == [first["model"]]
    assert len(usage["days"]) in (1, 2)  # a run at midnight
    assert (usage["planning"]["tokens"], usage["budgets"]) == (120_000, [])


@pytest.mark.parametrize("days", ["0", "367", "x"])
async def test_days_that_are_none_are_refused_in_words(api, days):
    with pytest.raises(HTTPClientError) as refused:
        await api.call("GET", "usage", params={"days": days})
    assert (refused.value.code, kind_of(refused)) == (400, "InvalidInput")


async def test_somebody_elses_run_has_no_trace(api, provider):
    await asked(api, provider, says("Hello."))
    with pytest.raises(HTTPClientError) as refused:
        await api.call("GET", "runs/run_of_others/trace")
    assert (refused.value.code, kind_of(refused)) == (404, "NotFound")
