"""Checks of the doctor that look at the installation from outside a server."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_core.paths import jupyter_config_path, jupyter_path
from jupyter_server.extension.config import ExtensionConfigManager

from ..errors import ProviderFault
from ..schemas import Check
from .settings import read_configuration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..gateway.providers import Providers


def check_server_extension() -> Check:
    """Our server extension is switched on, and nothing switches it off."""
    folders = jupyter_config_path()
    chosen = read_configuration()["ServerApp"].get("jpserver_extensions", {})  # wins over the files in the .d folders
    manager = ExtensionConfigManager(read_config_path=folders)
    enabled = manager.get_jpserver_extensions()  # type: ignore[no-untyped-call]  # jupyter_server has no types here
    if chosen.get("jupyter_linda", enabled.get("jupyter_linda", False)):
        return Check(name="server_extension", title="Server extension", state="ok", detail="Switched on.")
    return Check(
        name="server_extension",
        title="Server extension",
        state="error",
        detail="Switched off in " + (" or ".join(_mentions(folders)) or "no file: nothing switches it on") + ".",
        remedy="Take it out there, or run: jupyter server extension enable jupyter_linda",
    )


def _mentions(folders: Sequence[str]) -> list[str]:
    """The configuration files that name our extension."""
    names = ("jupyter_server_config.py", "jupyter_server_config.json", "jupyter_server_config.d/jupyter_linda.json")
    files = [Path(folder) / name for folder in folders for name in names]
    return [str(file) for file in files if file.is_file() and "jupyter_linda" in file.read_text(encoding="utf-8")]


def check_panel() -> Check:
    """The panel's files are where JupyterLab looks."""
    for folder in jupyter_path("labextensions"):
        package = Path(folder) / "jupyter-linda" / "package.json"
        if package.is_file():
            version = json.loads(package.read_text(encoding="utf-8")).get("version", "?")
            return Check(name="panel", title="Panel", state="ok", detail=f"Version {version}.")
    return Check(
        name="panel",
        title="Panel",
        state="error",
        detail="JupyterLab cannot find the panel.",
        remedy="pip install --force-reinstall jupyter_linda",
    )


def check_engine() -> Check:
    """The demo model's engine, which is an extra."""
    if importlib.util.find_spec("xllamacpp") is None:
        return Check(
            name="engine",
            title="Demo model's engine",
            state="skipped",
            detail="Not installed: small talk has fixed replies.",
            remedy="pip install 'jupyter_linda[local]'",
        )
    return Check(name="engine", title="Demo model's engine", state="ok", detail="xllamacpp is installed.")


def check_worker() -> Check:
    """The worker's modules load, in a process of its own."""
    try:
        done = subprocess.run(  # our own interpreter
            [sys.executable, "-P", "-c", "import jupyter_linda.worker, litellm"],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Check(
            name="worker",
            title="Worker",
            state="error",
            detail="Its modules do not load within two minutes.",
            remedy="Is the disk very slow? Try again.",
        )
    if done.returncode:
        return Check(
            name="worker",
            title="Worker",
            state="error",
            detail=f"It does not load: {done.stderr.strip().splitlines()[-1]}",
            remedy="pip install --force-reinstall jupyter_linda",
        )
    return Check(name="worker", title="Worker", state="ok", detail="Loads.")


def check_model_answers(providers: Providers, model_id: str) -> Check:
    """A model says a word."""
    from ..gateway.asking import Timeouts  # noqa: PLC0415  # beside it
    from ..gateway.client import LitellmModel  # noqa: PLC0415  # litellm is heavy: only when a model is asked
    from ..gateway.local import DemoModel  # noqa: PLC0415  # beside it
    from ..seeds import RandomIds  # noqa: PLC0415  # beside it

    timeouts = Timeouts(connect_s=10.0, first_s=20.0, gap_s=20.0)
    model = LitellmModel(providers, RandomIds(), DemoModel(weights=None), timeouts=timeouts)
    try:
        said = asyncio.run(model.test(providers.connect(model_id), model_id))
    except ProviderFault as fault:
        return Check(
            name=model_id,
            title=model_id,
            state="error",
            detail=f"{fault.message} {fault.words}".strip(),
            remedy=fault.remedy,
        )
    return Check(name=model_id, title=model_id, state="ok", detail=f"Answered {said[:40]!r}.")
