"""In the notebook itself: staged changes at their cells, and help on one cell."""

from __future__ import annotations

from dataclasses import replace

import nbformat
import pytest
from playwright.sync_api import expect

from tests.fakes.provider import Use, says, uses
from tests.ui.lab import Page
from tests.ui.panel import sources_on_disk


def in_notebook(notebook, name, **arguments):
    return Use(name, {"path": notebook.name, **arguments})


def staged(panel):
    return panel.page.locator(".jp-Notebook .linda-Staged")


def bar(panel):
    return panel.page.get_by_role("region", name="Changes by Linda")


def test_a_wish_is_shown_at_its_cell_and_accepted_there(open_panel, provider, notebook):
    edit = in_notebook(notebook, "edit_cell", cell_id="cell-1", old_text="+ 1", new_text="+ 2")
    provider.script("plus two", uses(edit), says("Plus two it is."))
    panel = open_panel(notebook)
    panel.new_chat()
    panel.ask("plus two")
    expect(staged(panel)).to_have_count(1, timeout=30_000)
    expect(staged(panel)).to_contain_text("Change cell 2 of")
    cell = panel.page.locator(".jp-Notebook .jp-Cell").nth(1)
    expect(cell.locator(".linda-Staged")).to_contain_text("x + 2")
    assert panel.cell_sources()[1] == "x + 1"
    cell.get_by_role("button", name="Accept").click()
    panel.expect_text("Plus two it is.")
    assert panel.cell_sources()[1] == "x + 2"
    expect(staged(panel)).to_have_count(0)  # what was accepted at the cell is not asked about there again
    assert panel.cell_sources()[1] == "x + 2"
    assert panel.errors == []


def test_an_accepted_change_is_shown_as_such_until_the_others_of_its_step_are_answered(open_panel, provider, notebook):
    first = in_notebook(notebook, "edit_cell", cell_id="cell-0", old_text="1", new_text="7")
    second = in_notebook(notebook, "edit_cell", cell_id="cell-1", old_text="+ 1", new_text="+ 2")
    provider.script("two at once", uses(first, replace(second, index=1)), says("Both done."))
    panel = open_panel(notebook)
    panel.new_chat()
    panel.ask("two at once")
    cells = panel.page.locator(".jp-Notebook .jp-Cell")
    expect(staged(panel)).to_have_count(2, timeout=30_000)
    cells.nth(0).get_by_role("button", name="Accept").click()
    at_first = cells.nth(0).locator(".linda-Staged")
    expect(at_first).to_contain_text("Accepted; waiting for the other answers")
    expect(at_first).to_contain_text("x = 7")
    expect(at_first.get_by_role("button")).to_have_count(0)
    card = panel.root.locator("[data-held]")
    expect(card).to_contain_text("x = 7")
    expect(card).to_contain_text("Accepted; waiting for the other answers")
    assert panel.cell_sources()[:2] == ["x = 1", "x + 1"]
    bar(panel).get_by_role("button", name="Accept all").click()
    panel.expect_text("Both done.")
    assert panel.cell_sources()[:2] == ["x = 7", "x + 2"]
    expect(staged(panel)).to_have_count(0)
    expect(card).to_have_count(0)
    assert panel.errors == []


def test_all_changes_of_a_turn_are_rejected_and_typing_meanwhile_stays(open_panel, provider, notebook):
    provider.script(
        "many things",
        uses(in_notebook(notebook, "edit_cell", cell_id="cell-0", old_text="1", new_text="7")),
        uses(in_notebook(notebook, "insert_cell", source="new = 1", index=1)),
        says("Many things done."),
    )
    panel = open_panel(notebook)
    panel.new_chat()
    panel.edit_freely()
    panel.ask("many things")
    panel.expect_text("Many things done.")
    expect(bar(panel)).to_contain_text("2 changes by Linda in this notebook")
    expect(staged(panel)).to_have_count(2)
    expect(panel.page.locator(".jp-Notebook .jp-Cell").nth(1).locator(".linda-Staged")).to_contain_text("new = 1")
    panel.page.evaluate("""() => {
      const cells = window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells;
      cells[3].setSource("print('third')  # typed meanwhile");
    }""")
    bar(panel).get_by_role("button", name="Reject all").click()
    wanted = ["x = 1", "x + 1", "print('third')  # typed meanwhile"]
    panel.until(lambda: panel.cell_sources() == wanted, what="the rejection")
    expect(bar(panel)).to_have_count(0)
    panel.until(lambda: sources_on_disk(notebook) == wanted, what="the file on disk follows")
    assert panel.errors == []


def test_changes_of_one_cell_are_one_at_the_cell_and_taken_back_together(open_panel, provider, notebook):
    def edit(old, new):
        return in_notebook(notebook, "edit_cell", cell_id="cell-0", old_text=old, new_text=new)

    provider.script("twice", uses(edit("1", "2")), uses(edit("2", "3")), says("Twice done."))
    panel = open_panel(notebook)
    panel.new_chat()
    panel.edit_freely()
    panel.ask("twice")
    panel.expect_text("Twice done.")
    expect(staged(panel)).to_have_count(1)
    expect(staged(panel)).to_contain_text("x = 1")
    expect(staged(panel)).to_contain_text("x = 3")
    expect(staged(panel)).not_to_contain_text("x = 2")
    staged(panel).get_by_role("button", name="Reject").click()
    expect(staged(panel)).to_have_count(0)
    expect(bar(panel)).to_have_count(0)
    assert panel.cell_sources()[0] == "x = 1"
    assert panel.errors == []


def test_a_long_wish_scrolls_in_itself_and_covers_no_other_cell(open_panel, provider, notebook):
    source = "\n".join(f"v{line} = {line}  # {'long ' * 60}" for line in range(60))
    provider.script(
        "at length", uses(in_notebook(notebook, "edit_cell", cell_id="cell-0", old_text="x = 1", new_text=source))
    )
    panel = open_panel(notebook)
    panel.new_chat()
    panel.ask("at length")
    expect(staged(panel)).to_contain_text("v59 = 59", timeout=30_000)
    overflows = """() => ['.linda-Staged', '.jp-Notebook .jp-WindowedPanel-outer'].map(name => {
      const node = document.querySelector(name);
      return [node.scrollWidth > node.clientWidth, name === '.linda-Staged' && node.scrollHeight > node.clientHeight];
    })"""
    assert panel.page.evaluate(overflows) == [[False, False], [False, False]]


@pytest.mark.parametrize(("index", "at", "is_above"), [(0, 0, True), (1, 0, False), (-1, -1, False)])
def test_a_wish_for_a_new_cell_stands_where_it_would_be(open_panel, provider, notebook, index, at, is_above):
    insert = in_notebook(notebook, "insert_cell", source="new = 1", index=index)
    provider.script(f"new at {index}", uses(insert), says("Not then."))
    panel = open_panel(notebook)
    panel.new_chat()
    panel.ask(f"new at {index}")
    cells = panel.page.locator(".jp-Notebook .jp-Cell")
    expect(staged(panel)).to_have_count(1, timeout=30_000)
    cell = cells.nth(at if at >= 0 else cells.count() - 1)
    expect(cell.locator(".linda-Staged")).to_contain_text("new = 1")
    shown, source = cell.locator(".linda-Staged").bounding_box(), cell.locator(".jp-InputArea").bounding_box()
    assert (shown["y"] < source["y"]) is is_above
    staged(panel).get_by_role("button", name="Reject").click()
    panel.expect_text("Not then.")
    expect(staged(panel)).to_have_count(0)
    assert panel.errors == []


def test_rejecting_a_wish_at_its_cell_says_no(open_panel, provider, notebook):
    edit = in_notebook(notebook, "edit_cell", cell_id="cell-1", old_text="+ 1", new_text="+ 2")
    provider.script("rather not", uses(edit), says("Then not."))
    panel = open_panel(notebook)
    panel.new_chat()
    panel.ask("rather not")
    staged(panel).get_by_role("button", name="Reject").click()
    panel.expect_text("Then not.")
    expect(staged(panel)).to_have_count(0)
    assert panel.cell_sources()[1] == "x + 1"


def test_a_change_that_cannot_be_rejected_stays_at_its_cell_and_says_why(open_panel, provider, notebook):
    edit = in_notebook(notebook, "edit_cell", cell_id="cell-1", old_text="+ 1", new_text="+ 2")
    provider.script("freely", uses(edit), says("Freely done."))
    panel = open_panel(notebook)
    panel.new_chat()
    panel.edit_freely()
    panel.ask("freely")
    panel.expect_text("Freely done.")
    panel.page.evaluate("""() => {
      const cells = window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells;
      cells[1].setSource("x + 2 + 3  # typed into her line");
    }""")
    staged(panel).get_by_role("button", name="Reject").click()
    expect(staged(panel).get_by_role("status")).to_contain_text("The same lines of the cell were changed since")
    assert panel.cell_sources()[1] == "x + 2 + 3  # typed into her line"
    staged(panel).get_by_role("button", name="Accept").click()
    expect(staged(panel)).to_have_count(0)
    assert panel.errors == []


@pytest.fixture
def failing(lab, request):
    path = lab.root / f"{request.node.name.split('[')[0]}.ipynb"
    error = nbformat.v4.new_output(
        "error", ename="NameError", evalue="name 'y' is not defined",
        traceback=["\x1b[0;31mNameError\x1b[0m: name 'y' is not defined"],
    )  # fmt: skip
    cells = [nbformat.v4.new_code_cell("print(y)", id="bad", outputs=[error], execution_count=1)]
    made = nbformat.v4.new_notebook(cells=cells)
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    nbformat.write(made, path)
    return path


def test_the_error_of_a_cell_is_fixed_from_its_own_menu(open_panel, provider, failing):
    fix = in_notebook(failing, "edit_cell", cell_id="bad", old_text="print(y)", new_text="y = 1\nprint(y)")
    provider.script("This cell fails", uses(fix), says("It wanted a y."))
    panel = open_panel(failing)
    panel.page.locator(".jp-Notebook .jp-Cell").first.click(button="right")
    items = panel.page.locator(".lm-Menu-item")
    items.filter(has_text="Linda").hover()
    items.filter(has_text="Fix the error of this cell").click()
    expect(staged(panel)).to_contain_text("y = 1", timeout=30_000)
    sent = provider.requests[-1]["messages"]
    asked = next(message["content"] for message in sent if message["role"] == "user")
    assert "[context] output of cell bad" in asked
    assert "name 'y' is not defined" in asked
    assert "\\x1b" not in asked
    staged(panel).get_by_role("button", name="Accept").click()
    panel.expect_text("It wanted a y.")
    assert panel.cell_sources() == ["y = 1\nprint(y)"]


def test_a_prompt_in_the_cell_is_asked_with_the_cell_and_left_with_escape(open_panel, provider, notebook):
    provider.script("make it shorter", says("It is short."))
    panel = open_panel(notebook)
    cell = panel.page.locator(".jp-Notebook .jp-Cell").nth(1)
    cell.click()
    panel.page.keyboard.press("Escape")
    panel.page.keyboard.press("Control+Shift+K")
    box = cell.get_by_role("textbox", name="What shall be done with this cell?")
    expect(box).to_be_focused()
    panel.page.keyboard.type("dd aa")  # shortcuts of the notebook must not hear this
    expect(box).to_have_value("dd aa")
    assert len(panel.cell_sources()) == 3
    panel.page.keyboard.press("Escape")
    expect(box).to_have_count(0)
    cell.click()
    cell.get_by_role("button", name="Ask Linda about this cell…").click()
    box.fill("make it shorter")
    box.press("Enter")
    panel.expect_text("It is short.")
    asked = next(m["content"] for m in provider.requests[-1]["messages"] if m["role"] == "user")
    assert "[context] cell: cell-1 in" in asked
    assert panel.errors == []


def test_a_change_above_the_cursor_leaves_it_where_somebody_types(open_panel, provider, notebook, lab):
    edit = in_notebook(notebook, "edit_cell", cell_id="cell-0", old_text="x = ", new_text="longer_name = ")
    provider.script("above the cursor", uses(edit), says("Changed above."))
    panel, api = open_panel(notebook), Page(lab)
    panel.page.locator(".jp-Notebook .jp-Cell").first.locator(".cm-content").click()
    panel.page.keyboard.press("Control+End")
    panel.page.keyboard.type("  # be")
    chat_id = api.call("POST", "chats", {"mode": "edit"})["chat_id"]
    api.call("POST", f"chats/{chat_id}/messages", {"text": "above the cursor", "client_id": f"{chat_id}-1"})
    panel.until(lambda: "longer_name" in panel.cell_sources()[0], seconds=90, what="the change")
    panel.page.keyboard.type("low")
    assert panel.cell_sources()[0] == "longer_name = 1  # below"
    assert panel.errors == []
    api.close()
