"""One server whose root folder belongs to the bench, and a scripted provider."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jupyter_linda.client import Server
from jupyter_linda.evaluation.bench import Bench
from tests.fakes.provider import FakeProvider
from tests.ui.lab import Lab, running


@pytest.fixture(scope="module")
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as fake:
        yield fake


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, provider: FakeProvider) -> Iterator[Bench]:
    made = Lab(tmp_path_factory.mktemp("bench"), app="jupyter_server")
    made.connect(provider.base_url, models=("scripted", "big-cloud"))
    levels = made.data_dir / "privacy.json"
    levels.write_text('{"version": 1, "default": {"text": "open", "data": "values"}}')  # as the command does
    with running(made):
        yield Bench(Server(made.url, made.token, str(made.root)), "fake/scripted", timeout_s=60.0)
