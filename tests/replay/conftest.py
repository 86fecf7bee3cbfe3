"""Two servers: one to record runs in, one whose provider replays traces."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from jupyter_linda.client import LindaClient, Server
from tests.fakes.provider import FakeProvider, Part, Use
from tests.fakes.replay import MADE_ID, ReplayProvider, Trace, play
from tests.ui.lab import Lab, running

REPORTS = Path(__file__).parent / "reports"
MODEL = "fake/scripted"
SETTINGS = {"model_wait_first_s": 0.01, "provider_timeout_s": 20.0, "provider_gap_timeout_s": 20.0}


class IdProvider(FakeProvider):
    """Scripted, and knows the id of the cell that was just made: `THE_NEW_CELL` stands for it."""

    def _reply_to(self, request: dict[str, Any]) -> Sequence[Part]:
        results = [str(message["content"]) for message in request["messages"] if message["role"] == "tool"]
        made = MADE_ID.findall(" ".join(results))
        return [_with_id(part, made[0]) if made else part for part in super()._reply_to(request)]


def _with_id(part: Part, cell_id: str) -> Part:
    if not isinstance(part, Use) or not isinstance(part.arguments, dict):
        return part
    arguments = {key: cell_id if value == "THE_NEW_CELL" else value for key, value in part.arguments.items()}
    return Use(part.name, arguments, part.index, part.call_id)


@dataclass(frozen=True)
class Place:
    """A server, and the provider of its only model."""

    client: LindaClient
    root: Path
    provider: Any  # scripted, or replaying

    def lay_down(self, files: Mapping[str, str]) -> None:
        """These files, and no others."""
        shutil.rmtree(self.root)
        self.root.mkdir()
        for name, content in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(content, encoding="utf-8")


@contextmanager
def serving(home: Path, provider: FakeProvider) -> Iterator[Place]:
    lab = Lab(home, app="jupyter_server", settings=SETTINGS)
    with provider:
        lab.connect(provider.base_url)
        with running(lab), LindaClient(Server(lab.url, lab.token, str(lab.root))) as client:
            yield Place(client, lab.root, provider)


@pytest.fixture(scope="module")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with serving(tmp_path_factory.mktemp("recorder"), IdProvider()) as place:
        yield place


@pytest.fixture(scope="module")
def replayer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with serving(tmp_path_factory.mktemp("replayer"), ReplayProvider()) as place:
        yield place


@dataclass(frozen=True)
class Played:
    """A run that was played again."""

    trace: Trace
    root: Path
    left_over: int
    """Recorded replies nobody asked for; negative: more was asked than was recorded."""


Replay = Callable[[Trace, Mapping[str, str]], Played]


@pytest.fixture
def replay(replayer: Place) -> Replay:
    """Lays the files down and plays a trace again."""

    def run(trace: Trace, files: Mapping[str, str]) -> Played:
        replayer.lay_down(files)
        replayer.provider.load(trace)
        made = play(replayer.client, trace, model=MODEL)
        return Played(made, replayer.root, replayer.provider.left_over)

    return run


@pytest.fixture
def replay_report(replay: Replay) -> Callable[[str], Played]:
    """Plays a bug report of `reports/` again: its trace.json, with its files/ laid down."""

    def run(name: str) -> Played:
        trace = json.loads((REPORTS / name / "trace.json").read_text(encoding="utf-8"))
        return replay(trace, files_of(REPORTS / name / "files"))

    return run


def files_of(folder: Path) -> dict[str, str]:
    """The text files of a folder, by relative name."""
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
