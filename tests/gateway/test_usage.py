"""What providers count: taken as it is where it can be a count, else as if nobody had counted."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from jupyter_linda.gateway.providers import Connection
from jupyter_linda.gateway.usage import MOST_TOKENS, counted, priced
from jupyter_linda.schemas import Usage


def holder(given, taken, cached=None):
    details = None if cached is None else SimpleNamespace(cached_tokens=cached)
    usage = SimpleNamespace(prompt_tokens=given, completion_tokens=taken, prompt_tokens_details=details)
    return SimpleNamespace(usage=usage)


@pytest.mark.parametrize("wrong", [-5, MOST_TOKENS + 1, 10**30, float("nan"), float("inf"), "many", [3]])
def test_what_cannot_be_a_count_is_none(wrong):
    assert counted(holder(wrong, 3)) is None
    assert counted(holder(3, wrong)) is None
    assert counted(holder(3, 4, cached=wrong)).cached_tokens in (0, 3)


def test_no_more_is_cached_than_was_given():
    usage = counted(holder(10, 2, cached=500))
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens) == (10, 2, 10)
    assert counted(holder(None, None)) is None
    assert counted(holder(None, 7)).output_tokens == 7
    assert counted(SimpleNamespace()) is None


@pytest.mark.parametrize(
    ("prices", "is_local", "cost"),
    [
        ((2.0, 8.0), True, 0.0028), ((2.0, 8.0), False, 0.0028),
        ((None, None), True, 0.0), ((None, None), False, None), ((2.0, None), True, 0.0),
    ],
)  # fmt: skip
def test_a_given_price_counts_everywhere_and_without_one_only_what_is_here_costs_nothing(prices, is_local, cost):
    place = Connection("openai/m", "http://127.0.0.1:8000/v1", key="", proxy="", ca_file="", million_usd=prices)
    usage = Usage(input_tokens=1000, output_tokens=100)
    assert priced(None, usage, place, is_local=is_local).cost_usd == cost
