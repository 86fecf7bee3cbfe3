"""Fixtures every folder shares: a clock that tests move, ids that count, a database, an event log."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from jupyter_linda.events.log import EventLog
from jupyter_linda.storage.database import Database

pytest_plugins = ("pytest_jupyter.jupyter_server", "tests.packaging.plugin")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What takes minutes runs in CI, and where somebody asks for it; browser tests come last."""
    items.sort(key=lambda item: "browser" in getattr(item, "fixturenames", ()))  # Playwright keeps the thread's loop
    if os.environ.get("CI") or "slow" in config.option.markexpr:
        return
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="slow: CI runs it, and -m slow does"))


def pytest_unconfigure() -> None:
    """Python waits without end for threads that anyio keeps for an event loop which a test has closed."""
    for thread in threading.enumerate():
        if thread.name == "AnyIO worker thread":
            thread.stop()  # type: ignore[attr-defined]  # anyio's own class


class FakeClock:
    """Stands still until a test moves it."""

    def __init__(self) -> None:
        self.at = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    def move(self, **by: float) -> None:
        self.at += timedelta(**by)


class FakeIds:
    """chat_1, chat_2, …"""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def new(self, noun: str) -> str:
        self._counts[noun] = self._counts.get(noun, 0) + 1
        return f"{noun}_{self._counts[noun]:04d}"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def ids() -> FakeIds:
    return FakeIds()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = Database(f"sqlite:///{(tmp_path / 'data' / 'linda.sqlite').as_posix()}")
    made.create()
    yield made
    made.close()


@pytest.fixture
def told() -> list[str]:
    """Chats that followers were told about."""
    return []


@pytest.fixture
def event_log(database: Database, clock: FakeClock, told: list[str]) -> EventLog:
    return EventLog(database, clock, told.extend)
