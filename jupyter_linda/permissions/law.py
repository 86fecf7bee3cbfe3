"""Everything that binds a call: the rules file, its profiles, and policies that nobody here can loosen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .rules import UNLISTED, Decision, denied_tools, match

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..schemas import Action
    from .conditions import Facts
    from .rules import Rule, RuleSet

ASSIGNEE = "linda"
"""The profile of everything she does, where the rules file has one of that name."""

_ORDER = ("auto", "ask", "deny")


@dataclass(frozen=True)
class Law:
    """What holds now. Profiles and policies only narrow what `rules` allow, never the other way."""

    rules: RuleSet
    policies: tuple[tuple[str, RuleSet], ...] = ()
    """Each with the path of its file."""
    problem: str = ""
    """A policy that cannot be read: everything asks besides."""

    def decide(self, *, tool: str, action: Action, real: str, root: str, facts: Facts, profile: str = "") -> Decision:
        """The verdict on one call at one real path: the strictest of rules, profiles and policies."""

        def said(lines: tuple[Rule, ...]) -> Decision | None:
            return match(lines, tool=tool, action=action, real=real, root=root, facts=facts)

        found = said(self.rules.rules) or UNLISTED
        for name, lines in self._profiles(profile):
            found = stricter(found, _said_by(said(lines), "profile", name))
        if profile and profile not in self.rules.profiles:
            found = stricter(found, Decision("ask", f"there is no profile {profile!r}: ask", by="profile"))
        for path, policy in self.policies:
            found = stricter(found, _said_by(said(policy.rules), "policy", path))
        if self.problem:
            found = stricter(found, Decision("ask", "a policy cannot be read: ask", by="policy", is_firm=True))
        return found

    def hidden_tools(self, tools: Sequence[tuple[str, Action]], *, profile: str = "") -> frozenset[str]:
        """Tools that are closed everywhere and at all times by any of them."""
        sets: list[tuple[Rule, ...]] = [self.rules.rules, *(policy.rules for _, policy in self.policies)]
        sets += [lines for _, lines in self._profiles(profile)]
        return frozenset().union(*(denied_tools(lines, tools) for lines in sets))

    def _profiles(self, profile: str) -> Iterator[tuple[str, tuple[Rule, ...]]]:
        for name in dict.fromkeys((ASSIGNEE, profile)):
            if name in self.rules.profiles:
                yield name, self.rules.profiles[name]


def _said_by(found: Decision | None, by: str, name: str) -> Decision | None:
    """What a profile or a policy says, with whose it is; an auto of theirs says nothing."""
    if found is None or found.effect == "auto":
        return None
    rule = f"{by} {name}: {found.rule}"
    if by == "policy":
        return replace(found, rule=rule, by="policy", is_firm=True)
    return replace(found, rule=rule, by="profile")


def stricter(base: Decision, other: Decision | None) -> Decision:
    """The stricter of the two; of two that say the same, the firm one with the farther reach of both."""
    if other is None or _ORDER.index(other.effect) < _ORDER.index(base.effect):
        return base
    if _ORDER.index(other.effect) > _ORDER.index(base.effect):
        return other
    speaks = other if other.is_firm and not base.is_firm else base
    return replace(
        speaks,
        reach=max(base.reach, other.reach),
        is_firm=base.is_firm or other.is_firm,
        may_degrade=base.may_degrade and other.may_degrade,
    )
