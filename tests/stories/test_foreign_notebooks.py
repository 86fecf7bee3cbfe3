"""The main job on 20 notebooks of others, with nothing but the demo model: list, open, read, insert, run, search."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.ui.lab import Lab, Page, running

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

COUNT = 20
# These run for ever or wait for each other by design; reading and editing them is tried like the rest.
NOT_RUN = ("Autokill", "Interrupt", "Parallel Execute")


class Talk:
    """One chat; every question is answered with yes, as a person at the panel would."""

    def __init__(self, page: Page, notebook: str) -> None:
        self.page = page
        self.notebook = notebook
        self.chat_id = page.call("POST", "chats", {"model": "linda/demo"})["chat_id"]
        self._count = 0

    def say(self, text: str, *, answer: str = "once") -> dict[str, Any]:
        """Returns the view when the run is over, with what was asked on the way."""
        self._count += 1
        context = [{"kind": "notebook", "path": self.notebook}]
        body = {"text": text, "client_id": f"{self.chat_id}-{self._count}", "context": context}
        self.page.call("POST", f"chats/{self.chat_id}/messages", body)
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            view = self.page.call("GET", f"chats/{self.chat_id}")
            if view["runs"][-1]["state"] in ("done", "failed", "stopped", "interrupted"):
                return view
            for question in view["questions"]:
                if question["state"] == "open":
                    self.page.call("POST", f"questions/{question['question_id']}/answer", {"answer": answer})
            time.sleep(0.03)
        raise AssertionError(f"{text!r} about {self.notebook} did not end: {view['runs'][-1]}")

    def calls(self, view: dict[str, Any]) -> list[dict[str, Any]]:
        return [call for call in view["calls"] if call["run_id"] == view["runs"][-1]["run_id"]]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with running(Lab(tmp_path_factory.mktemp("home"), app="jupyter_server")) as made:
        yield made


def chosen(notebooks: list[Path]) -> list[Path]:
    """Twenty that are format 4 and have cells, from both archives."""
    fit = []
    for path in notebooks:
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            continue
        if content.get("nbformat") == 4 and content.get("cells"):
            fit.append(path)
    return fit[:COUNT]


def without_inserted(content: dict[str, Any], source: str) -> dict[str, Any]:
    cells = [cell for cell in content["cells"] if "".join(cell["source"]) != source]
    return {**content, "cells": [{key: value for key, value in cell.items() if key != "id"} for cell in cells]}


def test_twenty_notebooks_of_others_are_read_edited_and_run(lab, foreign_notebooks):
    page = Page(lab)
    notebooks = chosen(foreign_notebooks)
    assert len(notebooks) == COUNT
    for path in notebooks:
        name = path.name.replace(" ", "_")
        shutil.copy(path, lab.root / name)
    ran = 0
    for path in notebooks:
        name = path.name.replace(" ", "_")
        before = json.loads((lab.root / name).read_text(encoding="utf-8"))
        talk = Talk(page, name)

        view = talk.say("read cell 1")
        assert [call["state"] for call in talk.calls(view)] == ["done"] * len(talk.calls(view)), (
            name,
            talk.calls(view),
        )
        first = "".join(before["cells"][0]["source"])
        assert not first.strip() or first.strip().splitlines()[0][:40] in view["messages"][-1]["text"], name

        ids = [cell.get("id") for cell in before["cells"] if cell.get("id")]
        if len(ids) != len(set(ids)):
            continue  # twins are refused; tests/cases has them
        view = talk.say("insert a cell at the end with: `marker = 6 * 7`")
        after = json.loads((lab.root / name).read_text(encoding="utf-8"))
        assert "".join(after["cells"][-1]["source"]) == "marker = 6 * 7", (name, view["messages"][-1]["text"])
        assert without_inserted(after, "marker = 6 * 7") == without_inserted(before, "marker = 6 * 7"), name
        assert after["nbformat_minor"] == before["nbformat_minor"]

        if any(word in name.replace("_", " ") for word in NOT_RUN):
            continue
        view = talk.say("run the last cell")
        (call,) = [call for call in talk.calls(view) if call["name"] == "run_cell"]
        if call["state"] == "done":
            ran += 1
            written = json.loads((lab.root / name).read_text(encoding="utf-8"))["cells"][-1]
            assert written["execution_count"] == 1, name
        else:  # a kernel this machine does not have is told in words
            assert call["problem"]["message"], name
            assert view["messages"][-1]["text"], name
    assert ran >= 12
    page.close()


def test_listing_and_finding_in_both_languages(lab, foreign_notebooks):
    page = Page(lab)
    talk = Talk(page, "")
    shutil.copy(foreign_notebooks[0], lab.root / "findme.ipynb")
    (lab.root / "words.txt").write_text("a needle here\n", encoding="utf-8")
    for text in ("which notebooks are there?", "有哪些笔记本？"):
        assert "findme" in talk.say(text)["messages"][-1]["text"], text
    for text in ('find "needle" in my files', "在文件里查找“needle”"):
        assert "words.txt" in talk.say(text)["messages"][-1]["text"], text
    page.close()


def test_a_refusal_changes_nothing_in_both_languages(lab, foreign_notebooks):
    page = Page(lab)
    source = foreign_notebooks[[path.name for path in foreign_notebooks].index("HelloWorld.ipynb")]
    shutil.copy(source, lab.root / "refuse.ipynb")
    before = (lab.root / "refuse.ipynb").read_bytes()
    talk = Talk(page, "refuse.ipynb")
    for text in ("insert a cell with: `x = 1`", "运行第一个单元格"):
        view = talk.say(text, answer="no")
        assert talk.calls(view)[-1]["state"] == "refused", text
        assert (lab.root / "refuse.ipynb").read_bytes() == before
    page.close()
