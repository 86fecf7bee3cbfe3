"""A root folder, and where the journal keeps what was there."""

from __future__ import annotations

import pytest

from jupyter_linda.storage.files import Results


@pytest.fixture
def root(tmp_path):
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def kept(tmp_path):
    return Results(tmp_path / "kept")
