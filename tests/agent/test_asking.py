"""What a run says that was not let go."""

from __future__ import annotations

import pytest

from jupyter_linda.agent import asking
from jupyter_linda.errors import ConsentNeeded
from jupyter_linda.schemas import Preview, Question
from jupyter_linda.seeds import SystemClock

NEEDED = ConsentNeeded("far", "far/one", reason="it is new", preview="hello")


def question(state, answer):
    now = SystemClock().now()
    return Question(
        question_id="q", chat_id="c", run_id="r", call_id=None, kind="consent", state=state, action="send",
        resource="far", preview=Preview(sentence="Send?"), answer=answer, opened_at=now, expires_at=now,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("state", "answer", "why"),
    [
        ("answered", "no", "you did not allow it"),
        ("answered", "unasked", "nobody could be asked"),
        ("expired", "no", "nobody answered in time"),
    ],
)
def test_a_refusal_says_whose_it_was(state, answer, why):
    asked = [question(state, answer)]
    assert asking.refused(asked) == {"far"}
    assert asking.agreed(asked) == frozenset()
    assert why in asking.refusal(NEEDED, asked).message


def test_the_last_word_about_a_place_holds():
    once, always, no = (question("answered", answer) for answer in ("once", "always", "no"))
    assert (asking.agreed([always]), asking.agreed_always([always])) == (frozenset(), {"far"})
    assert asking.refused([always]) == frozenset()
    assert (asking.agreed([always, once]), asking.agreed_always([always, once])) == ({"far"}, frozenset())
    assert asking.refused([always, no]) == {"far"}
    assert asking.agreed_always([always, no]) == frozenset()
    assert asking.agreed([once, question("open", None)]) == {"far"}
