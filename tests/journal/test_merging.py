"""Three-way merges by lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_linda.journal.merging import merge, merge_bytes

LINES = st.lists(st.sampled_from(["a", "b", "c", "x = 1", ""]), max_size=8)
TEXTS = st.builds(lambda lines, is_ended: "\n".join(lines) + "\n" * is_ended, LINES, st.booleans())


@given(TEXTS, TEXTS)
def test_what_only_one_side_changed_is_taken(base, other):
    assert merge(base, base, other) == other
    assert merge(base, other, base) == other
    assert merge(base, other, other) == other


@given(TEXTS, TEXTS, TEXTS)
def test_a_merge_invents_no_line(base, mine, other):
    merged = merge(base, mine, other)
    if merged is not None:
        known = {*base.split("\n"), *mine.split("\n"), *other.split("\n")}
        assert set(merged.split("\n")) <= known


UNLIKE = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), unique=True)


@given(UNLIKE, st.booleans(), st.lists(st.sampled_from(["hers 1", "hers 2"]), min_size=1, max_size=3), st.data())
def test_lines_she_added_go_whatever_a_person_did_to_other_lines(before, is_ended, hers, data):
    """Wherever she added, and however the last line is ended: the person's own lines stay, in their order."""
    at = data.draw(st.integers(0, len(before)))
    texts = ["\n".join(lines) for lines in (before[:at] + hers + before[at:], before)]
    mine = list(before)
    for number in range(data.draw(st.integers(0, 2))):
        place = data.draw(st.integers(0, len(mine) - 1)) if mine else None
        if place is not None:
            mine[place] = f"mine {number}"
    now = "\n".join(mine[:at] + hers + mine[at:]) + "\n" * is_ended
    merged = merge(texts[0], now, texts[1])
    assert merged is not None
    assert merged == "\n".join(mine) + "\n" * (is_ended and bool(mine))


@given(TEXTS, TEXTS, TEXTS, st.sampled_from(["utf-8", "cp1252", "gb18030", "utf-16"]))
def test_bytes_merge_as_their_text_does(base, mine, other, codec):
    texts = [text.replace("a", "ä").replace("c", "Ġ" if codec != "cp1252" else "ß") for text in (base, mine, other)]
    merged = merge(*texts)
    if all(texts) or codec != "utf-16":
        assert merge_bytes(*(text.encode(codec) for text in texts)) == (
            None if merged is None else merged.encode(codec)
        )


def test_changes_apart_from_each_other_are_both_kept():
    base = "import os\n\nx = 1\n\nprint(x)"
    assert merge(base, base.replace("os", "sys"), base.replace("print(x)", "x")) == "import sys\n\nx = 1\n\nx"


def test_a_line_she_appended_goes_and_the_line_a_person_changed_above_it_stays():
    assert merge("a = 1\nb = 2\nc = 3", "a = 7\nb = 2\nc = 3", "a = 1\nb = 2") == "a = 7\nb = 2"
    assert merge("a = 7\nb = 2", "a = 7\nb = 2\nc = 3", "a = 1\nb = 2") == "a = 1\nb = 2\nc = 3"
    assert merge("a\nhers", "A\nhers", "a") == "A"


def test_a_final_newline_stays_as_the_person_has_it():
    assert merge("a\nhers\n", "A\nhers", "a\n") == "A"
    assert merge("a\nhers", "A\nhers\n", "a") == "A\n"


@pytest.mark.parametrize(("mine", "other"), [("x = 2", "x = 3"), ("", "x = 3"), ("x = 1\ny", "x = 1\nz")])
def test_the_same_lines_changed_twice_is_a_conflict(mine, other):
    assert merge("x = 1", mine, other) is None


def test_what_is_no_text_is_not_merged():
    assert merge_bytes(b"a\0\nb\n", b"a\0\nB\n", b"a\0\n") is None
    assert merge_bytes(b"\xff\xfea", b"\xff\xfea\0", b"\xff\xfe") is None


def test_an_empty_text_says_nothing_of_how_the_last_line_ends():
    assert merge("x\n", "x\nmine\n", "") == "mine\n"
    assert merge("x\n", "", "x\nhers\n") == "hers\n"
