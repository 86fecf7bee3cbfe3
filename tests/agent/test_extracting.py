"""Summaries without a model: what goes into them, and what of failures does not."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

from jupyter_linda.agent.compacting import EXTRACT
from jupyter_linda.agent.context import pieces_of
from jupyter_linda.agent.extracting import extract
from jupyter_linda.agent.prompting import Prompter
from jupyter_linda.agent.transcript import Transcript
from jupyter_linda.schemas import Message, Summary


def said(*problems):
    message = Message(
        message_id="message_1", chat_id="chat_1", parent_id=None, run_id="run_1", role="assistant", status="complete",
        text="I tried.", created_at=datetime(2026, 11, 29, tzinfo=UTC),
    )  # fmt: skip
    rows = [
        SimpleNamespace(title="Filter df", name="filter_rows", state="failed", arguments="{}", problem=problem)
        for problem in problems
    ]
    return [(message, rows)]


def test_why_something_failed_is_told_in_our_own_words_only_for_it_may_quote_data():
    quoting = {"kind": "failed", "message": "could not convert 'canary-77' to a number"}
    ours = {"kind": "NotFound", "message": "There is no frame df."}
    text = extract(said(quoting, ours), before="", budget=500, count=len)
    assert "canary-77" not in text
    assert "- Filter df (failed)" in text
    assert "- Filter df (failed: There is no frame df.)" in text


def test_a_mail_at_the_end_of_a_long_sentence_is_not_cut_in_two():
    message, rows = said()[0]
    long = message.model_copy(update={"text": "word " * 41 + "ada.lovelace@example.org and more of it"})
    text = extract([(long, rows)], before="", budget=500, count=len)
    assert "ada.lovelace" not in text


def test_what_is_picked_from_a_summary_that_a_model_here_wrote_is_still_that_models():
    (message, _), *_ = said()
    transcript = Transcript([message], (), (), (), writers=("lab/near", EXTRACT), were_here=frozenset({"lab/near"}))
    prompter = Prompter(None, None, None)
    prompter._know(transcript)
    summary = Summary(
        summary_id="summary_2", chat_id="chat_1", upto_message_id="message_1", text="- it is 42", made_by=EXTRACT,
        tokens_before=9, tokens_after=3, at=message.created_at,
    )  # fmt: skip
    made = prompter._as_message("block", pieces_of(transcript), summary)
    assert "lab/near" in made["told_by"]
    assert made["was_here"] is True
    by_one_elsewhere = prompter._as_message(
        "block", pieces_of(transcript), summary.model_copy(update={"made_by": "far"})
    )
    assert (by_one_elsewhere["told_by"], by_one_elsewhere["was_here"]) == (["far"], False)
