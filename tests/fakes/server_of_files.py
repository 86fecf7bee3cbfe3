"""A Jupyter server without kernels: enough for `LiveServer` to read and edit notebooks."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from jupyter_client.kernelspec import NoSuchKernel
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from traitlets.config import Config

from jupyter_linda.live.browser import Browsers
from jupyter_linda.live.server import LiveServer
from jupyter_linda.storage.files import Results


class NoSessions:
    async def list_sessions(self):
        return []


class InstalledKernels:
    """What is installed: Python and R. Nothing runs."""

    default_kernel_name = "python3"

    @property
    def kernel_spec_manager(self):
        return self

    def get_kernel_spec(self, name):
        if name not in ("python3", "ir"):
            raise NoSuchKernel(name)
        return SimpleNamespace(language="R" if name == "ir" else "python")


def live_over(root, browsers=None):
    """Linda's view of the notebooks below a folder."""
    # The signatures of a real notary would land in the home folder of whoever runs the tests.
    config = Config({"NotebookNotary": {"db_file": ":memory:", "secret": b"test"}})
    manager = AsyncLargeFileManager(root_dir=str(root), config=config)
    app = SimpleNamespace(
        root_dir=str(root),
        contents_manager=manager,
        session_manager=NoSessions(),
        kernel_manager=InstalledKernels(),
    )
    kept = Results(Path(root).parent / f".{Path(root).name}.kept")  # beside the folder, not in it
    return LiveServer(app, browsers or Browsers(), kept)
