"""Open notebooks of formats before 4.5, whose cells have no ids in the file (case NB-05, live)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fakes.provider import Use, says, uses
from tests.ui.panel import Panel, sources_on_disk

CELLS_JS = "window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells"
SPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


@pytest.fixture(params=[4, 2])
def old(lab, request) -> Path:
    """A notebook of a format below 4.5: two code cells without ids."""
    cells = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
        for source in ("a = 20", "print(a + 1)")
    ]
    content = {"cells": cells, "metadata": {"kernelspec": SPEC}, "nbformat": 4, "nbformat_minor": request.param}
    path = lab.root / f"{request.node.originalname}_{request.param}.ipynb"
    path.write_text(json.dumps(content, indent=1))
    return path


@pytest.fixture
def older(lab, request) -> Path:
    """A notebook of format 3, which JupyterLab shows in format 4."""
    cell = {"cell_type": "code", "collapsed": False, "input": "a = 20", "language": "python", "metadata": {}}
    sheets = [{"cells": [{**cell, "outputs": [], "prompt_number": 1}], "metadata": {}}]
    content = {"metadata": {"name": "", "kernelspec": SPEC}, "nbformat": 3, "nbformat_minor": 0, "worksheets": sheets}
    path = lab.root / f"{request.node.name}.ipynb"
    path.write_text(json.dumps(content, indent=1))
    return path


def has_4_4_without_ids(path: Path) -> bool:
    """What JupyterLab writes of any format from 4.0 to 4.4, whoever edits."""
    content = json.loads(path.read_text())
    return (content["nbformat"], content["nbformat_minor"]) == (4, 4) and not any(
        "id" in cell for cell in content["cells"]
    )


def ids_in(panel: Panel) -> list[str]:
    panel.until(
        lambda: "print(a + 1)" in panel.cell_sources(), what="loading the notebook"
    )  # an empty cell comes first
    return list(panel.page.evaluate(f"Array.from({CELLS_JS}).map(cell => cell.id)"))


def test_jupyterlab_itself_writes_format_4_4_where_nobody_but_the_user_edits(open_panel, old):
    panel = open_panel(old)
    ids_in(panel)
    panel.page.evaluate(f"{CELLS_JS}[0].setSource('a = 5')")
    panel.page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")
    panel.until(lambda: sources_on_disk(old)[0] == "a = 5", what="saving")
    assert has_4_4_without_ids(old)


def test_case_nb_05_an_edit_in_an_open_4_x_notebook_gives_no_ids_to_the_file(open_panel, provider, old):
    panel = open_panel(old)
    ids = ids_in(panel)
    edit = {"path": old.name, "cell_id": ids[0], "old_text": "20", "new_text": "41"}
    provider.script("edit the old one", uses(Use("edit_cell", edit)), says("Edited."))
    panel.new_chat()
    panel.ask("edit the old one")
    panel.button("Allow once").click()
    panel.expect_text("Edited.")
    assert panel.cell_sources() == ["a = 41", "print(a + 1)"]
    panel.until(lambda: sources_on_disk(old) == panel.cell_sources(), what="the file on disk follows")
    assert has_4_4_without_ids(old)
    assert ids_in(panel) == ids


def test_case_nb_05_an_insert_into_an_open_4_x_notebook_gives_no_ids_to_the_file(open_panel, provider, old):
    insert = {"path": old.name, "index": 1, "source": "b = a"}
    provider.script("insert into the old one", uses(Use("insert_cell", insert)), says("Inserted."))
    panel = open_panel(old)
    panel.new_chat()
    panel.ask("insert into the old one")
    panel.button("Allow once").click()
    panel.expect_text("Inserted.")
    assert panel.cell_sources() == ["a = 20", "b = a", "print(a + 1)"]
    panel.until(lambda: sources_on_disk(old) == panel.cell_sources(), what="the file on disk follows")
    assert has_4_4_without_ids(old)


def test_case_nb_05_ids_that_reading_gave_run_the_cells_of_an_open_4_x_notebook(open_panel, provider, old):
    panel = open_panel(old)
    ids = ids_in(panel)
    provider.script(
        "read and run the old one",
        uses(Use("read_notebook", {"path": old.name})),
        uses(Use("run_cell", {"path": old.name, "cell_id": ids[0]})),
        uses(Use("run_cell", {"path": old.name, "cell_id": ids[1]})),
        says("Ran both."),
    )
    panel.new_chat()
    panel.ask("read and run the old one")
    for index in (1, 2):
        panel.expect_text(f"Run cell {index} of {old.name}.")
        panel.button("Allow once").click()
        panel.expect_text(f"Ran cell {index} of {old.name}")
    panel.expect_text("Ran both.")
    told = [message["content"] for message in provider.requests[-1]["messages"] if message["role"] == "tool"]
    assert f"[cell 1 (index 0)] code id={ids[0]}" in told[0]
    assert f"[cell 2 (index 1)] code id={ids[1]}" in told[0]
    assert "21" in told[2]
    outputs = lambda: [output["text"] for output in json.loads(old.read_text())["cells"][1]["outputs"]]  # noqa: E731
    panel.until(lambda: "".join(map(str, outputs())).find("21") >= 0, what="the output on disk")
    assert has_4_4_without_ids(old)


def test_case_nb_05_an_open_notebook_of_format_3_is_not_upgraded_unasked(open_panel, provider, older):
    before = older.read_bytes()
    panel = open_panel()
    panel.page.evaluate("path => void window.jupyterapp.commands.execute('docmanager:open', {path})", older.name)
    dialog = panel.page.get_by_role("dialog", name="Notebook converted")
    dialog.get_by_role("button", name="Ok").click()  # JupyterLab says what its next save does
    panel.until(lambda: panel.cell_sources() == ["a = 20"], what="loading the notebook")
    (cell_id,) = panel.page.evaluate(f"Array.from({CELLS_JS}).map(cell => cell.id)")
    provider.script(
        "edit and run the older one",
        uses(Use("edit_cell", {"path": older.name, "cell_id": cell_id, "old_text": "20", "new_text": "41"})),
        uses(Use("run_cell", {"path": older.name, "cell_id": cell_id})),
        says("It is of an old format."),
    )
    panel.new_chat()
    panel.ask("edit and run the older one")
    for number in (1, 2):
        panel.until(lambda: panel.button("Allow once").count() > 0 or "It is of an old" in panel.log.inner_text())
        if panel.button("Allow once").count() > 0:
            panel.button("Allow once").first.click()
            panel.until(lambda: panel.button("Allow once").count() == 0, what=f"answer {number}")
    panel.expect_text("It is of an old format.")
    told = [message["content"] for message in provider.requests[-1]["messages"] if message["role"] == "tool"]
    assert len(told) == 2
    assert all("old notebook format" in text and "upgrade_notebook" in text for text in told)
    assert panel.cell_sources() == ["a = 20"]
    assert older.read_bytes() == before
