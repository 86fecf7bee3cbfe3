"""What lies in files goes with the last chat that names it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import insert

from jupyter_linda.chats import store, sweeping
from jupyter_linda.schemas import NewChat
from jupyter_linda.storage.files import Results
from jupyter_linda.storage.tables import calls, runs, traces

LATER = timedelta(minutes=1)


@pytest.fixture
def kept(tmp_path):
    return Results(tmp_path / "results"), Results(tmp_path / "sent")


@pytest.fixture
def chats(event_log, ids, kept):
    """Two chats with a result, a picture and a message of their own, and one of each that both have."""
    results, sent = kept
    with event_log.transaction() as tx:
        made = [store.create(tx, ids.new("chat"), "local", NewChat(title=name)).chat_id for name in ("one", "two")]
        for chat_id in made:
            run_id = ids.new("run")
            run = {"run_id": run_id, "chat_id": chat_id, "owner_id": "local", "server_id": "s", "client_id": run_id}
            run |= {"message_id": "m", "state": "done", "model": "far", "queued_at": tx.now}
            tx.connection.execute(insert(runs).values(run))
            for whose in (chat_id, "both"):
                call = {
                    "call_id": ids.new("call"), "run_id": run_id, "chat_id": chat_id, "message_id": "m", "position": 0,
                    "name": "look", "arguments": "{}", "state": "done", "result": "",
                    "result_hash": results.put(f"result {whose}"),
                    "images": [["image/png", results.put(f"picture {whose}")]],
                }  # fmt: skip
                tx.connection.execute(insert(calls).values(call))
            names = [sent.put(f"message {chat_id}"), sent.put("message both")]
            trace = {"model_call_id": ids.new("model_call"), "chat_id": chat_id}
            tx.connection.execute(insert(traces).values(**trace, details={"leaves": {"messages": names}}))
            trace = {"model_call_id": ids.new("model_call"), "chat_id": chat_id}
            tx.connection.execute(insert(traces).values(**trace, details={"route": {}}))
    return made


def texts(store_of):
    return sorted(file.read_text() for file in store_of.folder.glob("??/*"))


def delete(event_log, kept, chat_id, *, after=LATER):
    with event_log.transaction() as tx:
        named = sweeping.named_by(tx.connection, chat_id)
        store.remove(tx, chat_id, "local")
    with event_log.database.read() as connection:
        return sweeping.sweep(connection, *kept, named, now=datetime.now(UTC) + after)


def test_what_a_deleted_chat_alone_named_goes_and_what_another_names_stays(event_log, kept, chats):
    one, two = chats
    assert delete(event_log, kept, one) == 3
    assert texts(kept[0]) == ["picture both", f"picture {two}", "result both", f"result {two}"]
    assert texts(kept[1]) == ["message both", f"message {two}"]
    assert delete(event_log, kept, two) == 6
    assert texts(kept[0]) == texts(kept[1]) == []


def test_what_was_written_just_now_may_belong_to_a_row_that_is_not_there_yet(event_log, kept, chats):
    assert delete(event_log, kept, chats[0], after=timedelta(0)) == 0
