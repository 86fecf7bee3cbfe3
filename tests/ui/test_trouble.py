"""Trouble with a model as a person meets it: what is waited for, who answered instead, and how it ended."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.fakes.provider import Cut, End, Fail, Say, in_turn, says
from tests.ui.lab import Lab, running


@pytest.fixture(scope="module")
def lab(tmp_path_factory, provider, browser) -> Iterator[Lab]:
    settings = {"model_wait_first_s": 0.05, "fallback_models": ["fake/other"]}
    made = Lab(tmp_path_factory.mktemp("home"), settings=settings)
    made.connect(provider.base_url, models=("scripted", "other"))
    with running(made):
        yield made


def test_the_wait_a_provider_asks_for_is_shown_and_gone_when_text_comes(open_panel, provider):
    wait = [Fail(429, "slow down", (("Retry-After", "20"),))]
    provider.script("wait for me", in_turn(wait, says("Here I am.")))
    panel = open_panel()
    panel.new_chat()
    panel.ask("wait for me")
    line = panel.log.locator(".linda-WaitLine")
    expect(line).to_contain_text("The provider asks to wait; next try in", timeout=30_000)
    panel.page.reload()
    panel.page.wait_for_selector(".jp-Launcher", timeout=60_000)
    panel.show()
    expect(line).to_contain_text("The provider asks to wait; next try in", timeout=30_000)
    panel.expect_text("Here I am.", seconds=60)
    expect(line).to_have_count(0)
    assert panel.errors == []


def test_a_stop_in_a_wait_ends_it(open_panel, provider):
    provider.script("never mind", [Fail(429, "slow down", (("Retry-After", "25"),))])
    panel = open_panel()
    panel.new_chat()
    panel.ask("never mind")
    expect(panel.log.locator(".linda-WaitLine")).to_contain_text("next try in 2", timeout=30_000)
    panel.button("Stop").click()
    panel.expect_text("Stopped by you.", seconds=5)
    expect(panel.log.locator(".linda-WaitLine")).to_have_count(0)


def test_the_reply_of_another_model_says_which_and_why(open_panel, provider):
    provider.script("who answers", in_turn([Fail(401)], says("I do.")))
    panel = open_panel()
    panel.new_chat()
    panel.ask("who answers")
    panel.expect_text("I do.")
    notice = panel.log.get_by_role("note")
    expect(notice).to_contain_text("fake/other answered in place of fake/scripted.")
    expect(notice).to_contain_text("The provider refused the key.")


def test_the_list_in_the_panel_holds_at_once(open_panel, provider):
    provider.script("anybody there", [Fail(401)])
    panel = open_panel()
    panel.button("More views").click()
    panel.root.get_by_role("menuitem", name="Models and settings").click()
    listed = panel.root.get_by_role("list", name="When it cannot answer")
    expect(listed.get_by_role("listitem")).to_have_text(["other (Scripted)Remove"])
    panel.root.get_by_role("combobox", name="Another model to ask").select_option("fake/scripted")
    panel.root.get_by_role("button", name="Ask scripted (Scripted) earlier").click()
    expect(listed.get_by_role("listitem")).to_have_text(["scripted (Scripted)Remove", "other (Scripted)EarlierRemove"])
    panel.root.get_by_role("button", name="Do not ask scripted").click()
    panel.root.get_by_role("button", name="Do not ask other").click()
    expect(panel.root.get_by_text("No other model is asked.")).to_be_visible()
    panel.button("Chats").click()
    panel.new_chat()
    panel.ask("anybody there")
    panel.expect_text("The provider refused the key.")
    expect(panel.log).not_to_contain_text("other did not answer")
    panel.lab.connect(provider.base_url, models=("scripted", "other"))


def test_a_reply_that_broke_off_says_so_and_can_be_continued(open_panel, provider):
    provider.script("break off", [Say("The total is 12"), Cut()])
    provider.script("Continue where you stopped.", [Say("3,000."), End("stop")])
    panel = open_panel()
    panel.new_chat()
    panel.ask("break off")
    panel.expect_text("The total is 12")
    panel.expect_text("The provider's stream broke off; what arrived is kept.")
    panel.expect_text("Say “continue”, or retry.")
