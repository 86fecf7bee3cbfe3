"""Every notebook we ship runs from top to bottom, and fails only where it says so."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.rglob("*.ipynb"))
RAISES = {("tour.ipynb", "tour-error"): "KeyError"}
"""Cells that fail on purpose. Not tagged raises-exception: the tour shows how Linda tells of an error."""


@pytest.fixture(autouse=True)
def jp_asyncio_loop() -> None:
    """nbclient runs a loop of its own: no other one here."""


@pytest.fixture(autouse=True)
def jp_server_cleanup() -> None:
    """No server lives in this process."""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_notebook_runs_and_fails_only_where_it_says_so(path: Path, tmp_path: Path) -> None:
    pytest.importorskip("palmerpenguins", reason="the notebooks need the [tour] extra")
    notebook = nbformat.read(path, as_version=4)
    expected = {cell.id: RAISES[path.name, cell.id] for cell in notebook.cells if (path.name, cell.id) in RAISES}
    for cell in notebook.cells:
        if cell.id in expected:
            cell.metadata["tags"] = ["raises-exception"]
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=60, kernel_name="python3", resources=resources).execute()
    assert {cell.id: error for cell in notebook.cells if (error := _error_in(cell))} == expected


def _error_in(cell: nbformat.NotebookNode) -> str:
    errors = [output.ename for output in cell.get("outputs", ()) if output.output_type == "error"]
    return errors[0] if errors else ""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_shipped_clean(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)


def test_the_tour_counts_its_cells_as_people_do() -> None:
    notebook = nbformat.read(FOLDER / "tour.ipynb", as_version=4)
    assert notebook.cells[1].id == "tour-load"  # "Run cell 2"
    assert notebook.cells[2].id == "tour-try"  # "this is cell 3"
    assert notebook.cells[6].id == "tour-error"  # "run cell 7"
