"""A root folder with a tool bench over it; notebooks are real files, kernels there are none."""

from __future__ import annotations

import json

import pytest

from jupyter_linda.live.browser import Browsers
from tests.cases.conftest import server_bench, server_put  # noqa: F401  # the same real server
from tests.fakes.server_of_files import live_over
from tests.fakes.tool_bench import ToolBench


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "team"
    folder.mkdir()
    return folder


@pytest.fixture
def browsers():
    return Browsers()


@pytest.fixture
def bench(root, browsers):
    return ToolBench(root, live=live_over(root, browsers))


@pytest.fixture
def put(root):
    """Write a notebook file the way Jupyter does; returns its path on disk."""

    def write(name, content):
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return target

    return write
