"""Files of instructions in the panel: found, shown, allowed, switched, and commands in the slash menu."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.fakes.provider import says
from tests.instructions.conftest import skill


@pytest.fixture
def project(lab) -> Iterator[Path]:
    """A project's files in the root; gone afterwards, for other tests share this JupyterLab."""
    files = {
        "AGENTS.md": "Use British English.\u200b\n" + "A long line of conventions. " * 60,
        ".linda/commands/review.md": "---\ndescription: Look it over\nargument-hint: file\n---\nReview $ARGUMENTS.",
        ".linda/skills/tables/SKILL.md": skill("tables", "How tables look here."),
    }
    for path, text in files.items():
        file = lab.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    yield lab.root
    for path in files:
        (lab.root / path).unlink()


def system(provider) -> str:
    return provider.requests[-1]["messages"][0]["content"]


def test_a_projects_instructions_are_shown_allowed_and_switched(open_panel, provider, project):
    panel = open_panel()
    panel.new_chat()
    note = panel.root.get_by_text("AGENTS.md and 2 more files are not used yet.")
    expect(note).to_be_visible()
    panel.ask("a first word")
    panel.expect_text("You said: a first word")
    assert "British" not in system(provider)
    panel.button("Show").click()
    review = panel.root.get_by_role("region", name="Files that are not used yet")
    agents = review.get_by_role("article", name="AGENTS.md", exact=True)
    expect(agents).to_contain_text("Use British English.\\u200b")  # the sign that does not show is written out
    found = Axe().run(panel.page, context="#linda-panel").response["violations"]
    assert [one["id"] for one in found] == []
    agents.get_by_role("button", name="Use AGENTS.md", exact=True).click()
    expect(agents).to_have_count(0)
    review.get_by_role("button", name="Use .linda/commands/review.md", exact=True).click()
    review.get_by_role("button", name="Do not use .linda/skills/tables/SKILL.md").click()
    expect(review).to_have_count(0)
    expect(note).to_have_count(0)
    provider.script("a second word", says("Second."))
    panel.ask("a second word")
    panel.expect_text("Second.")
    assert "Use British English." in system(provider)
    assert "tables" not in system(provider)

    panel.root.get_by_role("button", name=re.compile("Context:")).click()
    parts = panel.root.get_by_role("region", name="What the model is given")
    expect(parts.get_by_role("rowheader", name="AGENTS.md")).to_be_visible()
    switch = parts.get_by_role("switch", name="AGENTS.md")
    expect(switch).to_be_checked()
    found = Axe().run(panel.page, context="#linda-panel").response["violations"]
    assert [one["id"] for one in found] == []
    switch.click()
    expect(switch).not_to_be_checked()
    provider.script("a third word", says("Third."))
    panel.ask("a third word")
    panel.expect_text("Third.")
    assert "British" not in system(provider)
    expect(parts.get_by_role("rowheader", name="AGENTS.md")).to_have_count(0)

    (project / "AGENTS.md").write_text("Use American English.")
    provider.script("a fourth word", says("Fourth."))
    panel.ask("a fourth word")
    panel.expect_text("Fourth.")
    expect(panel.root.get_by_text("AGENTS.md changed: not used until you look at it.")).to_be_visible()
    assert panel.errors == []


def test_a_command_in_a_file_is_in_the_menu_and_goes_along(open_panel, provider, project):
    panel = open_panel()
    panel.new_chat()
    panel.box.fill("/rev")
    option = panel.root.get_by_role("listbox", name="Commands").get_by_role("option")
    expect(option).to_have_text(re.compile("/review"))
    if "Not used yet" in option.inner_text():  # the other test of this JupyterLab may have allowed it
        panel.box.press("Enter")
        panel.button("Use .linda/commands/review.md").click()
        panel.box.fill("/rev")
    expect(option).to_contain_text("Look it over")
    expect(option).to_contain_text("project")
    panel.box.press("Enter")
    expect(panel.box).to_have_value("/review ")
    provider.script("/review a.py", says("Reviewed."))
    panel.box.press_sequentially("a.py")
    panel.box.press("Enter")
    panel.expect_text("Reviewed.")
    assert "Review a.py." in provider.requests[-1]["messages"][-1]["content"]
    expect(panel.log.get_by_text("/review", exact=True)).to_be_visible()  # the chip of what went along
    assert panel.errors == []
