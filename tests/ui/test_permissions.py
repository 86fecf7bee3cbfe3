"""Permissions in the panel: a late answer, rules with their faults, trials, the audit (case AP-04)."""

from __future__ import annotations

import json
import threading

import pytest
from playwright.sync_api import expect

from tests.fakes.provider import Use, says, uses

RULES = {"version": 1, "rules": [{"effect": "deny", "action": "write", "path": "payroll"}]}


@pytest.fixture
def asked(open_panel, provider):
    """A chat with an open question, shown in two tabs."""

    def ask(name: str):
        text = f"please write {name}"
        provider.script(text, uses(Use("write_file", {"path": name, "content": "1\n"})), says(f"Over with {name}."))
        first = open_panel()
        first.new_chat()
        first.ask(text)
        expect(first.button("Allow once")).to_be_visible(timeout=30_000)
        second = open_panel()
        if not second.log.is_visible():
            second.root.get_by_text(text).first.click()
        expect(second.button("Allow once")).to_be_visible(timeout=30_000)
        return first, second

    return ask


def test_case_ap_04_the_first_answer_wins_and_the_late_one_gets_words(asked):
    first, second = asked("late.txt")
    held = threading.Event()

    def hold(route):
        first.button("Allow once").click()
        first.expect_text("Over with late.txt.")
        held.set()
        route.continue_()

    second.page.route("**/linda/api/questions/*/answer", hold)
    second.button("No").click()
    expect(second.root).to_contain_text("This question is no longer valid: it is answered (once by panel)")
    assert held.is_set()
    second.expect_text("Allowed once by you")
    (entry, *_) = [one for one in first.lab.linda("audit")["entries"] if one["resource"] == "late.txt"]
    assert entry["decision"] == "done"


def test_a_question_says_which_rule_asks_and_may_be_answered_for_an_hour(asked):
    first, _ = asked("hour.txt")
    first.expect_text("Your rules ask before anything in the notebook folder is changed.")
    first.root.get_by_role("button", name="Always here: choose how far").click()
    first.root.get_by_role("menuitem").filter(has_text="for 1 hour").first.click()
    first.expect_text("Over with hour.txt.")
    (grant,) = [one for one in first.lab.linda("grants")["grants"] if one["path"] == "hour.txt"]
    assert grant["expires_at"][:16] != grant["created_at"][:16]
    first.button("Permissions").click()
    first.root.get_by_role("button", name="Revoke:").first.click()
    first.until(lambda: first.lab.linda("grants")["grants"] == [], what="the grant to go")


def test_faults_of_rules_are_shown_with_their_line_and_typed_rules_can_be_tried(open_panel):
    panel = open_panel()
    panel.button("Permissions").click()
    area = panel.root.get_by_role("textbox", name="Rules as text")
    good = area.input_value()
    area.fill('{\n  "version": 1,\n  "rules": [\n    {"effect": "perhaps", "action": "read"}\n  ]\n}')
    faults = panel.root.locator("#linda-faults")
    expect(faults).to_contain_text("rules[0].effect")
    panel.button("Line 4").click()
    assert area.evaluate("area => area.value.slice(area.selectionStart, area.selectionEnd)").strip().startswith('{"eff')
    area.fill(json.dumps(RULES, indent=1))
    expect(faults).to_be_empty()
    panel.root.get_by_role("textbox", name="Path to try").fill("payroll/x.txt")
    trial = panel.root.get_by_role("region", name="What would happen if…")
    trial.get_by_role("button", name="Try").click()
    tried = trial.locator(".linda-Trial")
    expect(tried).to_contain_text("It would be refused.")
    expect(tried).to_contain_text("deny: write in payroll, in the rules as typed")
    panel.root.locator("section", has=panel.page.get_by_role("textbox", name="Rules as text")).get_by_role(
        "button", name="Undo changes"
    ).click()
    assert area.input_value() == good
    panel.root.get_by_role("textbox", name="Path to try").fill("x.txt")
    trial.get_by_role("button", name="Try").click()
    expect(tried).to_contain_text("You would be asked.")
    assert panel.errors == []


def test_the_audit_is_filtered_and_downloaded(asked, tmp_path):
    panel, _ = asked("export.txt")
    panel.button("No").click()
    panel.expect_text("Over with export.txt.")
    panel.button("Permissions").click()
    entries = panel.root.locator("section[aria-labelledby=linda-audit] li")
    panel.root.get_by_role("searchbox", name="Text in an entry").fill("EXPORT.txt")
    panel.root.get_by_role("combobox", name="Decision").select_option("refused")
    expect(entries).to_have_count(1)
    expect(entries).to_contain_text("Refused")
    with panel.page.expect_download() as waited:
        panel.button("Export as JSON lines").click()
    waited.value.save_as(tmp_path / "audit.jsonl")
    (line,) = (tmp_path / "audit.jsonl").read_text().splitlines()
    assert json.loads(line)["resource"] == "export.txt"
