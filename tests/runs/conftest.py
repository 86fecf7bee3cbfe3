"""A desk to work at."""

from __future__ import annotations

import pytest

from tests.fakes.desk import Desk


@pytest.fixture
def desk(event_log, tmp_path, ids) -> Desk:
    return Desk(event_log, tmp_path, ids)
