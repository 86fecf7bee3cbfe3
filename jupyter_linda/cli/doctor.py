"""jupyter linda doctor: what is missing, and how to mend it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..gateway.providers import AUTOMATIC, DEMO_MODEL, Providers
from ..gateway.weights import find_weights
from ..permissions.policy import find_policies
from ..permissions.watch import RuleFile
from ..runs.readiness import check_all
from ..schemas import Check
from ..seeds import SystemClock
from ..storage.database import Database
from . import checks
from .settings import read_settings

if TYPE_CHECKING:
    import argparse
    from argparse import Namespace

MARKS = {"ok": "✓", "warning": "!", "error": "✗", "skipped": "-"}


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this command."""
    made = commands.add_parser(
        "doctor",
        help="check the installation, each finding with its remedy",
        description="Checks versions, extensions, folders, database, rules, worker and models. "
        "Exit code 1 when something is broken.",
    )
    made.add_argument("--offline", action="store_true", help="no check that needs the network")
    made.add_argument("--json", action="store_true", help="print the checks as JSON")
    made.set_defaults(run=run)


def examine(*, is_offline: bool) -> list[Check]:
    """All checks, in the order a person would make them."""
    settings = read_settings()
    data_dir = Path(settings.data_dir)
    providers = Providers(
        data_dir,
        SystemClock(),
        default_model=settings.default_model,
        allowed_models=settings.allowed_models,
        shared=settings.providers,
        is_demo_ready=lambda: find_weights(data_dir, configured=settings.demo_weights) is not None,
    )
    database = Database(settings.database_url)
    try:
        rules, policies = RuleFile(settings.rules_file), find_policies(settings.policy_file)
        found = check_all(database, providers, rules, policies, data_dir, str(Path.cwd()))
    finally:
        database.close()
    found += [checks.check_server_extension(), checks.check_panel(), checks.check_engine(), checks.check_worker()]
    for model in providers.models():
        if model.model_id in (AUTOMATIC, DEMO_MODEL):
            continue
        if is_offline and not model.is_local:
            found.append(
                Check(name=model.model_id, title=model.model_id, state="skipped", detail="Not asked: --offline.")
            )
        else:
            found.append(checks.check_model_answers(providers, model.model_id))
    return found


def run(chosen: Namespace) -> int:
    """Do it."""
    found = examine(is_offline=chosen.offline)
    if chosen.json:
        json.dump([check.model_dump() for check in found], sys.stdout, indent=1, ensure_ascii=False)
        print()
    else:
        for check in found:
            print(f"{MARKS[check.state]} {check.title}: {check.detail}")
            if check.remedy and check.state != "ok":
                print(f"    → {check.remedy}")
    return 1 if any(check.state == "error" for check in found) else 0
