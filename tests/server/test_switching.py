"""A chat that goes on with another model: what a model here said of values stays here, whatever became of both."""

from __future__ import annotations

import json

import pytest
from tornado.httpclient import HTTPClientError

from jupyter_linda.chats import summaries
from jupyter_linda.gateway.consents import add_consent
from jupyter_linda.schemas import ProviderInput
from tests.fakes.provider import Fail, FakeProvider, Use, says, uses

VALUE = "canary-9d2e"
NEAR, FAR = "fake/near", "fake/far-cloud"


def connect(api, name="fake", models=("near", "far-cloud")):
    """A model here, and one of a cloud."""
    wish = ProviderInput(kind="openai", base_url=api.provider.base_url, models=models, key="sk-test-0123456789")
    api.linda.services().providers.put(name, wish)


async def begin(api, jp_root_dir):
    """A chat in which the model here read values and quoted them."""
    api.provider.requests.clear()
    connect(api)
    (jp_root_dir / "people.csv").write_text(f"name,age\n{VALUE},3\n")
    api.provider.script("look at people", uses(Use("peek_data_file", {"path": "people.csv"})), says(f"It is {VALUE}."))
    chat_id = await api.new_chat()
    await go_on(api, chat_id, "look at people.csv", NEAR)
    assert VALUE in json.dumps(api.provider.requests), "the model here saw it"
    return chat_id


async def go_on(api, chat_id, text, model):
    """One message to a model; what may leave is agreed to."""
    await api.call("PATCH", f"chats/{chat_id}", {"model": model})
    await api.send(chat_id, text)
    view = await api.until(chat_id, "done", "failed", "waiting")
    if view["runs"][-1]["state"] == "waiting":
        (question,) = [one for one in view["questions"] if one["state"] == "open"]
        await api.answer(question["question_id"], "once")
        view = await api.until(chat_id)
    return view


def gone(api):
    """Everything the cloud's model was told."""
    sent = [request for request in api.provider.requests if request["model"] == "far-cloud"]
    return json.dumps(sent, ensure_ascii=False)


async def stays_here(api, chat_id, model=FAR):
    view = await go_on(api, chat_id, "the last message", model)
    assert view["runs"][-1]["state"] == "done", view["runs"]
    assert "the last message" in gone(api)
    assert VALUE not in gone(api)


async def write(api, work):
    services = api.linda.services()

    def in_transaction():
        with services.log.transaction() as tx:
            work(tx)

    await services.database.run(in_transaction)


async def test_what_a_model_here_said_of_values_does_not_go_to_one_elsewhere(api, jp_root_dir):
    await stays_here(api, await begin(api, jp_root_dir))


async def test_nor_when_it_is_pinned_and_what_it_had_read_is_condensed_by_the_one_elsewhere(api, jp_root_dir):
    chat_id = await begin(api, jp_root_dir)
    said = (await api.view(chat_id))["messages"][-1]["message_id"]
    await write(api, lambda tx: summaries.pin(tx, chat_id, said, is_pinned=True))
    for at in range(4):
        view = await go_on(api, chat_id, f"more {at}", FAR)
    wish = {"message_id": view["messages"][-1]["message_id"]}
    with pytest.raises(HTTPClientError) as refused:
        await api.call("POST", f"chats/{chat_id}/condense", wish)
    assert refused.value.code == 409, "what was agreed to for replies is asked for anew, and nothing hangs"
    services = api.linda.services()
    place, folder = services.providers.destination(FAR), services.root_dir
    await write(api, lambda tx: add_consent(tx.connection, "consent_1", "local", folder, place, {}, now=tx.now))
    made = await api.call("POST", f"chats/{chat_id}/condense", wish)
    assert made["summary"]["made_by"] == FAR
    await stays_here(api, chat_id)


async def test_nor_when_the_provider_of_the_model_here_is_gone(api, jp_root_dir):
    chat_id = await begin(api, jp_root_dir)
    connect(api, "second", ("far-cloud",))
    api.linda.services().providers.remove("fake")
    await stays_here(api, chat_id, "second/far-cloud")


async def test_nor_as_the_name_of_a_tool_that_does_not_exist(api, jp_root_dir):
    chat_id = await begin(api, jp_root_dir)
    api.provider.script("what now", uses(Use(VALUE, {})), says("Hm."))
    await go_on(api, chat_id, "what now", NEAR)
    await stays_here(api, chat_id)


async def test_nor_in_the_words_of_a_fault(api, jp_root_dir):
    chat_id = await begin(api, jp_root_dir)
    api.provider.script("what now", [Fail(400, f"cannot parse: {VALUE}")])
    await go_on(api, chat_id, "what now", NEAR)
    await stays_here(api, chat_id)


async def test_a_part_of_a_long_result_has_the_level_of_its_file(api, jp_root_dir, data_dir):
    data_dir.mkdir(parents=True, exist_ok=True)
    levels = {"default": {"data": "values"}, "levels": [{"path": "inner/**", "text": "local"}]}
    (data_dir / "privacy.json").write_text(json.dumps({"version": 1, **levels}))
    (jp_root_dir / "inner").mkdir()
    (jp_root_dir / "inner" / "a.txt").write_text("\n".join(f"{VALUE} in line {at}" for at in range(6000)))
    api.provider.requests.clear()
    connect(api)
    chat_id = await api.new_chat()
    api.provider.script("read it", uses(Use("read_file", {"path": "inner/a.txt"})), says("Read."))
    await go_on(api, chat_id, "read it", NEAR)
    result = next(one for one in api.provider.requests[-1]["messages"] if one["role"] == "tool")["content"]
    mark = result.partition("<<data ")[2].split()[0]
    api.provider.script("read on", uses(Use("read_result", {"mark": mark, "start": 5000})), says("Read on."))
    await go_on(api, chat_id, "read on", NEAR)
    (told,) = [call for call in (await api.view(chat_id))["calls"] if call["name"] == "read_result"]
    assert VALUE in told["result"], told
    await stays_here(api, chat_id)


async def test_an_address_that_sends_on_to_another_gets_no_request_there(api):
    api.provider.requests.clear()
    connect(api)
    with FakeProvider() as other:
        moved = Fail(307, "go", headers=(("Location", f"{other.base_url}/chat/completions"),))
        api.provider.script("please move", [moved])
        view = await go_on(api, await api.new_chat(), "please move", NEAR)
        assert other.raw == []
    assert view["runs"][-1]["problem"]["kind"] == "moved"
    assert len(api.provider.requests) == 1
