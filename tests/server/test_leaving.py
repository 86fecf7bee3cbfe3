"""What leaves for a model elsewhere: consent first, levels and placeholders always, and a preview of it all."""

from __future__ import annotations

import json

import pytest

from jupyter_linda.schemas import ProviderInput
from tests.fakes.notebooks import code_cell, notebook
from tests.fakes.provider import Use, says, uses

MAIL = "ada.lovelace@example.org"
VALUE = "canary-7f3a"


@pytest.fixture
def elsewhere(provider):
    provider.requests.clear()
    return provider


def connect(api):
    """The scripted provider, said to run elsewhere: a server here that passes a cloud's models on."""
    wish = ProviderInput(kind="openai", base_url=api.provider.base_url, models=("big-cloud",), key="sk-test-0123456789")
    api.linda.services().providers.put("fake", wish)
    api.linda.services().providers.choose_default("fake/big-cloud")


async def ask(api, text, answer="once"):
    connect(api)
    chat_id = await api.new_chat()
    await api.send(chat_id, text)
    view = await api.until(chat_id, "waiting", "failed", "done")
    if answer is not None and view["questions"]:
        (question,) = [one for one in view["questions"] if one["state"] == "open"]
        await api.answer(question["question_id"], answer)
        view = await api.until(chat_id, "done", "failed")
    return chat_id, view


async def test_nothing_leaves_before_a_person_agreed_and_the_question_shows_what_would(api, elsewhere):
    elsewhere.script("write to", says("Done."))
    chat_id, view = await ask(api, f"write to {MAIL}", answer=None)
    assert elsewhere.requests == []
    (question,) = view["questions"]
    assert (question["kind"], question["action"]) == ("consent", "send")
    assert question["resource"].startswith("openai at 127.0.0.1")
    assert question["preview"]["sentence"].startswith(
        f"Send this to fake ({question['resource']})? fake/big-cloud runs"
    )
    assert "⟦mail-1⟧" in question["preview"]["code"]
    assert MAIL not in json.dumps(question)
    await api.answer(question["question_id"], "once")
    view = await api.until(chat_id)
    assert view["runs"][-1]["state"] == "done"
    assert MAIL not in json.dumps(elsewhere.requests)


@pytest.mark.parametrize(("answer", "count"), [("once", 1), ("no", 0)])
async def test_a_trace_has_the_prompt_of_a_request_that_was_asked_about_as_often_as_it_went(
    api, elsewhere, answer, count
):
    elsewhere.script("tell me more", says("More."))
    _, view = await ask(api, "tell me more", answer)
    trace = await api.call("GET", f"runs/{view['runs'][-1]['run_id']}/trace")
    assert (len(trace["contexts"]), len(trace["model_calls"])) == (count, count)


async def test_a_no_ends_the_run_in_words_and_sends_nothing(api, elsewhere):
    _, view = await ask(api, "hello there", answer="no")
    assert view["runs"][-1]["state"] == "failed"
    assert view["runs"][-1]["problem"]["kind"] == "no_consent"
    assert elsewhere.requests == []


async def test_identities_come_back_in_the_answer_and_in_arguments(api, elsewhere, jp_root_dir):
    elsewhere.script(
        "note the address",
        uses(Use("write_file", {"path": "a.txt", "content": "to ⟦mail-1⟧\n"})),
        says("I wrote to ⟦mail-1⟧.", size=3),
    )
    chat_id, view = await ask(api, f"note the address {MAIL}", answer=None)
    for _ in range(2):
        (question,) = [one for one in view["questions"] if one["state"] == "open"]
        await api.answer(question["question_id"], "once")
        view = await api.until(chat_id, "waiting", "done", "failed")
        if view["runs"][-1]["state"] != "waiting":
            break
    assert view["runs"][-1]["state"] == "done", view["runs"]
    assert (jp_root_dir / "a.txt").read_text() == f"to {MAIL}\n"
    assert view["messages"][-1]["text"] == f"I wrote to {MAIL}."
    assert MAIL not in json.dumps(elsewhere.requests, ensure_ascii=False)


async def test_sources_leave_and_outputs_stay_until_a_level_lets_them_out(api, elsewhere, jp_root_dir, data_dir):
    shown = [{"output_type": "stream", "name": "stdout", "text": VALUE}]
    (jp_root_dir / "n.ipynb").write_text(json.dumps(notebook(code_cell("print(secret)", "a", outputs=shown))))
    elsewhere.script("read it", uses(Use("read_notebook", {"path": "n.ipynb"})), says("Read."))
    _, view = await ask(api, "read it")
    assert VALUE in json.dumps(view["calls"]), "the person sees it all"
    sent = json.dumps(elsewhere.requests, ensure_ascii=False)
    assert "print(secret)" in sent
    assert VALUE not in sent
    assert "withheld: outputs and values of n.ipynb" in sent
    (data_dir / "privacy.json").write_text('{"version": 1, "levels": [{"path": "n.ipynb", "data": "values"}]}')
    await ask(api, "read it")
    assert VALUE in json.dumps(elsewhere.requests[-1])


async def test_the_preview_of_a_message_tells_exactly_what_left(api, elsewhere):
    elsewhere.script("call me", says("Yes."))
    _, view = await ask(api, "call me at +49 30 901820")
    sent = await api.call("GET", f"sent/{view['messages'][-1]['message_id']}")
    (call,) = sent["calls"]
    assert call["placeholders"] == {"phone": 1}
    assert "call me at ⟦phone-1⟧" in call["text"]
    assert not call["is_here"]


async def test_what_left_goes_with_its_chat(api, elsewhere, data_dir, monkeypatch):
    monkeypatch.setattr("jupyter_linda.chats.sweeping.YOUNG_S", 0.0)
    chat_id, _ = await ask(api, "call me at +49 30 901820")
    kept = [file.read_text() for file in (data_dir / "sent").glob("??/*")]
    assert any("call me at" in text for text in kept)
    await api.call("DELETE", f"chats/{chat_id}")
    assert list((data_dir / "sent").glob("??/*")) == []


async def test_offline_sends_nothing_and_says_so(api, elsewhere, data_dir):
    data_dir.mkdir(exist_ok=True)
    (data_dir / "privacy.json").write_text('{"version": 1, "offline": true}')
    _, view = await ask(api, "hello", answer=None)
    assert view["runs"][-1]["problem"]["kind"] == "no_model"
    assert elsewhere.requests == []


async def test_offline_tries_no_connection_elsewhere(api, elsewhere, data_dir):
    data_dir.mkdir(exist_ok=True)
    (data_dir / "privacy.json").write_text('{"version": 1, "offline": true}')
    wish = {"name": "new", "kind": "openai", "base_url": elsewhere.base_url, "models": ["big-cloud"], "key": "sk-x"}
    tested = await api.call("POST", "providers/test", wish)
    assert (tested["ok"], tested["message"]) == (False, "Nothing was sent: “offline” is on.")
    assert elsewhere.requests == []
    assert (await api.call("POST", "providers/test", {**wish, "models": ["scripted"]}))["ok"], "it is on this machine"
