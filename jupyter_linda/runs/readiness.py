"""What the doctor and the readiness page check, each with its remedy."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import LindaError
from ..schemas import Check

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from ..schemas import ModelInfo, Problem
    from ..storage.database import Database

    class ModelList(Protocol):
        """What is asked of the providers."""

        @property
        def is_demo_ready(self) -> bool:
            """Whether the demo model has its weights."""

        @property
        def default_model(self) -> str:
            """The model of new chats."""

        def models(self) -> tuple[ModelInfo, ...]:
            """Models on offer."""

    class Rules(Protocol):
        """What is asked of the rules."""

        path: str
        problem: Problem | None

        def current(self) -> object:
            """Read the file if it changed."""

    class Policies(Protocol):
        """What is asked of the policies."""

        @property
        def problem(self) -> Problem | None:
            """What is wrong with one."""

        def current(self) -> Sequence[tuple[str, object]]:
            """Read the files that changed: path and rules of each."""


LOW_DISK_BYTES = 500_000_000


def check_all(
    database: Database, providers: ModelList, rules: Rules, policies: Policies, data_dir: Path, root_dir: str
) -> list[Check]:
    """Every check that needs neither the worker nor the network."""
    return [
        check_versions(),
        check_data_dir(data_dir),
        check_database(database),
        check_rules(rules),
        *check_policies(policies),
        check_model(providers),
        check_root(root_dir),
    ]


def check_versions() -> Check:
    """Python and JupyterLab are ones we run on."""
    lab = importlib.metadata.version("jupyterlab")
    python = ".".join(map(str, sys.version_info[:3]))
    parts = tuple(int(part) for part in lab.split(".")[:2] if part.isdigit())
    if not (4, 4) <= parts < (5, 0):
        return Check(
            name="versions",
            title="Versions",
            state="warning",
            detail=f"JupyterLab {lab} is outside 4.4 to 5.",
            remedy="pip install 'jupyterlab>=4.4,<5'",
        )
    return Check(name="versions", title="Versions", state="ok", detail=f"Python {python}, JupyterLab {lab}.")


def check_data_dir(data_dir: Path) -> Check:
    """The data folder can be written and has room."""
    place = next((folder for folder in (data_dir, *data_dir.parents) if folder.exists()), data_dir)
    if not place.is_dir():
        return Check(
            name="data",
            title="Data folder",
            state="error",
            detail=f"{place} is a file, where a folder should be.",
            remedy="Move it away, or set LindaSettings.data_dir (or LINDA_DATA_DIR) to another folder.",
        )
    if not os.access(place, os.W_OK):
        return Check(
            name="data",
            title="Data folder",
            state="error",
            detail=f"{place} cannot be written.",
            remedy="Make it writable, or set LindaSettings.data_dir (or LINDA_DATA_DIR) to a folder that is.",
        )
    free = shutil.disk_usage(place).free
    if free < LOW_DISK_BYTES:
        return Check(
            name="data",
            title="Data folder",
            state="warning",
            detail=f"Only {free // 1_000_000} MB are free on the disk of {data_dir}.",
            remedy="Free some space: chats cannot be kept on a full disk.",
        )
    return Check(name="data", title="Data folder", state="ok", detail=f"{data_dir}, {free // 1_000_000_000} GB free.")


def check_database(database: Database) -> Check:
    """The database opens, is ours, and lies where a write-ahead log works."""
    try:
        state = database.state()
    except LindaError as error:
        return Check(name="database", title="Database", state="error", detail=error.message, remedy=error.remedy)
    words = {
        "absent": "None yet; it is made with the first chat.",
        "older": "Of an older version; it is upgraded at the next use, after a backup.",
        "current": "Opens, and is of this version.",
    }
    if database.is_on_network:
        return Check(
            name="database",
            title="Database",
            state="warning",
            detail="It lies on a network file system: slower, with a rollback journal instead of a write-ahead log.",
            remedy="Set LindaSettings.data_dir to a local disk if you can.",
        )
    return Check(name="database", title="Database", state="ok", detail=words[state])


def check_rules(rules: Rules) -> Check:
    """The rules file parses."""
    rules.current()
    if rules.problem is not None:
        return Check(
            name="rules",
            title="Permission rules",
            state="error",
            detail=rules.problem.message,
            remedy=rules.problem.remedy,
        )
    where = rules.path if Path(rules.path).exists() else "the first-run profile (no file yet)"
    return Check(name="rules", title="Permission rules", state="ok", detail=f"{where}.")


def check_policies(policies: Policies) -> list[Check]:
    """The policies of this machine can be read; nothing where there are none."""
    found = policies.current()
    problem = policies.problem
    if problem is not None:
        return [
            Check(name="policy", title="Policy", state="error", detail=problem.message, remedy=problem.remedy),
        ]
    paths = ", ".join(path for path, _ in found)
    return [Check(name="policy", title="Policy", state="ok", detail=f"{paths}.")] if found else []


def check_model(providers: ModelList) -> Check:
    """Some model can answer."""
    try:
        default = providers.default_model
    except LindaError as error:
        return Check(name="model", title="Model", state="error", detail=error.message, remedy=error.remedy)
    if default == "linda/demo":
        detail = (
            "Only the built-in demo model: it lists, opens, reads, inserts, runs and describes; it cannot write code."
        )
        if not providers.is_demo_ready:
            detail += " Its weights for small talk are not there."
        return Check(
            name="model",
            title="Model",
            state="warning",
            detail=detail,
            remedy="Connect a model in Models and settings, or set a provider's key in the environment.",
        )
    if not default:
        return Check(
            name="model",
            title="Model",
            state="error",
            detail="No model is connected.",
            remedy="Connect one in Models and settings.",
        )
    return Check(name="model", title="Model", state="ok", detail=f"{default} is the default.")


def check_root(root_dir: str) -> Check:
    """The notebook folder can be read and written."""
    if not root_dir:
        return Check(
            name="root", title="Notebook folder", state="skipped", detail="Its contents are not files on this machine."
        )
    if not os.access(root_dir, os.W_OK):
        return Check(
            name="root",
            title="Notebook folder",
            state="warning",
            detail=f"{root_dir} cannot be written.",
            remedy="Start JupyterLab in a folder of your own if Linda should change notebooks.",
        )
    return Check(name="root", title="Notebook folder", state="ok", detail=f"{root_dir}.")
