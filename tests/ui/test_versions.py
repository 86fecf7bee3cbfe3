"""The same wheel in the oldest JupyterLab and Notebook 7 it promises to work in; and in the Notebook of this environment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, expect

from tests.fakes.provider import FakeProvider, Use, says, uses
from tests.packaging.fresh import Distributions, Venv, make_venv
from tests.ui.lab import Lab, running
from tests.ui.panel import Panel, sources_on_disk

NOTEBOOKS_OWN = "Cannot read properties of undefined (reading 'schema')"
"""Notebook 7.6 says this at its start, without Linda too."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def oldest(tmp_path_factory: pytest.TempPathFactory, distributions: Distributions) -> Venv:
    """JupyterLab 4.4, its Notebook, and the wheel."""
    venv = make_venv(tmp_path_factory.mktemp("oldest"))
    venv.run("pip", "install", str(distributions.wheel), "jupyterlab==4.4.*", "notebook==7.4.*")
    return venv


@pytest.fixture
def panel(browser: Browser) -> Iterator[Panel]:
    context = browser.new_context(viewport={"width": 1400, "height": 850})
    yield Panel(context.new_page(), None)  # its lab comes with the test
    context.close()


def make_lab(home: Path, provider: FakeProvider, **options: str) -> tuple[Lab, Path]:
    lab = Lab(home, **options)
    lab.connect(provider.base_url)
    notebook = lab.root / "smoke.ipynb"
    content = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x = 1", id="first")])
    content.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    nbformat.write(content, notebook)
    return lab, notebook


def smoke(panel: Panel, notebook: Path, provider: FakeProvider) -> None:
    """She answers, asks, and inserts what was allowed."""
    provider.script("good morning", says("Good morning from **here**."))
    provider.script(
        "insert it", uses(Use("insert_cell", {"path": notebook.name, "source": "y = x + 1"})), says("Inserted.")
    )
    expect(panel.box).to_be_visible(timeout=20_000)  # with a model and no chat yet, a new one is open
    panel.ask("good morning")
    panel.expect_text("Good morning from here.", seconds=60)
    expect(panel.log.locator("strong", has_text="here")).to_be_visible()
    panel.ask("insert it")
    panel.button("Allow once").click(timeout=30_000)
    panel.expect_text("Inserted.")
    panel.until(lambda: panel.cell_sources() == ["x = 1", "y = x + 1"], what="the cell on screen")
    panel.until(lambda: sources_on_disk(notebook) == ["x = 1", "y = x + 1"], what="the file on disk")
    assert [error for error in panel.errors if error != NOTEBOOKS_OWN] == []


def open_in_notebook(panel: Panel, lab: Lab, notebook: Path) -> None:
    """Notebook 7 has no side bar: the command that its palette and menus offer opens the panel."""
    panel.lab = lab
    panel.page.goto(f"{lab.url}notebooks/{notebook.name}?token={lab.token}")
    panel.page.wait_for_selector(".jp-Notebook-cell", timeout=60_000)
    has_command = "() => Boolean(window.jupyterapp && window.jupyterapp.commands.hasCommand('linda:open'))"
    panel.until(lambda: panel.page.evaluate(has_command), what="the command")
    panel.page.evaluate("() => window.jupyterapp.commands.execute('linda:open')")
    expect(panel.root).to_be_visible(timeout=20_000)


def test_jupyterlab_4_4(panel, oldest, provider, tmp_path):
    lab, notebook = make_lab(tmp_path / "home", provider, python=oldest.python)
    with running(lab):
        assert lab.get("api")["version"]
        panel.lab = lab
        panel.open(notebook)
        smoke(panel, notebook, provider)


def test_notebook_7_4(panel, oldest, provider, tmp_path):
    lab, notebook = make_lab(tmp_path / "home", provider, python=oldest.python, app="notebook")
    with running(lab):
        open_in_notebook(panel, lab, notebook)
        smoke(panel, notebook, provider)


def test_notebook_of_this_environment(panel, provider, tmp_path):
    lab, notebook = make_lab(tmp_path / "home", provider, app="notebook")
    with running(lab):
        open_in_notebook(panel, lab, notebook)
        smoke(panel, notebook, provider)
