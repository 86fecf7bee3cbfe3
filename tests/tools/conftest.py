"""A root folder with a tool bench over it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from fakes.tool_bench import ToolBench


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "team"
    folder.mkdir()
    return folder


@pytest.fixture
def bench(root):
    return ToolBench(root)
