"""Rules as data and the decision they give: deny beats all, then the longest path, then ask over auto."""

from __future__ import annotations

import fnmatch
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, ValidationError

from ..errors import InvalidRules
from ..schemas import Action, Effect, Noun
from .paths import is_under, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Rule(Noun):
    """One line of the rules file. `path`: relative to the server's root ("" is the root), or absolute."""

    effect: Effect
    action: Action | Literal["any"]
    path: Annotated[str, Field(max_length=4096, pattern=r"^[^\x00]*$")] = ""
    tools: tuple[str, ...] = ("*",)
    note: str = ""

    def words(self) -> str:
        """How a person would say it; what the audit and the cards show."""
        where = {"": "the notebook folder", "/": "this machine"}.get(self.path, self.path)
        tools = "" if self.tools == ("*",) else f" with {', '.join(self.tools)}"
        return f"{self.effect}: {self.action} in {where}{tools}"


class RuleSet(Noun):
    """The rules file."""

    version: Literal[1]
    rules: tuple[Rule, ...]


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


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:  # any JSON value
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InvalidRules(f"the key {key!r} stands twice in one object")
        found[key] = value
    return found


def parse_rules(text: str, *, name: str = "rules.json") -> RuleSet:
    """Read a rules file; `InvalidRules` names the file, the place and the cause."""
    try:
        raw = json.loads(text, object_pairs_hook=_unique)
    except InvalidRules as error:
        raise InvalidRules(f"{name}: {error.message}.", remedy="Remove one of them.") from None
    except ValueError as error:
        raise InvalidRules(f"{name}: not valid JSON: {error}.", remedy="Mend the JSON at that place.") from None
    except RecursionError:
        raise InvalidRules(f"{name}: nested too deeply.") from None
    try:
        return RuleSet.model_validate(raw)
    except ValidationError as error:
        faults = "; ".join(f"{_place(fault['loc'])}: {fault['msg']}" for fault in error.errors(include_url=False)[:5])
        raise InvalidRules(f"{name}: {faults}.", remedy="The manual's page on permissions shows each field.") from None


def _place(loc: tuple[int | str, ...]) -> str:
    words = ""
    for part in loc:
        words += f"[{part}]" if isinstance(part, int) else f".{part}"
    return words.lstrip(".") or "the file"


def to_text(rules: RuleSet) -> str:
    """The rules file's text, for a person to read and edit."""
    return json.dumps(rules.model_dump(), indent=2, ensure_ascii=False) + "\n"


def real_of(path: str, root: str) -> str:
    """A rule's path as an absolute one; a rule's links are resolved as a call's are."""
    return os.path.realpath(Path(root) / path)


def _covers_tool(rule: Rule, tool: str) -> bool:
    return any(fnmatch.fnmatchcase(tool, pattern) for pattern in rule.tools)


def _matches(rules: Iterable[Rule], *, tool: str, action: Action, real: str, root: str) -> list[tuple[Rule, int]]:
    found = []
    for rule in rules:
        if rule.action not in ("any", action) or not _covers_tool(rule, tool):
            continue
        base = real_of(rule.path, root)
        # A deny also holds for spellings that differ in case or Unicode form; a permission never does.
        if is_under(real, base, is_folded=rule.effect == "deny"):
            found.append((rule, len(parts_of(base))))
    return found


def decide(rules: RuleSet, *, tool: str, action: Action, real: str, root: str) -> Decision:
    """The verdict on one call at one real path. A deny always wins; unlisted asks."""
    found = _matches(rules.rules, tool=tool, action=action, real=real, root=root)
    denied = [pair for pair in found if pair[0].effect == "deny"]
    if denied:
        return Decision("deny", denied[0][0].words(), denied[0][1])
    if not found:
        return Decision("ask", "unlisted: ask")
    longest = max(reach for _, reach in found)
    at_longest = [rule for rule, reach in found if reach == longest]
    rule = next((rule for rule in at_longest if rule.effect == "ask"), at_longest[0])
    return Decision(rule.effect, rule.words(), longest)


def denied_tools(rules: RuleSet, tools: Sequence[tuple[str, Action]]) -> frozenset[str]:
    """Tools that a deny closes everywhere (path "" or "/"): the model is not even shown them."""
    return frozenset(
        name
        for name, action in tools
        for rule in rules.rules
        if rule.effect == "deny" and rule.path in ("", "/") and rule.action in ("any", action)
        if _covers_tool(rule, name)
    )
