"""Asking a person before anything leaves for a provider their folder has not sent to yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..schemas import Preview, Problem, Question

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, timedelta

    from ..errors import ConsentNeeded
    from ..schemas import Run


def given(asked: Sequence[Question]) -> frozenset[str]:
    """Where the person let this run send to."""
    return frozenset(
        one.resource
        for one in asked
        if one.kind == "consent" and one.state == "answered" and one.answer in ("once", "always")
    )


def is_refused(asked: Sequence[Question], destination: str) -> bool:
    """Whether this run was told not to send there; nobody answering counts as no."""
    newest = [one for one in asked if one.kind == "consent" and one.resource == destination and one.state != "open"]
    return bool(newest) and newest[-1].answer not in ("once", "always")


def refusal(destination: str) -> Problem:
    """How a run ends that may not send."""
    return Problem(
        kind="no_consent",
        message=f"Nothing was sent to {destination}: you did not allow it.",
        remedy="Choose a model on this machine, or send the message again and allow it.",
    )


def question_for(needed: ConsentNeeded, run: Run, question_id: str, *, now: datetime, expiry: timedelta) -> Question:
    """The question, with exactly what would leave."""
    sentence = (
        f"Send this to {needed.destination}? {needed.model} runs there, not on this machine. Identities and keys are "
        f"replaced, and of data goes what its level lets out. You are asked because {needed.reason}."
    )
    return Question(
        question_id=question_id,
        chat_id=run.chat_id,
        run_id=run.run_id,
        call_id=None,
        kind="consent",
        state="open",
        action="send",
        resource=needed.destination,
        preview=Preview(sentence=sentence, code=needed.preview, language="text"),
        opened_at=now,
        expires_at=now + expiry,
    )
