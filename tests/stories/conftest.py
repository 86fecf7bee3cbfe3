"""Notebooks that others wrote: the ones in nbclient's and nbformat's source archives."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def foreign_notebooks(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Every notebook of both archives, unpacked; skipped, saying so, where no package index can be reached."""
    folder = tmp_path_factory.mktemp("archives")
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:",
        "--dest", str(folder), "nbclient", "nbformat",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    archives = list(folder.glob("*.tar.gz"))
    if len(archives) < 2:
        reason = f"the source archives cannot be fetched: {done.stderr.strip()[-300:]}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    found = []
    for archive in archives:
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
    for path in sorted(folder.rglob("*.ipynb")):
        found.append(path)
    return found
