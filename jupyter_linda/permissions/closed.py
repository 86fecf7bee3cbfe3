"""The folders and files of Jupyter and Linda themselves, closed to every tool whatever the rules say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jupyter_core.paths import jupyter_config_dir, jupyter_runtime_dir

if TYPE_CHECKING:
    from .policy import Policies


def closed_places(*, data_dir: str, database_path: str, rules_file: str, policies: Policies) -> tuple[str, ...]:
    """What `PathPolicy.never` is on every server."""
    return (
        "/proc",
        "/sys",
        "/dev",
        data_dir,
        database_path,
        rules_file,
        jupyter_runtime_dir(),
        jupyter_config_dir(),
        *(file.path for file in policies.files),
    )
