"""What goes with a message: `@` names it, a drag drops it, each chip shows its cost and can be taken away."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.fakes.notebooks import code_cell
from tests.fakes.notebooks import notebook as notebook_of
from tests.fakes.provider import says


def asked(provider):
    return next(m["content"] for m in reversed(provider.requests[-1]["messages"]) if m["role"] == "user")


def chips(panel):
    return panel.root.locator(".linda-Composer .linda-Chip")


def mention(panel, text):
    panel.box.press_sequentially(text, delay=20)
    return panel.root.get_by_role("listbox", name="Things to attach")


@pytest.fixture
def folder(lab):
    (lab.root / "data").mkdir(exist_ok=True)
    (lab.root / "data/sums.csv").write_text("a,b\n1,2\n")
    return lab.root / "data"


def test_at_names_files_folders_and_cells_and_they_go_along(open_panel, provider, notebook, folder):
    provider.script("look at", says("Looked."))
    panel = open_panel(notebook)
    panel.new_chat()
    found = mention(panel, "look at @dat")
    expect(found.get_by_role("option").first).to_contain_text("data/")
    panel.box.press("Enter")
    expect(panel.box).to_have_value("look at @data ")
    found = mention(panel, "@data/su")
    expect(found.get_by_role("option").first).to_contain_text("data/sums.csv")
    panel.box.press("Tab")
    found = mention(panel, "@cell-")
    expect(found.get_by_role("option")).to_have_count(3)
    panel.box.press("ArrowDown")
    panel.box.press("ArrowDown")
    panel.box.press("Enter")
    expect(panel.box).to_have_value("look at @data @data/sums.csv @cell-3 ")
    expect(chips(panel)).to_have_text([f"{notebook.name}×", "cell 1×", "data/×", "data/sums.csv×", "cell 3×"])
    expect(panel.root.get_by_title("What this context costs, about")).to_contain_text("tokens")
    panel.root.get_by_role("button", name="Remove cell 1").click()
    panel.box.press("Enter")
    panel.expect_text("Looked.")
    sent = asked(provider).split("\n\n")[0].split("\n")
    assert sent == [
        f"[context] notebook: {notebook.name}",
        "[context] folder: data",
        "[context] file: data/sums.csv",
        f"[context] cell: cell-2 in {notebook.name}",
    ]
    expect(chips(panel)).to_have_text([f"{notebook.name}×"])
    assert panel.errors == []


def test_at_finds_files_in_folders_below_and_shows_the_words_of_cells(open_panel, lab, folder):
    cells = [code_cell(f"step_{at} = {at}\nprint(step_{at})", f"c{at}") for at in range(1, 31)]
    many = lab.root / "many.ipynb"
    many.write_text(json.dumps(notebook_of(*cells)))
    (folder / "north").mkdir(exist_ok=True)
    (folder / "north/turnover.csv").write_text("a\n1\n")
    panel = open_panel(many)
    panel.new_chat()
    options = mention(panel, "@").get_by_role("option")
    expect(options).to_have_count(12)
    expect(options.first).to_contain_text("cell 1step_1 = 1")
    expect(options.filter(has_text="data/").first).to_be_visible()
    for typed in ("@turn", "@north/tu"):
        panel.box.fill("")
        options = mention(panel, typed).get_by_role("option")
        expect(options.first).to_contain_text("data/north/turnover.csv")
    panel.box.fill("")
    expect(mention(panel, "@step_17").get_by_role("option")).to_have_text(["cell 17step_17 = 17cell"])
    panel.box.press("Enter")
    expect(panel.box).to_have_value("@cell-17 ")
    assert panel.errors == []


def test_variables_and_frames_of_the_kernel_are_named_without_touching_it(open_panel, provider, notebook):
    provider.script("what is", says("A frame."))
    panel = open_panel(notebook)
    run = """async () => {
      const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
      const code = 'class DataFrame: pass\\nsales = DataFrame(); salary = 3; _hidden = 1; import os';
      await kernel.requestExecute({ code }).done;
      return (await kernel.requestExecute({ code: '', user_expressions: { n: 'len(In)' } }).done).content;
    }"""
    panel.until(
        lambda: panel.page.evaluate(
            "() => window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === 'idle'"
        ),
        what="the kernel",
    )
    panel.page.evaluate(run)
    panel.new_chat()
    found = mention(panel, "what is @sal")
    expect(found.get_by_role("option")).to_have_text(["salesdata frame", "salaryvariable"])
    panel.box.press("Enter")
    panel.box.press("Enter")
    panel.expect_text("A frame.")
    assert f"[context] frame: sales in {notebook.name}" in asked(provider)
    after = panel.page.evaluate("""async () => {
      const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
      const reply = await kernel.requestExecute({ code: '1' }).done;
      return reply.content.execution_count;
    }""")
    assert after == 2, "looking for names counts as no execution"


def test_escape_leaves_the_list_and_mail_addresses_open_none(open_panel, provider, notebook, folder):
    panel = open_panel(notebook)
    panel.new_chat()
    found = mention(panel, "@dat")
    expect(found).to_be_visible()
    panel.box.press("Escape")
    expect(found).to_have_count(0)
    panel.box.fill("")
    mention(panel, "write to ana@data")
    panel.page.wait_for_timeout(400)
    expect(found).to_have_count(0)


def test_a_file_is_dropped_from_the_file_browser(open_panel, provider, notebook, folder):
    provider.script("what is in it", says("Sums."))
    panel = open_panel(notebook)
    panel.new_chat()
    entry = panel.page.locator(".jp-DirListing-item", has_text="data").first
    start, end = entry.bounding_box(), panel.root.bounding_box()
    mouse = panel.page.mouse
    mouse.move(start["x"] + 40, start["y"] + 8)
    mouse.down()
    mouse.move(start["x"] + 90, start["y"] + 60, steps=5)
    mouse.move(end["x"] + 60, end["y"] + 300, steps=10)
    mouse.up()
    expect(chips(panel).filter(has_text="data/")).to_have_count(1)
    assert folder.is_dir(), "what is dragged stays where it is"
    panel.ask("what is in it")
    panel.expect_text("Sums.")
    assert "[context] folder: data" in asked(provider)
