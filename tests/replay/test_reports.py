"""Bug reports: what a user's run did is played again, and must now go right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from jupyter_linda.evaluation.notebooks import read_cells
from tests.fakes.replay import outline
from tests.replay.conftest import REPORTS, Played

pytestmark = pytest.mark.timeout(120)


def test_every_report_has_a_test() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert [folder.name for folder in REPORTS.iterdir() if f'"{folder.name}"' not in source] == []


def test_she_edits_the_cell_she_made_and_leaves_what_was_refused(replay_report: Callable[[str], Played]) -> None:
    """The pattern for reports; the ids of cells that a call made are others in every run."""
    played = replay_report("edit-of-a-new-cell")
    cells = read_cells((played.root / "lakes.ipynb").read_bytes()) or []
    assert [cell.source for cell in cells] == ["# Lakes", "depths = [12, 40, 7]", "deepest = max(depths)"]
    assert (played.root / "notes.txt").read_text() == "Measured in May.\n"
    found = outline(played.trace)
    assert found["state"] == "done"
    assert [tool[2] for tool in found["tools"]] == ["done", "done", "done", "refused", "done"]
    assert played.left_over == 0
