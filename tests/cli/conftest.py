"""A server without a browser, a scripted provider, and a way to run commands beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.fakes.provider import FakeProvider
from tests.ui.lab import Lab, running

TIMEOUT_S = 90.0


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class CommandLine:
    """`jupyter linda …` in a lab's environment and folder."""

    lab: Lab

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "jupyter_linda.cli.main", *arguments]

    def environment(self, **more: str) -> dict[str, str]:
        return {**self.lab.environment(), "PYTHONIOENCODING": "utf-8", "COLUMNS": "100", **more}

    def start(self, *arguments: str, **options: object) -> subprocess.Popen[bytes]:
        chosen = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.Popen(
            self.command(*arguments), cwd=self.lab.root, env=self.environment(PYTHONUNBUFFERED="1"), **chosen
        )

    def run(self, *arguments: str, given: str = "", cwd: Path | None = None, **environment: str) -> Done:
        done = subprocess.run(
            self.command(*arguments),
            cwd=cwd or self.lab.root,
            env=self.environment(**environment),
            input=given,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=TIMEOUT_S,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)


def processes_of(home: Path) -> list[psutil.Process]:
    """Every process that has this home folder."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("HOME") == str(home) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


@pytest.fixture(scope="module")
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as fake:
        yield fake


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, provider: FakeProvider) -> Iterator[Lab]:
    """A running Jupyter server without JupyterLab's pages."""
    made = Lab(tmp_path_factory.mktemp("home"), app="jupyter_server")
    made.connect(provider.base_url)
    with running(made):
        yield made


@pytest.fixture
def home(tmp_path: Path) -> Lab:
    """A home where nothing runs and nothing was ever set up."""
    return Lab(tmp_path / "home", app="jupyter_server")


@pytest.fixture
def linda(lab: Lab) -> CommandLine:
    return CommandLine(lab)


@pytest.fixture
def alone(home: Lab) -> CommandLine:
    return CommandLine(home)


is_root = pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root writes everywhere")
