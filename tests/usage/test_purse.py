"""The budgets before a request leaves: for replies, and for summaries that belong to no run."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy import insert, update

from jupyter_linda.ports import ModelRequest
from jupyter_linda.seeds import SystemClock
from jupyter_linda.storage.tables import model_calls
from jupyter_linda.usage.budget import REPLY_TOKENS, Budget
from jupyter_linda.usage.purse import Purse

RUN = Budget("run", "tokens", 10_000)
DAY = Budget("day", "usd", 0.5)
REPLY = ModelRequest(model="far", messages=[], owner_id="local", run_id="run_1", tokens=1_000)


async def dollar_per_ten_thousand(_model, given, taken):
    return (given + taken) / 10_000


@pytest.fixture
def passed(database):
    """What a request would pass, with 9,000 tokens and 0.45 dollars used in run_1 today."""
    with database.write() as connection:
        connection.execute(
            insert(model_calls).values(
                model_call_id="one", owner_id="local", chat_id="chat_1", run_id="run_1", message_id="m",
                purpose="reply", asked_model="far", model="far", is_local=False, input_tokens=8_000,
                output_tokens=1_000, cached_tokens=0, is_estimated=False, cost_usd_micros=450_000, outcome="done",
                begun_at=SystemClock().now(),
            )
        )  # fmt: skip

    def ask(request, *budgets, price=dollar_per_ten_thousand):
        purse = Purse(database, SystemClock(), lambda: budgets, price)
        return asyncio.run(purse.passed(request, "far"))

    return ask


def test_the_first_budget_that_would_be_passed_is_told_with_its_figures(passed):
    found = passed(REPLY, RUN, DAY)
    assert (found.about, found.figures) == ("run/tokens", "9,000 of 10,000 tokens used")
    assert found.tokens == 1_000 + REPLY_TOKENS
    assert passed(replace(REPLY, agreed=frozenset({"run/tokens"})), RUN, DAY).about == "day/usd"
    assert passed(replace(REPLY, agreed=frozenset({"run/tokens", "day/usd"})), RUN, DAY) is None
    assert passed(REPLY) is None


def test_a_call_of_no_run_keeps_to_the_day_and_to_no_runs_budget(passed):
    summary = replace(REPLY, run_id="", task="summary", max_output_tokens=4_000)
    assert passed(summary, RUN) is None
    assert passed(summary, DAY).tokens == 5_000


def test_a_prompt_that_nobody_counted_is_taken_by_its_characters(passed):
    messages = [{"role": "user", "content": "word " * 3_000}]
    found = passed(replace(REPLY, tokens=0, messages=messages), RUN)
    assert found.tokens > 5_000


def test_a_price_that_is_not_known_passes_no_budget_in_money(passed):
    async def unknown(_model, _given, _taken):
        return None

    assert passed(REPLY, DAY, price=unknown) is None
    assert passed(REPLY, RUN, price=unknown).usd is None


def test_requests_on_their_way_count_for_others_until_they_end(database):
    async def work():
        purse = Purse(database, SystemClock(), lambda: (Budget("day", "tokens", 5_000),), dollar_per_ten_thousand)
        one, two = REPLY, replace(REPLY, chat_id="chat_2", run_id="run_2", tokens=2_000)
        assert await purse.passed(one, "far") is None
        assert await purse.passed(one, "far") is None, "asked again it is the same request, not another"
        found = await purse.passed(two, "far")
        assert found.figures == f"{1_000 + REPLY_TOKENS:,} of 5,000 tokens used"
        assert await purse.passed(replace(two, owner_id="another"), "far") is None
        purse.ended(one)
        assert await purse.passed(two, "far") is None

    asyncio.run(work())


def test_what_is_over_counts_until_its_row_is_closed_and_then_by_its_row(database):
    """Between the last piece of a reply and the commit of what it took, another one may ask."""

    def row(**values):
        with database.write() as connection:
            if "outcome" in values:
                connection.execute(update(model_calls).values(**values))
                return
            connection.execute(
                insert(model_calls).values(
                    model_call_id="one", owner_id="local", chat_id="chat_1", run_id="run_1", message_id="m",
                    purpose="reply", asked_model="far", model="far", is_local=False, input_tokens=1_000,
                    begun_at=SystemClock().now(),
                )
            )  # fmt: skip

    async def work():
        purse = Purse(database, SystemClock(), lambda: (Budget("day", "tokens", 5_000),), dollar_per_ten_thousand)
        one, two = replace(REPLY, chat_id="chat_1"), replace(REPLY, chat_id="chat_2", run_id="run_2", tokens=2_000)
        assert await purse.passed(one, "far") is None
        row()
        purse.ended(one)
        assert (await purse.passed(two, "far")).figures == f"{1_000 + REPLY_TOKENS:,} of 5,000 tokens used"
        row(outcome="done", output_tokens=10)
        assert await purse.passed(two, "far") is None
        row(outcome="done", output_tokens=2_000)
        assert (await purse.passed(two, "far")).figures == "3,000 of 5,000 tokens used"

    asyncio.run(work())


def test_a_prompt_in_chinese_is_not_taken_for_less_than_it_is(passed):
    messages = [{"role": "user", "content": "汉字" * 400}]
    assert passed(replace(REPLY, tokens=0, messages=messages), RUN).tokens > 800 + REPLY_TOKENS


def test_of_many_at_once_no_more_go_than_a_budget_holds(database):
    async def work():
        purse = Purse(database, SystemClock(), lambda: (Budget("month", "tokens", 5_000),), dollar_per_ten_thousand)
        every = [replace(REPLY, chat_id=f"chat_{at}", run_id=f"run_{at}") for at in range(8)]
        asked = await asyncio.gather(*(purse.passed(one, "far") for one in every))
        assert sum(one is None for one in asked) == 5_000 // (1_000 + REPLY_TOKENS)

    asyncio.run(work())
