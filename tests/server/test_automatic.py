"""The automatic choice of a model through the whole product: on this machine first, out where that helps and may be."""

from __future__ import annotations

import json

from jupyter_linda.schemas import ProviderInput
from tests.fakes.provider import Use, says, uses

AUTOMATIC = "linda/automatic"
VALUE = "canary-51c0"


async def begin(api, text):
    """A chat that chooses by itself between a model here and one of a cloud."""
    api.provider.requests.clear()
    wish = ProviderInput(
        kind="openai", base_url=api.provider.base_url, models=("near", "far-cloud"), key="sk-test-0123456789",
        input_usd=1.0, output_usd=10.0,
    )  # fmt: skip
    api.linda.services().providers.put("fake", wish)
    chat_id = await api.new_chat()
    await api.call("PATCH", f"chats/{chat_id}", {"model": AUTOMATIC})
    await api.send(chat_id, text)
    return chat_id, await api.until(chat_id, "waiting", "done", "failed")


def asked(api):
    return [request["model"] for request in api.provider.requests]


def open_question(view):
    return next(one for one in view["questions"] if one["state"] == "open")


async def test_the_picker_offers_it_where_there_is_something_to_choose(api):
    assert AUTOMATIC not in {model["model_id"] for model in (await api.call("GET", "models"))["models"]}
    await begin(api, "hello")
    (entry,) = [one for one in (await api.call("GET", "models"))["models"] if one["model_id"] == AUTOMATIC]
    assert entry["label"] == "Automatic"


async def test_here_first_and_the_trace_tells_by_what_it_was_decided(api):
    api.provider.script("how are you", says("Well."))
    _, view = await begin(api, "how are you")
    assert view["runs"][-1]["state"] == "done"
    assert asked(api) == ["near"]
    assert view["messages"][-1]["model"] == "fake/near"
    trace = await api.call("GET", f"runs/{view['runs'][-1]['run_id']}/trace")
    way = trace["model_calls"][0]["details"]["route"]
    assert way["asked"] == AUTOMATIC
    assert way["inputs"]["task"] == "chat"
    assert "local first" in way["reason"]


async def with_consent(api, text, answer="once"):
    chat_id, view = await begin(api, text)
    question = open_question(view)
    assert question["kind"] == "consent"
    await api.answer(question["question_id"], answer)
    return chat_id, await api.until(chat_id, "waiting", "done", "failed")


async def test_what_is_better_done_elsewhere_goes_there_once_a_person_agreed(api):
    api.provider.script("translate into Chinese: good morning", says("早上好"))
    chat_id, view = await begin(api, "translate into Chinese: good morning")
    assert asked(api) == []
    question = open_question(view)
    assert "far-cloud" in question["preview"]["sentence"]
    await api.answer(question["question_id"], "once")
    view = await api.until(chat_id, "waiting", "done", "failed")
    assert view["runs"][-1]["state"] == "done"
    assert asked(api) == ["far-cloud"]
    assert view["messages"][-1]["model"] == "fake/far-cloud"


async def test_a_no_keeps_it_here_and_still_answers(api):
    api.provider.script("polish this: me go home", says("I go home."))
    _, view = await with_consent(api, "polish this: me go home", "no")
    assert view["runs"][-1]["state"] == "done"
    assert asked(api) == ["near"]


async def test_values_of_data_stay_here_even_where_the_wish_is_hard(api, jp_root_dir):
    (jp_root_dir / "people.csv").write_text(f"name,age\n{VALUE},3\n")
    read = uses(Use("peek_data_file", {"path": "people.csv"}))
    api.provider.script("step by step", read, says("Read."))
    _, view = await with_consent(api, "step by step, look at people.csv", "no")
    assert view["runs"][-1]["state"] == "done", view["runs"]
    assert VALUE in json.dumps(api.provider.requests), "the model here saw them"
    assert set(asked(api)) == {"near"}


async def test_a_budget_that_would_be_passed_keeps_it_here_unasked(api, data_dir):
    data_dir.mkdir(parents=True, exist_ok=True)
    (data_dir / "budgets.json").write_text('{"run_usd": 0.001}')
    api.provider.script("prove it", says("Done here."))
    _, view = await begin(api, "prove it")
    assert view["runs"][-1]["state"] == "done"
    assert asked(api) == ["near"]
    assert [one for one in view["questions"] if one["kind"] == "budget"] == []
