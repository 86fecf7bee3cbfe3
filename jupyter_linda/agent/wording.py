"""How calls are called while they go on, and how their bad ends are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..schemas import Problem

if TYPE_CHECKING:
    from ..errors import LindaError
    from ..ports import GateCall, Verdict
    from ..schemas import Preview


def title_of(call: GateCall, approved: Preview | None) -> str:
    """What a call that goes on is called: what the person allowed, else the tool and what it touches."""
    if approved is not None and approved.sentence:
        return approved.sentence.removesuffix(".")
    words = call.tool.replace("_", " ").capitalize()
    return f"{words}: {call.resource.path}" if call.resource.path else words


def problem_of(error: LindaError) -> Problem:
    """The fault as a card shows it."""
    return Problem(kind=getattr(error, "kind_of_failure", error.kind), message=error.message, remedy=error.remedy)


def told(error: LindaError) -> str:
    """The fault as the model is told."""
    return f"{error.message} {error.remedy}".strip()


def how_to_allow(verdict: Verdict) -> str:
    """The remedy of a refusal."""
    return "" if verdict.rule == "the person said no" else "The rules can be changed in the Permissions view."
