"""The panel as a person uses it: by what is written on it."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.ui.lab import Lab


class Panel:
    """One browser tab with JupyterLab and the panel open."""

    def __init__(self, page: Page, lab: Lab) -> None:
        self.page = page
        self.lab = lab
        self.errors: list[str] = []
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def open(self, notebook: Path | None = None) -> None:
        self.place = f"lab/workspaces/{secrets.token_hex(4)}"  # each tab starts empty
        path = f"/tree/{notebook.relative_to(self.lab.root).as_posix()}" if notebook else ""
        self.page.goto(f"{self.lab.url}{self.place}{path}?token={self.lab.token}")
        self.page.wait_for_selector(".jp-Notebook-cell" if notebook else ".jp-Launcher", timeout=60_000)
        self.show()

    def show(self) -> None:
        if not self.root.is_visible():
            self.page.locator('[data-id="linda-panel"]').click()
        expect(self.root).to_be_visible(timeout=20_000)

    @property
    def root(self) -> Locator:
        return self.page.locator("#linda-panel")

    @property
    def box(self) -> Locator:
        return self.root.get_by_role("textbox", name="Message")

    @property
    def log(self) -> Locator:
        return self.root.get_by_role("log")

    def button(self, name: str) -> Locator:
        return self.root.get_by_role("button", name=name, exact=True)

    def new_chat(self) -> None:
        back, new = self.button("All chats"), self.button("New")
        expect(back.or_(new)).to_be_visible()
        if back.is_visible():
            back.click()
        new.click()
        expect(self.box).to_be_visible()

    def edit_freely(self) -> None:
        """Let her edit in this chat without questions."""
        self.button("What Linda may do: Ask before acting").click()
        self.root.get_by_role("menuitemradio", name="Edit freely here").click()

    def ask(self, text: str) -> None:
        self.box.fill(text)
        self.box.press("Enter")

    def expect_text(self, text: str, *, seconds: float = 30.0) -> None:
        expect(self.log).to_contain_text(text, timeout=seconds * 1000)

    def cell_sources(self) -> list[str]:
        """What the notebook's shared model holds in this tab."""
        script = """() => {
          const widget = window.jupyterapp.shell.currentWidget;
          return Array.from(widget.content.model.sharedModel.cells).map(cell => cell.getSource());
        }"""
        return list(self.page.evaluate(script))

    def until(self, condition: Callable[[], Any], *, seconds: float = 20.0, what: str = "it") -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"{what} did not happen within {seconds} s")
            self.page.wait_for_timeout(50)


def sources_on_disk(notebook: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(notebook.read_text())["cells"]]
