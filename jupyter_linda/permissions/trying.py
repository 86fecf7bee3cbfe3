"""What would happen if: the verdict on a call that nobody makes, over rules that may not be saved yet."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import InvalidPath, NotAllowed
from ..schemas import Outcome, TrialResult
from .conditions import Facts
from .instructing import instructs
from .rules import RuleSet, check_rules

if TYPE_CHECKING:
    from datetime import datetime

    from ..schemas import Trial
    from .law import Law
    from .paths import PathPolicy

ALWAYS_ASK = ("install_packages", "run_shell", "upgrade_notebook")
"""Tools that no rule lets through; the server process does not load the tools themselves."""


def attempt(trial: Trial, law: Law, policy: PathPolicy, *, now: datetime) -> TrialResult:
    """The verdict at this moment; `now` is local time."""
    if trial.text is not None:
        found = check_rules(trial.text)
        if not isinstance(found, RuleSet):
            return TrialResult(faults=found)
        law = replace(law, rules=found)
    return TrialResult(outcome=_outcome(trial, law, policy, now) if trial.tool else None)


def _outcome(trial: Trial, law: Law, policy: PathPolicy, now: datetime) -> Outcome:
    try:
        located = policy.locate(trial.path)
    except (NotAllowed, InvalidPath) as error:
        return Outcome(effect="deny", rule=error.message, by="closed", path=trial.path, is_firm=True)
    found = law.decide(
        tool=trial.tool,
        action=trial.action,
        real=located.real,
        root=policy.root,
        facts=Facts(trial.size_bytes, now, trial.started_by),
        profile=trial.profile,
    )
    if found.effect == "auto" and trial.action == "write" and trial.path:
        rule = instructs(trial.tool, trial.path, located)
        if rule:
            return Outcome(effect="ask", rule=rule, by="tool", path=located.canonical, is_firm=True)
    is_hidden = bool(law.hidden_tools([(trial.tool, trial.action)], profile=trial.profile))
    if trial.tool in ALWAYS_ASK and found.effect == "auto":
        rule = f"{trial.tool} always asks"
        return Outcome(effect="ask", rule=rule, by="tool", path=located.canonical, is_firm=True)
    return Outcome(
        effect=found.effect,
        rule=found.rule,
        by=found.by,
        path=located.canonical,
        is_firm=found.is_firm or trial.tool in ALWAYS_ASK,
        may_degrade=found.may_degrade,
        is_hidden=is_hidden,
    )
