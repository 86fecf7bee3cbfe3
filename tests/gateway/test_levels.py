"""Levels of what may leave: lines that fit, the file that holds them, and what they let out of a prompt."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_linda.errors import InvalidRules
from jupyter_linda.gateway.level_file import LevelFile
from jupyter_linda.gateway.levels import (
    CLOSED,
    DATA,
    FIRST,
    TEXT,
    Level,
    LevelLine,
    Privacy,
    level_of,
    parse,
    strictest,
    to_text,
)
from jupyter_linda.gateway.sensitivity import UNKNOWN, Origin, inspect
from jupyter_linda.ports.held import ORDER, held, held_of, plain, released

LINES = {
    "version": 1,
    "levels": [
        {"path": "data/", "data": "samples"},
        {"path": "data/*.csv", "data": "values", "text": "open"},
        {"path": "payroll/", "text": "local"},
        {"frame": "public_*", "data": "values"},
        {"path": "lab.ipynb", "frame": "df", "data": "statistics"},
    ],
}


def level(path, frame=""):
    return level_of(parse(json.dumps(LINES)), (path,), (frame,) if frame else ())


def test_the_last_line_that_fits_decides_for_text_and_for_data_each():
    assert (level("a.ipynb").text, level("a.ipynb").data) == ("redacted", "names")
    assert level("data/x.parquet").data == "samples"
    assert (level("DATA/x.csv").text, level("data/x.csv").data) == ("open", "values")
    assert level("payroll/2025/a.md").text == "local"
    assert level("a.ipynb", "public_penguins").data == "values"
    assert (level("lab.ipynb", "df").data, level("other.ipynb", "df").data) == ("statistics", "names")


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("other", ["NFC", "NFD"])
def test_letters_are_one_in_any_form_and_case(form, other):
    line = LevelLine(path=unicodedata.normalize(form, "Données/*.csv"), text="local")
    path = unicodedata.normalize(other, "donnÉes/a.CSV")
    assert level_of(Privacy(levels=(line,)), (path,)).text == "local"


def test_what_lies_at_two_places_has_the_stricter_level():
    privacy = parse(json.dumps(LINES))
    assert level_of(privacy, ("data/x.csv", "payroll/x.csv")).text == "local"
    assert level_of(privacy, ("lab.ipynb",), ("public_a", "df")).data == "statistics"


@given(
    st.sampled_from(TEXT), st.sampled_from(DATA), st.sampled_from(TEXT), st.sampled_from(DATA), st.sampled_from(ORDER)
)
def test_the_stricter_of_two_lets_out_only_what_both_do(text, data, other_text, other_data, holds):
    one, other = Level(text, data), Level(other_text, other_data)
    assert strictest([one, other]).lets_out(holds) == (one.lets_out(holds) and other.lets_out(holds))


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"version": 2}', '{"version": 1, "levels": [{"path": "a"}]}', '{"version": 1, "levels": [{"data": "names"}]}',
     '{"version": 1, "levels": [{"path": "!a", "text": "open"}]}', '{"version": 1, "x": 1}', '{"version": 1, "version": 1}',
     '{"version": 1, "levels": [{"frame": "a", "text": "open"}]}', '{"version": 1, "terms": ["x"]}', "[" * 100000],
)  # fmt: skip
def test_a_file_that_says_something_else_is_refused_in_words(text):
    with pytest.raises(InvalidRules, match=r"privacy\.json"):
        parse(text)


def test_a_file_written_by_the_panel_reads_as_it_was():
    privacy = parse(json.dumps(LINES))
    assert parse(to_text(privacy)) == privacy
    assert parse(to_text(FIRST)) == FIRST


def test_levels_follow_their_file_and_the_last_good_ones_stay(tmp_path):
    file = LevelFile(str(tmp_path / "privacy.json"))
    assert file.current() == FIRST
    (tmp_path / "privacy.json").write_text("{")
    assert file.current() == CLOSED
    assert "nothing leaves" in file.problem.message
    file.save(json.dumps(LINES))
    assert file.current() == parse(json.dumps(LINES))
    assert file.problem is None
    (tmp_path / "privacy.json").write_text("{")
    assert file.current() == parse(json.dumps(LINES))
    assert "still hold" in file.problem.message
    (tmp_path / "privacy.json").unlink()
    assert file.current() == parse(json.dumps(LINES))


# ---- prompts -----------------------------------------------------------------------------------


def told(content, origin, *, privacy=None, images=(), problem=None, before=()):
    """What of one tool result would leave, as text."""
    asked = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    messages = [
        *before,
        {"role": "user", "content": "look"},
        {"role": "assistant", "content": None, "tool_calls": [asked], "by": "far"},
        {"role": "tool", "tool_call_id": "c", "name": "look", "content": content, "images": list(images),
         "data": None if problem is None else {"problem": {"kind": problem}}},
    ]  # fmt: skip
    out = inspect(
        messages,
        origin_of=lambda name, _arguments: origin if name else UNKNOWN,
        level_at=lambda paths, frames: level_of(privacy or Privacy(), tuple(paths), tuple(frames)),
        is_here=lambda model: model == "near",
    )
    made, parts = out.messages[-1]
    return "".join(part.text for part in parts), made, out


def test_a_tool_nobody_knows_counts_as_values():
    text, _, _ = told("SECRET", UNKNOWN)
    assert "SECRET" not in text
    assert "withheld: outputs and values" in text


def test_source_leaves_and_what_is_marked_in_it_stays():
    text, _, out = told("x = 1\n" + held("SECRET", "values"), Origin("source", ("a.ipynb",), is_data=False))
    assert text.startswith("x = 1\n[withheld: outputs and values of a.ipynb.")
    assert "“names” (the default)" in text
    assert out.highest == "source"


def test_a_line_of_a_search_has_the_level_of_its_own_file():
    lines = held("open line", "source", "a.md") + held("SECRET", "source", "payroll/a.md")
    text, _, _ = told(lines, Origin("names", (), is_data=False), privacy=parse(json.dumps(LINES)))
    assert "open line" in text
    assert "SECRET" not in text
    assert "'payroll/'" in text


def test_pictures_stay_where_values_do():
    _, made, _ = told("a plot", Origin("names", ("a.ipynb",)), images=[["image/png", "hash"]])
    assert made["images"] == []
    values = Privacy(default={"text": "redacted", "data": "values"})
    _, made, _ = told("a plot", Origin("names", ("a.ipynb",)), images=[["image/png", "hash"]], privacy=values)
    assert made["images"] == [["image/png", "hash"]]


def test_what_a_person_let_go_leaves_except_from_what_is_local():
    assert "SECRET" in told(released("SECRET"), Origin("samples", ("a.ipynb",)))[0]
    local = parse(json.dumps(LINES))
    assert "SECRET" not in told(released("SECRET"), Origin("samples", ("payroll/a.ipynb",)), privacy=local)[0]


@pytest.mark.parametrize(("problem", "leaves"), [("ToolRetry", True), ("no_frame", True), ("not_done", False)])
def test_why_something_failed_may_quote_data_where_the_tool_reads_some(problem, leaves):
    text, _, _ = told("WHY", Origin("samples", ("a.ipynb",), ("df",)), problem=problem)
    assert ("WHY" in text) == leaves
    assert "WHY" in told("WHY", Origin("words", ("a.ipynb",), is_data=False), problem=problem)[0]


def test_a_model_elsewhere_is_told_that_there_is_no_such_tool_and_which_are_near():
    words = "There is no tool 'lok'. The nearest are: look."
    text, _, out = told(words, UNKNOWN, problem="UnknownTool")
    assert (text, out.withheld) == (words, [])
    assert words not in told(words, UNKNOWN, problem="other")[0]


def test_nor_is_it_told_the_name_that_a_model_here_made_up_of_what_stays():
    def call(name, call_id):
        return {"id": call_id, "type": "function", "function": {"name": name, "arguments": "{}"}}

    messages = [
        {"role": "assistant", "content": None, "tool_calls": [call("look", "a")], "by": "near"},
        {"role": "tool", "tool_call_id": "a", "name": "look", "content": "SECRET", "data": None},
        {"role": "assistant", "content": None, "tool_calls": [call("SECRET", "b")], "by": "near"},
        {"role": "tool", "tool_call_id": "b", "name": "SECRET", "content": "There is no tool 'SECRET'.",
         "data": {"problem": {"kind": "UnknownTool"}}},
    ]  # fmt: skip
    out = inspect(
        messages,
        origin_of=lambda name, _: Origin() if name == "look" else UNKNOWN,
        level_at=lambda paths, frames: level_of(Privacy(), tuple(paths), tuple(frames)),
        is_here=lambda model: model == "near",
    )
    leaves = [
        ({**made, "content": None, "data": None}, [part.text for part in parts or ()]) for made, parts in out.messages
    ]
    assert "SECRET" not in str(leaves)


@pytest.mark.parametrize(
    ("arguments", "result", "is_failure", "leaves"),
    [
        ({"column": "SECRET"}, "There is no column 'SECRET'.", True, False),
        ({"query": "SECRET"}, "No match for SECRET.", False, False),
        ({"where": [{"value": 52341.5}]}, "No row has 52341.5.", False, False),
        ({"column": "SEC\nRET"}, "There is no column 'SEC\\nRET'.", True, False),
        ({"text": "SECRET " * 20}, f"Not found: {('SECRET ' * 20)[:50]}…", True, False),
        ({"SECRET": 1}, "There is no argument SECRET.", True, False),
        ({"path": "a.ipynb", "index": 3}, "Cell 3 of a.ipynb is not there.", True, True),
        ({"query": "SECRET"}, held("x = SECRET", "source", "a.ipynb"), False, True),
    ],
)
@pytest.mark.parametrize("by", ["near", "far"])
def test_no_result_repeats_what_a_model_here_made_of_what_stays(arguments, result, is_failure, leaves, by):
    def call(name, call_id, arguments="{}"):
        return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}

    problem = {"problem": {"kind": "ToolRetry"}} if is_failure else None
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [call("show", "a")], "by": "near"},
        {"role": "tool", "tool_call_id": "a", "name": "show", "content": "SECRET", "data": None},
        {"role": "assistant", "content": None, "tool_calls": [call("find", "b", json.dumps(arguments))], "by": by},
        {"role": "tool", "tool_call_id": "b", "name": "find", "content": result, "data": problem},
    ]
    out = inspect(
        messages,
        origin_of=lambda name, _: Origin() if name == "show" else Origin("names", ("a.ipynb",)),
        level_at=lambda paths, frames: level_of(Privacy(), tuple(paths), tuple(frames)),
        is_here=lambda model: model == "near",
    )
    _, parts = out.messages[-1]
    assert ("".join(part.text for part in parts) == plain(result)) == (leaves or by == "far")


def test_an_answer_of_a_model_here_stays_once_it_had_seen_what_stays():
    answer = {"role": "assistant", "content": "It is SECRET.", "by": "near"}
    earlier = [
        {"role": "user", "content": "x"},
        {"role": "tool", "tool_call_id": "gone", "content": "SECRET", "name": "look"},
        answer,
    ]
    _, _, out = told("fine", Origin("words", is_data=False), before=earlier)
    texts = ["".join(part.text for part in parts) for _, parts in out.messages if parts]
    assert not any("SECRET" in text for text in texts)
    _, _, out = told("fine", Origin("words", is_data=False), before=[answer])
    assert any("SECRET" in part.text for _, parts in out.messages if parts for part in parts)


def test_a_summary_by_a_model_here_is_values():
    for told_by, leaves in ((["near"], False), (["far"], True)):
        summary = {"role": "user", "content": "Before: " + held("SECRET", "source"), "told_by": told_by}
        _, _, out = told("fine", Origin("words", is_data=False), before=[summary])
        assert any("SECRET" in part.text for _, parts in out.messages if parts for part in parts) == leaves


def test_a_part_of_what_was_found_in_several_files_has_the_strictest_of_their_levels():
    part = held_of("name|secret 3\nnext", ["a.md", "payroll/b.md"])
    assert plain(part) == "a.md\npayroll/b.md\nname|secret 3\nnext"
    call = {"id": "c", "function": {"name": "read_result", "arguments": "{}"}}
    earlier = {"name": "search_files", "arguments": "{}"}
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "Characters 0 to 9.\n" + part, "read_from": earlier},
    ]

    def gone(privacy):
        out = inspect(
            messages,
            origin_of=lambda name, _: Origin("names", ("",)) if name == "search_files" else Origin("words"),
            level_at=lambda paths, frames: level_of(privacy, paths, frames),
            is_here=lambda _model: False,
        )
        assert "read_from" not in out.messages[1][0]
        return "".join(part.text for part in out.messages[1][1])

    line = {"path": "payroll/", "text": "local"}
    every = parse(json.dumps({"version": 1, "default": {"data": "values"}}))
    but_one = parse(json.dumps({"version": 1, "default": {"data": "values"}, "levels": [line]}))
    assert "secret 3" in gone(every)
    assert "secret 3" not in gone(but_one)
    assert "a.md" in gone(but_one)


def test_sentences_of_an_earlier_summary_keep_whose_they_are():
    def gone(**told):
        messages = [
            {"role": "user", "content": held("it is 42", "source"), **told},
            {"role": "assistant", "content": "42", "by": "near"},
        ]
        out = inspect(
            messages,
            origin_of=lambda *_: UNKNOWN,
            level_at=lambda paths, frames: level_of(FIRST, paths, frames),
            is_here=lambda model: model == "near",
        )
        return ["".join(part.text for part in parts) for _, parts in out.messages]

    assert gone() == ["it is 42", "42"]
    assert "42" not in "".join(gone(told_by=["near", "far"]))
    assert "42" not in "".join(gone(told_by=["far"], was_here=True))
    summary, answer = gone(told_by=["far"])
    assert summary == "it is 42"
    assert "42" not in answer, "what it rests on is not seen any more"
