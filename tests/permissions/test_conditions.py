"""Conditions: when a rule holds, and what is not known opens nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from jupyter_linda.permissions.conditions import Conditions, Facts, size_words
from jupyter_linda.permissions.rules import Rule, RuleSet, check_rules, decide, denied_tools, parse_rules, to_text

MONDAY = datetime(2026, 11, 30, tzinfo=UTC)


def at(hours, day=0):
    return Facts(at=MONDAY + timedelta(days=day, hours=hours))


def effect(*rules, action="write", path="/srv/team/out/a", **facts):
    made = RuleSet(version=1, rules=[Rule(**{"action": action, **rule}) for rule in rules])
    return decide(made, tool="write_file", action=action, real=path, root="/srv/team", facts=Facts(**facts)).effect


@pytest.mark.parametrize(
    ("fields", "hours", "day", "holds"),
    [
        ({"between": ["08:00", "18:00"]}, 8, 0, True),
        ({"between": ["08:00", "18:00"]}, 7.99, 0, False),
        ({"between": ["08:00", "18:00"]}, 18, 0, False),
        ({"between": ["18:00", "24:00"]}, 23.99, 0, True),
        ({"between": ["22:00", "06:00"]}, 23, 0, True),
        ({"between": ["22:00", "06:00"]}, 5.9, 0, True),
        ({"between": ["22:00", "06:00"]}, 12, 0, False),
        ({"days": ["mon", "fri"]}, 12, 0, True),
        ({"days": ["mon", "fri"]}, 12, 1, False),
        ({"days": ["mon"], "between": ["22:00", "06:00"]}, 5, 1, True),
        ({"days": ["mon"], "between": ["22:00", "06:00"]}, 5, 0, False),
    ],
)
def test_windows_of_time(fields, hours, day, holds):
    assert Conditions.model_validate(fields).hold(at(hours, day), if_unknown=not holds) is holds


def test_a_window_past_midnight_belongs_to_the_day_it_began():
    friday_night = Conditions.model_validate({"days": ["fri"], "between": ["22:00", "06:00"]})
    assert friday_night.hold(at(3, day=5), if_unknown=False)
    assert not friday_night.hold(at(3, day=4), if_unknown=True)


def test_an_auto_up_to_a_size_asks_above_it_and_when_nobody_knows_the_size():
    lines = ({"effect": "ask"}, {"effect": "auto", "path": "out", "max_bytes": 1000})
    assert effect(*lines, size_bytes=1000) == "auto"
    assert effect(*lines, size_bytes=1001) == "ask"
    assert effect(*lines) == "ask"


def test_a_deny_over_a_size_holds_when_nobody_knows_the_size():
    lines = ({"effect": "auto"}, {"effect": "deny", "over_bytes": 1000})
    assert effect(*lines, size_bytes=1000) == "auto"
    assert effect(*lines, size_bytes=1001) == "deny"
    assert effect(*lines) == "deny"


def test_a_rule_for_other_starters_leaves_the_person_alone():
    line = {"effect": "deny", "started_by": ["schedule", "mail"]}
    assert effect({"effect": "auto"}, line, started_by="person") == "auto"
    assert effect({"effect": "auto"}, line, started_by="mail") == "deny"


def test_a_deny_with_a_condition_does_not_hide_the_tool():
    tools = [("run_cell", "run")]
    assert denied_tools([Rule(effect="deny", action="run")], tools) == {"run_cell"}
    for more in ({"between": ("18:00", "08:00")}, {"started_by": ("mail",)}, {"days": ("sun",)}, {"degrade": True}):
        assert denied_tools([Rule(effect="deny", action="run", **more)], tools) == set()


def test_words_of_a_rule_name_its_conditions():
    rule = Rule(
        effect="auto", action="write", path="drafts", max_bytes=100_000, between=("08:00", "18:00"),
        days=("mon", "tue"), started_by=("person", "schedule"),
    )  # fmt: skip
    assert rule.words() == (
        "auto: write in drafts, up to 100 kB, on mon, tue, from 08:00 to 18:00, when started by person or schedule"
    )
    assert size_words(1_234) == "1,234 bytes"
    assert size_words(1_500_000) == "1.5 MB"


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ('"between": ["8:00", "18:00"]', "no time of day"),
        ('"between": ["08:00", "08:00"]', "lies no time"),
        ('"between": ["08:00"]', r"between\[1\]: is missing"),
        ('"days": ["monday"]', r"days\[0\]: Input should be 'mon'"),
        ('"days": "mon"', "days: has to be a list"),
        ('"started_by": ["cron"]', r"started_by\[0\]"),
        ('"max_bytes": -1', "max_bytes"),
        ('"max_bytes": "10"', "max_bytes"),
        ('"max_bytes": true', "max_bytes"),
        ('"max_bytes": 5, "over_bytes": 5', "no size is"),
        ('"degrade": true', "degrade belongs to"),
    ],
)
def test_conditions_that_cannot_be_are_refused_in_words(field, words):
    with pytest.raises(Exception, match=words):
        parse_rules(f'{{"version": 1, "rules": [{{"effect": "auto", "action": "write", {field}}}]}}')


def test_a_size_belongs_to_writing():
    with pytest.raises(ValidationError, match="action is write"):
        Rule(effect="auto", action="read", max_bytes=5)


def test_faults_come_with_line_and_column():
    text = (
        '{\n  "version": 1,\n  "rules": [\n    {"effect": "auto", "action": "read"},\n    {"effect": "maybe"}\n  ]\n}'
    )
    first, second = check_rules(text)
    assert (first.place, first.line, first.column) == ("rules[1].effect", 5, 6)
    assert (second.place, second.line) == ("rules[1].action", 5)
    (broken,) = check_rules('{"version": 1,\n "rules": [}')
    assert (broken.line, broken.column) == (2, 12)


def test_conditions_read_back():
    rule = Rule(effect="deny", action="write", over_bytes=1, between=("22:00", "06:00"), days=("sun",), degrade=True)
    made = RuleSet(version=1, rules=(rule,), profiles={"night": (rule,)})
    assert parse_rules(to_text(made)) == made


_TIMES = st.integers(0, 23).map(lambda hour: f"{hour:02}:00")


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "between": st.tuples(_TIMES, _TIMES).filter(lambda pair: pair[0] != pair[1]),
            "days": st.lists(st.sampled_from(["mon", "wed", "sun"]), max_size=2),
            "started_by": st.lists(st.sampled_from(["person", "mail"]), max_size=2),
            "max_bytes": st.integers(0, 9),
        },
    ),
    st.integers(0, 9) | st.none(),
    st.integers(0, 200) | st.none(),
    st.sampled_from(["person", "mail", None]),
)
def test_knowing_less_never_opens_and_never_lets_go(fields, size, hours, starter):
    """An auto that holds with less known holds with more known too; a deny that holds, held with less."""
    conditions = Conditions.model_validate(fields)
    known = Facts(size, None if hours is None else MONDAY + timedelta(hours=hours), starter)
    for vague in (Facts(), Facts(known.size_bytes), Facts(at=known.at), Facts(started_by=known.started_by)):
        assert conditions.hold(known, if_unknown=False) or not conditions.hold(vague, if_unknown=False)
        assert conditions.hold(vague, if_unknown=True) or not conditions.hold(known, if_unknown=True)
