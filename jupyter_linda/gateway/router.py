"""Which model gets a request, and why: a pure function of what is known about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..schemas import Noun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ports import TaskKind

Sensitivity = Literal["normal", "high"]
"""high: rows and values of data, mail, calendar, contacts, memories; normal: source and the person's words."""
Complexity = Literal["simple", "hard"]
Word = Literal["", "yes", "always", "no"]

LONG_CHARS = 3000
"""From here on a summary may go out (in automatic routing)."""
SURE = 0.6
"""Calibrated confidence below which a local model's answer is not trusted."""
GOES_OUT: frozenset[TaskKind] = frozenset({"translation", "polish", "reasoning"})

_LEAVES: dict[Word, str] = {
    "yes": "you let this answer's requests go",
    "always": "you let this folder always send to its provider",
}


@dataclass(frozen=True)
class Option:
    """A model that could be asked. `is_fit`: it can do this kind of task (the demo model only knows commands)."""

    model: str
    is_here: bool
    is_fit: bool = True
    has_consent: bool = True
    """Whether this workspace may send to its provider; meaningless for a model on this machine."""
    word: Word = ""
    """What the person said to sending this very run's requests to its provider; always: from this folder."""


@dataclass(frozen=True)
class Facts:
    """Everything a route depends on."""

    options: Sequence[Option]
    """The preferred one of each kind first."""
    chosen: str = ""
    """The model the person chose; "" for automatic."""
    sensitivity: Sensitivity = "normal"
    complexity: Complexity = "simple"
    length_chars: int = 0
    task: TaskKind = "chat"
    is_offline: bool = False
    all_local: bool = False
    is_over_budget: bool = False
    confidence: float | None = None
    """Of the local model, calibrated; None where it has none."""


class Route(Noun):
    """The decision. `effect` auto: ask this model; ask: a person says yes or no first; deny: no model may do it."""

    effect: Literal["auto", "ask", "deny"]
    model: str
    reason: str


def route(facts: Facts) -> Route:
    """Nothing is sent elsewhere without consent, and no answer is given by a model that cannot do the task."""
    wanted = _wanted(facts)
    if wanted is None:
        return Route(effect="deny", model="", reason="No model is connected.")
    option, reason = wanted
    if option.is_here:
        return Route(effect="auto", model=option.model, reason=f"{reason}; it runs on this machine")
    closed = _why_closed(facts)
    here = next((one for one in facts.options if one.is_here and one.is_fit), None)
    if closed and here is not None:
        return Route(effect="auto", model=here.model, reason=f"{closed}, and {option.model} runs elsewhere")
    if facts.is_offline:
        return Route(effect="deny", model="", reason=f"{closed}, and no model on this machine is fit for this.")
    why_ask = _why_ask(facts, option, closed)
    if why_ask:
        return Route(effect="ask", model=option.model, reason=why_ask)
    if option.word in _LEAVES:
        told = f" though {closed}" if closed else ""
        return Route(effect="auto", model=option.model, reason=f"{reason}; {_LEAVES[option.word]}{told}")
    return Route(effect="auto", model=option.model, reason=f"{reason}; this folder may send to its provider")


def _why_ask(facts: Facts, option: Option, closed: str) -> str:
    """Why a person is asked before a request goes to a model elsewhere; empty where it may go."""
    if facts.is_over_budget:
        return "the budget is used up"
    if option.word in _LEAVES:
        return ""
    if closed:
        return f"{closed}, and no model on this machine is fit for this"
    if option.word == "no" or not option.has_consent:
        return "this folder has not sent anything to this provider yet"
    if facts.sensitivity == "high" and not facts.chosen:
        return "it holds values of data, and no model here is fit for this"
    return ""


def _why_closed(facts: Facts) -> str:
    """Why nothing may go elsewhere now; empty when it may."""
    if facts.is_offline:
        return "“offline” is on"
    if facts.all_local:
        return "“all local” is on"
    # A model that a person chose is not left for want of money: they are asked.
    return "the budget is used up" if facts.is_over_budget and not facts.chosen else ""


def _wanted(facts: Facts) -> tuple[Option, str] | None:
    """The model this request would go to if everything were allowed."""
    if facts.chosen:
        chosen = next((one for one in facts.options if one.model == facts.chosen), None)
        return (chosen or Option(facts.chosen, is_here=False, has_consent=False)), "chosen for this chat"
    here = next((one for one in facts.options if one.is_here and one.is_fit), None)
    there = next((one for one in facts.options if not one.is_here), None)
    if here is None:
        return None if there is None else (there, "no model on this machine is fit for this")
    if there is None:
        return here, "no other model is connected"
    why = _why_out(facts)
    if not why or facts.sensitivity == "high":
        return here, "local first" if not why else f"local first: it holds values of data, though {why}"
    return (here, f"you kept it here, though {why}") if there.word == "no" else (there, why)


def _why_out(facts: Facts) -> str:
    """Why a request is better answered elsewhere; empty when it is not."""
    if facts.task in GOES_OUT:
        return f"{facts.task} goes out"
    if facts.task == "summary" and facts.length_chars > LONG_CHARS:
        return f"a summary of more than {LONG_CHARS:,} characters goes out"
    if facts.complexity == "hard":
        return "hard work goes out"
    if facts.confidence is not None and facts.confidence < SURE:
        return f"the model here is not sure ({facts.confidence:.2f} < {SURE})"
    return ""
