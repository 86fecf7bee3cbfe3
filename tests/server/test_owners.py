"""A server that knows people by name: nobody reaches what is another's, whatever ids they know."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tornado.httpclient import HTTPClientError

from jupyter_linda.runs import questions
from tests.fakes.provider import Use, says, uses


def as_ben() -> dict[str, str]:
    """Headers of one request: the fixtures add the token to them."""
    return {"X-Person": "ben"}


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any]) -> dict[str, Any]:
    server = {**jp_server_config["ServerApp"], "identity_provider_class": "tests.server.two_people.ByHeader"}
    return {**jp_server_config, "ServerApp": server}


async def status_of(api, method: str, path: str, body: object = None) -> tuple[int, str]:
    with pytest.raises(HTTPClientError) as caught:
        await api.call(method, path, body, headers=as_ben())
    answer = caught.value.response
    return answer.code, json.loads(answer.body)["kind"]


async def test_ids_of_another_person_lead_nowhere(api, provider):
    api.connect()
    provider.script("write for ana", uses(Use("write_file", {"path": "ana.txt", "content": "1"})), says("Done."))
    chat_id = await api.new_chat()
    sent = await api.send(chat_id, "write for ana")
    view = await api.until(chat_id, "waiting", "failed", "done", "interrupted")
    assert view["runs"][-1]["state"] == "waiting", view["runs"][-1]["problem"]
    (question,) = view["questions"]
    message_id, run_id = sent["message"]["message_id"], sent["run"]["run_id"]
    task_id = (await api.call("POST", "tasks", {"title": "Ana's"}))["task_id"]
    words = {"text": "hello", "client_id": "client-of-ben"}
    for method, path, body in (
        ("GET", f"chats/{chat_id}", None),
        ("PATCH", f"chats/{chat_id}", {"title": "Mine"}),
        ("POST", f"chats/{chat_id}/messages", words),
        ("POST", f"chats/{chat_id}/retry", {"message_id": message_id, "client_id": "client-of-ben"}),
        ("POST", f"chats/{chat_id}/stop", {}),
        ("POST", f"chats/{chat_id}/undo", {"run_id": run_id}),
        ("POST", f"chats/{chat_id}/condense", {"message_id": message_id}),
        ("GET", f"chats/{chat_id}/events", None),
        ("GET", f"runs/{run_id}/trace", None),
        ("PATCH", f"tasks/{task_id}", {"title": "Mine"}),
        ("DELETE", f"tasks/{task_id}", None),
        ("DELETE", f"chats/{chat_id}", None),
    ):
        assert await status_of(api, method, path, body) == (404, "NotFound"), (method, path)
    for path, key in (("chats", "chats"), ("tasks", "tasks"), ("questions", "questions"), ("audit", "entries")):
        assert (await api.call("GET", path, headers=as_ben()))[key] == [], path
        assert (await api.call("GET", path))[key] != [], path

    def answer_as_ben() -> None:
        with api.linda.services().log.transaction() as tx:
            questions.answer(tx, question["question_id"], "ben", answer="once", by="panel")

    with pytest.raises(Exception, match="There is no question"):
        await api.linda.services().database.run(answer_as_ben)
    assert (await api.view(chat_id))["chat"]["title"] != "Mine"


async def test_a_socket_follows_only_what_is_its_owners(api, jp_ws_fetch):
    chat_id = await api.new_chat()
    socket = await jp_ws_fetch("linda", "api", "stream", headers=as_ben())
    await socket.write_message(json.dumps({"type": "hello", "client_id": "ben", "home": 0, "chats": {chat_id: 0}}))
    for wish in (chat_id, "home:ana"):
        await socket.write_message(json.dumps({"type": "follow", "chat_id": wish, "after": 0}))
        frame: dict[str, Any] = {"type": "heartbeat"}
        while frame["type"] == "heartbeat":
            frame = json.loads(await socket.read_message())
        assert (frame["type"], frame["of"]) == ("error", "follow"), frame
    socket.close()
