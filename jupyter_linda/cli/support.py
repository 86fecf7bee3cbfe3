"""jupyter linda support: a bundle for a bug report, with secrets taken out."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import sqlite3
import sys
import zipfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ..gateway.faults import without_keys
from ..gateway.providers import KEY_VARIABLES
from .doctor import examine
from .settings import read_settings

if TYPE_CHECKING:
    import argparse
    from argparse import Namespace

PACKAGES = (
    "jupyter_linda",
    "jupyterlab",
    "jupyter_server",
    "ipykernel",
    "litellm",
    "sqlalchemy",
    "pydantic",
    "xllamacpp",
    "notebook",
)
LOG_TAIL_BYTES = 300_000


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this command."""
    made = commands.add_parser(
        "support",
        help="pack logs and findings for a bug report, secrets removed",
        description="Writes a zip with versions, the doctor's findings, settings, rules, the worker's log, row counts. "
        "No chat text, no notebook, no key. Look into it before you send it.",
    )
    made.add_argument("--output", type=Path, help="the file to write (default: linda-support-<time>.zip here)")
    made.set_defaults(run=run)


def run(chosen: Namespace) -> int:
    """Do it."""
    settings = read_settings()
    data_dir = Path(settings.data_dir)
    output = chosen.output or Path(f"linda-support-{datetime.now(UTC):%Y%m%dT%H%M%S}.zip")
    clean = Cleaner(data_dir)
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("versions.json", json.dumps(_versions(), indent=1))
        bundle.writestr(
            "doctor.json", clean(json.dumps([check.model_dump() for check in examine(is_offline=True)], indent=1))
        )
        bundle.writestr("settings.json", clean(json.dumps(settings.to_worker(), indent=1, default=str)))
        bundle.writestr(
            "database.json", json.dumps(_counts(Path(settings.database_url.removeprefix("sqlite:///"))), indent=1)
        )
        for name in ("providers.json", "rules.json", "worker.log", "worker.1.log"):
            file = data_dir / name
            if file.is_file():
                bundle.writestr(name, clean(file.read_bytes()[-LOG_TAIL_BYTES:].decode(errors="replace")))
    print(f"Wrote {output}. Look into it before you send it.")
    return 0


class Cleaner:
    """Takes every stored key, everything that looks like one, and the home folder's name out of a text."""

    def __init__(self, data_dir: Path) -> None:
        try:
            keys = json.loads((data_dir / "keys.json").read_text(encoding="utf-8"))
            self._secrets = [entry["key"] for entry in keys.values() if entry.get("key")]
        except (OSError, ValueError, AttributeError, KeyError, TypeError):
            self._secrets = []
        self._secrets += [os.environ[name] for name in KEY_VARIABLES.values() if os.environ.get(name)]

    def __call__(self, text: str) -> str:
        """The text, clean."""
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return without_keys(text).replace(str(Path.home()), "~")


def _versions() -> dict[str, str]:
    found = {"python": sys.version, "platform": platform.platform()}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def _counts(path: Path) -> dict[str, int | str]:
    if not path.is_file():
        return {"state": "no database"}
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            counts = {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}  # noqa: S608  # names from the schema
            return {**counts, "bytes": path.stat().st_size}
    except sqlite3.Error as error:
        return {"state": f"cannot be read: {error}"}
