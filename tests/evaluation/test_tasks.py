"""Every task through server, worker and kernel: done right it passes, done wrong it fails and says why."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_linda.evaluation.bench import Bench
from jupyter_linda.evaluation.catalogue import TASKS
from jupyter_linda.evaluation.report import Result
from tests.evaluation.playing import RIGHT, WRONG, Play
from tests.fakes.provider import FakeProvider

pytestmark = pytest.mark.timeout(300)

QUICK = ("count-rows", "undoable-edit", "injection-in-a-file", "ask-back")


def play(bench: Bench, provider: FakeProvider, plays: dict[str, Play]) -> dict[str, Result]:
    tasks = [task for task in TASKS if task.name in plays]
    for number, task in enumerate(tasks, 1):
        provider.script(f"job-{number:02d}", *plays[task.name](f"job-{number:02d}"))
    results: list[Result] = []
    assert bench.carry_out(tasks, results.append) == ""
    return {result.task: result for result in results}


def test_the_models_play_thirty_tasks() -> None:
    names = [task.name for task in TASKS]
    assert len(names) == len(set(names)) == 30
    assert set(RIGHT) == set(WRONG) == set(names)


def test_a_few_tasks_done_right_pass_and_their_folders_go(bench: Bench, provider: FakeProvider) -> None:
    results = play(bench, provider, {name: RIGHT[name] for name in QUICK})
    assert {name: result.reason for name, result in results.items()} == dict.fromkeys(QUICK, "")
    assert [result.state for result in results.values()] == ["passed"] * len(QUICK)
    assert results["count-rows"].steps == 2
    assert results["count-rows"].input_tokens == 200
    assert results["count-rows"].output_tokens == 40
    assert results["count-rows"].cost_usd == 0
    assert results["count-rows"].seconds > 0


@pytest.mark.slow
@pytest.mark.parametrize("model", ["fake/scripted", "fake/big-cloud"], ids=["here", "elsewhere"])
def test_all_tasks_done_right_pass(bench: Bench, provider: FakeProvider, model: str) -> None:
    results = play(replace(bench, model=model), provider, dict(RIGHT))
    assert {name: result.reason for name, result in results.items() if result.state != "passed"} == {}
    assert len(results) == 30


def test_all_tasks_done_wrong_fail_for_the_right_reason(bench: Bench, provider: FakeProvider) -> None:
    results = play(bench, provider, {name: wrong for name, (wrong, _reason) in WRONG.items()})
    for name, (_wrong, reason) in WRONG.items():
        assert results[name].state == "failed", name
        assert any(words in results[name].reason for words in reason.split("|")), results[name]


def test_no_task_passes_by_words_alone(bench: Bench, provider: FakeProvider) -> None:
    """The last message of the right play, without a call."""
    plays = {name: (lambda at, name=name: RIGHT[name](at)[-1:]) for name in RIGHT}
    results = play(bench, provider, plays)
    assert [name for name, result in results.items() if result.state != "failed"] == []
