"""Fidelity: edits, moves and their undoing in notebooks of others and in generated ones; what else changed."""

from __future__ import annotations

import argparse
import asyncio
import random
import site
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tests.bench.report import Report, main
from tests.fakes.fidelity import Fidelity, made
from tests.fakes.server_of_files import live_over
from tests.fakes.tool_bench import ToolBench

ARCHIVES = ("nbclient", "nbformat")


def measure(chosen: argparse.Namespace) -> Report:
    """Every notebook of installed packages and of two source archives, then generated ones."""
    report = Report("fidelity")
    with tempfile.TemporaryDirectory() as name:
        work = Path(name) / "team"
        work.mkdir()
        fidelity = Fidelity(ToolBench(work, live=live_over(work)), work)
        found = _foreign(Path(name), with_archives=not chosen.offline)
        tried, broken = asyncio.run(_all(fidelity, found, chosen.generated, chosen.seed))
    for fault in fidelity.faults[:10]:
        print(f"  {fault}", file=sys.stderr)
    report.add("notebooks of others", tried, "")
    report.add("of them no notebooks by their own format", broken, "")
    report.add("generated notebooks", chosen.generated, "")
    report.add("operations", fidelity.operations, "")
    report.add("of them refused (old formats), file untouched", fidelity.refused, "")
    report.add("undone to the very bytes", fidelity.same_bytes, "")
    report.add("changes outside the edited cell or of layout", len(fidelity.faults), "", equals=0)
    return report


def _foreign(work: Path, *, with_archives: bool) -> list[Path]:
    folders = [Path(folder) for folder in (*site.getsitepackages(), sys.prefix)]
    if with_archives:
        into = work / "archives"
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest"]
        subprocess.run([*command, str(into), *ARCHIVES], check=True, capture_output=True, timeout=300)
        for archive in into.glob("*.tar.gz"):
            with tarfile.open(archive) as packed:
                packed.extractall(into, filter="data")
        folders.append(into)
    return sorted({path.resolve() for folder in folders for path in folder.rglob("*.ipynb")})


async def _all(fidelity: Fidelity, found: list[Path], generated: int, seed: int) -> tuple[int, int]:
    tried = broken = 0
    for path in found:
        raw = path.read_bytes()
        try:
            fidelity.file.write_bytes(raw)
            await fidelity.bench.live.read_notebook("n.ipynb")
        except Exception:  # some archives hold files that are no notebooks, for their own tests
            broken += 1
            continue
        tried += 1
        await fidelity.try_all(raw, random.Random(str(path.name)))
    for number in range(generated):
        chance = random.Random(seed * 1_000_003 + number)
        await fidelity.try_all(made(chance), chance)
    return tried, broken


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--generated", type=int, default=2000, help="how many generated notebooks")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--offline", action="store_true", help="without the archives of the package index")


if __name__ == "__main__":
    raise SystemExit(main(measure, _options))
