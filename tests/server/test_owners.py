"""A server that knows people by name: nobody reaches what is another's, whatever ids they know."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import nbformat
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


async def allow(api, question_id: str) -> None:
    def work() -> None:
        with api.linda.services().log.transaction() as tx:
            questions.answer(tx, question_id, "ana", answer="once", by="panel")

    await api.linda.services().database.run(work)
    api.linda.services().brain.nudge("runs")


async def test_what_ana_asks_for_reaches_no_tab_of_ben(api, provider, jp_ws_fetch, jp_root_dir):
    api.connect()
    note = jp_root_dir / "b.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x = 1", id="one")]), note)
    before = note.read_bytes()
    socket = await jp_ws_fetch("linda", "api", "stream", headers=as_ben())
    presence = {"notebooks": ["b.ipynb"], "active": "b.ipynb"}
    for frame in (
        {"type": "hello", "client_id": "ben", "home": 0, "chats": {}},
        {"type": "presence", "presence": presence},
    ):
        await socket.write_message(json.dumps(frame))
    while not (tabs := api.linda.services().browsers.tabs()) or not tabs[0].notebooks:
        await asyncio.sleep(0.01)
    edit = {"path": "b.ipynb", "cell_id": "one", "old_text": "x = 1", "new_text": "x = 2"}
    provider.script("change it", uses(Use("edit_cell", edit)), says("It is open elsewhere."))
    chat_id = await api.new_chat()
    await api.send(chat_id, "change it")
    view = await api.until(chat_id, "waiting", "failed", "done", "interrupted")
    if view["questions"]:
        await allow(api, view["questions"][0]["question_id"])
        view = await api.until(chat_id, "failed", "done", "interrupted")
    (call,) = view["calls"]
    assert (call["state"], "another person's tab" in call["result"]) == ("failed", True), call
    assert note.read_bytes() == before
    socket.close()
