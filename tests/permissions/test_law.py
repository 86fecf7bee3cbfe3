"""Rules, profiles and policies together: laws that hold whatever the files say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_linda.permissions.conditions import Facts
from jupyter_linda.permissions.law import Law, stricter
from jupyter_linda.permissions.rules import Decision, Rule, RuleSet

ORDER = ("auto", "ask", "deny")
_PARTS = st.lists(st.sampled_from(["a", "b", "ab"]), max_size=3)
_RULE = st.builds(
    lambda effect, action, parts, tools, starters, degrade: Rule(
        effect=effect, action=action, path="/" + "/".join(parts), tools=tools, started_by=starters,
        degrade=degrade and effect == "deny",
    ),
    st.sampled_from(ORDER), st.sampled_from(["read", "write", "any"]), _PARTS,
    st.sampled_from([("*",), ("read_*",)]), st.sampled_from([(), ("person",), ("mail",)]), st.booleans(),
)  # fmt: skip
_LINES = st.lists(_RULE, max_size=5).map(tuple)
_FACTS = st.sampled_from([Facts(), Facts(started_by="person"), Facts(started_by="mail")])
_POLICIES = st.lists(_LINES, max_size=2)


def made(rules, policies=(), profiles=None, problem=""):
    named = tuple((f"/p{at}.json", RuleSet(version=1, rules=lines)) for at, lines in enumerate(policies))
    return Law(RuleSet(version=1, rules=rules, profiles=profiles or {}), named, problem)


def decide(law, parts, facts, *, tool="read_file", action="read", profile=""):
    path = "/" + "/".join(parts)
    return law.decide(tool=tool, action=action, real=path, root="/none", facts=facts, profile=profile)


def rank(found):
    return ORDER.index(found.effect)


@given(_LINES, _POLICIES, _PARTS, _FACTS)
def test_a_policy_never_loosens(lines, policies, parts, facts):
    assert rank(decide(made(lines, policies), parts, facts)) >= rank(decide(made(lines), parts, facts))


@given(_LINES, _LINES, _PARTS, _FACTS)
def test_no_rules_of_a_user_loosen_a_policy(lines, policy, parts, facts):
    law = made(lines, [policy])
    everything_open = made((Rule(effect="auto", action="any", path="/"),), [policy])
    assert rank(decide(law, parts, facts)) >= rank(decide(everything_open, parts, facts))


@given(_LINES, _LINES, _LINES, _PARTS, _FACTS)
def test_a_profile_never_loosens(lines, linda, task, parts, facts):
    base = rank(decide(made(lines), parts, facts))
    hers = rank(decide(made(lines, profiles={"linda": linda, "careful": task}), parts, facts))
    both = rank(decide(made(lines, profiles={"linda": linda, "careful": task}), parts, facts, profile="careful"))
    assert base <= hers <= both


@given(st.data(), _LINES, _LINES, _PARTS, _FACTS)
def test_the_order_of_lines_and_files_does_not_matter(data, lines, policy, parts, facts):
    one = decide(made(lines, [policy, lines]), parts, facts)
    shuffled = data.draw(st.permutations(lines)), data.draw(st.permutations(policy))
    other = decide(made(tuple(shuffled[0]), [lines, tuple(shuffled[1])]), parts, facts)
    assert (one.effect, one.reach, one.is_firm, one.may_degrade) == (
        other.effect, other.reach, other.is_firm, other.may_degrade,
    )  # fmt: skip


@given(_LINES, _POLICIES, _PARTS, _FACTS)
def test_a_broken_policy_opens_nothing(lines, policies, parts, facts):
    found = decide(made(lines, policies, problem="broken"), parts, facts)
    assert found.effect != "auto"
    assert found.effect == "deny" or found.is_firm
    assert rank(found) >= rank(decide(made(lines, policies), parts, facts))


@given(_LINES, _LINES, _PARTS, _FACTS)
def test_a_tool_that_is_hidden_is_denied_wherever_it_is_tried(lines, policy, parts, facts):
    law = made(lines, [policy])
    if law.hidden_tools([("read_file", "read")]):
        assert decide(law, parts, facts).effect == "deny"


@given(_LINES, _PARTS, _FACTS)
def test_a_plain_deny_beats_one_that_degrades(lines, parts, facts):
    found = decide(made((*lines, Rule(effect="deny", action="any", path="/"))), parts, facts)
    assert (found.effect, found.may_degrade) == ("deny", False)


def test_whose_rule_decided_is_said():
    ask = (Rule(effect="ask", action="read", path="/a"),)
    open_all = (Rule(effect="auto", action="any", path="/"),)
    by_policy = decide(made(open_all, [ask]), ["a"], Facts())
    assert (by_policy.by, by_policy.is_firm) == ("policy", True)
    assert by_policy.rule == "policy /p0.json: ask: read in /a"
    by_profile = decide(made(open_all, profiles={"linda": ask}), ["a"], Facts())
    assert (by_profile.by, by_profile.is_firm) == ("profile", False)
    assert by_profile.rule.startswith("profile linda: ask")


def test_a_profile_that_is_not_there_asks():
    open_all = (Rule(effect="auto", action="any", path="/"),)
    found = decide(made(open_all), ["a"], Facts(), profile="gone")
    assert (found.effect, found.rule) == ("ask", "there is no profile 'gone': ask")


def test_within_a_profile_the_longest_path_wins():
    lines = (Rule(effect="deny", action="write", path="/a"), Rule(effect="ask", action="read", path="/a"),
             Rule(effect="auto", action="read", path="/a/b"))  # fmt: skip
    law = made((Rule(effect="auto", action="any", path="/"),), profiles={"linda": lines})
    assert decide(law, ["a", "b"], Facts()).effect == "auto"
    assert decide(law, ["a", "ab"], Facts()).effect == "ask"
    assert decide(law, ["a", "b"], Facts(), action="write").effect == "deny"


@pytest.mark.parametrize("other", [None, Decision("auto", "x"), Decision("ask", "x", 9), Decision("deny", "x", 1)])
def test_the_stricter_of_two_decides_and_the_farther_reach_of_equals_counts(other):
    found = stricter(Decision("ask", "base", 3), other)
    assert found.effect == ("deny" if other and other.effect == "deny" else "ask")
    assert found.reach == {"x": other.reach if other else 3}.get(found.rule, max(3, other.reach if other else 3))
