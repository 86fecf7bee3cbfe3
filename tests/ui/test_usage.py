"""What a reply cost and why it went as it did, as a person sees it in Chromium."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from tests.fakes.provider import End, Say, Use, uses


def test_a_reply_has_a_trace_and_is_in_the_sums(open_panel, provider, notebook):
    read = uses(Use("read_notebook", {"path": notebook.name}))
    provider.script("look at it", read, [Say("Three cells."), End("stop", usage=(12_345, 67))])
    panel = open_panel(notebook)
    panel.new_chat()
    panel.ask("look at it")
    panel.expect_text("Three cells.")
    answer = panel.root.get_by_role("article", name="Linda").last
    answer.hover()
    expect(answer.get_by_text("12.3 k → 67 tokens", exact=True)).to_be_visible()
    panel.button("Trace").click()
    page = panel.root.locator(".linda-Trace")
    expect(page.locator("blockquote")).to_have_text("look at it", timeout=15_000)
    expect(page.get_by_role("heading", level=4)).to_have_text(
        ["What the model was given", "What rules decided", "Which model, and why", "Model calls", "Tools"]
    )
    calls = page.locator("section", has_text="Model calls").get_by_role("listitem")
    expect(calls).to_have_count(2)
    expect(calls.nth(1)).to_contain_text("12.3 k → 67 tokens")
    expect(page.locator("section", has_text="Tools").last).to_contain_text(f"Read {notebook.name}")
    with panel.page.expect_download() as download:
        panel.button("Download").click()
    trace = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert [call["outcome"] for call in trace["model_calls"]] == ["done", "done"]
    panel.button("Back to the chat").click()
    expect(panel.log).to_contain_text("Three cells.")

    panel.button("More views").click()
    panel.root.get_by_role("menuitem", name="Usage").click()
    expect(panel.root.locator(".linda-Sums")).to_contain_text("calls", timeout=15_000)
    expect(panel.root.get_by_role("table", name="By model")).to_contain_text("scripted")

    panel.root.get_by_text("My budgets").click()
    panel.root.get_by_label("A day, tokens").fill("50000")
    panel.button("Save").click()
    expect(panel.root.locator(".linda-Budget")).to_contain_text("Budget of today: 0 / 50.0 k tokens", timeout=15_000)

    usage = panel.lab.linda("usage")["own"]
    panel.root.get_by_label("A day, tokens").fill("60000")
    budgets = panel.lab.data_dir / "budgets.json"  # another tab, or an editor
    budgets.write_text(json.dumps({**usage, "month_tokens": 900000}))
    panel.button("Save").click()
    newer = panel.root.get_by_role("alert").filter(has_text="The budgets were changed elsewhere meanwhile")
    expect(newer).to_contain_text("A month, tokens: 900000")
    expect(panel.root.get_by_label("A day, tokens")).to_have_value("60000")
    assert panel.lab.linda("usage")["own"] == {**usage, "month_tokens": 900000}
    panel.root.get_by_label("A month, tokens").fill("900000")
    panel.button("Save").click()
    expect(newer).to_have_count(0)
    assert panel.lab.linda("usage")["own"] == {**usage, "day_tokens": 60000, "month_tokens": 900000}
    assert panel.errors == []
