"""Canaries: every tool over frames, files and notebooks that hold them; bytes that left, and leaks among them."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tests.bench.report import Report, main
from tests.canary import flight, world
from tests.canary.flight import Flight
from tests.fakes.provider import FakeProvider


def measure(_chosen: argparse.Namespace) -> Report:
    """A model elsewhere calls every tool; then one here does, and the chats go on elsewhere; then at another level."""
    report = Report("canary")
    statistics = {**world.LEVELS, "default": {"data": "statistics"}}
    inspected = leaks = requests = 0
    for levels, first_here in ((world.LEVELS, False), (world.LEVELS, True), (statistics, False)):
        with (
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
            FakeProvider() as provider,
            Flight(Path(folder), provider, levels) as flown,
        ):
            flown.fly(first_here=first_here)
            found = flown.inspect(flight.ALL)
        for leak in found.leaks:
            print(leak)
        inspected, leaks, requests = (
            inspected + found.bytes_inspected,
            leaks + len(found.leaks),
            requests + found.requests,
        )
    report.add("tools called", len(world.tools_called()), "")
    report.add("requests", requests, "")
    report.add("bytes inspected", inspected, "B")
    report.add("canaries, in eleven encodings each", len(flight.ALL), "")
    report.add("leaks", leaks, "", equals=0)
    return report


if __name__ == "__main__":
    raise SystemExit(main(measure))
