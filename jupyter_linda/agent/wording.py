"""How calls are called while they go on, and how their bad ends are told."""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from ..errors import ToolFailed
from ..schemas import Problem
from ..storage.hidden import one_line
from .transcript import UNKNOWN_TOOL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..errors import LindaError, ProviderFault
    from ..ports import GateCall, ToolResult, Verdict
    from ..schemas import Preview
    from .judging import Judged

PLAN_MODE = "plan mode"
"""The rule that the gate names where the mode of a chat refuses."""


def title_of(call: GateCall, approved: Preview | None) -> str:
    """What a call that goes on is called: what the person allowed, else the tool and what it touches."""
    if approved is not None and approved.sentence:
        return approved.sentence.removesuffix(".")
    words = call.tool.replace("_", " ").capitalize()
    return f"{words}: {call.resource.path}" if call.resource.path else words


def failed_inside(tool: str, error: Exception) -> ToolFailed:
    """A fault of ours in a tool. Its words may quote what it met outside: they are for the log alone."""
    return ToolFailed(
        f"{tool} failed inside ({type(error).__name__}). Whatever it had done by then stays.",
        remedy="Look at what is there before doing it again, or go another way.",
        kind_of_failure="bug",
    )


def problem_of(error: LindaError) -> Problem:
    """The fault as a card shows it."""
    return Problem(kind=getattr(error, "kind_of_failure", error.kind), message=error.message, remedy=error.remedy)


def problem_of_provider(fault: ProviderFault) -> Problem:
    """A provider's fault as a reply shows it: in our words, and below them in its own."""
    return Problem(kind=fault.kind_of_fault, message=fault.message, remedy=fault.remedy, detail=fault.words)


def without_content(error: LindaError) -> Problem:
    """A fault of a card about what the model may not read yet: its words may quote that, so they stay out."""
    return Problem(
        kind=getattr(error, "kind_of_failure", error.kind),
        message="It cannot be done as asked. Why would tell of what may only be read after a person allowed it.",
        remedy="Read it first: then the person is asked.",
    )


def told(error: LindaError) -> str:
    """The fault as the model is told."""
    return f"{error.message} {error.remedy}".strip()


def no_such_tool(name: str, known: Iterable[str]) -> Problem:
    """A tool that does not exist, and those whose names are nearest."""
    tools = sorted(known)
    wanted = re.split(r"[./:]", name.lower())[-1]
    near = (
        get_close_matches(wanted, tools, n=5, cutoff=0.6) or [tool for tool in tools if wanted and wanted in tool][:5]
    )
    remedy = f"The nearest are: {', '.join(near)}." if near else f"The tools are: {', '.join(tools)}."
    return Problem(
        kind=UNKNOWN_TOOL, message=f"There is no tool {one_line(name)[:80]!r}; nothing was done.", remedy=remedy
    )


def told_in_full(problem: Problem) -> str:
    """A problem as the model is told."""
    return f"{problem.message} {problem.remedy}".strip()


def how_to_allow(verdict: Verdict) -> str:
    """The remedy of a refusal."""
    if verdict.rule == "nobody could be asked":
        return "Ask in the Linda panel or on a terminal, or allow it beforehand with --yes-to."
    if verdict.rule == PLAN_MODE:
        return "The mode of this chat is below the box where you write; choose another there to have it done."
    is_beyond_rules = verdict.rule == "the person said no" or verdict.rule.startswith("never: ")
    return "" if is_beyond_rules else "The rules can be changed in the Permissions view."


def as_asked(preview: Preview, judged: Judged) -> Preview:
    """A question says why it is asked, what is done instead of what, and what was read before it.

    Orders of strangers may be behind the wish.
    """
    call = judged.call
    sentence = f"{preview.sentence} {judged.instead}".strip()
    shown = preview.model_copy(update={"sentence": one_line(sentence), "rule": one_line(judged.verdict.rule)})
    if not call.tainted_by or call.action == "read":
        return shown
    findings = tuple(dict.fromkeys((*preview.findings, *call.findings)))
    return shown.model_copy(update={"read_before": call.tainted_by, "findings": findings})


def told_instead(result: ToolResult, words: str) -> ToolResult:
    """A result that says plainly what was done instead."""
    if not words:
        return result
    return replace(result, text=f"{words}\n{result.text}", title=f"{result.title}, instead of what is closed")
