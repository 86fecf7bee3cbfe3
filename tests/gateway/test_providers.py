"""Which models count as being on this machine."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from jupyter_linda.errors import InvalidInput, NotAllowed, ProviderFault
from jupyter_linda.gateway.providers import AUTOMATIC, DEMO_MODEL, Providers
from jupyter_linda.schemas import ProviderInput


@pytest.fixture
def providers(tmp_path, clock):
    return Providers(tmp_path, clock, environment={}, default_model="", allowed_models=[], is_demo_ready=lambda: True)


@pytest.mark.parametrize(
    ("base_url", "proxy", "is_here"),
    [
        ("http://127.0.0.1:11434", "", True),
        ("http://localhost:1234/v1", "", True),
        ("http://[::1]:8080", "", True),
        ("http://127.0.0.1.example.org", "", False),
        ("http://localhost.example.org", "", False),
        ("http://example.org/?x=//127.0.0.1", "", False),
        ("http://127.0.0.1:1234", "http://proxy.example.org", False),
        ("http://192.168.1.7:11434", "", False),
        ("", "", False),
    ],
)
def test_only_a_server_at_a_loopback_address_is_here(providers, base_url, proxy, is_here):
    providers.put("mine", ProviderInput(kind="ollama", base_url=base_url, proxy=proxy, models=("small",)))
    assert providers.stays_here("mine/small") is is_here
    assert providers.stays_here("mine/large-cloud") is False
    assert providers.stays_here("mine/Large:20B-Cloud") is False


@pytest.mark.parametrize("kind", ["replicate", "sagemaker_chat", "microsoft_365_copilot", "litellm_proxy", "anthropic"])
def test_who_keeps_to_no_address_or_passes_on_is_not_here(providers, kind):
    providers.put("mine", ProviderInput(kind=kind, base_url="http://127.0.0.1:1234", models=("small",)))
    assert providers.stays_here("mine/small") is False


def test_a_key_of_the_environment_goes_to_its_own_address_only(tmp_path, clock):
    made = shared(tmp_path, clock, OPENAI_API_KEY="sk-environment-0123")
    made.put("server", ProviderInput(kind="openai", base_url="https://models.example.org/v1", models=("m",)))
    made.put("usual", ProviderInput(kind="openai", models=("m",)))
    assert made.connect("server/m").key == ""
    assert made.connect("usual/m").key == made.connect("openai/m").key == "sk-environment-0123"
    assert [one.has_key for one in made.list_all()] == [False, True, True]
    through = ProviderInput(kind="openai", proxy="http://proxy.example.org", models=("m",))
    assert made.draft("openai", through, "m").key == ""


def test_an_address_of_the_environment_is_named_and_has_no_price_of_the_table(tmp_path, clock):
    made = shared(tmp_path, clock, OPENAI_API_KEY="sk-environment-0123", OPENAI_BASE_URL="https://gate.example.org/v1")
    assert made.destination("openai/m") == "openai at gate.example.org/v1"
    assert made.connect("openai/m").base_url == "https://gate.example.org/v1"
    own = ProviderInput(kind="openai", base_url="https://own.example.org/v1", models=("m",))
    made.put("own", own)
    assert made.destination("own/m") == "openai at own.example.org/v1"
    assert made.connect("own/m").base_url == own.base_url


def test_who_gets_it_is_told_apart_by_scheme_path_and_proxy_and_without_passwords(providers):
    addresses = [
        "https://gate.example.org/a/v1", "https://gate.example.org/b/v1/", "http://gate.example.org/a/v1",
        "https://me:secret@gate.example.org/a/v1?key=secret",
    ]  # fmt: skip
    named = []
    for address in addresses:
        providers.put("gate", ProviderInput(kind="openai", base_url=address, proxy="", models=("m",)))
        named.append(providers.destination("gate/m"))
    assert named == [
        "openai at gate.example.org/a/v1", "openai at gate.example.org/b/v1", "openai at http://gate.example.org/a/v1",
        "openai at gate.example.org/a/v1",
    ]  # fmt: skip


@pytest.mark.parametrize("entry", [{"kind": "openai", "api_key": "sk-misplaced"}, {"kind": ["sk-misplaced"]}, 3])
def test_an_entry_that_is_malformed_is_named_without_what_stands_in_it(tmp_path, providers, entry):
    (tmp_path / "providers.json").write_text(json.dumps({"providers": {"mine": entry}}))
    with pytest.raises(InvalidInput, match=r"the provider 'mine' is malformed: [^\n]+$") as caught:
        providers.models()
    assert "sk-misplaced" not in caught.value.message


def test_a_price_is_a_number_that_sums_can_hold():
    for price in (float("inf"), float("nan"), 1e300, -1.0):
        with pytest.raises(ValidationError):
            ProviderInput(kind="openai", input_usd=price)


def test_the_demo_model_is_here_and_unknown_ones_are_not(providers):
    assert providers.stays_here(DEMO_MODEL)
    assert providers.stays_here("")
    assert not providers.stays_here("openai/gpt-5")


def test_automatic_is_offered_where_one_model_is_here_and_one_elsewhere(providers):
    def offered():
        return [model.model_id for model in providers.models()]

    providers.put("near", ProviderInput(kind="openai", base_url="http://127.0.0.1:1/v1", models=("small",)))
    assert AUTOMATIC not in offered()
    providers.put("far", ProviderInput(kind="openai", models=("big",)))
    assert AUTOMATIC in offered()
    providers.choose_default(AUTOMATIC)
    assert providers.resolve("") == AUTOMATIC
    assert providers.measured_as(AUTOMATIC) == "near/small"
    assert providers.stays_here(AUTOMATIC)
    providers.remove("near")
    assert not providers.stays_here(AUTOMATIC)


def test_a_missing_key_is_told_before_anything_is_asked(providers):
    providers.put("far", ProviderInput(kind="anthropic", models=("big",)))
    with pytest.raises(ProviderFault, match="No key is known for far/big") as caught:
        providers.check_key("far/big")
    assert "ANTHROPIC_API_KEY" in caught.value.remedy
    providers.put("far", ProviderInput(kind="anthropic", models=("big",), key="sk-ant-0123456789"))
    providers.check_key("far/big")
    providers.check_key("ollama/llama3")


def test_the_panels_list_of_fallbacks_comes_before_the_administrators(tmp_path, clock):
    made = Providers(
        tmp_path, clock, environment={}, default_model="", allowed_models=["a/*", "b/*"],
        is_demo_ready=lambda: True, fallbacks=["b/one"],
    )  # fmt: skip
    assert made.fallbacks() == ("b/one",)
    made.choose_fallbacks(["a/two", "a/one", "a/two"])
    assert made.fallbacks() == ("a/two", "a/one")
    made.choose_fallbacks([])
    assert made.fallbacks() == ()
    with pytest.raises(InvalidInput, match="cannot answer in another"):
        made.choose_fallbacks([AUTOMATIC])
    with pytest.raises(ProviderFault, match="list of allowed models"):
        made.choose_fallbacks(["c/one"])
    (tmp_path / "providers.json").write_text('{"fallback_models": "a/one"}')
    with pytest.raises(InvalidInput, match="fallback_models is a list"):
        made.fallbacks()


SHARED = {
    "class": {"kind": "openai", "base_url": "https://llm.example.edu/v1", "models": ["small"], "key_variable": "K"}
}


def shared(tmp_path, clock, settings=None, **environment):
    return Providers(
        tmp_path, clock, environment=environment, default_model="", allowed_models=[], is_demo_ready=lambda: True,
        shared=settings,
    )  # fmt: skip


def test_a_provider_for_everybody_comes_with_its_key_and_nobody_changes_it(tmp_path, clock):
    own = shared(tmp_path, clock)
    own.put("class", ProviderInput(kind="openai", base_url="https://elsewhere.example", models=("mine",), key="sk-own"))
    made = shared(tmp_path, clock, SHARED, K="sk-class-0123456789")
    (listed,) = made.list_all()
    assert (listed.base_url, listed.key_source, listed.is_shared) == ("https://llm.example.edu/v1", "environment", True)
    assert made.connect("class/small").key == "sk-class-0123456789"
    assert "sk-class-0123456789" in made.known_keys()
    for change in (lambda: made.put("class", ProviderInput(kind="openai")), lambda: made.remove("class")):
        with pytest.raises(NotAllowed, match="set up by whoever runs this server"):
            change()
    made.put("mine", ProviderInput(kind="ollama", models=("a",)))
    assert "llm.example.edu" not in (tmp_path / "providers.json").read_text()
    assert own.connect("class/mine").key == "sk-own"


def test_the_environment_may_hold_them_and_the_settings_come_last(tmp_path, clock):
    text = json.dumps({**SHARED, "second": {"kind": "groq", "models": ["x"]}})
    made = shared(tmp_path, clock, {"second": {"kind": "mistral"}}, LINDA_PROVIDERS=text, GROQ_API_KEY="g")
    assert {one.name: one.kind for one in made.list_all() if one.is_shared} == {"class": "openai", "second": "mistral"}


@pytest.mark.parametrize(
    ("settings", "environment", "said"),
    [
        ({}, "{", "LINDA_PROVIDERS cannot be used: it is no JSON"),
        ({}, "[1]", "LINDA_PROVIDERS cannot be used: it is no object by name"),
        ({"a/b": {}}, "", "c.LindaSettings.providers cannot be used: 'a/b' cannot name a provider"),
        ({"class": {"kind": "openai", "key": "sk-secret"}}, "", "the provider 'class': key"),
        ({"class": {"kind": "Open AI"}}, "", "the provider 'class': kind"),
        ({"class": 3}, "", "the provider 'class'"),
    ],
)
def test_what_cannot_be_used_is_named_and_no_key_is_said(tmp_path, clock, settings, environment, said):
    made = shared(tmp_path, clock, settings, LINDA_PROVIDERS=environment)
    with pytest.raises(InvalidInput) as caught:
        made.models()
    assert said in caught.value.message
    assert "sk-secret" not in caught.value.message


@pytest.mark.parametrize("model", ["nonsense", "nobody/m", "openai/", "/m", "OpenAI/m"])
def test_a_model_of_nobody_is_told_with_a_remedy(providers, model):
    providers.knows = lambda word: word == "openai"
    with pytest.raises(ProviderFault, match="Nobody is known") as caught:
        providers.check_key(model)
    assert (caught.value.kind_of_fault, bool(caught.value.remedy)) == ("unknown_model", True)
