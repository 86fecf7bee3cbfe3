"""Whatever a model asks for, a tool does it or says why not in words of ours: nothing else ever comes out of one."""

from __future__ import annotations

import os
import random

import pytest

from jupyter_linda.errors import LindaError
from jupyter_linda.tools import (
    data_files,
    deleting,
    file,
    file_changes,
    notebook,
    notebook_upgrade,
)
from tests.fakes.notebooks import code_cell
from tests.fakes.notebooks import notebook as made_of

TOOLS = [
    tool
    for family in (data_files, deleting, file, file_changes, notebook, notebook_upgrade)
    for tool in family.TOOLS
    if tool.action != "run"
]
PATHS = [
    "a.ipynb", "A.IPYNB", "twins.ipynb", "old.ipynb", "bad.ipynb", "empty.ipynb", "folder.ipynb", "link.ipynb",
    "dangling.ipynb", "loop.ipynb", "fifo", "b.txt", "c.csv", "d", "d/", "d/../a.ipynb", "./a.ipynb", "new/a.ipynb",
    "b.txt/c.ipynb", "a.ipynb/x", "", "  ", ".", "..", "../x.ipynb", "/etc/passwd", "x" * 300 + ".ipynb",
    "n\nl.ipynb", "\u202ea.ipynb", "a.ipynb\\b", "~/x", "%2e%2e/x", "RTC:a.ipynb", "AGENTS.md", ".hid/x", "e\u0301.ipynb",
]  # fmt: skip
TEXTS = ["", "a", "b", "a#0", "t", "t#1", "nope", "x", "\n", "=1", "x=1", "é\u2028", "a" * 5000]


@pytest.fixture
def filled(root, put, tmp_path, monkeypatch):
    """A root folder with a bit of everything, and a trash of its own."""
    import send2trash.plat_other as platform

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setattr(platform, "HOMETRASH", str(tmp_path / "share" / "Trash"), raising=False)
    monkeypatch.setattr(platform, "HOMETRASH_B", os.fsencode(tmp_path / "share" / "Trash"), raising=False)
    put("a.ipynb", made_of(code_cell("x=1\ny=2", "a"), code_cell("z", "b")))
    put("twins.ipynb", made_of(code_cell("x=1", "t"), code_cell("z", "t")))
    cell = {"cell_type": "code", "input": "1", "outputs": [], "language": "python"}
    put("old.ipynb", {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": [cell]}]})
    for name, text in (("bad.ipynb", "{"), ("empty.ipynb", ""), ("b.txt", "x=1\r\nz\n"), ("c.csv", "a,b\n1,2\n")):
        (root / name).write_text(text)
    for name in ("d", "folder.ipynb"):
        (root / name).mkdir()
    for name, target in (("link.ipynb", "a.ipynb"), ("dangling.ipynb", "gone.ipynb"), ("loop.ipynb", "loop.ipynb")):
        (root / name).symlink_to(target)
    if hasattr(os, "mkfifo"):
        os.mkfifo(root / "fifo")
    return root


def value(choose, name, schema):
    """Something of the type that the schema wants, and often nothing that makes sense."""
    if "anyOf" in schema:
        return value(choose, name, choose(schema["anyOf"]))
    if "enum" in schema:
        return choose(schema["enum"])
    if schema.get("type") == "array":
        is_cells = "$ref" in schema["items"]
        return [{"source": "x"} if is_cells else value(choose, name, schema["items"]) for _ in range(choose([0, 1, 3]))]
    of_type = {"boolean": [True, False], "integer": [-1, 0, 1, 2, 2000], "number": [0.5, 10], "null": [None]}
    texts = PATHS if name in ("path", "to", "file", "folder") else TEXTS
    return choose(of_type.get(schema.get("type"), texts))


@pytest.mark.parametrize("seed", range(12))
def test_only_faults_of_ours_come_out_of_a_tool(filled, bench, seed):
    choose = random.Random(seed).choice  # no secret
    done = 0
    for _ in range(60):
        tool = choose(TOOLS)
        needed = tool.parameters.get("required", [])
        known = tool.parameters["properties"].items()
        wish = {name: value(choose, name, schema) for name, schema in known if name in needed or choose([True, False])}
        for step in (bench.preview, bench.run, bench.find):
            try:
                step(tool, **wish)
                done += 1
            except (LindaError, PermissionError):  # the last: the gate's no, as the bench says it
                continue
            except Exception as error:
                raise AssertionError(f"{tool.name} {step.__name__} {wish}") from error
    assert done > 20
