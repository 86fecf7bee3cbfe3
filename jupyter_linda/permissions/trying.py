"""What would happen if: the verdict on a call that nobody makes, over rules that may not be saved yet."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from ..errors import InvalidPath, NotAllowed
from ..schemas import Outcome, TrialResult
from .conditions import Facts
from .instructing import instructs
from .rules import RuleSet, check_rules

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from ..schemas import Action, Trial
    from .law import Law
    from .paths import PathPolicy

TOOLS: Mapping[Action, tuple[str, ...]] = {
    "read": (
        "aggregate", "compare_dataframes", "describe_dataframe", "filter_rows", "list_files", "list_kernels",
        "list_notebooks", "list_tasks", "list_variables", "open_notebook", "peek_data_file", "plot_dataframe",
        "profile_dataframe", "read_cell", "read_file", "read_notebook", "search_files", "search_notebooks",
    ),
    "write": (
        "add_task", "change_cell_type", "change_task", "clear_outputs", "copy_file", "create_notebook",
        "delete_cell", "delete_file", "delete_task", "edit_cell", "export_dataframe", "insert_cell",
        "merge_cells", "move_cell", "move_file", "patch_file", "split_cell", "upgrade_notebook", "write_file",
    ),
    "run": (
        "install_packages", "interrupt_kernel", "restart_kernel", "run_cell", "run_cells", "run_code",
        "run_shell", "start_kernel",
    ),
}  # fmt: skip
"""What each tool does; the server process does not load the tools themselves."""
ALWAYS_ASK = ("install_packages", "run_shell", "upgrade_notebook")
"""Tools that no rule lets through."""


def attempt(trial: Trial, law: Law, policy: PathPolicy, *, now: datetime) -> TrialResult:
    """The verdict at this moment; `now` is local time."""
    if trial.text is not None:
        found = check_rules(trial.text)
        if not isinstance(found, RuleSet):
            return TrialResult(faults=found)
        law = replace(law, rules=found)
    return TrialResult(outcome=_outcome(trial, law, policy, now) if trial.tool else None)


def _no_such_call(trial: Trial) -> str:
    """Why no call could be as this one; "" if it could. What is sent away is what reading and running show."""
    action = next((action for action, names in TOOLS.items() if trial.tool in names), None)
    if action is None:
        near = get_close_matches(trial.tool, [name for names in TOOLS.values() for name in names], n=3)
        return f"There is no tool {trial.tool!r}." + (f" The nearest are: {', '.join(near)}." if near else "")
    if trial.action not in (action, "send"):
        return f"{trial.tool} is judged as {action!r}, not as {trial.action!r}."
    return ""


def _outcome(trial: Trial, law: Law, policy: PathPolicy, now: datetime) -> Outcome:
    fault = _no_such_call(trial)
    if fault:
        return Outcome(effect="deny", rule=fault, by="tool", path=trial.path, is_firm=True)
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
