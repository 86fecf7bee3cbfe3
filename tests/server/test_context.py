"""What models are given, through the whole product: the meter, pins, condensing on request."""

from __future__ import annotations

import pytest
from tornado.httpclient import HTTPClientError

from jupyter_linda.errors import InvalidInput
from tests.fakes.provider import says


async def talked(api, provider, turns: int) -> str:
    api.connect()
    provider.script("Condense the conversation", says("- they said hello"))
    chat_id = await api.new_chat()
    for number in range(turns):
        await api.send(chat_id, f"hello {number}")
        await api.until(chat_id)
    return chat_id


async def test_a_chat_is_condensed_on_request_and_pins_stay_word_for_word(api, provider):
    chat_id = await talked(api, provider, 5)
    view = await api.view(chat_id)
    assert view["meter"]["used"] == sum(part["tokens"] for part in view["meter"]["parts"])
    assert view["meter"]["window"] == 75_000
    pinned, last = view["messages"][1], view["messages"][-1]["message_id"]
    await api.call("PATCH", f"chats/{chat_id}/messages/{pinned['message_id']}", {"is_pinned": True})
    answer = await api.call("POST", f"chats/{chat_id}/condense", {"message_id": last})
    assert answer["summary"]["text"] == "- they said hello"
    assert answer["summary"]["upto_message_id"] == view["messages"][3]["message_id"]
    view = await api.view(chat_id)
    assert view["summaries"] == [answer["summary"]]
    assert [m["is_pinned"] for m in view["messages"][:3]] == [False, True, False]
    await api.send(chat_id, "and now")
    await api.until(chat_id)
    prompt = provider.requests[-1]["messages"]
    assert [message["role"] for message in prompt[:3]] == ["system", "user", "assistant"]
    assert "- they said hello" in prompt[1]["content"]
    assert "- hello 0" in prompt[1]["content"]
    assert prompt[2]["content"] == pinned["text"]
    assert [m["content"] for m in prompt[3:] if m["role"] == "user"] == ["hello 2", "hello 3", "hello 4", "and now"]
    again = await api.call("POST", f"chats/{chat_id}/condense", {"message_id": pinned["message_id"]})
    assert again["summary"] is None  # on that branch nothing is older than the last six


async def test_what_is_not_there_is_neither_pinned_nor_condensed(api, provider):
    chat_id = await talked(api, provider, 1)
    for method, path, body in (
        ("PATCH", f"chats/{chat_id}/messages/message_none", {"is_pinned": True}),
        ("POST", f"chats/{chat_id}/condense", {"message_id": "message_none"}),
        ("POST", "chats/chat_none/condense", {"message_id": "message_none"}),
    ):
        with pytest.raises(HTTPClientError) as caught:
            await api.call(method, path, body)
        assert caught.value.code == 404


async def test_standing_instructions_stand_in_the_next_prompt(api, provider, data_dir):
    api.connect()
    assert await api.call("GET", "instructions") == {"text": ""}
    with pytest.raises(HTTPClientError) as caught:  # a token proves no person, and the instructions count as theirs
        await api.call("PUT", "instructions", {"text": "with a token"})
    assert caught.value.code == 403
    standing = api.linda.services().standing
    standing.save("Answer in German.\n")
    assert (data_dir / "instructions.md").read_text() == "Answer in German.\n"
    assert await api.call("GET", "instructions") == {"text": "Answer in German."}
    chat_id = await api.new_chat()
    await api.send(chat_id, "hello")
    await api.until(chat_id)
    assert "Answer in German." in provider.requests[-1]["messages"][0]["content"]
    assert "standing" in [part["kind"] for part in (await api.view(chat_id))["meter"]["parts"]]
    with pytest.raises(InvalidInput, match="8,001 characters"):
        standing.save("x" * 8_001)
    standing.save(" ")
    assert not (data_dir / "instructions.md").exists()
