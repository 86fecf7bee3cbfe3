"""Which model gets a request: every case of the matrix."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from jupyter_linda.gateway.router import Facts, Option, route

HERE = Option("near", is_here=True)
DEMO = Option("demo", is_here=True, is_fit=False)
THERE = Option("far", is_here=False)
NEW = Option("new", is_here=False, has_consent=False)
LET = replace(NEW, word="yes")
KEPT = replace(THERE, word="no")


def decide(*options, **fields):
    found = route(Facts(options=options, **fields))
    return found.effect, found.model


def test_the_chosen_model_is_asked():
    assert decide(HERE, THERE, chosen="far") == ("auto", "far")
    assert decide(HERE, THERE, chosen="near") == ("auto", "near")
    assert decide(DEMO, chosen="demo") == ("auto", "demo")


def test_nothing_goes_to_a_provider_without_consent():
    assert decide(HERE, NEW, chosen="new") == ("ask", "new")
    assert decide(chosen="somewhere/else") == ("ask", "somewhere/else")
    assert decide(LET, chosen="new") == ("auto", "new")


def test_the_reason_says_which_leave_it_was():
    def reason(word, **fields):
        return route(Facts(options=(replace(THERE, word=word),), chosen="far", **fields)).reason

    assert reason("") == "chosen for this chat; this folder may send to its provider"
    assert reason("yes") == "chosen for this chat; you let this answer's requests go"
    assert reason("always") == "chosen for this chat; you let this folder always send to its provider"
    assert reason("always", all_local=True).endswith("always send to its provider though “all local” is on")


def test_all_local_takes_a_model_here_or_asks_and_never_the_demo_model():
    assert decide(HERE, THERE, chosen="far", all_local=True) == ("auto", "near")
    assert decide(DEMO, THERE, chosen="far", all_local=True) == ("ask", "far")
    for word in ("yes", "always"):
        assert decide(DEMO, replace(THERE, word=word), chosen="far", all_local=True) == ("auto", "far")


def test_offline_and_a_spent_budget_send_nothing_unasked():
    assert decide(HERE, THERE, chosen="far", is_offline=True) == ("auto", "near")
    assert decide(replace(THERE, word="yes"), chosen="far", is_offline=True)[0] == "deny"
    assert decide(THERE, chosen="far", is_over_budget=True)[0] == "ask"
    assert decide(HERE, THERE, chosen="far", is_over_budget=True)[0] == "ask"
    assert decide(HERE, THERE, task="translation", is_over_budget=True) == ("auto", "near")
    assert decide(DEMO, THERE, task="translation", is_over_budget=True)[0] == "ask"


def test_automatic_is_local_first():
    assert decide(HERE, THERE) == ("auto", "near")
    assert decide(DEMO, THERE) == ("auto", "far")
    assert decide(DEMO, THERE, sensitivity="high") == ("ask", "far")
    assert decide(DEMO) == ("deny", "")


def test_what_goes_out_in_automatic_routing():
    for fields in (
        {"task": "translation"}, {"task": "polish"}, {"task": "reasoning"}, {"complexity": "hard"}, {"confidence": 0.59},
        {"task": "summary", "length_chars": 3001},
    ):  # fmt: skip
        assert decide(HERE, THERE, **fields) == ("auto", "far"), fields
        assert decide(HERE, THERE, sensitivity="high", **fields) == ("auto", "near"), fields
        assert decide(HERE, NEW, **fields) == ("ask", "new"), fields
    assert decide(HERE, KEPT, task="translation") == ("auto", "near")
    assert decide(DEMO, KEPT, task="translation") == ("ask", "far")
    for fields in ({"task": "summary", "length_chars": 3000}, {"task": "intent"}, {"confidence": 0.6}):
        assert decide(HERE, THERE, **fields) == ("auto", "near"), fields


@given(
    st.builds(
        Facts,
        options=st.lists(st.sampled_from([HERE, DEMO, THERE, NEW]), unique=True),
        chosen=st.sampled_from(["", "near", "far", "new", "demo", "x/y"]),
        sensitivity=st.sampled_from(["normal", "high"]),
        task=st.sampled_from(["chat", "translation", "summary"]),
        length_chars=st.sampled_from([0, 5000]),
        is_offline=st.booleans(),
        all_local=st.booleans(),
        is_over_budget=st.booleans(),
        confidence=st.sampled_from([None, 0.1, 0.9]),
    )
)
def test_without_a_persons_word_nothing_goes_elsewhere_that_is_closed_or_has_no_consent(facts):
    found = route(facts)
    assert found.reason
    if found.effect == "auto" and found.model not in ("near", "demo"):
        assert found.model == "far"
        assert THERE in facts.options
        assert not any((facts.is_offline, facts.all_local, facts.is_over_budget))
    if found.effect == "auto" and found.model == "demo":
        assert facts.chosen == "demo"
