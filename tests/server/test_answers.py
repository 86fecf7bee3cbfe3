"""Who may answer: the page (cookie and XSRF) and the terminal that asked; never a token."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta

import httpx
import pytest

from jupyter_linda.client import LindaClient, Server
from jupyter_linda.errors import NoLongerValid, NotAllowed, NotFound
from tests.fakes.provider import End, FakeProvider, Say, Stall, Use, says, uses
from tests.ui.lab import Lab, Page, running


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, provider: FakeProvider) -> Iterator[Lab]:
    made = Lab(tmp_path_factory.mktemp("home"), app="jupyter_server", base_url="/user/ana/")
    made.connect(provider.base_url)
    provider.script("please write", uses(Use("write_file", {"path": "asked.txt", "content": "1"})), says("Written."))
    with running(made):
        yield made


@pytest.fixture
def page(lab: Lab) -> Iterator[Page]:
    made = Page(lab)
    yield made
    made.close()


def ask(page: Page, lab: Lab) -> str:
    (lab.root / "asked.txt").unlink(missing_ok=True)
    chat_id = page.call("POST", "chats", {})["chat_id"]
    page.call("POST", f"chats/{chat_id}/messages", {"text": "please write", "client_id": f"client-{chat_id}"})
    return wait(page, chat_id, "waiting")["questions"][0]["question_id"]


def wait(page: Page, chat_id: str, *states: str) -> dict:
    return until(page, chat_id, lambda view: view["runs"] and view["runs"][-1]["state"] in states)


def until(page: Page, chat_id: str, is_there: Callable[[dict], object]) -> dict:
    deadline = time.monotonic() + 40
    while time.monotonic() < deadline:
        view = page.call("GET", f"chats/{chat_id}")
        if is_there(view):
            return view
        time.sleep(0.03)
    raise AssertionError(view["runs"])


@pytest.mark.parametrize("how", ["header", "bearer", "address"])
def test_a_token_cannot_answer_even_beside_a_cookie(page, lab, how):
    question = page.call("GET", "questions")["questions"] or [{"question_id": ask(page, lab)}]
    headers = {"X-XSRFToken": page._http.cookies.get("_xsrf", "")}
    params = {}
    if how == "address":
        params["token"] = lab.token
    else:
        headers["Authorization"] = f"{'token' if how == 'header' else 'Bearer'} {lab.token}"
    path = f"linda/api/questions/{question[0]['question_id']}/answer"
    answer = page._http.post(path, json={"answer": "once"}, headers=headers, params=params)
    assert answer.status_code == 403
    assert not (lab.root / "asked.txt").exists()


def test_a_cookie_without_xsrf_cannot_answer(page, lab):
    question_id = ask(page, lab)
    answer = page._http.post(f"linda/api/questions/{question_id}/answer", json={"answer": "once"})
    assert answer.status_code == 403
    assert not (lab.root / "asked.txt").exists()


def test_an_answer_says_that_its_server_lives(page, lab):
    """Else the worker of another server may take the run, and write a file that is open here."""
    question_id = ask(page, lab)
    with closing(sqlite3.connect(lab.data_dir / "linda.sqlite", isolation_level=None, timeout=10)) as connection:
        connection.execute("UPDATE servers SET heartbeat_at = 0")
        page.call("POST", f"questions/{question_id}/answer", {"answer": "no"})
        (told,) = connection.execute("SELECT max(heartbeat_at) FROM servers").fetchone()
    assert told > 0


def test_nobody_without_an_identity_gets_anything(lab):
    for path in ("status", "chats", "questions", "rules", "stream", "providers"):
        assert httpx.get(f"{lab.url}linda/api/{path}", trust_env=False).status_code in (302, 403), path


def test_the_page_answers_once_and_a_second_answer_hears_who_decided(page, lab):
    question_id = ask(page, lab)
    answered = page.call("POST", f"questions/{question_id}/answer", {"answer": "once"})
    assert (answered["state"], answered["answer"], answered["answered_by"]) == ("answered", "once", "panel")
    with pytest.raises(httpx.HTTPStatusError) as caught:
        page.call("POST", f"questions/{question_id}/answer", {"answer": "no"})
    assert caught.value.response.status_code == 409
    assert "once by panel" in caught.value.response.json()["message"]
    wait(page, answered["chat_id"], "done")
    assert (lab.root / "asked.txt").read_text() == "1"


def test_a_scope_that_was_not_offered_is_refused(page, lab):
    question_id = ask(page, lab)
    for scope in (None, {"label": "all", "tool": "", "action": "write", "path": "", "chat_id": "", "days": None}):
        with pytest.raises(httpx.HTTPStatusError) as caught:
            page.call("POST", f"questions/{question_id}/answer", {"answer": "always", "scope": scope})
        assert caught.value.response.status_code == 400
    with pytest.raises(httpx.HTTPStatusError):
        page.call("POST", f"questions/{question_id}/answer", {"answer": "sure"})
    assert page.call("GET", "grants")["grants"] == []


def test_an_answer_holds_for_the_place_that_was_asked_about(page, lab, provider):
    """What a path leads to may change while a question waits: then it is asked again."""
    for name in ("first", "second"):
        (lab.root / name).mkdir()
    box = lab.root / "box"
    box.symlink_to(lab.root / "first")
    use = Use("write_file", {"path": "box/note.txt", "content": "1"})
    provider.script("into the box", uses(use), says("Written."))
    chat_id = page.call("POST", "chats", {})["chat_id"]
    page.call("POST", f"chats/{chat_id}/messages", {"text": "into the box", "client_id": f"client-{chat_id}"})
    (question,) = wait(page, chat_id, "waiting")["questions"]
    assert question["resource"] == "first/note.txt"
    box.unlink()
    box.symlink_to(lab.root / "second")
    page.call("POST", f"questions/{question['question_id']}/answer", {"answer": "once"})
    view = until(page, chat_id, lambda view: any(map(is_open, view["questions"])))
    (again,) = filter(is_open, view["questions"])
    assert again["resource"] == "second/note.txt"
    assert list(lab.root.glob("*/note.txt")) == []
    page.call("POST", f"questions/{again['question_id']}/answer", {"answer": "once"})
    wait(page, chat_id, "done")
    assert [path.parent.name for path in lab.root.glob("*/note.txt") if not path.parent.is_symlink()] == ["second"]


def is_open(question):
    return question["state"] == "open"


def test_a_secret_that_anybody_could_choose_says_no_always(lab, page):
    with LindaClient(Server(lab.url, lab.token, str(lab.root))) as client:
        chat_id = client.new_chat()
        client.send(chat_id, "please write")
        question = wait(page, chat_id, "waiting")["questions"][0]
        path, wish = f"questions/{question['question_id']}/answer", {"answer": "always", "scope": question["scopes"][0]}
        with pytest.raises(NotAllowed, match="on the page itself"):
            client.request("POST", path, wish, **{"X-Linda-Answer-Secret": client._secret})
        assert client.answer(question["question_id"], "no")["answer"] == "no"
    assert page.call("GET", "grants")["grants"] == []


def test_a_token_turns_no_grant_and_what_was_revoked_by_hand_stays_so(lab, page):
    question_id = ask(page, lab)
    (question,) = [one for one in page.call("GET", "questions")["questions"] if one["question_id"] == question_id]
    page.call("POST", f"questions/{question_id}/answer", {"answer": "always", "scope": question["scopes"][0]})
    wait(page, question["chat_id"], "done")
    (grant,) = page.call("GET", "grants")["grants"]
    headers, wish = {"Authorization": f"token {lab.token}"}, {"call_id": question_id}
    for method, path, body in (
        ("POST", f"chats/{question['chat_id']}/undo", wish),
        ("POST", f"chats/{question['chat_id']}/redo", wish),
    ):
        url = f"{lab.url}linda/api/{path}"
        answer = httpx.request(method, url, json=body, headers=headers, trust_env=False)
        assert answer.status_code == 403, path
    page.call("DELETE", f"grants/{grant['grant_id']}")
    page.call("POST", f"chats/{question['chat_id']}/undo", wish)
    (entry,) = page.call("POST", f"chats/{question['chat_id']}/redo", wish)["entries"]
    assert (entry["state"], "revoked by hand" in entry["words"]) == ("undone", True)
    assert page.call("GET", "grants")["grants"] == []


def test_an_always_lasts_as_long_as_the_person_chose_and_no_longer_than_offered(page, lab):
    question_id = ask(page, lab)
    (question,) = [one for one in page.call("GET", "questions")["questions"] if one["question_id"] == question_id]
    wish = {"answer": "always", "scope": question["scopes"][0]}
    for hours in (0, 7 * 24 + 1):
        with pytest.raises(httpx.HTTPStatusError) as caught:
            page.call("POST", f"questions/{question_id}/answer", {**wish, "hours": hours})
        assert caught.value.response.status_code == 400
    page.call("POST", f"questions/{question_id}/answer", {**wish, "hours": 1})
    (grant,) = page.call("GET", "grants")["grants"]
    span = datetime.fromisoformat(grant["expires_at"]) - datetime.fromisoformat(grant["created_at"])
    assert span == timedelta(hours=1)
    page.call("DELETE", f"grants/{grant['grant_id']}")
    wait(page, question["chat_id"], "done")


def test_a_terminal_answers_only_the_run_it_started(lab, page):
    server = Server(lab.url, lab.token, str(lab.root))
    (lab.root / "asked.txt").unlink(missing_ok=True)
    with LindaClient(server) as mine, LindaClient(server) as other:
        chat_id = mine.new_chat()
        mine.send(chat_id, "please write")
        question_id = wait(page, chat_id, "waiting")["questions"][0]["question_id"]
        with pytest.raises(NotAllowed):
            other.answer(question_id, "once")
        assert mine.answer(question_id, "once")["answered_by"] == "terminal"
        with pytest.raises(NoLongerValid):
            mine.answer(question_id, "no")
        wait(page, chat_id, "done")
    assert (lab.root / "asked.txt").exists()


def test_sse_replays_then_follows_and_resumes_from_the_last_id(lab):
    server = Server(lab.url, lab.token, str(lab.root))
    with LindaClient(server) as client:
        chat_id = client.new_chat()
        client.send(chat_id, "tell me something")
        first = []
        for event in client.follow(chat_id, after=0):
            first.append(event["seq"])
            if event["kind"] == "run.changed" and event["payload"]["run"]["state"] == "done":
                break
        assert first == list(range(1, len(first) + 1))
        resumed = []
        for event in client.follow(chat_id, after=3):
            resumed.append(event["seq"])
            if len(resumed) == len(first) - 3:
                break
        assert resumed == first[3:]


def test_a_stream_ends_with_its_chat(lab, page):
    with LindaClient(Server(lab.url, lab.token, str(lab.root))) as client:
        chat_id = client.new_chat()
        client.send(chat_id, "tell me something")
        wait(page, chat_id, "done")
        last = client.last_seq(chat_id)
        threading.Timer(0.5, lambda: page.call("DELETE", f"chats/{chat_id}")).start()
        seen = [(event["kind"], event["seq"]) for event in client.follow(chat_id, after=last - 1)]
        assert seen[-1] == ("chat.deleted", last + 1)
        with pytest.raises(NotFound):
            next(client.follow(chat_id, after=0))


def test_a_last_event_id_that_is_no_number_starts_from_the_beginning(lab):
    with LindaClient(Server(lab.url, lab.token, str(lab.root))) as client:
        chat_id = client.new_chat()
        client.send(chat_id, "tell me something")
        with httpx.stream(
            "GET",
            f"{lab.url}linda/api/chats/{chat_id}/events",
            headers=[(b"Authorization", f"token {lab.token}".encode()), (b"Last-Event-ID", "²".encode("latin-1"))],
            trust_env=False,
        ) as answer:
            assert answer.status_code == 200


def test_a_token_cannot_switch_to_the_mode_that_takes_questions_away(lab, page):
    headers = {"Authorization": f"token {lab.token}"}
    new = httpx.post(f"{lab.url}linda/api/chats", json={"mode": "edit"}, headers=headers, trust_env=False)
    assert new.status_code == 403
    chat_id = page.call("POST", "chats", {})["chat_id"]
    changed = httpx.patch(
        f"{lab.url}linda/api/chats/{chat_id}", json={"mode": "edit"}, headers=headers, trust_env=False
    )
    assert changed.status_code == 403
    assert page.call("PATCH", f"chats/{chat_id}", {"mode": "edit"})["mode"] == "edit"


def test_a_stored_key_does_not_follow_a_changed_address(lab, page):
    elsewhere = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "models": ["scripted"]}
    with pytest.raises(httpx.HTTPStatusError) as caught:
        page.call("PUT", "providers/fake", elsewhere)
    assert caught.value.response.status_code == 400
    assert "Give the key again" in caught.value.response.json()["remedy"]


def test_an_always_holds_for_the_place_and_not_for_its_name_in_another_folder(page, lab):
    import sqlite3

    question_id = ask(page, lab)
    scope = page.call("GET", "questions")["questions"][-1]["scopes"][1]
    answered = page.call("POST", f"questions/{question_id}/answer", {"answer": "always", "scope": scope})
    wait(page, answered["chat_id"], "done")
    (grant,) = page.call("GET", "grants")["grants"]
    assert grant["path"] == "asked.txt"
    with sqlite3.connect(lab.data_dir / "linda.sqlite") as connection:
        (kept,) = connection.execute("SELECT path FROM grants").fetchone()
    assert kept == (lab.root.resolve() / "asked.txt").as_posix()
    page.call("DELETE", f"grants/{grant['grant_id']}")


def test_a_silent_model_does_not_break_a_follower(tmp_path, provider):
    quiet = Lab(tmp_path, app="jupyter_server", settings={"heartbeat_s": 1.0})
    quiet.connect(provider.base_url)
    provider.script("think for long", [Say("begin "), Stall(3.0), Say("end."), End("stop")])
    provider.hold()
    with running(quiet), LindaClient(Server(quiet.url, quiet.token, str(quiet.root))) as client:
        chat_id = client.new_chat()
        client.send(chat_id, "think for long")
        text = ""
        for event in client.follow(chat_id, after=0):
            text += event["payload"].get("text", "") if event["kind"] == "message.delta" else ""
            if event["kind"] == "run.changed" and event["payload"]["run"]["state"] == "done":
                break
    assert text == "begin end."
    provider.go()


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "models/default", {"model": "demo"}),
        ("PUT", "models/fallbacks", {"models": ["fake/other"]}),
        ("PUT", "providers/fake", {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "models": ["x"], "key": "k"}),
        ("DELETE", "providers/fake", None),
    ],
)
def test_a_token_cannot_say_where_work_goes(lab, page, method, path, body):
    before = (lab.data_dir / "providers.json").read_bytes()
    refused = httpx.request(
        method,
        f"{lab.url}linda/api/{path}",
        json=body,
        headers={"Authorization": f"token {lab.token}"},
        trust_env=False,
    )
    assert refused.status_code == 403
    assert "not with a token" in refused.json()["message"]
    assert (lab.data_dir / "providers.json").read_bytes() == before


def test_the_page_says_where_work_goes(lab, page):
    wish = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "models": ["other"]}
    assert page.call("PUT", "providers/second", wish)["name"] == "second"
    was = page.call("GET", "models")["default"]
    assert page.call("PUT", "models/default", {"model": "second/other"})["default"] == "second/other"
    page.call("PUT", "models/default", {"model": was})
    assert page.call("PUT", "models/fallbacks", {"models": ["second/other"]})["fallbacks"] == ["second/other"]
    assert page.call("PUT", "models/fallbacks", {"models": []})["fallbacks"] == []
    page.call("DELETE", "providers/second")
    assert "second" not in [one["name"] for one in page.call("GET", "providers")["providers"]]
