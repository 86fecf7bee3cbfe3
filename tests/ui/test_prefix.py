"""Behind a prefix, as JupyterHub serves it; and with a database that cannot be used."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, expect

from tests.fakes.provider import End, Say, Stall, Use, says, uses
from tests.ui.lab import Lab, running
from tests.ui.panel import Panel


@pytest.fixture
def open_in(browser: Browser):
    contexts = []

    def open_one(lab: Lab) -> Panel:
        contexts.append(browser.new_context(viewport={"width": 1400, "height": 850}))
        panel = Panel(contexts[-1].new_page(), lab)
        panel.open()
        return panel

    yield open_one
    for context in contexts:
        context.close()


def test_behind_a_prefix_she_answers_asks_writes_and_is_there_after_a_reload(tmp_path, provider, open_in):
    provider.hold()
    provider.script("half of it", [Say("first half, "), Stall(), Say("second half."), End("stop")])
    provider.script("write it", uses(Use("write_file", {"path": "there.txt", "content": "1"})), says("Written."))
    lab = Lab(tmp_path / "home", base_url="/user/ana%20b/")
    lab.connect(provider.base_url)
    with running(lab):
        panel: Panel = open_in(lab)
        panel.ask("half of it")
        panel.expect_text("first half,", seconds=60)
        panel.page.reload()
        panel.page.wait_for_selector(".jp-Launcher", timeout=60_000)
        panel.show()
        panel.expect_text("first half,")
        provider.go()
        panel.expect_text("first half, second half.")
        assert panel.log.inner_text().count("first half,") == 1
        panel.ask("write it")
        panel.button("Allow once").click(timeout=30_000)
        panel.expect_text("Written.")
        assert (lab.root / "there.txt").read_text() == "1"
        assert panel.errors == []


def test_a_damaged_database_is_told_and_jupyterlab_works(tmp_path, provider, open_in: Callable[[Lab], Panel]):
    lab = Lab(tmp_path / "home")
    lab.connect(provider.base_url)
    (lab.data_dir / "linda.sqlite").write_bytes(b"not a database " * 100)
    with running(lab):
        panel = open_in(lab)  # with JupyterLab's own launcher
        expect(panel.root).to_contain_text("damaged", timeout=30_000)
        expect(panel.root).to_contain_text("backups")
        assert panel.errors == []
    assert "damaged" in lab.log.read_text()
