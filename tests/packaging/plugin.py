"""Builds and fresh environments, made once per session: each costs a minute."""

from __future__ import annotations

import time

import pytest

from tests.packaging.fresh import Distributions, Venv, clean_copy, make_venv


@pytest.fixture(scope="session")
def fresh_venv(tmp_path_factory: pytest.TempPathFactory) -> Venv:
    """One for the whole session: a test that installs Linda there leaves her or removes her as it likes."""
    return make_venv(tmp_path_factory.mktemp("fresh"))


@pytest.fixture(scope="session")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    """Wheel and sdist of the last commit, built on a machine without Node."""
    folder = tmp_path_factory.mktemp("build")
    builder = make_venv(folder / "builder")
    source = clean_copy(folder / "source")
    started = time.monotonic()
    builder.run("pip", "wheel", ".", "--no-deps", "--wheel-dir", str(folder), cwd=source)
    seconds = time.monotonic() - started
    builder.run("pip", "install", "hatchling>=1.27", "hatch-jupyter-builder>=0.9.1")
    builder.run("hatchling", "build", "-t", "sdist", "-d", str(folder), cwd=source)
    return Distributions(next(folder.glob("*.whl")), next(folder.glob("*.tar.gz")), seconds)
