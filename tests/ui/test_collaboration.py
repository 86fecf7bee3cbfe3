"""With jupyter-collaboration: she edits and runs in a notebook's room while a person types in the same cell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, expect

from tests.fakes.provider import Stall, Use, says, uses
from tests.ui.lab import Lab, running
from tests.ui.panel import Panel

pytest.importorskip(
    "jupyter_server_ydoc", reason="jupyter-collaboration is not installed here; CI makes a place for it"
)

KEYS = "what the person types meanwhile, letter by letter, before and after hers"


@pytest.fixture
def shared(tmp_path: Path, provider, browser: Browser) -> Iterator[Panel]:
    """A page of a JupyterLab whose notebooks are in rooms; its lab has one notebook, `shared.ipynb`."""
    lab = Lab(tmp_path / "home")
    lab.connect(provider.base_url)
    cells = [nbformat.v4.new_code_cell("x = 1\n# ", id="first"), nbformat.v4.new_code_cell("y = 2", id="second")]
    made = nbformat.v4.new_notebook(cells=cells)
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    nbformat.write(made, lab.root / "shared.ipynb")
    context = browser.new_context(viewport={"width": 1400, "height": 850})
    with running(lab):
        yield Panel(context.new_page(), lab)
    context.close()


def on_disk(notebook: Path) -> list[tuple[str, int]]:
    """Each cell's source and number of outputs; nothing while the room is just writing the file."""
    try:
        cells = json.loads(notebook.read_text())["cells"]
    except json.JSONDecodeError:
        return []
    return [("".join(cell["source"]), len(cell["outputs"])) for cell in cells]


def test_she_edits_and_runs_in_a_room_while_a_person_types_in_that_very_cell(shared, provider):
    notebook = shared.lab.root / "shared.ipynb"

    def on_it(name: str, **arguments: object) -> Use:
        return Use(name, {"path": notebook.name, **arguments})

    provider.script(
        "work with me",
        uses(on_it("insert_cell", source="z = 0", index=0)),
        [Stall(4.0), *uses(on_it("edit_cell", cell_id="second", old_text="2", new_text="2; print(6 * 7)"))],
        uses(on_it("run_cell", cell_id="second")),
        uses(on_it("edit_cell", cell_id="first", old_text="x = 1", new_text="x = 10")),
        says("Done with you."),
    )
    shared.open(notebook)
    shared.until(lambda: "Initializing room json:notebook:" in shared.lab.log.read_text(), what="the room")
    shared.new_chat()
    shared.edit_freely()
    shared.ask("work with me")
    shared.until(lambda: len(shared.cell_sources()) == 3, seconds=60, what="her first edit")
    shared.page.wait_for_timeout(1000)  # the message box takes the focus back a moment after sending
    shared.page.locator(".jp-Notebook .jp-Cell .cm-content", has_text="x = 1").click()
    shared.page.keyboard.press("Control+End")
    shared.page.keyboard.type(KEYS, delay=100)
    shared.button("Allow once").click(timeout=30_000)  # running asks
    shared.expect_text("Done with you.", seconds=60)
    wanted = ["z = 0", f"x = 10\n# {KEYS}", "y = 2; print(6 * 7)"]
    shared.until(lambda: shared.cell_sources() == wanted, seconds=40, what="the cells on screen")
    expect(shared.page.locator(".jp-Notebook .jp-OutputArea-output")).to_have_text(["42\n"])
    shared.until(lambda: on_disk(notebook) == list(zip(wanted, [0, 0, 1], strict=True)), what="the file on disk")
    assert shared.errors == []
    told = json.dumps(provider.requests[-1]["messages"])
    assert told.count("not saved to the file yet") == 3  # as a room does; a tab would have saved
