"""What a model call that came to no end is said to have taken."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from jupyter_linda.agent.condensing import Beside
from jupyter_linda.agent.recording import CallRecorder
from jupyter_linda.ports import Sending
from jupyter_linda.schemas import Run, Usage
from jupyter_linda.storage.tables import model_calls


@pytest.mark.parametrize(
    ("outcome", "has_begun", "tokens"),
    [
        ("empty", False, 900),
        ("timeout", False, 900),
        ("cut_stream", False, 900),
        ("refused", False, 900),
        ("rate_limit", False, 0),
        ("auth", False, 0),
        ("server", False, 0),
        ("server", True, 900),
        ("cut_stream", True, 900),
    ],
)
def test_the_prompt_counts_unless_the_provider_failed_in_place_of_a_reply(
    event_log, clock, ids, outcome, has_begun, tokens
):
    run = Run(
        run_id="", chat_id="c", owner_id="local", state="running", model="far", message_id="m", queued_at=clock.now()
    )
    recorder = CallRecorder(Beside(run, event_log), ids, "m", purpose="reply", asked_model="far")
    takes = Usage(input_tokens=900, is_estimated=True, cost_usd=0.5)
    with event_log.transaction() as tx:
        recorder.begin(tx, Sending("far", is_local=False, reason="", takes=takes))
    if has_begun:
        recorder.piece_came()
    with event_log.transaction() as tx:
        recorder.end(tx, outcome)
        row = tx.connection.execute(select(model_calls)).one()
    assert (row.input_tokens, row.outcome) == (tokens, outcome)
    assert row.cost_usd_micros == (500_000 if tokens else None)
