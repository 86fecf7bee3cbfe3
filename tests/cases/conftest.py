"""Tool benches: over plain files, and over a real Jupyter server with real kernels."""

from __future__ import annotations

import json

import pytest

from jupyter_linda.live.browser import Browsers
from jupyter_linda.live.server import LiveServer
from jupyter_linda.storage.files import Results
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


@pytest.fixture
def server_put(jp_root_dir):
    """`put`, in the root of a real Jupyter server."""

    def write(name, content):
        target = jp_root_dir / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return target

    return write


@pytest.fixture
def server_bench(jp_serverapp, jp_asyncio_loop, jp_root_dir, browsers, tmp_path):
    """Tools over a real Jupyter server with real kernels."""
    live = LiveServer(jp_serverapp, browsers, Results(tmp_path / "kept"))
    yield ToolBench(jp_root_dir, live=live)
    jp_asyncio_loop.run_until_complete(live.close())
    jp_asyncio_loop.run_until_complete(jp_serverapp.kernel_manager.shutdown_all(now=True))
