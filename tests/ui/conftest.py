"""Chromium, one JupyterLab per module with the scripted provider connected, one page per test."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.fakes.provider import FakeProvider
from tests.ui.lab import CHROMIUM, CHROMIUM_OPTIONS, Lab, running
from tests.ui.panel import Panel


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/ui" in str(item.path).replace("\\", "/"):
            item.add_marker(pytest.mark.ui)
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(240))


@pytest.fixture(autouse=True)
def jp_asyncio_loop() -> None:
    """Playwright runs a loop of its own in this thread: no other one here."""


@pytest.fixture(autouse=True)
def jp_server_cleanup() -> None:
    """No server lives in this process."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("CI needs Chromium: browser tests are not skipped there")
        pytest.skip("there is no Chromium on this machine: browser tests need one")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_OPTIONS)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as fake:
        yield fake


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, provider: FakeProvider, browser: Browser) -> Iterator[Lab]:
    made = Lab(tmp_path_factory.mktemp("home"))
    made.connect(provider.base_url)
    with running(made):
        yield made


@pytest.fixture
def notebook(lab: Lab, request: pytest.FixtureRequest) -> Path:
    """A notebook of its own for each test: three code cells with known ids."""
    path = lab.root / f"{request.node.name.split('[')[0]}.ipynb"
    cells = [
        nbformat.v4.new_code_cell(source, id=f"cell-{index}")
        for index, source in enumerate(("x = 1", "x + 1", "print('third')"))
    ]
    made = nbformat.v4.new_notebook(cells=cells)
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    nbformat.write(made, path)
    return path


@pytest.fixture
def open_panel(browser: Browser, lab: Lab) -> Iterator[Callable[..., Panel]]:
    """Open JupyterLab on a notebook (or the launcher) with the panel shown; closes every page afterwards."""
    pages: list[Page] = []

    def open_one(notebook: Path | None = None, *, width: int = 1400, height: int = 850) -> Panel:
        context = browser.new_context(viewport={"width": width, "height": height})
        page = context.new_page()
        pages.append(page)
        panel = Panel(page, lab)
        panel.open(notebook)
        return panel

    yield open_one
    for page in pages:
        page.context.close()
