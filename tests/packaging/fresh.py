"""A machine that is new to Linda: clean copies of the last commit, empty virtual environments, no Node."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
HOME = Path.home()  # before any test moves it
DROPPED = ("JUPYTER", "LINDA", "OPENAI", "ANTHROPIC", "PYTHON", "VIRTUAL_ENV", "COV_", "IPYTHON", "XDG_")
NODE = ("node", "nodejs", "npm", "npx", "corepack", "yarn", "jlpm")
SCRIPTS = "Scripts" if os.name == "nt" else "bin"


@dataclass(frozen=True)
class Venv:
    """A virtual environment, and a home folder that nothing has touched."""

    folder: Path
    home: Path
    nodeless: str

    @property
    def python(self) -> str:
        return str(self.folder / SCRIPTS / ("python.exe" if os.name == "nt" else "python"))

    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.upper().startswith(DROPPED)}
        return {
            **kept,
            "HOME": str(self.home),
            "USERPROFILE": str(self.home),
            "PATH": os.pathsep.join([str(self.folder / SCRIPTS), self.nodeless]),
            "PIP_CACHE_DIR": os.environ.get("PIP_CACHE_DIR", str(HOME / ".cache" / "pip")),  # be gentle to the index
            "YARN_GLOBAL_FOLDER": str(HOME / ".yarn" / "berry"),
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PYTHONIOENCODING": "utf-8",
        }

    def run(self, *command: str, cwd: Path | None = None, timeout_s: float = 900) -> str:
        """Run one of its commands; returns what it said, both streams."""
        done = subprocess.run(
            [self.python, "-m", *command],
            cwd=cwd or self.home,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout_s,
            check=False,
        )
        assert done.returncode == 0, f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-4000:]}"
        return done.stdout

    def files_named(self, part: str) -> list[str]:
        """Everything under it whose own name holds the part; relative."""
        return sorted(
            str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if part in path.name.lower()
        )


@dataclass(frozen=True)
class Distributions:
    """What `pip wheel` and hatchling made of a clean copy, and how long the wheel took."""

    wheel: Path
    sdist: Path
    seconds: float


def without_node(folder: Path) -> str:
    """A PATH with everything on this machine's but Node."""
    kept = []
    for number, entry in enumerate(os.environ.get("PATH", "").split(os.pathsep)):
        place = Path(entry)
        if not place.is_dir() or (place.parent / "pyvenv.cfg").is_file():
            continue
        if not any((place / f"{name}{ending}").exists() for name in NODE for ending in ("", ".exe", ".cmd")):
            kept.append(entry)
            continue
        links = folder / str(number)
        links.mkdir(parents=True)
        for tool in place.iterdir():
            if tool.name.split(".")[0] not in NODE:
                (links / tool.name).symlink_to(tool)
        kept.append(str(links))
    path = os.pathsep.join(kept)
    assert not any(shutil.which(name, path=path) for name in NODE)
    return path


def clean_copy(target: Path) -> Path:
    """The last commit, as somebody gets it who downloads the repository."""
    packed = subprocess.run(["git", "archive", "HEAD"], cwd=REPOSITORY, capture_output=True, check=False)
    if packed.returncode:
        pytest.skip("this is no git checkout: there is no commit to copy")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(target, filter="data")
    return target


def make_venv(folder: Path) -> Venv:
    home = folder / "home"
    home.mkdir(parents=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True, timeout=120)
    return Venv(folder / "venv", home, without_node(folder / "path"))
