"""The rules as the panel edits them, and what would happen if a call were made."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .nouns import Action, Effect, Noun, Problem, Starter


class PolicyText(Noun):
    """A policy file, read only. `problem`: while it cannot be read, everything asks."""

    path: str
    text: str
    problem: Problem | None = None


class RulesText(Noun):
    """GET and PUT rules: the file as it stands; `problem` when the last good rules stay in force."""

    text: str
    path: str
    problem: Problem | None = None
    policies: tuple[PolicyText, ...] = ()


class RulesInput(Noun):
    """PUT rules. With `was`, the text that they were changed from: refused where the file is another by now."""

    text: str
    was: str | None = None


class Trial(Noun):
    """POST rules/try. Without `tool` only the text is looked over; without `text` the rules that hold are asked."""

    tool: Annotated[str, Field(max_length=80)] = ""
    action: Action = "read"
    path: Annotated[str, Field(max_length=4096)] = ""
    text: Annotated[str, Field(max_length=1_000_000)] | None = None
    profile: Annotated[str, Field(max_length=80)] = ""
    size_bytes: Annotated[int, Field(ge=0, le=2**53)] | None = None
    started_by: Starter = "person"


class RulesFault(Noun):
    """Something wrong in a rules text. `line` and `column` count from 1; 0: nobody can say."""

    message: str
    place: str = ""
    """Which field: `rules[2].effect`."""
    line: int = 0
    column: int = 0
    remedy: str = ""


class Outcome(Noun):
    """What would become of a call, before grants, the chat's mode and a person's answer."""

    effect: Effect
    rule: str
    by: Literal["rules", "profile", "policy", "closed", "tool"]
    """Whose word it is; closed: always, by its name; tool: the tool itself always asks."""
    path: str
    """The path as the gate sees it."""
    is_firm: bool = False
    """No grant and no mode passes it."""
    may_degrade: bool = False
    is_hidden: bool = False
    """The model is not told of the tool."""


class TrialResult(Noun):
    """200 of rules/try. `outcome` is null without a tool, or while the text has faults."""

    faults: tuple[RulesFault, ...] = ()
    outcome: Outcome | None = None
