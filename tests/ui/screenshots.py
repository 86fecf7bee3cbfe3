"""Screenshots of the manual, made from the running product: `python -m tests.ui.screenshots [--weights FILE]`."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, expect, sync_playwright

import jupyter_linda
from jupyter_linda.gateway.weights import find_weights
from tests.ui.lab import CHROMIUM, CHROMIUM_OPTIONS, Lab, running
from tests.ui.panel import Panel

REPOSITORY = Path(__file__).parents[2]
FOLDER = REPOSITORY / "docs" / "screenshots"
SIZE = {"width": 1280, "height": 860}
PANEL_WIDTH = 450
RUN, DESCRIBE = "Run cell 2", "Describe the data frame penguins"
INSERT = "Insert a cell with `penguins.species.value_counts()` at the end"
RUN_ZH, DESCRIBE_ZH, RUN_FIFTH_ZH = "运行第二个单元格", "描述数据框 penguins", "运行第五个单元格"
DARK = {"@jupyterlab/apputils-extension:themes": {"theme": "JupyterLab Dark"}}
CHINESE = {"jupyter-linda:panel": {"language": "zh_CN"}}


class LabOfThisCheckout(Lab):
    """Serves the panel as it was last built here, even where an older copy is installed in the environment."""

    def __init__(self, home: Path, **options: Any) -> None:
        super().__init__(home, **options)
        built = Path(jupyter_linda.__file__).parent / "labextension"
        shutil.copytree(built, home / "data" / "labextensions" / "jupyter-linda")

    def environment(self) -> dict[str, str]:
        return {**super().environment(), "JUPYTER_PREFER_ENV_PATH": "0", "LANG": "C.UTF-8", "TZ": "UTC"}


class Camera:
    """One JupyterLab on the tour, one tab, the panel wide enough to read."""

    def __init__(self, panel: Panel) -> None:
        self.panel = panel
        self.page = panel.page

    def widen(self) -> None:
        box = self.panel.root.bounding_box()
        assert box is not None
        self.page.mouse.move(box["x"] - 1, 400)
        self.page.mouse.down()
        self.page.mouse.move(SIZE["width"] - PANEL_WIDTH, 400, steps=8)
        self.page.mouse.up()

    def close_file_browser(self) -> None:
        browser = self.page.locator("#filebrowser")
        if browser.is_visible():
            self.page.locator('[data-id="filebrowser"]').click()

    def start(self) -> None:
        """From the first-run page to an empty chat, with the demo model."""
        self.panel.root.locator(".linda-Choice .linda-mod-primary").click(timeout=30_000)
        expect(self.composer).to_be_visible()

    def select_cell(self, number: int) -> None:
        """Cells are counted from 1."""
        self.page.locator(".jp-Notebook .jp-Cell").nth(number - 1).locator(".jp-InputPrompt").click(force=True)
        expect(self.panel.root.locator(".linda-Composer .linda-Chip").last).to_contain_text(str(number))

    @property
    def composer(self) -> Locator:
        return self.panel.root.locator(".linda-Composer textarea")

    @property
    def primary(self) -> Locator:
        """The first answer of the open question."""
        return self.panel.root.locator(".linda-mod-ask .linda-mod-primary")

    def ask(self, text: str) -> None:
        self.composer.fill(text)
        self.composer.press("Enter")

    def ask_and_allow(self, text: str) -> None:
        self.ask(text)
        self.primary.click(timeout=60_000)
        self.wait_until_done()

    def wait_until_done(self) -> None:
        """The line below the last answer names the model once a run is over."""
        self.page.wait_for_timeout(500)
        expect(self.panel.root.locator(".linda-RunLine")).to_contain_text("linda/demo", timeout=60_000)

    def hide_folder(self) -> None:
        """The rules lie in a temporary folder here; a reader's lie where the manual says."""
        note = self.panel.root.locator("#linda-rules + .linda-Note")
        note.evaluate("node => { node.textContent = '~/.local/share/jupyter/linda/rules.json'; }")

    def wait_for_question(self) -> None:
        expect(self.primary).to_be_visible(timeout=60_000)

    def shoot(self, name: str, of: Locator | None = None) -> None:
        self.page.mouse.move(5, 5)
        self.page.wait_for_timeout(1_000)  # toasts of JupyterLab and the last animation
        path = FOLDER / f"{name}.png"
        (self.page if of is None else of).screenshot(path=path)
        print(f"{path.relative_to(REPOSITORY)}: {path.stat().st_size // 1000} kB")


@contextmanager
def camera(
    browser: Browser,
    *,
    weights: Path | None,
    overrides: dict[str, Any] | None = None,
    fill: Callable[[Path], Path] | None = None,
) -> Iterator[Camera]:
    """`fill` puts notebooks into the folder and names the one to open; without it, the tour."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        lab = LabOfThisCheckout(home, overrides=overrides, settings={"demo_weights": str(weights)} if weights else {})
        notebook = (fill or copy_tour)(lab.root)
        with running(lab):
            context = browser.new_context(viewport=SIZE)
            page = context.new_page()
            # An old notebook names a kernel that is not here: JupyterLab asks for another.
            accept = page.locator(".jp-Dialog .jp-mod-accept")
            page.add_locator_handler(accept, lambda: accept.click())
            panel = Panel(page, lab)
            panel.open(notebook)
            made = Camera(panel)
            made.close_file_browser()
            made.widen()
            yield made
            context.close()


def copy_tour(root: Path) -> Path:
    return Path(shutil.copyfile(REPOSITORY / "notebooks" / "tour.ipynb", root / "linda-tour.ipynb"))


def copy_foreign(root: Path) -> Path:
    """The notebooks in nbclient's source archive, through pip."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*command, "--no-build-isolation", "--dest", folder, "nbclient"], check=True, timeout=300)
        with tarfile.open(next(Path(folder).glob("*.tar.gz"))) as archive:
            archive.extractall(folder, filter="data")
        for path in Path(folder).rglob("*.ipynb"):
            shutil.copyfile(path, root / path.name)
    return root / "Error.ipynb"


def shoot_light(browser: Browser, weights: Path | None) -> None:
    with camera(browser, weights=weights) as made:
        expect(made.panel.root.get_by_text("Hello, I am Linda.")).to_be_visible(timeout=30_000)
        made.shoot("first-run")
        made.start()
        made.select_cell(2)
        made.ask_and_allow(RUN)
        made.ask(DESCRIBE)
        made.wait_until_done()
        made.ask(INSERT)
        made.wait_for_question()
        made.shoot("panel")
        made.shoot("approval", made.panel.root.locator(".linda-mod-ask"))
        made.primary.click()
        made.wait_until_done()
        made.panel.root.get_by_role("button", name=re.compile("^Permissions")).click()
        expect(made.panel.root.get_by_text("What was decided")).to_be_visible()
        made.hide_folder()
        made.shoot("permissions", made.panel.root)


def shoot_dark(browser: Browser, weights: Path | None) -> None:
    with camera(browser, weights=weights, overrides=DARK) as made:
        made.start()
        made.ask_and_allow(RUN)
        made.ask("Which variables are there?")
        made.wait_until_done()
        made.ask(INSERT)
        made.wait_for_question()
        made.shoot("dark")


def shoot_chinese(browser: Browser, weights: Path | None) -> None:
    with camera(browser, weights=weights, overrides=CHINESE) as made:
        made.start()
        made.ask_and_allow(RUN_ZH)
        made.ask(DESCRIBE_ZH)
        made.wait_until_done()
        made.ask(RUN_FIFTH_ZH)
        made.wait_for_question()
        made.shoot("chinese")


def shoot_foreign(browser: Browser, weights: Path | None) -> None:
    with camera(browser, weights=weights, fill=copy_foreign) as made:
        made.start()
        made.ask("Which notebooks do I have?")
        made.wait_until_done()
        made.ask_and_allow("Run cell 1")
        made.ask("在末尾插入一个单元格，内容是 `print(10 / 4)`")
        made.wait_for_question()
        made.shoot("foreign")


def main() -> None:
    """Make every picture anew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, help="the demo model's weights, if not yet fetched")
    parser.add_argument("--only", choices=["light", "dark", "chinese", "foreign"])
    chosen = parser.parse_args()
    weights = chosen.weights or _fetched()
    FOLDER.mkdir(parents=True, exist_ok=True)
    scenes = {"light": shoot_light, "dark": shoot_dark, "chinese": shoot_chinese, "foreign": shoot_foreign}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_OPTIONS)
        for name, scene in scenes.items():
            if chosen.only in (None, name):
                scene(browser, weights)
        browser.close()


def _fetched() -> Path | None:
    from jupyter_linda.config import LindaSettings

    return find_weights(Path(LindaSettings().data_dir))


if __name__ == "__main__":
    main()
