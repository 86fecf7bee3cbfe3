"""Rules as data and the decision they give: deny beats all, then the longest path, then ask over auto."""

from __future__ import annotations

import fnmatch
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from ..errors import InvalidRules
from ..schemas import Action, Effect, Noun, RulesFault
from .conditions import Conditions, Facts
from .faults import place_words, position_of
from .paths import is_under, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pydantic_core import ErrorDetails

NOTHING_KNOWN = Facts()
MOST_FAULTS = 20


class Rule(Conditions):
    """One line of the rules file. `path`: relative to the server's root ("" is the root), or absolute."""

    effect: Effect
    action: Literal["read", "write", "run", "send", "any"]
    path: Annotated[str, Field(max_length=4096, pattern=r"^[^\x00]*$")] = ""
    tools: tuple[str, ...] = ("*",)
    note: str = ""
    degrade: bool = False
    """On a deny: what it closes is turned into the nearest allowed thing, where there is one."""

    @model_validator(mode="after")
    def _fits_together(self) -> Rule:
        if self.degrade and self.effect != "deny":
            raise ValueError("degrade belongs to a rule whose effect is deny")
        if self.action != "write" and not (self.max_bytes is self.over_bytes is None):
            raise ValueError("max_bytes and over_bytes belong to rules whose action is write")
        return self

    def words(self) -> str:
        """How a person would say it; what the audit and the cards show."""
        where = {"": "the notebook folder", "/": "this machine"}.get(self.path, self.path)
        tools = "" if self.tools == ("*",) else f" with {', '.join(self.tools)}"
        instead = ", or the nearest thing that is allowed" if self.degrade else ""
        return f"{self.effect}: {self.action} in {where}{tools}{super().words()}{instead}"


ProfileName = Annotated[str, Field(min_length=1, max_length=80)]


class RuleSet(Noun):
    """The rules file. A profile's rules only narrow: see `law`."""

    version: Literal[1]
    rules: tuple[Rule, ...]
    profiles: dict[ProfileName, tuple[Rule, ...]] = Field(default_factory=dict)


FIRST_RUN = RuleSet(
    version=1,
    rules=(
        Rule(effect="auto", action="read", path="", note="Read what lies in the notebook folder."),
        Rule(effect="ask", action="write", path="", note="Ask before anything is changed."),
        Rule(effect="ask", action="run", path="", note="Ask before code runs."),
    ),
)
"""The profile of a first run. Secret and hidden files are closed besides, whatever stands here."""

ASK_ALL = RuleSet(version=1, rules=())
"""Nothing listed: everything asks. What holds while a rules file has never been readable."""


@dataclass(frozen=True)
class Decision:
    """What the rules say. `reach` is the number of path components of the deciding rule, -1 if none did."""

    effect: Effect
    rule: str
    reach: int = -1
    by: Literal["rules", "profile", "policy"] = "rules"
    """Whose rule decided."""
    is_firm: bool = False
    """An ask that no grant and no mode passes: only an answer to the very call."""
    may_degrade: bool = False
    """A deny that wants the nearest allowed thing done instead."""


UNLISTED = Decision("ask", "unlisted: ask")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:  # any JSON value
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InvalidRules(f"the key {key!r} stands twice in one object")
        found[key] = value
    return found


def check_rules(text: str) -> RuleSet | tuple[RulesFault, ...]:
    """The rules, or what is wrong with the text and where."""
    try:
        raw = json.loads(text, object_pairs_hook=_unique)
    except InvalidRules as error:
        return (RulesFault(message=f"{error.message}.", remedy="Remove one of them."),)
    except json.JSONDecodeError as error:
        remedy = "Mend the JSON at that place."
        return (RulesFault(message=f"not valid JSON: {error}.", line=error.lineno, column=error.colno, remedy=remedy),)
    except RecursionError:
        return (RulesFault(message="nested too deeply."),)
    except ValueError:
        return (RulesFault(message="a number in it is too long."),)
    try:
        return RuleSet.model_validate(raw)
    except ValidationError as error:
        return tuple(_fault(text, fault) for fault in error.errors(include_url=False)[:MOST_FAULTS])


_WORDS = {
    "extra_forbidden": "there is no such field",
    "missing": "is missing",
    "tuple_type": "has to be a list",
    "model_type": "has to be an object",
    "dict_type": "has to be an object",
}
"""The validator's words for what goes wrong most often, as a person would say them."""


def _fault(text: str, fault: ErrorDetails) -> RulesFault:
    line, column = position_of(text, fault["loc"])
    words = _WORDS.get(fault["type"], fault["msg"]).removeprefix("Value error, ")
    return RulesFault(message=words, place=place_words(fault["loc"]), line=line, column=column)


def parse_rules(text: str, *, name: str = "rules.json") -> RuleSet:
    """Read a rules file; `InvalidRules` names the file, the place and the cause."""
    found = check_rules(text)
    if isinstance(found, RuleSet):
        return found
    if not found[0].place:
        raise InvalidRules(f"{name}: {found[0].message}", remedy=found[0].remedy)
    faults = "; ".join(f"{fault.place}: {fault.message}" for fault in found[:5])
    raise InvalidRules(f"{name}: {faults}.", remedy="The manual's page on permissions shows each field.")


_ALWAYS_SHOWN = ("effect", "action", "path", "tools", "note")


def to_text(rules: RuleSet) -> str:
    """The rules file's text, for a person to read and edit."""
    shown: dict[str, Any] = {"version": rules.version, "rules": [_shown(rule) for rule in rules.rules]}
    if rules.profiles:
        shown["profiles"] = {name: [_shown(rule) for rule in lines] for name, lines in rules.profiles.items()}
    return json.dumps(shown, indent=2, ensure_ascii=False) + "\n"


def _shown(rule: Rule) -> dict[str, Any]:
    return {name: getattr(rule, name) for name in _ALWAYS_SHOWN} | rule.model_dump(mode="json", exclude_defaults=True)


def real_of(path: str, root: str) -> str:
    """A rule's path as an absolute one; a rule's links are resolved as a call's are."""
    return os.path.realpath(Path(root) / path)


def _covers_tool(rule: Rule, tool: str) -> bool:
    return any(fnmatch.fnmatchcase(tool, pattern) for pattern in rule.tools)


def _matches(
    rules: Iterable[Rule], *, tool: str, action: Action, real: str, root: str, facts: Facts
) -> list[tuple[Rule, int]]:
    found = []
    for rule in rules:
        if rule.action not in ("any", action) or not _covers_tool(rule, tool):
            continue
        if not rule.hold(facts, if_unknown=rule.effect != "auto"):  # what is not known opens nothing
            continue
        base = real_of(rule.path, root)
        # A deny or an ask also holds for spellings that differ in case or Unicode form; a permission never does.
        if is_under(real, base, is_folded=rule.effect != "auto"):
            found.append((rule, len(parts_of(base))))
    return found


def match(
    rules: Iterable[Rule], *, tool: str, action: Action, real: str, root: str, facts: Facts = NOTHING_KNOWN
) -> Decision | None:
    """The verdict of these lines on one call at one real path, whatever their order; None: they say nothing of it."""
    found = _matches(rules, tool=tool, action=action, real=real, root=root, facts=facts)
    if not found:
        return None
    denied = [pair for pair in found if pair[0].effect == "deny"]
    longest = max(reach for _, reach in found)
    deciding = denied or [(rule, reach) for rule, reach in found if reach == longest]
    # Of two that say the same, a deny without `degrade` and the one with the longer path speak.
    rule, reach = min(deciding, key=lambda pair: (pair[0].effect == "auto", pair[0].degrade, -pair[1], pair[0].words()))
    return Decision(rule.effect, rule.words(), reach, may_degrade=rule.degrade)


def decide(
    rules: RuleSet, *, tool: str, action: Action, real: str, root: str, facts: Facts = NOTHING_KNOWN
) -> Decision:
    """What a rules file says by itself. A deny always wins; unlisted asks."""
    return match(rules.rules, tool=tool, action=action, real=real, root=root, facts=facts) or UNLISTED


def denied_tools(rules: Iterable[Rule], tools: Sequence[tuple[str, Action]]) -> frozenset[str]:
    """Tools that a deny closes everywhere (path "" or "/") and at all times: the model is not even shown them.

    A deny with conditions may not hold at the next call, and one with `degrade` wants the call to be made.
    """
    return frozenset(
        name
        for name, action in tools
        for rule in rules
        if rule.effect == "deny" and rule.path in ("", "/") and rule.action in ("any", action)
        if not rule.is_conditional and not rule.degrade and _covers_tool(rule, name)
    )
