"""Undo through the whole product: a run changes a notebook, a person edits on, and takes her changes back."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.fakes.notebooks import code_cell, notebook
from tests.fakes.provider import Use, says, uses


@pytest.fixture
def file(jp_root_dir):
    target = jp_root_dir / "s.ipynb"
    content = notebook(code_cell("x = 1\n\nprint(x)", "a"), code_cell("y = 2", "b"), extra={"kept": True})
    target.write_text(json.dumps(content, indent=1))
    return target


def sources(file):
    return {cell["id"]: "".join(cell["source"]) for cell in json.loads(file.read_text())["cells"]}


async def changed(api, provider, *calls):
    """A chat in which she made these changes, each allowed once; the view afterwards."""
    api.connect()
    provider.script("change it", *[uses(call) for call in calls], says("Done."))
    chat_id = await api.new_chat()
    await api.send(chat_id, "change it")
    for _ in calls:
        view = await api.until(chat_id, "waiting", "done", "failed")
        question = next(one for one in view["questions"] if one["state"] == "open")
        await api.answer(question["question_id"], "once")
    return await api.until(chat_id)


def edit(cell_id, old, new):
    return Use("edit_cell", {"path": "s.ipynb", "cell_id": cell_id, "old_text": old, "new_text": new})


async def test_a_run_is_undone_around_what_a_person_did_since_and_done_again(api, provider, file):
    view = await changed(
        api, provider, edit("a", "x = 1", "x = 7"), Use("insert_cell", {"path": "s.ipynb", "source": "new"})
    )
    assert view["runs"][-1]["state"] == "done", view["runs"]
    assert [entry["state"] for entry in view["journal"]] == ["done", "done"]
    assert view["journal"][0]["title"] == "Changed cell 1 of s.ipynb"
    content = json.loads(file.read_text())
    content["cells"][0]["source"] = "x = 7\n\nprint(x, 'mine')"
    file.write_text(json.dumps(content, indent=1))
    chat_id, run_id = view["chat"]["chat_id"], view["runs"][-1]["run_id"]
    answer = await api.call("POST", f"chats/{chat_id}/undo", {"run_id": run_id})
    assert [entry["state"] for entry in answer["entries"]] == ["undone", "undone"]
    assert sources(file) == {"a": "x = 1\n\nprint(x, 'mine')", "b": "y = 2"}
    assert json.loads(file.read_text())["extra"] == {"kept": True}
    await api.call("POST", f"chats/{chat_id}/redo", {"run_id": run_id})
    assert list(sources(file).values()) == ["x = 7\n\nprint(x, 'mine')", "y = 2", "new"]
    assert [entry["state"] for entry in (await api.view(chat_id))["journal"]] == ["done", "done"]


async def test_what_cannot_be_undone_says_why_and_the_rest_is_undone(api, provider, file):
    view = await changed(api, provider, edit("a", "x = 1", "x = 7"), edit("b", "y = 2", "y = 3"))
    content = json.loads(file.read_text())
    content["cells"][0]["source"] = "x = 8\n\nprint(x)"
    file.write_text(json.dumps(content))
    chat_id = view["chat"]["chat_id"]
    answer = await api.call("POST", f"chats/{chat_id}/undo", {"since_run": view["runs"][0]["run_id"]})
    states = {entry["title"]: (entry["state"], entry["words"]) for entry in answer["entries"]}
    assert states["Changed cell 2 of s.ipynb"] == ("undone", "")
    state, words = states["Changed cell 1 of s.ipynb"]
    assert state == "done"
    assert "same lines" in words
    assert sources(file) == {"a": "x = 8\n\nprint(x)", "b": "y = 2"}


async def test_one_action_is_undone_by_itself(api, provider, file):
    view = await changed(api, provider, edit("a", "x = 1", "x = 7"), edit("b", "y = 2", "y = 3"))
    chat_id, call_id = view["chat"]["chat_id"], view["journal"][0]["call_id"]
    await api.call("POST", f"chats/{chat_id}/undo", {"call_id": call_id})
    assert sources(file) == {"a": "x = 1\n\nprint(x)", "b": "y = 3"}


async def turn(api, view, word):
    answer = await api.call("POST", f"chats/{view['chat']['chat_id']}/{word}", {"run_id": view["runs"][-1]["run_id"]})
    return [(entry["state"], entry["words"]) for entry in answer["entries"]]


async def test_what_a_person_took_back_by_hand_is_said_and_done_again(api, provider, file):
    before = file.read_text()
    view = await changed(api, provider, edit("a", "x = 1", "x = 7"))
    file.write_text(before)
    [(state, words)] = await turn(api, view, "undo")
    assert state == "undone"
    assert "nothing left to take back" in words
    assert await turn(api, view, "redo") == [("done", "")]
    assert sources(file)["a"] == "x = 7\n\nprint(x)"


async def test_undo_and_redo_at_once_end_as_they_say(api, provider, file):
    view = await changed(api, provider, Use("insert_cell", {"path": "s.ipynb", "source": "new"}))
    await asyncio.gather(*(turn(api, view, word) for word in ("undo", "redo", "undo", "redo")))
    [entry] = (await api.view(view["chat"]["chat_id"]))["journal"]
    assert ("new" in sources(file).values()) == (entry["state"] == "done")


async def test_a_cell_of_an_old_format_is_found_again_after_the_server_was_started_anew(api, provider, file):
    file.write_text(json.dumps(notebook(code_cell("x = 1"), code_cell("y = 2"), minor=4)))
    view = await changed(api, provider, Use("insert_cell", {"path": "s.ipynb", "source": "hers"}))
    api.linda.services().live.documents._ids._known.clear()  # what a fresh server knows
    assert await turn(api, view, "undo") == [("undone", "")]
    assert [cell["source"] for cell in json.loads(file.read_text())["cells"]] == ["x = 1", "y = 2"]


async def test_a_notebook_she_made_is_undone_and_made_again(api, provider, jp_root_dir):
    view = await changed(api, provider, Use("create_notebook", {"path": "made.ipynb", "cells": [{"source": "x = 1"}]}))
    before = (jp_root_dir / "made.ipynb").read_bytes()
    assert await turn(api, view, "undo") == [("undone", "")]
    assert not (jp_root_dir / "made.ipynb").exists()
    assert await turn(api, view, "redo") == [("done", "")]
    assert (jp_root_dir / "made.ipynb").read_bytes() == before


@pytest.mark.parametrize("body", [{}, {"run_id": "a", "call_id": "b"}])
async def test_a_wish_that_names_nothing_or_too_much_is_refused(api, body):
    import tornado.httpclient

    chat_id = await api.new_chat()
    with pytest.raises(tornado.httpclient.HTTPClientError) as caught:
        await api.call("POST", f"chats/{chat_id}/undo", body)
    assert caught.value.code == 400
    assert "Name one of" in caught.value.response.body.decode()
