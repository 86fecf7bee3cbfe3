"""Figures of a benchmark: printed as a table or as JSON."""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field


@dataclass
class Figure:
    """One measured number. `goal` in words; `holds` None where there is no goal."""

    name: str
    value: float
    unit: str
    baseline: float | None = None
    goal: str = ""
    holds: bool | None = None


@dataclass
class Report:
    """All figures of one benchmark."""

    name: str
    figures: list[Figure] = field(default_factory=list)

    def add(
        self,
        name: str,
        value: float,
        unit: str,
        *,
        baseline: float | None = None,
        at_most: float | None = None,
        equals: float | None = None,
    ) -> None:
        """`at_most` and `equals` are goals for the value, or for value - baseline where there is a baseline."""
        measured = value if baseline is None else value - baseline
        goal, holds = "", None
        if at_most is not None:
            goal, holds = f"{'+' if baseline is not None else '<='} {at_most:g} {unit}", measured <= at_most
        if equals is not None:
            goal, holds = f"= {equals:g}", measured == equals
        self.figures.append(
            Figure(name, round(value, 4), unit, None if baseline is None else round(baseline, 4), goal, holds)
        )

    def show(self, *, as_json: bool) -> int:
        """Print; returns 1 when a goal was missed."""
        if as_json:
            print(json.dumps({"name": self.name, "figures": [asdict(figure) for figure in self.figures]}))
        else:
            print(self.name)
            for figure in self.figures:
                base = "" if figure.baseline is None else f"  (baseline {figure.baseline:g})"
                mark = {True: "holds", False: "MISSED", None: ""}[figure.holds]
                print(f"  {figure.name:<58} {figure.value:>12g} {figure.unit:<6}{base:<24} {figure.goal:<16} {mark}")
        return int(any(figure.holds is False for figure in self.figures))


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def main(
    measure: Callable[[argparse.Namespace], Report],
    add_options: Callable[[argparse.ArgumentParser], None] | None = None,
) -> int:
    """Command line of a benchmark."""
    parser = argparse.ArgumentParser(description=measure.__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    if add_options is not None:
        add_options(parser)
    chosen = parser.parse_args()
    return measure(chosen).show(as_json=chosen.json)
