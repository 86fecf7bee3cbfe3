"""What a route is decided by: the models there are, what a person said of them, and how it is told in a trace."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from ..errors import ProviderFault
from .providers import AUTOMATIC, DEMO_MODEL
from .router import Facts, Option, Route, route

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ports import Json, ModelRequest
    from ..schemas import ModelInfo
    from .router import Word


class Reach(Protocol):
    """Where models are; `Providers` knows."""

    def stays_here(self, model_id: str) -> bool:
        """Whether what a model is told stays on this machine."""

    def destination(self, model_id: str) -> str:
        """Who gets what a model elsewhere is told: the provider and its address."""

    def models(self) -> Sequence[ModelInfo]:
        """The models that are connected."""

    @property
    def default_model(self) -> str:
        """The one that is asked where nobody chose."""

    def fallbacks(self) -> Sequence[str]:
        """Models that are asked when one cannot answer."""

    def check_key(self, model_id: str) -> None:
        """Raises `ProviderFault` where a model cannot be asked for want of a key."""

    def known_keys(self) -> Sequence[str]:
        """The keys of all providers: none of them is ever part of a prompt."""


def options_of(reach: Reach, request: ModelRequest, always: frozenset[str]) -> list[Option]:
    """The models that a request could go to, the chosen one first, or the default one where none is chosen."""
    first = reach.default_model if request.model == AUTOMATIC else request.model
    names = dict.fromkeys((first, *(model.model_id for model in reach.models())))
    names.pop(AUTOMATIC, None)
    made = []
    for name in names:
        is_here = reach.stays_here(name)
        place = "" if is_here else reach.destination(name)
        word = _word(request, place, always)
        is_fit = name != DEMO_MODEL
        if request.model == AUTOMATIC and not is_here and not _has_key(reach, name):
            continue
        made.append(Option(name, is_here=is_here, is_fit=is_fit, has_consent=is_here or place in always, word=word))
    return made


def who_has(reach: Reach, model: str) -> str:
    """A provider as its person calls it, with its address: of a model elsewhere."""
    place = reach.destination(model)
    label = next((one.provider for one in reach.models() if one.model_id == model), "")
    return place if label.lower() in ("", place.lower()) else f"{label} ({place})"


def _word(request: ModelRequest, place: str, always: frozenset[str]) -> Word:
    if place in request.agreed:
        return "yes"
    if place in request.agreed_always & always:
        return "always"
    return "no" if place in request.refused else ""


def _has_key(reach: Reach, model: str) -> bool:
    try:
        reach.check_key(model)
    except ProviderFault:
        return False
    return True


def as_told(asked: str, decided: Route, facts: Facts) -> dict[str, Json]:
    """A decision as the trace keeps it: what it rests on, and why. What counts in automatic routing only if it was."""
    told: dict[str, Json] = {"asked": asked, "model": decided.model, "reason": decided.reason}
    told["inputs"] = {
        "all_local": facts.all_local,
        "offline": facts.is_offline,
        "over_budget": facts.is_over_budget,
        "sensitivity": facts.sensitivity,
    }
    if not facts.chosen:
        told["inputs"] |= {"task": facts.task, "complexity": facts.complexity, "length_chars": facts.length_chars}
    return told


def kept_here(facts: Facts) -> Facts:
    """For a call of no run: nobody can be asked about it, so that a model here does it, where there is one."""
    return replace(facts, options=[one if one.is_here else replace(one, word="no") for one in facts.options])


def decide(facts: Facts) -> Route:
    """The route; raises `ProviderFault` where no model may do it."""
    decided = route(facts)
    if decided.effect == "deny":
        raise ProviderFault(
            "no_model",
            f"Nothing was sent: {decided.reason}",
            remedy="Connect a model on this machine, or change this under Permissions > What may leave.",
        )
    return decided
