"""The meter, pins, the line of a summary, and condensing on request."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.fakes.provider import says


def talk(panel, provider, turns: int) -> None:
    provider.script("Condense the conversation", says("- they greeted each other\n- nothing is open"))
    for number in range(turns):
        provider.script(f"greeting {number}", says(f"Answer {number}: good day."))
    panel.new_chat()
    for number in range(turns):
        panel.ask(f"greeting {number}")
        panel.expect_text(f"Answer {number}")
        expect(panel.button("Stop")).to_have_count(0)


def test_the_meter_says_what_is_given_and_condenses_on_request(open_panel, provider):
    panel = open_panel()
    talk(panel, provider, 5)
    first = panel.log.locator("article").nth(1)
    first.hover()
    first.get_by_role("button", name="Pin: Linda keeps it word for word").click()
    pinned = first.get_by_role("button", name="Unpin: it may become part of a summary")
    expect(pinned).to_have_attribute("aria-pressed", "true")
    panel.root.get_by_role("button", name=re.compile(r"Context: [\d,]+ of 75,000 tokens")).click()
    parts = panel.root.get_by_role("region", name="What the model is given")
    for part in ("Instructions", "Tools", "Messages"):
        expect(parts.get_by_role("rowheader", name=part)).to_be_visible()
    expect(parts).to_contain_text("Estimated: the tokenizer of fake/scripted is not here.")
    parts.get_by_role("button", name="Condense older messages").click()
    line = panel.log.get_by_text(re.compile("Linda has the messages above as a summary"))
    expect(line).to_be_visible(timeout=30_000)
    line.click()
    panel.expect_text("- they greeted each other")
    panel.expect_text("Answer 0: good day.")  # the messages are still there
    parts.get_by_role("button", name="Condense older messages").press("Escape")
    expect(parts).to_have_count(0)
    provider.script("one more", says("Still here."))
    panel.ask("one more")
    panel.expect_text("Still here.")
    prompt = provider.requests[-1]["messages"]
    assert "- they greeted each other" in prompt[1]["content"]
    assert prompt[2]["content"] == "Answer 0: good day."
    assert panel.errors == []


def test_with_nothing_older_it_says_so(open_panel, provider):
    panel = open_panel()
    talk(panel, provider, 1)
    panel.root.get_by_role("button", name=re.compile("Context:")).click()
    panel.button("Condense older messages").click()
    expect(panel.root.get_by_text("Nothing is older than the last six messages.")).to_be_visible(timeout=30_000)
