"""Marks of what passages of a text hold: they pair, they only raise, and a cut makes nothing look harmless."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jupyter_linda.ports.held import ORDER, each_plain, held, passages, plain, released

WORDS = st.text(alphabet=st.sampled_from("ab \n|\ue000\ue001\ue002\ue003x."), max_size=12)


def test_marked_passages_come_apart_again():
    text = "head\n" + held("rows", "samples") + " and " + held("def f()", "source", "a/b.py") + "."
    assert [(p.text, p.holds, p.path) for p in passages(text)] == [
        ("head\n", None, ""), ("rows", "samples", ""), (" and ", None, ""), ("def f()", "source", "a/b.py"), (".", None, ""),
    ]  # fmt: skip
    assert plain(text) == "head\nrows and def f()."
    assert (
        each_plain(text, str.upper)
        == "HEAD\n" + held("ROWS", "samples") + " AND " + held("DEF F()", "source", "a/b.py") + "."
    )
    assert plain(released(text)) == plain(text)


def test_no_mark_inside_a_passage_can_end_it():
    inner = "x\ue002values|\ue001secret"
    (only,) = passages(held(inner, "values"))
    assert only.holds == "values"
    assert "secret" in only.text


@given(WORDS, WORDS)
def test_text_from_outside_never_lowers_what_a_passage_counts_as(before, inside):
    """Whatever stands before, the marked values are never told as something less."""
    text = before + held(f"<{inside}SECRET", "values")
    told = [p for p in passages(text) if "SECRET" in p.text]
    assert told
    assert all(p.holds == "values" for p in told)


@given(st.data())
def test_a_cut_anywhere_tells_no_value_as_less(data):
    """Head and tail of a text with a note between, as results are shortened."""
    parts = data.draw(
        st.lists(
            st.sampled_from(["plain text ", held("SECRET" * 3, "values"), held("src " * 3, "source", "a.py")]),
            max_size=6,
        )
    )
    text = "".join(parts)
    head, tail = sorted((data.draw(st.integers(0, len(text))), data.draw(st.integers(0, len(text)))))
    cut = text[:head] + "\n\n[… left out …]\n\n" + text[tail:]
    for passage in passages(cut):
        if any(piece in passage.text for piece in ("SEC", "CRE", "RET", "ETS", "TSE")):
            assert passage.holds == "values", (cut, passage)
    assert all(p.holds is None or p.holds in ORDER for p in passages(cut))
