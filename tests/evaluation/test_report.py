"""Sums, the table, the JSON and the estimate."""

from __future__ import annotations

from jupyter_linda.evaluation import report
from jupyter_linda.evaluation.catalogue import TASKS
from jupyter_linda.evaluation.report import Report, Result

PASSED = Result("one", "passed", steps=3, input_tokens=4000, output_tokens=200, cost_usd=0.5, seconds=2.5)
FAILED = Result("two", "failed", "it did not", steps=1, input_tokens=1000, output_tokens=10, cost_usd=0.25, seconds=1.0)
SKIPPED = Result("three", "skipped", "matplotlib is not installed")
UNPRICED = Result("four", "passed", cost_usd=None)


def test_the_rate_is_of_those_that_were_tried() -> None:
    made = Report("a/b", (PASSED, FAILED, SKIPPED), 3)
    assert report.pass_rate(made) == 0.5
    assert report.pass_rate(Report("a/b", (SKIPPED,), 1)) is None


def test_one_unknown_price_makes_the_sum_unknown() -> None:
    assert report.cost_of((PASSED, FAILED)) == 0.75
    assert report.cost_of((PASSED, UNPRICED)) is None
    assert "unknown" in report.line_of(UNPRICED)


def test_the_table_says_what_is_missing_and_why_it_ended() -> None:
    lines = report.sums_of(Report("a/b", (PASSED, FAILED, SKIPPED), 30, "stopped with Ctrl-C"))
    assert lines[1] == "a/b: 1 of 2 passed (50%), 1 left out, 27 not done"
    assert lines[2] == "Ended before its end: stopped with Ctrl-C"
    assert "5,000" in lines[0]
    assert "$0.7500" in lines[0]
    assert report.line_of(FAILED).startswith("✗ two ")
    assert report.line_of(FAILED).endswith("it did not")


def test_the_json_has_the_same_figures() -> None:
    made = report.as_json(Report("a/b", (PASSED, FAILED, SKIPPED), 3))
    assert (made["passed"], made["failed"], made["skipped"], made["pass_rate"]) == (1, 1, 1, 0.5)
    assert (made["input_tokens"], made["output_tokens"], made["cost_usd"], made["ended"]) == (
        5000,
        210,
        0.75,
        "complete",
    )
    assert made["tasks"][1]["reason"] == "it did not"


def test_the_estimate_grows_with_the_tasks_and_names_the_danger() -> None:
    given, taken = report.expected_tokens(TASKS)
    assert (given, taken) == (900_000, 45_000)
    said = report.warning("a/b", TASKS, is_local=False, cost_usd=None)
    assert "900,000 tokens in" in said
    assert "unknown" in said
    assert "unread" in said
    assert "$1.2500" in report.warning("a/b", TASKS, is_local=False, cost_usd=1.25)
    assert "costs nothing" in report.warning("a/b", TASKS, is_local=True, cost_usd=0.0)
