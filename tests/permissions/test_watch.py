"""The rules file: hot reload, errors shown, the last good rules kept."""

from __future__ import annotations

import os

import pytest

from jupyter_linda.errors import InvalidRules
from jupyter_linda.permissions.rules import ASK_ALL, FIRST_RUN, parse_rules, to_text
from jupyter_linda.permissions.watch import RuleFile

DENY = '{"version": 1, "rules": [{"effect": "deny", "action": "any", "path": "x"}]}'


@pytest.fixture
def path(tmp_path):
    return tmp_path / "rules.json"


def test_no_file_means_the_first_run_profile(path):
    rules = RuleFile(str(path))
    assert rules.current() == FIRST_RUN
    assert rules.problem is None
    assert parse_rules(rules.text()) == FIRST_RUN


def test_a_change_holds_at_the_next_judgement(path):
    rules = RuleFile(str(path))
    rules.current()
    path.write_text(DENY)
    assert rules.current() == parse_rules(DENY)


def test_a_change_with_the_same_time_and_size_is_seen(path):
    path.write_text(DENY)
    rules = RuleFile(str(path))
    rules.current()
    stamp = path.stat()
    with path.open("r+") as stream:
        stream.write(DENY.replace('"x"', '"y"'))
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert rules.current().rules[0].path == "y"


def test_a_broken_change_keeps_the_last_good_rules_and_is_told_once(path):
    told = []
    path.write_text(DENY)
    rules = RuleFile(str(path), on_change=told.append)
    good = rules.current()
    path.write_text("{")
    assert rules.current() == good
    assert rules.current() == good
    assert "rules.json" in rules.problem.message
    assert "still hold" in rules.problem.message
    assert [problem is None for problem in told] == [True, False]


def test_mending_the_file_clears_the_problem(path):
    path.write_text(DENY)
    rules = RuleFile(str(path))
    rules.current()
    path.write_text("{")
    rules.current()
    path.write_text(DENY)
    assert rules.current() == parse_rules(DENY)
    assert rules.problem is None


def test_a_file_that_never_parsed_means_that_everything_asks(path):
    path.write_bytes(b"\xff\xfe")
    rules = RuleFile(str(path))
    assert rules.current() == ASK_ALL
    assert "everything asks" in rules.problem.message


def test_a_deleted_file_opens_nothing_and_its_return_is_seen(path):
    path.write_text(DENY)
    rules = RuleFile(str(path))
    rules.current()
    path.unlink()
    assert rules.current() == parse_rules(DENY)
    assert "gone" in rules.problem.message
    path.write_text(DENY)
    rules.current()
    assert rules.problem is None


def test_saving_validates_first(path):
    rules = RuleFile(str(path))
    rules.save(DENY)
    with pytest.raises(InvalidRules):
        rules.save("{}")
    assert path.read_text() == DENY
    assert rules.save(to_text(FIRST_RUN)) == FIRST_RUN == rules.current()
