"""Half characters and endless nesting are met before the database or a reader of JSON meets them."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from jupyter_linda.storage.texts import (
    DEEPEST,
    cut_after,
    cut_before,
    cut_line,
    is_deep,
    json_shown,
    whole_json,
    whole_text,
)


def nested(depth):
    return json.loads("[" * depth + "]" * depth)


@given(st.text(st.characters()))
def test_any_text_becomes_one_that_can_be_written(text):
    whole = whole_text(text)
    whole.encode()
    assert whole_text(whole) == whole


def test_two_halves_become_their_character_and_one_alone_a_mark():
    assert whole_text("a\ud83d\ude00b") == "a😀b"
    assert whole_text("a\ud83db") == "a\ufffdb"
    assert whole_json({"k\udc00": ["\ud83d\ude00", 1]}) == {"k\ufffd": ["😀", 1]}


def test_depth_is_counted_in_lists_and_objects():
    assert not is_deep(nested(DEEPEST - 1))
    assert is_deep(nested(DEEPEST + 1))
    assert is_deep({"a": nested(DEEPEST)})
    assert not is_deep("[" * 500)


def test_what_cannot_be_kept_as_json_is_shown_as_the_text_it_is():
    assert json_shown('{"a": 1}') == {"a": 1}
    for text in ('{"a"', "[" * 300 + "]" * 300, "[" * 100_000 + "]" * 100_000, '{"a": "\\ud800"}'):
        assert json_shown(text) == text


@given(st.text("ab @.\n", max_size=900), st.integers(-5, 1000))
def test_a_cut_is_near_where_it_was_wanted_and_between_words_where_there_are_any(text, at):
    before, after = cut_before(text, at), cut_after(text, at)
    wanted = max(0, min(at, len(text)))
    assert 0 <= before <= wanted <= after <= len(text)
    for cut in (before, after):
        if cut not in (0, len(text), wanted):
            assert text[cut - 1] in " \n"


def test_a_mail_or_a_key_is_not_cut_in_two():
    line = "to ada.lovelace@example.org now"
    assert line[: cut_before(line, 15)] == "to "
    assert line[cut_after(line, 15) :] == "now"
    assert cut_line(line, 15) == "to…"
    assert cut_line("x" * 50, 10) == "x" * 9 + "…"
