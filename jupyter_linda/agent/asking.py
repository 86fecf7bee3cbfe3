"""Asking a person before a request leaves: for a provider their folder has not sent to yet, or past a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import BUDGET_OF, ConsentNeeded
from ..schemas import Preview, Problem, Question

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, timedelta
    from typing import Literal

    from ..errors import BudgetPassed, WordNeeded
    from ..schemas import Run

    Kind = Literal["consent", "budget"]

GO_ON, STOP = "Go on", "Stop here"

ALWAYS = "always"
_YES = {"consent": ("once",), "budget": (GO_ON,)}


def agreed(asked: Sequence[Question]) -> frozenset[str]:
    """What the person let this run do: destinations to send to, and budgets ("period/unit") to pass."""
    return frozenset(about for about, one in _last(asked).items() if _is(one, *_YES[one.kind]))


def agreed_always(asked: Sequence[Question]) -> frozenset[str]:
    """Destinations that they let this folder send to when this run asked; that holds until they take it back."""
    return frozenset(about for about, one in _last(asked).items() if one.kind == "consent" and _is(one, ALWAYS))


def refused(asked: Sequence[Question]) -> frozenset[str]:
    """What they did not; nobody answering counts as no."""
    return frozenset(_last(asked)) - agreed(asked) - agreed_always(asked)


def _last(asked: Sequence[Question]) -> dict[str, Question]:
    """What was asked about -> its last question that is closed: the word that holds."""
    return {one.resource: one for one in asked if one.kind in _YES and one.state != "open"}


def _is(question: Question, *answers: str) -> bool:
    return question.state == "answered" and question.answer in answers


def refusal(needed: WordNeeded, asked: Sequence[Question]) -> Problem:
    """How a run ends that may not send."""
    if isinstance(needed, ConsentNeeded):
        about = [one for one in asked if one.resource == needed.about]
        why = "you did not allow it."
        if any(one.answer == "unasked" for one in about):
            why = "nobody could be asked."
        elif about and about[-1].state == "expired":
            why = "nobody answered in time."
        return Problem(
            kind="no_consent",
            message=f"Nothing was sent to {needed.about}: {why}",
            remedy="Choose a model on this machine, or send the message again and allow it.",
        )
    return Problem(kind="budget", message=needed.message, remedy=needed.remedy)


def question_for(
    needed: ConsentNeeded | BudgetPassed, run: Run, question_id: str, *, now: datetime, expiry: timedelta
) -> Question:
    """The question: with exactly what would leave, or with what is used and what would come."""
    is_consent = isinstance(needed, ConsentNeeded)
    return Question(
        question_id=question_id,
        chat_id=run.chat_id,
        run_id=run.run_id,
        call_id=None,
        kind=_kind(needed),
        state="open",
        action="send",
        resource=needed.about,
        preview=_consent(needed) if isinstance(needed, ConsentNeeded) else _budget(needed),
        choices=() if is_consent else (GO_ON, STOP),
        opened_at=now,
        expires_at=now + expiry,
    )


def _kind(needed: WordNeeded) -> Kind:
    return "consent" if isinstance(needed, ConsentNeeded) else "budget"


def _consent(needed: ConsentNeeded) -> Preview:
    sentence = (
        f"Send this to {needed.who}? {needed.model} runs there, not on this machine. Identities and keys are "
        f"replaced, and of data goes what its level lets out. You are asked because {needed.reason}."
    )
    return Preview(sentence=sentence, code=needed.preview, language="text")


def _budget(needed: BudgetPassed) -> Preview:
    money = "" if needed.usd is None else f", about ${needed.usd:.4f}"
    sentence = (
        f"Go on with {needed.model}? The next step takes about {needed.tokens:,} tokens{money}, which passes the "
        f"budget {BUDGET_OF[needed.about.partition('/')[0]]}: {needed.figures}. “{GO_ON}” holds for this reply, to "
        "its end."
    )
    return Preview(sentence=sentence)
