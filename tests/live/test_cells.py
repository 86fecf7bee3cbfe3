"""Notebook JSON: ids, edits, layout."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_linda.errors import InvalidInput, NotFound, StaleRevision, ToolFailed
from jupyter_linda.live.cells import (
    SessionIds,
    Sheet,
    apply_edits,
    has_native_ids,
    lines_of,
    revision_of,
    source_of,
    with_kept,
    with_written_ids,
)
from jupyter_linda.live.files import parse_notebook
from jupyter_linda.live.layout import from_text, layout_of, to_bytes
from jupyter_linda.ports import ChangeType, DeleteCell, InsertCell, MoveCell, ReplaceSource, SetOutputs
from tests.fakes.notebooks import code_cell, notebook


def counting():
    numbers = itertools.count(1)
    return lambda: f"new-{next(numbers)}"


def sheet(*cells, writes_ids=True):
    return Sheet("a.ipynb", list(cells), [cell["id"] for cell in cells], writes_ids)


@given(st.text())
def test_lines_join_back_to_the_text(text):
    lines = lines_of(text)
    assert "".join(lines) == text
    assert all(line.endswith("\n") for line in lines[:-1])
    assert all(line for line in lines)


def test_session_ids_stay_with_their_cells_when_others_come_and_go():
    ids = SessionIds(counting())
    a, b, c = (code_cell(source) for source in "abc")
    first = ids.of("p", [a, b, c])
    assert ids.of("p", [a, b, c]) == first
    assert ids.of("p", [code_cell("x"), a, b, c])[1:] == first
    assert ids.of("p", [a, c]) == [first[0], first[2]]


def test_a_cell_changed_in_place_keeps_its_session_id():
    ids = SessionIds(counting())
    first = ids.of("p", [code_cell("a"), code_cell("b")])
    assert ids.of("p", [code_cell("a"), code_cell("b2")]) == first


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8))
def test_session_ids_are_always_distinct(before, after):
    ids = SessionIds(counting())
    ids.of("p", [code_cell(source) for source in before])
    found = ids.of("p", [code_cell(source) for source in after])
    assert len(set(found)) == len(after)


def test_edits_apply_all_or_none():
    before = sheet(code_cell("a", "a"), code_cell("b", "b"))
    with pytest.raises(StaleRevision):
        apply_edits(before, [ReplaceSource("a", "a", "a2"), ReplaceSource("b", "other", "b2")])
    assert [source_of(cell) for cell in before.cells] == ["a", "b"]
    after = apply_edits(
        before, [ReplaceSource("a", "a", "a2"), DeleteCell("b", "b"), InsertCell(0, "n", "markdown", "# n")]
    )
    assert after.ids == ["n", "a"]


def test_an_insert_that_is_tried_twice_happens_once():
    once = apply_edits(sheet(), [InsertCell(-1, "n", "code", "x")])
    assert apply_edits(once, [InsertCell(-1, "n", "code", "x")]).ids == ["n"]
    with pytest.raises(InvalidInput, match="already"):
        apply_edits(once, [InsertCell(-1, "n", "code", "other")])


def test_ids_that_no_notebook_may_hold_are_refused():
    with pytest.raises(InvalidInput, match="cannot be a cell id"):
        apply_edits(sheet(), [InsertCell(0, "a b", "code", "x")])


def test_an_unknown_cell_is_named():
    with pytest.raises(NotFound, match="no cell 'zz'"):
        sheet(code_cell("a", "a")).find("zz")


def test_a_new_source_keeps_the_form_of_the_old_one():
    after = apply_edits(
        sheet(code_cell("a", "a"), code_cell(["b"], "b")),
        [ReplaceSource("a", "a", "x\ny"), ReplaceSource("b", "b", "x\ny")],
    )
    assert [cell["source"] for cell in after.cells] == ["x\ny", ["x\n", "y"]]


def test_saving_makes_ids_unique_and_the_first_twin_keeps_its_own():
    twins = sheet(code_cell("a", "t"), code_cell("b", "m"), code_cell("c", "t"))
    assert with_written_ids(twins, counting()).ids == ["t", "m", "new-1"]


def test_formats_before_4_5_never_get_ids():
    assert not has_native_ids({"nbformat": 4, "nbformat_minor": 4})
    plain = Sheet("p", [code_cell("a")], ["s1"], writes_ids=False)
    after = with_written_ids(apply_edits(plain, [InsertCell(0, "n", "code", "x")]), counting())
    assert all("id" not in cell for cell in after.cells)
    assert after.ids == ["n", "s1"]


def test_the_revision_sees_ids_types_and_sources_only():
    one = notebook(code_cell("a", "a"))
    same = notebook(code_cell(["a"], "a", execution_count=7))
    other = notebook(code_cell("b", "a"))
    assert revision_of(one) == revision_of(same) != revision_of(other)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(
    _JSON, st.sampled_from([None, 1, 2, 4, "\t"]), st.booleans(), st.sampled_from(["", "\n"]),
    st.booleans(), st.booleans(),
)  # fmt: skip
def test_writing_in_the_layout_of_a_file_gives_that_file(value, indent, is_ascii, ending, has_bom, has_returns):
    content = {"cells": [value], "metadata": {"é": 1}, "nbformat": 4, "nbformat_minor": 5}
    text = json.dumps(content, indent=indent, ensure_ascii=is_ascii) + ending
    if has_returns and indent is not None:
        text = text.replace("\n", "\r\n")
    raw = (("\ufeff" if has_bom else "") + text).encode(errors="surrogatepass")
    try:
        parsed, layout, _ = parse_notebook("p", raw)
    except ToolFailed:
        return  # a lone surrogate in a file that does not escape it
    assert to_bytes(parsed, layout) == raw


@given(_JSON, st.sampled_from([None, 0, 1, "\t"]), st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", " :\r\n ")]))
def test_reading_in_pieces_gives_what_reading_in_one_go_does(value, indent, separators):
    text = json.dumps([value, {"x": [[value]]}], indent=indent, separators=separators)
    assert from_text(f" \n{text}\t") == json.loads(text)


@given(st.text(alphabet='[]{},:"\\ \n1a-', max_size=20) | st.text(max_size=8))
def test_reading_in_pieces_takes_and_refuses_the_same_texts(text):
    def outcome(read):
        try:
            return read(text)
        except ValueError:
            return ValueError

    assert repr(outcome(from_text)) == repr(outcome(json.loads)) or text.startswith("\ufeff")  # NaN equals nothing


@pytest.mark.parametrize("text", ['{"a":1,"a":[2]}', '{"a":NaN}', "[1e999]", '{"":{"":{"":{"":{"":{"":[]}}}}}}'])
def test_reading_in_pieces_takes_what_json_takes(text):
    assert repr(from_text(text)) == repr(json.loads(text))


def test_a_layout_is_recognised():
    assert layout_of('{"a":1}').has_tight_items
    assert layout_of('{\n\t"a": 1\n}').indent == "\t"
    assert layout_of('{"a": 1}\n').indent is None


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"{}", b"\xff", b'{"nbformat": 9}', b"[" * 100_000])
def test_what_is_no_notebook_is_told(raw):
    with pytest.raises(ToolFailed) as caught:
        parse_notebook("a.ipynb", raw)
    assert caught.value.kind_of_failure == "not_a_notebook"


OUT = [{"output_type": "stream", "name": "stdout", "text": ["x\n"]}]


def ids_after(found, *edits):
    return "".join(apply_edits(found, edits).ids)


def test_a_move_counts_the_cells_that_are_left():
    abcd = sheet(*(code_cell(name, name) for name in "abcd"))
    assert ids_after(abcd, MoveCell("a", 2)) == "bcad"
    assert ids_after(abcd, MoveCell("d", 0)) == "dabc"
    assert ids_after(abcd, MoveCell("a", -1)) == "bcda"
    assert abcd.ids == list("abcd"), "the sheet it began with stays"
    with pytest.raises(InvalidInput, match=r"-1\.\.3"):
        apply_edits(abcd, [MoveCell("a", 4)])


def test_another_type_keeps_what_both_have():
    before = code_cell("x", "a", outputs=OUT, vendor=1) | {"metadata": {"tags": ["t"]}, "execution_count": 3}
    after = apply_edits(sheet(before), [ChangeType("a", "x", "markdown")]).cells[0]
    assert after == {"cell_type": "markdown", "id": "a", "metadata": {"tags": ["t"]}, "source": "x", "vendor": 1}
    back = apply_edits(sheet(after), [ChangeType("a", "x", "code")]).cells[0]
    assert (back["outputs"], back["execution_count"], back["vendor"]) == ([], None, 1)
    with pytest.raises(StaleRevision):
        apply_edits(sheet(before), [ChangeType("a", "older", "markdown")])


def test_outputs_are_cleared_and_put_back():
    before = code_cell("x", "a", outputs=OUT, vendor=1) | {"execution_count": 3}
    cleared = apply_edits(sheet(before), [SetOutputs("a")])
    assert cleared.cells[0] == before | {"outputs": [], "execution_count": None}
    assert apply_edits(cleared, [with_kept(SetOutputs("a", "name"), [before])]).cells[0] == before
    with pytest.raises(InvalidInput, match="no outputs"):
        apply_edits(sheet({**before, "cell_type": "raw"}), [SetOutputs("a")])


def test_a_deleted_cell_comes_back_whole():
    before = code_cell("x", "a", outputs=OUT, vendor=1) | {"execution_count": 3}
    insert = InsertCell(0, "a", "code", "x", kept="name")
    assert apply_edits(sheet(), [with_kept(insert, [before])]).cells[0] == before
    older = apply_edits(sheet(writes_ids=False), [with_kept(insert, [before])])
    assert "id" not in older.cells[0]
    assert older.ids == ["a"]
    with pytest.raises(NotFound):
        with_kept(insert, [])


def test_whether_one_of_twins_was_deleted_nobody_can_tell():
    """A tab that went during the edit: it is never called done without a look at what is there."""
    twins = sheet(code_cell("x", "a"), code_cell("y", "a"))
    assert not twins.has_happened(DeleteCell("a#1", "y"))
    assert not twins.is_untouched(DeleteCell("a#1", "y"))
    assert sheet(code_cell("x", "a")).has_happened(DeleteCell("b", "y"))
