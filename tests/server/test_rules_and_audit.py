"""Rules, policies, trials and the audit over HTTP, on a real server."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

import httpx
import pytest

from tests.fakes.provider import FakeProvider, Use, says, uses
from tests.server.test_answers import wait
from tests.ui.lab import Lab, Page, running

TRY = {"tool": "write_file", "action": "write", "path": "notes.txt"}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, provider: FakeProvider) -> Iterator[Lab]:
    home = tmp_path_factory.mktemp("home")
    made = Lab(home, app="jupyter_server", settings={"policy_file": str(home / "policy.json")})
    (home / "policy.json").write_text(rules({"effect": "deny", "action": "write", "path": "payroll"}))
    made.connect(provider.base_url)
    provider.script("please read", uses(Use("read_file", {"path": "表.csv"})), says("Read."))
    (made.root / "表.csv").write_text("a,b\n")
    with running(made):
        yield made


@pytest.fixture
def page(lab: Lab) -> Iterator[Page]:
    made = Page(lab)
    yield made
    made.close()


def rules(*lines: dict) -> str:
    return json.dumps({"version": 1, "rules": lines})


def test_what_would_happen_is_told_with_the_rule_and_whose_it_is(page):
    outcome = page.call("POST", "rules/try", TRY)["outcome"]
    assert (outcome["effect"], outcome["rule"], outcome["by"]) == ("ask", "ask: write in the notebook folder", "rules")
    opened = page.call("POST", "rules/try", {**TRY, "text": rules({"effect": "auto", "action": "any"})})["outcome"]
    assert opened["effect"] == "auto"
    closed = page.call(
        "POST", "rules/try", {**TRY, "path": "payroll/x", "text": rules({"effect": "auto", "action": "any"})}
    )["outcome"]
    assert (closed["effect"], closed["by"]) == ("deny", "policy")
    assert "policy.json: deny: write in payroll" in closed["rule"]


def test_faults_of_a_text_come_with_their_lines(page):
    faults = page.call("POST", "rules/try", {"text": '{"version": 1,\n "rules": [{"effect": "auto"}]}'})["faults"]
    assert [(fault["place"], fault["line"]) for fault in faults] == [("rules[0].action", 2)]
    assert page.call("POST", "rules/try", {"text": rules()}) == {"faults": [], "outcome": None}


def test_rules_that_somebody_changed_meanwhile_are_not_overwritten(page, lab):
    """Two tabs, or a tab and an editor: the later one sees the other's rules first."""
    first = page.call("GET", "rules")["text"]
    closed = rules({"effect": "deny", "action": "any", "path": "payroll"})
    try:
        assert page.call("PUT", "rules", {"text": closed, "was": first})["text"] == closed
        with pytest.raises(httpx.HTTPStatusError, match="409"):
            page.call("PUT", "rules", {"text": rules({"effect": "auto", "action": "any"}), "was": first})
        assert page.call("GET", "rules")["text"] == closed
        assert page.call("PUT", "rules", {"text": rules(), "was": closed})["text"] == rules()
    finally:
        page.call("PUT", "rules", {"text": first})


def test_levels_that_somebody_changed_meanwhile_are_not_overwritten(page):
    first = page.call("GET", "privacy")["text"]
    offline = json.dumps({"version": 1, "offline": True})
    try:
        assert page.call("PUT", "privacy", {"text": offline, "was": first})["text"] == offline
        with pytest.raises(httpx.HTTPStatusError, match="409"):
            page.call("PUT", "privacy", {"text": '{"version": 1}', "was": first})
        assert page.call("GET", "privacy")["text"] == offline
        assert page.call("PUT", "privacy", {"text": '{"version": 1}', "was": offline})["text"] == '{"version": 1}'
    finally:
        page.call("PUT", "privacy", {"text": first})


def test_budgets_that_somebody_set_meanwhile_are_not_overwritten(page):
    first = page.call("GET", "usage")["own"]
    try:
        other = page.call("PUT", "usage/budgets", {**first, "day_usd": 3, "was": first})
        assert other == {**first, "day_usd": 3.0}
        with pytest.raises(httpx.HTTPStatusError, match="409"):
            page.call("PUT", "usage/budgets", {**first, "run_usd": 1, "was": first})
        assert page.call("GET", "usage")["own"] == other
        assert page.call("PUT", "usage/budgets", {**other, "run_usd": 1, "was": other})["run_usd"] == 1.0
    finally:
        page.call("PUT", "usage/budgets", first)


def test_policies_are_shown_and_one_that_breaks_is_told(page, lab):
    shown = page.call("GET", "rules")
    (policy,) = shown["policies"]
    assert policy["path"] == str(lab.home / "policy.json")
    assert "payroll" in policy["text"]
    good = (lab.home / "policy.json").read_text()
    try:
        (lab.home / "policy.json").write_text("{ broken")
        assert "everything asks" in page.call("GET", "status")["policy_problem"]["message"]
        assert page.call("POST", "rules/try", {"tool": "read_file", "path": "x"})["outcome"]["effect"] == "ask"
        checks = {check["name"]: check["state"] for check in page.call("GET", "readiness")["checks"]}
        assert checks["policy"] == "error"
    finally:
        (lab.home / "policy.json").write_text(good)
    assert page.call("GET", "status")["policy_problem"] is None


def test_the_audit_is_filtered_and_taken_along(page, lab):
    chat_id = page.call("POST", "chats", {})["chat_id"]
    page.call("POST", f"chats/{chat_id}/messages", {"text": "please read", "client_id": f"client-{chat_id}"})
    wait(page, chat_id, "done")
    assert len(page.call("GET", "audit?text=表&decision=auto")["entries"]) == 1
    assert page.call("GET", "audit?text=表&action=write")["entries"] == []
    assert page.call("GET", "audit?until=2020-01-01")["entries"] == []
    got = page._http.get(f"linda/api/audit/export?format=csv&chat_id={chat_id}")
    assert got.headers["content-disposition"] == 'attachment; filename="linda-audit.csv"'
    rows = list(csv.DictReader(io.StringIO(got.content.decode("utf-8-sig"))))
    assert [row["decision"] for row in rows] == ["done", "auto"]
    lines = page._http.get(f"linda/api/audit/export?format=jsonl&chat_id={chat_id}").text.splitlines()
    assert json.loads(lines[1])["arguments"] == {"path": "表.csv"}


@pytest.mark.parametrize(
    "path",
    [
        "audit?action=eat",
        "audit?decision=perhaps",
        "audit?since=yesterday",
        "audit?until=9999-99-99",
        "tasks?status=zz",
        "questions?state=nonsense",
    ],
)
def test_a_filter_that_can_fit_nothing_is_refused_in_words(page, path):
    with pytest.raises(httpx.HTTPStatusError) as caught:
        page.call("GET", path)
    assert caught.value.response.status_code == 400
    assert caught.value.response.json()["remedy"]


def test_an_export_needs_an_identity_and_a_known_format(page, lab):
    refused = httpx.get(f"{lab.url}linda/api/audit/export", trust_env=False, headers={"Accept": "application/json"})
    assert refused.status_code in (302, 403)
    assert page._http.get("linda/api/audit/export?format=xml").status_code == 400
