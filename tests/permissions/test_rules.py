"""Rules: parsing with errors that name the place, and the decision."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_linda.errors import InvalidRules
from jupyter_linda.permissions.rules import (
    ASK_ALL,
    FIRST_RUN,
    Rule,
    RuleSet,
    check_rules,
    decide,
    denied_tools,
    parse_rules,
    to_text,
)


def rules(*lines):
    return RuleSet(
        version=1,
        rules=[Rule(effect=e, action=a, path=p, **more) for e, a, p, *rest in lines for more in (rest or [{}])],
    )


def effect(given_rules, path, *, tool="read_file", action="read", root="/srv/team"):
    return decide(given_rules, tool=tool, action=action, real=path, root=root).effect


def test_a_first_run_reads_in_the_root_and_asks_for_the_rest():
    assert effect(FIRST_RUN, "/srv/team/a.csv") == "auto"
    assert effect(FIRST_RUN, "/srv/team/a.csv", action="write") == "ask"
    assert effect(FIRST_RUN, "/srv/team/a.ipynb", action="run") == "ask"
    assert effect(FIRST_RUN, "/srv/team/a.csv", action="send") == "ask"
    assert effect(FIRST_RUN, "/srv/other/a.csv") == "ask"


def test_unlisted_asks():
    assert effect(ASK_ALL, "/srv/team/a") == "ask"


def test_a_sibling_that_shares_a_prefix_is_not_covered():
    given_rules = rules(("auto", "read", "/srv/team"))
    assert effect(given_rules, "/srv/team-private/x", root="/elsewhere") == "ask"
    assert effect(given_rules, "/srv/team", root="/elsewhere") == "auto"


def test_the_longest_path_wins_between_ask_and_auto():
    given_rules = rules(("ask", "write", ""), ("auto", "write", "out"), ("ask", "write", "out/final"))
    assert effect(given_rules, "/srv/team/out/a", action="write") == "auto"
    assert effect(given_rules, "/srv/team/out/final/a", action="write") == "ask"


def test_ask_beats_auto_at_the_same_path():
    assert effect(rules(("auto", "read", "a"), ("ask", "read", "a")), "/srv/team/a/b") == "ask"


def test_a_deny_beats_even_a_longer_auto():
    assert effect(rules(("deny", "any", "a"), ("auto", "read", "a/b/c")), "/srv/team/a/b/c/d") == "deny"


def test_a_deny_holds_for_other_case_but_a_permission_does_not():
    given_rules = rules(("deny", "read", "Private"), ("auto", "read", "Data"))
    assert effect(given_rules, "/srv/team/PRIVATE/x") == "deny"
    assert effect(given_rules, "/srv/team/data/x") == "ask"


def test_a_rule_holds_for_its_tools_only():
    given_rules = rules(("auto", "read", "", {"tools": ("list_*",)}))
    assert effect(given_rules, "/srv/team/a", tool="list_files") == "auto"
    assert effect(given_rules, "/srv/team/a", tool="read_file") == "ask"


def test_a_tool_denied_everywhere_is_hidden():
    given_rules = rules(("deny", "run", ""), ("deny", "read", "secret"))
    assert denied_tools(given_rules.rules, [("run_cell", "run"), ("read_file", "read")]) == {"run_cell"}


def test_the_text_form_reads_back():
    assert parse_rules(to_text(FIRST_RUN)) == FIRST_RUN


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"version": 1, "rules": [', "line 1 column"),
        ('{"version": 2, "rules": []}', "version"),
        ('{"version": 1, "rules": [{"effect": "allow", "action": "read"}]}', r"rules\[0\]\.effect"),
        ('{"version": 1, "rules": [{"effect": "auto", "action": "read", "pth": "x"}]}', r"rules\[0\]\.pth"),
        ('{"version": 1, "rules": [], "rules": []}', "'rules' stands twice"),
        ("[" * 100_000, "nested"),
        ("[]", "the file"),
    ],
)
def test_a_broken_file_is_refused_with_file_place_and_cause(text, words):
    with pytest.raises(InvalidRules, match=words) as caught:
        parse_rules(text, name="my-rules.json")
    assert caught.value.message.startswith("my-rules.json: ")


_PARTS = st.lists(st.sampled_from(["a", "b", "ab"]), max_size=3)
_RULES = st.lists(
    st.builds(
        lambda e, a, p: Rule(effect=e, action=a, path="/" + "/".join(p)),
        st.sampled_from(["auto", "ask", "deny"]), st.sampled_from(["read", "write", "any"]), _PARTS,
    ),
    max_size=6,
)  # fmt: skip


@given(_RULES, _PARTS)
def test_decisions_follow_their_three_laws(found, parts):
    path = "/" + "/".join(parts)
    given_rules = RuleSet(version=1, rules=tuple(found))
    verdict = decide(given_rules, tool="t", action="read", real=path, root="/root-of-none")
    spans = [(rule, [part for part in rule.path.split("/") if part]) for rule in found if rule.action != "write"]
    covering = [(rule, len(span)) for rule, span in spans if parts[: len(span)] == span]
    if any(rule.effect == "deny" for rule, _ in covering):
        assert verdict.effect == "deny"
    elif not covering:
        assert verdict.effect == "ask"
    else:
        deepest = max(depth for _, depth in covering)
        effects = {rule.effect for rule, depth in covering if depth == deepest}
        assert verdict.effect == ("ask" if "ask" in effects else "auto")


@given(_RULES, _PARTS)
def test_adding_a_deny_never_opens_anything(found, parts):
    path = "/" + "/".join(parts)
    before = decide(RuleSet(version=1, rules=tuple(found)), tool="t", action="read", real=path, root="/r").effect
    more = (*found, Rule(effect="deny", action="read", path="/a"))
    after = decide(RuleSet(version=1, rules=more), tool="t", action="read", real=path, root="/r").effect
    order = ["deny", "ask", "auto"]
    assert order.index(after) <= order.index(before)


def test_the_file_format_is_the_documented_one():
    raw = json.loads(to_text(FIRST_RUN))
    assert raw["version"] == 1
    assert set(raw["rules"][0]) == {"effect", "action", "path", "tools", "note"}


def test_an_ask_holds_for_other_case_and_for_other_forms_of_a_letter():
    asked = rules(("auto", "read", ""), ("ask", "read", "Gehälter"))
    for name in ("Gehälter", "Geha\u0308lter", "GEHÄLTER"):
        assert effect(asked, f"/srv/team/{name}/a.txt") == "ask"


def test_a_number_beyond_all_measure_is_a_fault_in_words_of_ours():
    [fault] = check_rules('{"version": %s, "rules": []}' % ("9" * 5000))
    assert fault.message == "a number in it is too long."
