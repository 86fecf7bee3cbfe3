"""Three-way merges by lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_linda.journal.merging import merge

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "x = 1\n", "\n"]), max_size=8).map("".join)


@given(TEXTS, TEXTS)
def test_what_only_one_side_changed_is_taken(base, other):
    assert merge(base, base, other) == other
    assert merge(base, other, base) == other
    assert merge(base, other, other) == other


@given(TEXTS, TEXTS, TEXTS)
def test_a_merge_invents_no_line(base, mine, other):
    merged = merge(base, mine, other)
    if merged is not None:
        known = {*base.splitlines(), *mine.splitlines(), *other.splitlines()}
        assert set(merged.splitlines()) <= known


def test_changes_apart_from_each_other_are_both_kept():
    base = "import os\n\nx = 1\n\nprint(x)"
    assert merge(base, base.replace("os", "sys"), base.replace("print(x)", "x")) == "import sys\n\nx = 1\n\nx"


@pytest.mark.parametrize(("mine", "other"), [("x = 2", "x = 3"), ("", "x = 3"), ("x = 1\ny", "x = 1\nz")])
def test_the_same_lines_changed_twice_is_a_conflict(mine, other):
    assert merge("x = 1", mine, other) is None
