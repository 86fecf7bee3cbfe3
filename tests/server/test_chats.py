"""Chats over HTTP, with a real worker process and the scripted provider through real litellm."""

from __future__ import annotations

import asyncio
import json

import pytest
from tornado.httpclient import HTTPClientError

from tests.fakes.provider import End, Fail, Say, Stall, Use, says, uses

pytestmark = pytest.mark.filterwarnings("ignore")


async def problem(coroutine) -> tuple[int, dict]:
    with pytest.raises(HTTPClientError) as caught:
        await coroutine
    return caught.value.code, json.loads(caught.value.response.body)


async def test_a_message_is_answered_through_worker_and_provider(api):
    api.connect()
    api.provider.script("good morning", says("Good morning to you", size=4))
    chat_id = await api.new_chat()
    accepted = await api.send(chat_id, "good morning, Linda")
    assert accepted["run"]["state"] == "queued"
    view = await api.until(chat_id)
    assert view["runs"][0]["state"] == "done"
    assert [message["text"] for message in view["messages"]] == ["good morning, Linda", "Good morning to you"]
    assert view["messages"][1]["usage"] == {
        "input_tokens": 100,
        "output_tokens": 20,
        "cached_tokens": 0,
        "is_estimated": False,
        "cost_usd": 0.0,  # it is on this machine
    }
    assert view["chat"]["title"] == "good morning, Linda"


async def test_the_worker_runs_no_file_of_the_folder_in_which_the_server_was_started(api, tmp_path, monkeypatch):
    for name in ("sqlalchemy", "litellm", "random", "jupyter_linda"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nraise SystemExit\n")
    monkeypatch.chdir(tmp_path)
    api.connect()
    chat_id = await api.new_chat()
    await api.send(chat_id, "hello")
    assert (await api.until(chat_id))["runs"][0]["state"] == "done"
    assert not (tmp_path / "ran").exists()


async def test_a_retried_post_starts_no_second_run(api):
    api.connect()
    chat_id = await api.new_chat()
    body = {"text": "once only", "client_id": "the-same-id"}
    first = await api.call("POST", f"chats/{chat_id}/messages", body)
    second = await api.call("POST", f"chats/{chat_id}/messages", body)
    assert first["run"]["run_id"] == second["run"]["run_id"]
    view = await api.until(chat_id)
    assert len(view["runs"]) == 1
    assert [message["role"] for message in view["messages"]] == ["user", "assistant"]


async def test_a_client_id_holds_for_one_chat(api):
    api.connect()
    chats = [await api.new_chat(), await api.new_chat()]
    told = [
        await api.call("POST", f"chats/{chat_id}/messages", {"text": text, "client_id": "my-request-1"})
        for chat_id, text in zip(chats, ("one", "another"), strict=True)
    ]
    assert [accepted["message"]["text"] for accepted in told] == ["one", "another"]
    assert [accepted["run"]["chat_id"] for accepted in told] == chats
    retry = {"message_id": told[0]["message"]["message_id"], "client_id": "my-request-1"}
    assert (await problem(api.call("POST", f"chats/{chats[1]}/retry", {**retry, "client_id": "my-request-2"})))[
        0
    ] == 404
    assert (await api.call("POST", f"chats/{chats[0]}/retry", retry))["run"]["run_id"] == told[0]["run"]["run_id"]


async def test_edit_and_resend_keeps_both_branches(api):
    api.connect()
    api.provider.script("first question", says("one"))
    api.provider.script("second question", says("two"))
    api.provider.script("second, mended", says("two, mended"))
    chat_id = await api.new_chat()
    await api.send(chat_id, "first question")
    await api.until(chat_id)
    await api.send(chat_id, "second question")
    view = await api.until(chat_id)
    parent = view["messages"][1]["message_id"]
    await api.send(chat_id, "second, mended", parent_id=parent)
    view = await api.until(chat_id)
    assert [message["text"] for message in view["messages"]] == [
        "first question",
        "one",
        "second question",
        "two",
        "second, mended",
        "two, mended",
    ]
    assert view["messages"][4]["parent_id"] == parent
    prompt = [message["content"] for message in api.provider.requests[-1]["messages"][1:]]
    assert prompt == ["first question", "one", "second, mended"]


async def test_retry_answers_the_same_message_again(api):
    api.connect()
    api.provider.script("try me", [Fail(500)])
    chat_id = await api.new_chat()
    await api.send(chat_id, "try me")
    view = await api.until(chat_id)
    assert view["runs"][0]["state"] == "failed"
    assert view["runs"][0]["problem"]["kind"] == "server"
    api.provider.script("try me", says("now it works"))
    await api.call(
        "POST", f"chats/{chat_id}/retry", {"message_id": view["messages"][0]["message_id"], "client_id": "retry-it-1"}
    )
    view = await api.until(chat_id)
    assert view["runs"][-1]["state"] == "done"
    assert view["messages"][-1]["text"] == "now it works"


async def test_tools_run_through_the_gate_and_writes_ask_first(api, jp_root_dir):
    (jp_root_dir / "notes.txt").write_text("alpha\nbeta\n")
    api.connect()
    write = {"path": "new.txt", "content": "hello\n"}
    api.provider.script(
        "read and write",
        uses(Use("read_file", {"path": "notes.txt"}), Use("write_file", write, index=1)),
        says("Both done."),
    )
    chat_id = await api.new_chat()
    await api.send(chat_id, "read and write")
    view = await api.until(chat_id, "waiting")
    assert not (jp_root_dir / "new.txt").exists()
    question = view["questions"][0]
    assert (question["tool"], question["arguments"], question["state"]) == ("write_file", write, "open")
    assert question["preview"]["diffs"]
    await api.answer(question["question_id"], "once")
    view = await api.until(chat_id)
    assert view["runs"][-1]["state"] == "done", view["runs"]
    assert (jp_root_dir / "new.txt").read_text() == "hello\n"
    assert [call["state"] for call in view["calls"]] == ["done", "done"]
    entries = (await api.call("GET", "audit"))["entries"]
    assert {(entry["tool"], entry["decision"]) for entry in entries} >= {
        ("read_file", "auto"),
        ("write_file", "asked"),
        ("write_file", "allowed"),
        ("read_file", "done"),
        ("write_file", "done"),
    }


async def test_stop_in_mid_stream_is_quick_and_says_so(api):
    api.connect()
    api.provider.hold()
    api.provider.script("long story", [Say("Once upon a time"), Stall(), End("stop")])
    chat_id = await api.new_chat()
    await api.send(chat_id, "a long story")
    async with asyncio.timeout(40):
        while not any(message["text"] == "Once upon a time" for message in (await api.view(chat_id))["messages"]):
            await asyncio.sleep(0.02)
    await api.call("POST", f"chats/{chat_id}/stop")
    view = await api.until(chat_id, "stopped", seconds=2)
    assert view["messages"][-1]["status"] == "stopped"
    assert view["messages"][-1]["text"] == "Once upon a time"
    api.provider.go()


async def test_nobody_elses_chat_can_be_seen(api):
    chat_id = await api.new_chat()
    status, body = await problem(api.call("GET", f"chats/{chat_id[:-1]}x"))
    assert (status, body["kind"]) == (404, "NotFound")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"text": "x"},
        {"text": "x", "client_id": "12345678", "nonsense": 1},
        [1],
    ],
)
async def test_malformed_messages_are_refused_in_words(api, body):
    chat_id = await api.new_chat()
    status, answer = await problem(api.call("POST", f"chats/{chat_id}/messages", body))
    assert status == 400
    assert answer["kind"] == "InvalidInput"
    assert "malformed" in answer["message"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "text is blank"),
        (" \n\t\u00a0", "text is blank"),
        ("\u200b\u2060\ufeff", "text is blank"),
        ("a\0b", "text holds a NUL"),
        ("x" * 200_001, "200,001 characters; 200,000 is the most"),
    ],
)
async def test_texts_nobody_could_answer_are_refused_in_words_of_their_own(api, text, words):
    chat_id = await api.new_chat()
    message = {"text": text, "client_id": "12345678"}
    status, answer = await problem(api.call("POST", f"chats/{chat_id}/messages", message))
    assert (status, answer["kind"]) == (400, "InvalidInput")
    assert words in answer["message"]
    assert "Reload" not in answer["remedy"]
    assert (await api.view(chat_id))["messages"] == []


@pytest.mark.parametrize("title", ["   ", "\n", "\u200b", "a\0b", "x" * 201])
async def test_blank_titles_and_nul_characters_are_refused(api, title):
    chat_id = await api.new_chat()
    for method, path in (("POST", "chats"), ("PATCH", f"chats/{chat_id}"), ("POST", "tasks")):
        body = {"title": title * 2 if path == "tasks" and len(title) > 200 else title}
        status, answer = await problem(api.call(method, path, body))
        assert status == 400
        assert "title" in answer["message"]
    assert (await api.view(chat_id))["chat"]["title"] == ""
    nested = {"text": "x", "client_id": "12345678", "context": [{"kind": "file", "path": "a\0b"}]}
    status, answer = await problem(api.call("POST", f"chats/{chat_id}/messages", nested))
    assert (status, answer["message"]) == (400, "The path holds a NUL character.")


async def test_bytes_that_are_not_json_are_refused_in_words(api, jp_fetch):
    status, answer = await problem(jp_fetch("linda", "api", "chats", method="POST", body=b"\xff{nonsense"))
    assert (status, answer["kind"]) == (400, "InvalidInput")


async def test_an_unknown_route_is_a_404_in_json(api):
    status, answer = await problem(api.call("GET", "nothing/here"))
    assert (status, answer["kind"]) == (404, "NotFound")


async def test_rename_and_delete(api):
    chat_id = await api.new_chat()
    renamed = await api.call("PATCH", f"chats/{chat_id}", {"title": "Lakes"})
    assert renamed["title"] == "Lakes"
    assert [chat["title"] for chat in (await api.call("GET", "chats", params={"query": "lak"}))["chats"]] == ["Lakes"]
    await api.call("DELETE", f"chats/{chat_id}")
    assert (await api.call("GET", "chats"))["chats"] == []


@pytest.mark.parametrize(
    ("title", "query"),
    [
        ("Straße nach Bern", "STRASSE"),
        ("STRASSE nach Bern", "straße"),
        ("Озёра России", "ОЗЁРА"),
        ("ΛΊΜΝΕΣ ΤΗΣ ΕΛΛΆΔΑΣ", "λίμνες"),
        ("Èze et Évian", "évian"),
        ("湖泊的温度", "湖泊"),
        ("100% of _all_ lakes", "% of _A"),
    ],
)
async def test_chats_are_found_whatever_the_case_in_any_alphabet(api, title, query):
    for one in (title, "something else"):
        await api.call("POST", "chats", {"title": one})
    found = await api.call("GET", "chats", params={"query": query})
    assert [chat["title"] for chat in found["chats"]] == [title]
