"""Arguments of tool calls that are not quite JSON: one meaning is taken, two are not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_linda.gateway.assembly import CallAssembly, Piece
from jupyter_linda.gateway.mending import mended

ARGUMENTS = {"path": "a.py", "text": 'x = "1"\nprint(x)', "n": 3, "deep": [{"a": None}, True]}
WHOLE = json.dumps(ARGUMENTS)


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        f"\n {WHOLE} \t\n",
        json.dumps(WHOLE),
        json.dumps(json.dumps(WHOLE)),
        f"```json\n{WHOLE}\n```",
        f"```\n{WHOLE}```",
        WHOLE + WHOLE,
        WHOLE.replace("\\n", "\n"),
    ],
)
def test_what_can_mean_one_thing_only_is_taken(text):
    assert json.loads(mended(text)) == ARGUMENTS


def test_whole_json_stays_the_text_it_was():
    text = '{ "a" : 1.0, "b":"\\u00fc" }'
    assert mended(text) is text


def test_a_python_literal_is_taken_where_it_has_no_backslash():
    assert json.loads(mended("{'a': True, 'b': None, 'c': [1, \"it's\"]}")) == {"a": True, "b": None, "c": [1, "it's"]}
    assert mended(r"{'a': 'C:\new'}") is None
    assert mended("{'a': {1, 2}}") is None
    assert mended("{1: 2}") is None
    assert mended("{'a': __import__('os')}") is None


@pytest.mark.parametrize("text", ["null", '""', "None"])
def test_nothing_means_no_arguments(text):
    assert mended(text) == "{}"


@pytest.mark.parametrize(
    "text",
    [
        '{"path": "a.py", "text": "x = 1',
        '{"path": "a.py",}',
        '{"path": "a.py"',
        '{"path": "a.py"}}',
        '"path": "a.py"}',
        '{"path": "a.py"} {"path": "b.py"}',
        '{"a": 1}{"a": 2}',
        '[{"path": "a.py"}]',
        '"just words"',
        "path=a.py",
        "42",
        "{'path': 'a.py', 'text': 'x",
        "{" * 100_000,
    ],
)
def test_what_may_lack_a_part_or_mean_two_things_is_not(text):
    assert mended(text) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=8), JSON, min_size=1, max_size=4), st.data())
def test_a_beginning_of_arguments_is_never_taken_for_the_whole(arguments, data):
    text = json.dumps(arguments, ensure_ascii=data.draw(st.booleans()))
    cut = data.draw(st.integers(min_value=1, max_value=len(text) - 1))
    assert mended(text[:cut]) is None
    assert json.loads(mended(json.dumps(text))) == arguments


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_a_number_that_json_has_not_is_none(number):
    for text in (
        f'{{"x": {number}}}',
        f'{{"x": [1, {number}]}}',
        json.dumps(f'{{"x": {number}}}'),
        f"{{'x': {number}}}",
    ):
        assert mended(text) is None


@given(st.text(max_size=300))
def test_no_text_breaks_it(text):
    found = mended(text)
    assert found is None or isinstance(json.loads(found), dict)


# ---- pieces of calls ---------------------------------------------------------------------------------


def assembled(ids, *pieces: tuple, reason: str = "tool_calls"):
    assembly = CallAssembly(ids)
    for piece in pieces:
        assembly.add(Piece(*piece))
    return [(call.name, call.arguments, call.is_whole) for call in assembly.finish(reason)]


@pytest.mark.parametrize(
    ("case", "pieces"),
    [
        ("indexes", [(0, "a", "f", '{"x"'), (1, "b", "g", "{}"), (0, None, None, ": 1}")]),
        (
            "no indexes, ids at the start",
            [(None, "a", "f", '{"x"'), (None, None, None, ": 1}"), (None, "b", "g", "{}")],
        ),
        ("no indexes, no ids", [(None, "", "f", '{"x": '), (None, "", None, "1}"), (None, "", "g", "{}")]),
        ("one index for all, ids", [(0, "a", "f", '{"x": 1}'), (0, "b", "g", "{}")]),
        ("one index for all, no ids", [(0, None, "f", '{"x": 1}'), (0, None, "g", "{}")]),
        ("the id in every piece", [(0, "a", "f", '{"x"'), (0, "a", None, ": 1}"), (0, "b", "g", "{}")]),
        (
            "the name in every piece",
            [(0, "a", "f", '{"x"'), (0, "", "f", ": 1}"), (0, "", "f", ""), (1, "b", "g", "{}")],
        ),
        ("the rest at another index", [(0, "a", "f", '{"x"'), (1, None, None, ": 1}"), (2, "b", "g", "{}")]),
        ("indexes from 1", [(1, "a", "f", '{"x": 1}'), (2, "b", "g", "{}")]),
        ("indexes out of order", [(1, "a", "f", '{"x"'), (0, "b", "g", "{}"), (1, None, None, ": 1}")]),
    ],
)
def test_calls_are_put_together_however_their_pieces_are_numbered(ids, case, pieces):
    assert assembled(ids, *pieces) == [("f", '{"x": 1}', True), ("g", "{}", True)]


def test_half_a_character_in_mended_arguments_is_written_out_and_can_be_kept(ids):
    once = '{"x": "\\ud83d"}'
    for text in (once, once * 2, json.dumps(once), f"```json\n{once}\n```"):
        ((_, arguments, is_whole),) = assembled(ids, (0, "a", "f", text))
        assert is_whole
        assert arguments.encode()


def test_the_last_call_of_a_reply_cut_at_its_limit_is_not_whole(ids):
    assert assembled(ids, (0, "a", "f", '{"x": 1}'), (1, "b", "g", ""), reason="length") == [
        ("f", '{"x": 1}', True),
        ("g", "{}", False),
    ]
    assert assembled(ids, (0, "a", "f", '{"x": '), reason="stop") == [("f", '{"x": ', False)]
