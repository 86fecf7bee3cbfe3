"""Whatever is broken: Jupyter starts, and says what, why and what to do."""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from tests.ui.lab import Lab, Page, running


def start(tmp_path: Path, **settings: object) -> Lab:
    return Lab(tmp_path, app="jupyter_server", settings=settings)


def problem_of(page: Page, path: str, *, method: str = "GET", body: object = None) -> tuple[int, dict]:
    with pytest.raises(httpx.HTTPStatusError) as caught:
        page.call(method, path, body)
    return caught.value.response.status_code, caught.value.response.json()


def test_a_data_folder_that_is_a_file(tmp_path):
    lab = start(tmp_path)
    lab.data_dir.parent.mkdir(parents=True, exist_ok=True)
    lab.data_dir.write_text("in the way")
    with running(lab):
        page = Page(lab)
        status = page.call("GET", "status")
        assert "cannot be made" in status["database_problem"]["message"]
        assert status["database_problem"]["remedy"]
        code, body = problem_of(page, "chats")
        assert (code, body["kind"]) == (503, "StorageUnavailable")
        checks = {check["name"]: check for check in page.call("GET", "readiness")["checks"]}
        assert checks["data"]["state"] == "error"
        page.close()


def test_a_damaged_database(tmp_path):
    lab = start(tmp_path)
    lab.data_dir.mkdir(parents=True)
    (lab.data_dir / "linda.sqlite").write_bytes(b"not a database " * 100)
    with running(lab):
        page = Page(lab)
        code, body = problem_of(page, "chats")
        assert code == 503
        assert "damaged" in body["message"]
        assert "backups" in body["remedy"]
        assert (lab.data_dir / "linda.sqlite").read_bytes() == b"not a database " * 100
        page.close()


def test_a_database_of_a_newer_version(tmp_path):
    lab = start(tmp_path)
    with running(lab):
        page = Page(lab)
        page.call("POST", "chats", {})
        page.close()
    with sqlite3.connect(lab.data_dir / "linda.sqlite") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with running(lab):
        page = Page(lab)
        code, body = problem_of(page, "chats")
        assert (code, body["kind"]) == (503, "NewerDatabase")
        assert "Upgrade jupyter_linda" in body["remedy"]
        page.close()


def test_broken_rules_keep_the_last_good_ones_and_are_shown(tmp_path):
    lab = start(tmp_path)
    lab.data_dir.mkdir(parents=True)
    with running(lab):
        page = Page(lab)
        assert page.call("GET", "status")["rules_problem"] is None
        (lab.data_dir / "rules.json").write_text('{"version": 1, "rules": [{"effect": "maybe"}]}')
        problem = page.call("GET", "status")["rules_problem"]
        assert "rules.json" in problem["message"]
        code, body = problem_of(page, "rules", method="PUT", body={"text": "{"})
        assert (code, body["kind"]) == (400, "InvalidRules")
        assert (lab.data_dir / "rules.json").read_text().startswith('{"version": 1, "rules": [{"effect": "maybe"')
        page.close()


def test_an_installation_that_lacks_something_says_so_and_jupyter_starts(tmp_path):
    (tmp_path / "lacking").mkdir()
    (tmp_path / "lacking" / "sqlalchemy.py").write_text("raise ImportError('sqlalchemy is not what it was')")
    lab = start(tmp_path)
    lab.extra_environment["PYTHONPATH"] = str(tmp_path / "lacking")
    with running(lab):
        page = Page(lab)
        for _ in range(2):
            code, body = problem_of(page, "status")
            assert (code, body["kind"]) == (503, "Unavailable")
            assert "sqlalchemy is not what it was" in body["message"]
            assert "install" in body["remedy"]
        page.close()
        stranger = httpx.get(lab.url + "linda/api/status", trust_env=False)
        assert stranger.status_code == 403
    assert "Linda cannot be loaded" in lab.log.read_text()


@pytest.mark.parametrize("name", ["my llm", "我的模型", "a:b.c", "50%", "a?b#c", "..x"])
def test_a_provider_of_any_name_is_connected_used_and_removed_over_its_path(shared_page, name):
    path = f"providers/{quote(name, safe='')}"
    body = {"kind": "openai", "base_url": "http://127.0.0.1:1/v1", "models": ["m"]}
    assert shared_page.call("PUT", path, body)["name"] == name
    assert f"{name}/m" in [model["model_id"] for model in shared_page.call("GET", "models")["models"]]
    shared_page.call("DELETE", path)
    assert shared_page.call("GET", "providers") == {"providers": []}


def test_what_is_empty_is_refused_in_words(shared_page):
    code, body = problem_of(shared_page, "models/default", method="PUT", body={"model": ""})
    assert (code, body["message"]) == (400, "The model needs at least 1 character.")


@pytest.mark.parametrize("name", ["a/b", "linda", "x" * 61, "../keys"])
def test_what_cannot_name_a_provider_is_refused_in_words(shared_page, name):
    code, body = problem_of(shared_page, f"providers/{quote(name, safe='')}", method="PUT", body={"kind": "openai"})
    assert (code, body["kind"]) == (400, "InvalidInput")
    assert "cannot name a provider" in body["message"]


@pytest.mark.parametrize("price", ["1e999", "Infinity", "NaN"])
def test_a_price_without_end_is_refused_and_the_list_still_answers(shared_page, price):
    http = shared_page._http
    body = f'{{"kind": "openai", "base_url": "http://127.0.0.1:1/v1", "models": ["m"], "input_usd": {price}}}'
    headers = {"X-XSRFToken": http.cookies.get("_xsrf", "")}
    answer = http.put("linda/api/providers/endless", content=body, headers=headers)
    assert (answer.status_code, answer.json()["kind"]) == (400, "InvalidInput"), answer.text
    assert "input_usd" in answer.json()["message"]
    assert shared_page.call("GET", "providers") == {"providers": []}


@pytest.mark.parametrize(
    "text",
    [
        "{nonsense",
        '{"providers": []}',
        '{"default_model": 5}',
        '{"providers": {"a": {"kind": "openai", "base_url": "http://127.0.0.1:1/v1", "models": [], "input_usd": 1e999}}}',
    ],
)
def test_a_broken_list_of_providers(tmp_path, text):
    lab = start(tmp_path)
    lab.data_dir.mkdir(parents=True)
    (lab.data_dir / "providers.json").write_text(text)
    with running(lab):
        page = Page(lab)
        _code, body = problem_of(page, "models")
        assert "providers.json" in body["message"]
        assert body["remedy"]
        assert page.call("GET", "status")["database_problem"] is None
        chat_id = page.call("POST", "chats", {})["chat_id"]
        assert chat_id
        page.close()


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"fake": 3}', '{"fake": {"key": "sk-0", "set_at": "once"}}'],
)
def test_broken_keys_are_named_and_end_a_run_in_words(tmp_path, text):
    lab = start(tmp_path)
    lab.connect("http://127.0.0.1:1/v1")
    (lab.data_dir / "keys.json").write_text(text)
    with running(lab):
        page = Page(lab)
        code, body = problem_of(page, "providers")
        assert (code, body["kind"]) == (400, "InvalidInput")
        assert "keys.json" in body["message"]
        assert body["remedy"]
        chat_id = page.call("POST", "chats", {})["chat_id"]
        page.call("POST", f"chats/{chat_id}/messages", {"text": "hello", "client_id": f"client-{chat_id}"})
        deadline = time.monotonic() + 60
        while (run := page.call("GET", f"chats/{chat_id}")["runs"][-1])["state"] in ("queued", "running"):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert (run["state"], run["problem"]["kind"]) == ("failed", "InvalidInput")
        assert "keys.json" in run["problem"]["message"]
        page.close()


@pytest.mark.parametrize(
    ("path", "file", "body"),
    [
        ("rules", "rules.json", {"text": '{"version": 1, "rules": []}'}),
        ("privacy", "privacy.json", {"text": '{"version": 1}'}),
        ("instructions", "instructions.md", {"text": "short, please"}),
        ("usage/budgets", "budgets.json", {"day_usd": 1}),
    ],
)
def test_a_file_that_cannot_be_written_is_named(tmp_path, path, file, body):
    lab = start(tmp_path)
    with running(lab):
        page = Page(lab)
        page.call("GET", "chats")
        (lab.data_dir / file / "in the way").mkdir(parents=True)
        code, answer = problem_of(page, path, method="PUT", body=body)
        assert (code, answer["kind"]) == (503, "StorageUnavailable")
        assert file in answer["message"]
        assert answer["remedy"]
        assert not [one.name for one in lab.data_dir.iterdir() if one.name.startswith((f".{file}", f"{file}."))]
        page.close()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("database_url", "postgresql://somewhere/linda", "only sqlite:/// URLs work in this version"),
        ("allowed_models", "company/*", "allowed_models: expected a list of texts, such as ['company/*']"),
    ],
)
def test_a_setting_that_is_wrong_is_in_the_log_and_jupyter_starts(tmp_path, name, value, words):
    lab = start(tmp_path, **{name: value})
    with running(lab):
        assert lab.get("api/status")
        page = Page(lab)
        code, body = problem_of(page, "status")
        assert (code, body["kind"]) == (503, "InvalidSettings")
        assert words in body["message"]
        page.close()
    assert words in lab.log.read_text()


def test_an_unknown_model_and_a_missing_key_end_the_run_in_words(tmp_path):
    lab = start(tmp_path)
    with running(lab):
        page = Page(lab)
        for model, word in (("openai/gpt-nothing", "key"), ("nonsense-model", "model"), ("nobody/m", "unknown_model")):
            chat_id = page.call("POST", "chats", {"model": model})["chat_id"]
            page.call("POST", f"chats/{chat_id}/messages", {"text": "hello", "client_id": f"client-{chat_id}"})
            run = None
            for _ in range(600):
                view = page.call("GET", f"chats/{chat_id}")
                run = view["runs"][-1]
                if run["state"] in ("failed", "interrupted", "done"):
                    break
                httpx.get(lab.url + "api", trust_env=False)
            assert run["state"] == "failed", run
            assert word in json.dumps(run["problem"]).lower()
            assert run["problem"]["remedy"]
            assert view["questions"] == []  # what cannot be sent is not asked about
        page.close()


def test_a_tab_hears_when_the_rules_file_breaks_and_when_it_is_mended(tmp_path):
    import threading

    from jupyter_linda.client import LindaClient, Server

    lab = start(tmp_path)
    lab.data_dir.mkdir(parents=True)
    with running(lab), LindaClient(Server(lab.url, lab.token, str(lab.root))) as client:
        client.status()
        rules = lab.data_dir / "rules.json"
        threading.Timer(1.0, rules.write_text, ["{broken"]).start()
        for event in client.follow("home:local", after=0):
            problem = event["payload"]["problem"]
            assert event["kind"] == "rules.changed"
            if problem is None:
                break
            assert "rules.json" in problem["message"]
            rules.write_text('{"version": 1, "rules": []}')


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "models/default", []),
        ("PUT", "models/default", {"model": 3}),
        ("PUT", "models/default", {"model": "nonsense"}),
        ("POST", "providers/test", {"kind": "NOT A KIND"}),
        ("PUT", "providers/a", {"kind": ["x"]}),
        ("PUT", "rules", []),
        ("POST", "questions/x/answer", "text"),
    ],
)
def test_malformed_settings_requests_are_refused_in_words(shared_page, method, path, body):
    code, answer = problem_of(shared_page, path, method=method, body=body)
    assert code == 400, answer
    assert answer["message"]


@pytest.mark.parametrize("body", [b"\xff\xfe", b'{"text": "\xe9"}', b"[", b"", b'{"text": null}'])
def test_rules_in_bytes_that_are_no_text_are_refused_in_words(shared_page, body):
    http = shared_page._http
    answer = http.put("linda/api/rules", content=body, headers={"X-XSRFToken": http.cookies.get("_xsrf", "")})
    assert (answer.status_code, answer.json()["kind"]) == (400, "InvalidInput"), answer.text
    assert "malformed" in answer.json()["message"]


@pytest.fixture(scope="module")
def shared_page(tmp_path_factory):
    with running(start(tmp_path_factory.mktemp("shared"))) as lab:
        page = Page(lab)
        yield page
        page.close()
