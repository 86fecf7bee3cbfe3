"""Budgets through the whole product: a question before one would be passed, and what each answer does."""

from __future__ import annotations

import asyncio

import pytest

from jupyter_linda.schemas import ProviderInput
from jupyter_linda.usage.budget import REPLY_TOKENS
from tests.fakes.provider import End, Say, Stall, Use, uses


@pytest.fixture
def jp_server_config(jp_server_config):
    linda = {**jp_server_config["LindaSettings"], "budget_run_usd": 0.05, "budget_day_tokens": 1_000_000}
    return {**jp_server_config, "LindaSettings": linda}


def connect(api):
    """The scripted provider as one of a cloud, at 1 dollar for a million tokens in and 10 out."""
    api.provider.requests.clear()
    providers = api.linda.services().providers
    wish = ProviderInput(
        kind="openai", base_url=api.provider.base_url, models=("big-cloud",), key="sk-test-0123456789",
        input_usd=1.0, output_usd=10.0,
    )  # fmt: skip
    providers.put("fake", wish)
    providers.choose_default("fake/big-cloud")


def open_question(view):
    return next(one for one in view["questions"] if one["state"] == "open")


async def begin(api, jp_root_dir):
    """A run that spent 0.04 dollars and is asked about its second step."""
    connect(api)
    (jp_root_dir / "a.txt").write_text("A")
    dear = [*uses(Use("read_file", {"path": "a.txt"}))[:-1], End("tool_calls", usage=(10_000, 3_000))]
    api.provider.script("spend it", dear, [Say("Read."), End("stop", usage=(10_000, 100))])
    chat_id = await api.new_chat()
    await api.send(chat_id, "spend it")
    question = open_question(await api.until(chat_id, "waiting"))
    assert question["kind"] == "consent"
    await api.answer(question["question_id"], "once")
    return chat_id, open_question(await api.until(chat_id, "waiting", "done", "failed"))


async def test_going_on_lets_this_reply_pass(api, jp_root_dir):
    chat_id, question = await begin(api, jp_root_dir)
    assert (question["kind"], question["choices"]) == ("budget", ["Go on", "Stop here"])
    assert "$0.0400 of $0.05 used" in question["preview"]["sentence"]
    assert len(api.provider.requests) == 1
    await api.answer(question["question_id"], "Go on")
    view = await api.until(chat_id)
    assert view["runs"][-1]["state"] == "done"
    assert len(api.provider.requests) == 2
    assert view["meter"]["step_usd"] == pytest.approx((view["meter"]["used"] + 10 * REPLY_TOKENS) / 1e6)
    usage = await api.call("GET", "usage", params={"days": "1"})
    assert usage["total"]["cost_usd"] == pytest.approx(0.04 + 0.011)
    assert [(one["period"], one["unit"], one["used"]) for one in usage["budgets"]] == [("day", "tokens", 23_100.0)]


async def test_stopping_sends_nothing_more(api, jp_root_dir):
    chat_id, question = await begin(api, jp_root_dir)
    await api.answer(question["question_id"], "Stop here")
    run = (await api.until(chat_id))["runs"][-1]
    assert (run["state"], run["problem"]["kind"]) == ("failed", "budget")
    assert "$0.0400 of $0.05 used" in run["problem"]["message"]
    assert len(api.provider.requests) == 1


async def test_a_model_on_this_machine_uses_no_budget(api, provider):
    api.connect()
    provider.script("for nothing", [Say("Free."), End("stop", usage=(5_000_000, 5_000_000))])
    chat_id = await api.new_chat()
    await api.send(chat_id, "for nothing")
    assert (await api.until(chat_id))["runs"][-1]["state"] == "done"
    await api.send(chat_id, "for nothing", client_id="again-0001")
    assert (await api.until(chat_id, "waiting", "done"))["runs"][-1]["state"] == "done"


async def test_a_reply_that_was_stopped_counts_with_its_prompt(api):
    connect(api)
    api.provider.hold()
    api.provider.script("stop in the middle", [Say("It begins"), Stall(), Say("and ends"), End("stop")])
    chat_id = await api.new_chat()
    await api.send(chat_id, "stop in the middle")
    await api.answer(open_question(await api.until(chat_id, "waiting"))["question_id"], "once")
    async with asyncio.timeout(40):
        while not any("It begins" in one["text"] for one in (await api.view(chat_id))["messages"]):
            await asyncio.sleep(0.02)
    await api.call("POST", f"chats/{chat_id}/stop")
    view = await api.until(chat_id)
    api.provider.go()
    assert view["runs"][-1]["state"] == "stopped"
    total = (await api.call("GET", "usage", params={"days": "1"}))["total"]
    assert total["input_tokens"] == view["meter"]["used"] > 0
    assert total["estimated_calls"] == 1
    assert total["cost_usd"] == pytest.approx(view["meter"]["used"] / 1e6, abs=1e-6)
