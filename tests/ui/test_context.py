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


def test_a_slash_lists_what_can_be_done_and_does_it(open_panel, provider, notebook):
    panel = open_panel(notebook)
    provider.script("Explain this cell", says("It sets x."))
    provider.script("/usr/bin is a folder", says("So it is."))
    panel.new_chat()
    panel.page.locator(".jp-Notebook .jp-Cell").first.locator(".jp-InputPrompt").click(force=True)
    panel.box.fill("/")
    options = panel.root.get_by_role("listbox", name="Commands").get_by_role("option")
    expect(options.first).to_have_text(re.compile("/explain"))
    expect(options).to_have_count(8)  # no error to fix here
    panel.box.press_sequentially("co")
    expect(options).to_have_count(2)
    panel.box.press("Escape")
    expect(options).to_have_count(0)
    panel.box.fill("/ex")
    panel.box.press("Enter")
    panel.expect_text("It sets x.")
    panel.box.fill("/usr/bin is a folder")
    panel.box.press("Enter")
    panel.expect_text("So it is.")
    panel.box.fill("/new")
    panel.box.press("Escape")
    panel.box.press("Enter")
    expect(panel.log).to_have_count(0)


def test_standing_instructions_are_written_once_and_stand_in_every_prompt(open_panel, provider):
    panel = open_panel()
    panel.new_chat()
    panel.button("More views").click()
    panel.root.get_by_role("menuitem", name=re.compile("^(Models|Settings)")).first.click()
    box = panel.root.get_by_role("textbox", name="Standing instructions")
    box.fill("Answer in German.")
    panel.button("Save").click()
    expect(panel.root.get_by_text("They hold from the next message on.")).to_be_visible()
    panel.button("Chats").click()
    panel.new_chat()
    panel.ask("a first word")
    panel.expect_text("You said: a first word")
    assert "Answer in German." in provider.requests[-1]["messages"][0]["content"]
