"""Trying a connection: what is said where no model is named, against the scripted provider."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from jupyter_linda.gateway.asking import Timeouts
from jupyter_linda.gateway.client import LitellmModel
from jupyter_linda.gateway.faults import WORDS
from jupyter_linda.gateway.providers import Providers
from jupyter_linda.gateway.trying import try_connection
from jupyter_linda.schemas import ProviderInput
from tests.fakes.provider import Fail, FakeProvider, Json

# litellm and its dependencies warn about their own deprecations; that is theirs to mend.
pytestmark = pytest.mark.filterwarnings("ignore")

NOBODY = "http://127.0.0.1:9/v1"


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as fake:
        yield fake


@pytest.fixture
def tried(tmp_path, clock, ids):
    """Try an address, with models or without."""

    def work(base_url: str, *models: str, is_offline: bool = False) -> dict[str, Any]:
        providers = Providers(
            tmp_path, clock, default_model="", allowed_models=(), is_demo_ready=lambda: False, environment={}
        )
        model = LitellmModel(providers, ids, None, timeouts=Timeouts(5, 5, 5))
        wish = ProviderInput(kind="openai", base_url=base_url, models=models, key="sk-test-0123456789")
        return asyncio.run(try_connection(model, providers, "fake", wish, is_offline=is_offline))

    return work


@pytest.mark.parametrize("models", [(), ("scripted",)])
def test_where_nobody_answers_that_is_what_is_said(tried, models):
    found = tried(NOBODY, *models)
    assert found["message"].startswith(WORDS["unreachable"][0])
    assert (found["ok"], found["remedy"]) == (False, WORDS["unreachable"][1])


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, "auth"), (402, "billing"), (403, "forbidden"), (429, "rate_limit"), (500, "server"), (503, "overloaded"),
        (307, "moved"),
    ],
)  # fmt: skip
def test_what_keeps_a_provider_from_listing_its_models_is_said(tried, provider, status, kind):
    provider.listing = Fail(status, "Incorrect API key provided: sk-test-0123456789.")
    found = tried(provider.base_url)
    assert found["message"].startswith(WORDS[kind][0])
    assert (found["ok"], found["remedy"]) == (False, WORDS[kind][1])
    assert "sk-test" not in str(found)


@pytest.mark.parametrize("listing", [Fail(404), Fail(405), Fail(501), Json({"hello": "there"}), Json({"data": []})])
def test_an_address_without_a_list_asks_for_a_name(tried, provider, listing):
    provider.listing = listing
    found = tried(provider.base_url)
    assert found["message"] == "Nothing at this address lists models."
    assert not provider.requests


def test_without_an_address_and_a_name_nothing_is_asked(tried):
    assert tried("")["message"] == "No model is named."


def test_a_provider_that_lists_nothing_is_tried_by_the_model_that_is_named(tried, provider):
    provider.listing = Fail(401)
    assert tried(provider.base_url, "scripted")["ok"]


def test_the_first_of_the_listed_is_tried(tried, provider):
    found = tried(provider.base_url)
    assert (found["ok"], found["models"]) == (True, ["scripted"])
    assert [request["model"] for request in provider.requests] == ["scripted"]
