"""A real Jupyter server with real kernels, and Linda's view of it."""

from __future__ import annotations

import json

import pytest

from jupyter_linda.live.browser import Browsers
from jupyter_linda.live.server import LiveServer
from jupyter_linda.storage.files import Results


@pytest.fixture
def put(jp_root_dir):
    """Write a notebook file the way Jupyter does; returns its path on disk."""

    def write(name, content):
        target = jp_root_dir / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return target

    return write


@pytest.fixture
def browsers():
    return Browsers()


@pytest.fixture
def live(jp_serverapp, jp_asyncio_loop, browsers, tmp_path):
    """Linda's view of the server; its kernels are ended afterwards."""
    server = LiveServer(jp_serverapp, browsers, Results(tmp_path / "kept"))
    yield server
    jp_asyncio_loop.run_until_complete(server.close())
    jp_asyncio_loop.run_until_complete(jp_serverapp.kernel_manager.shutdown_all(now=True))
