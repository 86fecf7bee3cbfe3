"""What leaves, in the panel: the consent with its preview, what left, levels, and a request to try."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.fakes.provider import says
from tests.ui.lab import Lab, running

MAIL = "ada.lovelace@example.org"


@pytest.fixture(scope="module")
def lab(tmp_path_factory, provider, browser):
    """The scripted provider, said to run elsewhere."""
    made = Lab(tmp_path_factory.mktemp("home"))
    made.connect(provider.base_url, models=("big-cloud",))
    with running(made):
        yield made


def open_permissions(panel):
    panel.button("Permissions").click()
    expect(panel.root.get_by_role("heading", name="What may leave")).to_be_visible(timeout=20_000)


def test_consent_shows_what_would_leave_and_the_answer_shows_what_left(open_panel, provider):
    provider.script("write to", says("Written to ⟦mail-1⟧.", size=4))
    panel = open_panel()
    panel.new_chat()
    panel.ask(f"please write to {MAIL}")
    expect(panel.button("Send for this answer")).to_be_visible(timeout=30_000)
    assert provider.requests == []
    shown = panel.root.get_by_label("What would leave")
    expect(shown).to_contain_text("please write to ⟦mail-1⟧")
    expect(shown).not_to_contain_text(MAIL)
    panel.button("Always from this folder").click()
    panel.expect_text(f"Written to {MAIL}.")
    panel.root.get_by_text("What left").click()
    left = panel.root.get_by_label("Exactly what left")
    expect(left).to_contain_text("please write to ⟦mail-1⟧")
    expect(panel.log).to_contain_text("Replaced: mail ×1")
    assert MAIL not in json.dumps(provider.requests, ensure_ascii=False)
    panel.ask("please write to them again")
    panel.until(lambda: len(provider.requests) == 2, what="a second request without a question")
    open_permissions(panel)
    revoke = panel.root.get_by_role("button", name="Revoke: openai")
    expect(revoke).to_be_visible()
    revoke.click()
    expect(revoke).to_have_count(0)
    assert panel.errors == []


def test_no_sends_nothing(open_panel, provider):
    before = len(provider.requests)
    panel = open_panel()
    panel.new_chat()
    panel.ask("nothing of this")
    expect(panel.button("Send for this answer")).to_be_visible(timeout=30_000)
    panel.button("No").click()
    panel.expect_text("you did not allow it")
    assert len(provider.requests) == before


def test_levels_are_set_in_the_panel_and_a_request_is_tried(open_panel, lab):
    panel = open_panel()
    open_permissions(panel)
    panel.button("Add a path").click()
    panel.root.get_by_label("Path pattern").fill("payroll/")
    panel.root.get_by_label("Text of files and cells").last.select_option("local")
    panel.root.get_by_label("Own words to replace, one a line").fill("Falcon")
    panel.button("Save levels").click()
    expect(panel.root.get_by_text("Saved", exact=True)).to_be_visible()
    saved = json.loads((lab.data_dir / "privacy.json").read_text())
    assert saved["levels"] == [{"path": "payroll/", "text": "local"}]
    assert saved["terms"] == ["Falcon"]
    panel.root.get_by_label("File or notebook it reads").fill("payroll/may.csv")
    panel.root.get_by_label("Text it holds").fill(f"Falcon {MAIL}")
    panel.root.get_by_role("region", name="Try a request").get_by_role("button", name="Try").click()
    result = panel.root.get_by_role("region", name="Try a request").get_by_role("status")
    expect(result).to_contain_text("You would be asked before it goes to fake/big-cloud")
    expect(result).to_contain_text("Level: text stays here; names and types")
    expect(result).to_contain_text("⟦term-1⟧ ⟦mail-1⟧")
    assert panel.errors == []
