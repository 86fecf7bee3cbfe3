"""Paths: spellings by the hundred thousand against a tree with ways out of it; none may lead to what is closed."""

from __future__ import annotations

import argparse
import collections
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.report import Report, main
from tests.fakes.odd_paths import escape, plant, spelling


def measure(chosen: argparse.Namespace) -> Report:
    """Locate and open each; count what came of it."""
    report = Report("paths")
    chance = random.Random(chosen.seed)
    counts: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        policy = plant(folder)
        started = time.perf_counter()
        for _ in range(chosen.paths):
            path = spelling(chance, folder)
            what, why = escape(policy, path)
            counts[what] += 1
            if what == "escaped" and counts[what] <= 10:
                print(f"  {path!r}: {why}", file=sys.stderr)
        each = (time.perf_counter() - started) / chosen.paths
    report.add("paths", chosen.paths, "")
    for what in ("refused", "read", "outside"):
        report.add({"read": "led to an open file", "outside": "left to the rules (outside the root)"}.get(what, what),
                   counts[what], "")  # fmt: skip
    report.add("each, mean", each * 1e6, "µs")
    report.add("escaped", counts["escaped"], "", equals=0)
    return report


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--paths", type=int, default=100000)
    parser.add_argument("--seed", type=int, default=1)


if __name__ == "__main__":
    raise SystemExit(main(measure, _options))
