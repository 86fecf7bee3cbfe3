"""What came out of the bench: results, sums, the table, the JSON, the estimate."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .tasks import Task

Json = Any  # of --json

STEPS_A_TASK, PROMPT_TOKENS, REPLY_TOKENS = 5, 6000, 300
"""Planning figures of one task, each reply with its prompt: instructions and tools, and what was read. Not measured."""
MARKS = {"passed": "✓", "failed": "✗", "skipped": "-"}


@dataclass(frozen=True)
class Result:
    """How one task ended."""

    task: str
    state: Literal["passed", "failed", "skipped"]
    reason: str = ""
    """Why not, in words."""
    steps: int = 0
    """Model calls of the run."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    """None where the price is not known."""
    seconds: float = 0.0


@dataclass(frozen=True)
class Report:
    """Everything that was done."""

    model: str
    results: Sequence[Result]
    asked: int
    """How many tasks there were to do."""
    ended: str = "complete"
    """Or why it ended before."""


def count_of(report: Report, state: str) -> int:
    """How many tasks ended so."""
    return sum(result.state == state for result in report.results)


def pass_rate(report: Report) -> float | None:
    """Passed of those that were tried, 0 to 1; None where none was."""
    tried = count_of(report, "passed") + count_of(report, "failed")
    return count_of(report, "passed") / tried if tried else None


def cost_of(results: Sequence[Result]) -> float | None:
    """The sum in US dollars; None where one is not known."""
    costs = [result.cost_usd for result in results]
    return None if None in costs else sum(cost for cost in costs if cost is not None)


def as_json(report: Report) -> Json:
    """Of --json."""
    rate = pass_rate(report)
    return {
        "model": report.model,
        "ended": report.ended,
        "asked": report.asked,
        **{state: count_of(report, state) for state in MARKS},
        "pass_rate": None if rate is None else round(rate, 4),
        "steps": sum(result.steps for result in report.results),
        "input_tokens": sum(result.input_tokens for result in report.results),
        "output_tokens": sum(result.output_tokens for result in report.results),
        "cost_usd": cost_of(report.results),
        "seconds": round(sum(result.seconds for result in report.results), 2),
        "tasks": [asdict(result) for result in report.results],
    }


def money(cost_usd: float | None) -> str:
    """A cost in words."""
    return "unknown" if cost_usd is None else f"${cost_usd:.4f}"


def line_of(result: Result) -> str:
    """One task's row of the table."""
    figures = (
        f"{result.steps:>5} {result.input_tokens:>9,} {result.output_tokens:>7,} {money(result.cost_usd):>9} "
        f"{result.seconds:>7.1f}"
    )
    return f"{MARKS[result.state]} {result.task:<24} {figures}  {result.reason}".rstrip()


HEAD = f"  {'task':<24} {'steps':>5} {'tokens in':>9} {'out':>7} {'cost':>9} {'seconds':>7}"


def sums_of(report: Report) -> list[str]:
    """The table's last lines."""
    results, rate = report.results, pass_rate(report)
    total = Result(
        "all",
        "skipped",
        steps=sum(result.steps for result in results),
        input_tokens=sum(result.input_tokens for result in results),
        output_tokens=sum(result.output_tokens for result in results),
        cost_usd=cost_of(results),
        seconds=sum(result.seconds for result in results),
    )
    tried = count_of(report, "passed") + count_of(report, "failed")
    said = "nothing was tried" if rate is None else f"{count_of(report, 'passed')} of {tried} passed ({rate:.0%})"
    left_out = count_of(report, "skipped")
    more = [f"{left_out} left out"] if left_out else []
    more += [f"{report.asked - len(results)} not done"] if report.asked > len(results) else []
    last = [] if report.ended == "complete" else [f"Ended before its end: {report.ended}"]
    return [" " + line_of(total)[1:], f"{report.model}: {', '.join([said, *more])}", *last]


def expected_tokens(tasks: Sequence[Task]) -> tuple[int, int]:
    """(input, output) that all tasks may take, by the planning figures."""
    replies = STEPS_A_TASK * len(tasks)
    return replies * PROMPT_TOKENS, replies * REPLY_TOKENS


def warning(model: str, tasks: Sequence[Task], *, is_local: bool, cost_usd: float | None) -> str:
    """What is said before anything is spent or run."""
    given, taken = expected_tokens(tasks)
    number = "1 task" if len(tasks) == 1 else f"{len(tasks)} tasks"
    place = "runs on this machine and costs nothing" if is_local else "runs elsewhere: the tasks go there"
    cost = (
        ""
        if is_local
        else f" Estimated cost: {'unknown, look at its prices' if cost_usd is None else money(cost_usd)}."
    )
    return (
        f"{number} for {model}, which {place}. Estimate: about {given:,} tokens in and {taken:,} out.{cost}\n"
        "Code that it writes is run here, as you and unread, in a temporary folder. Code that seems to delete files, "
        "use the network, run a shell or install packages is refused, as far as it can be seen."
    )
