"""Gapless numbers, folding, and following without a gap or a double."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_linda.chats import store
from jupyter_linda.errors import NotFound, StorageUnavailable
from jupyter_linda.events.follow import QUEUE_EVENTS, Follower
from jupyter_linda.events.log import EventLog
from jupyter_linda.events.payloads import MessageDelta, MessageDone
from jupyter_linda.schemas import NewChat
from jupyter_linda.storage.database import Database


def add(log: EventLog, chat_id: str, count: int, *, text: str = "x") -> None:
    for _ in range(count):
        with log.transaction() as tx:
            tx.append(chat_id, MessageDelta(message_id="m", text=text))


def test_numbers_are_gapless_per_chat_whatever_the_order(event_log):
    for chat_id in ("a", "b", "a", "a", "b"):
        add(event_log, chat_id, 1)
    assert [event.seq for event in event_log.read("a", 0)] == [1, 2, 3]
    assert [event.seq for event in event_log.read("b", 0)] == [1, 2]


def test_a_transaction_that_fails_leaves_no_number_and_tells_nobody(event_log, told):
    with pytest.raises(ZeroDivisionError), event_log.transaction() as tx:
        tx.append("a", MessageDelta(message_id="m", text="lost"))
        raise ZeroDivisionError
    assert event_log.read("a", 0) == []
    assert told == []
    add(event_log, "a", 1)
    assert told == ["a"]


def test_chunks_are_kept_for_their_hour_then_folded_into_one_record(event_log, clock):
    add(event_log, "a", 5)
    with event_log.transaction() as tx:
        tx.append("a", MessageDone(message_id="m", status="complete"))
    add(event_log, "a", 3)
    assert event_log.fold(keep=timedelta(hours=1)) == 0
    clock.move(hours=2)
    add(event_log, "a", 1)
    assert event_log.fold(keep=timedelta(hours=1)) == 6
    replayed = [(event.kind, event.seq, event.payload) for event in event_log.read("a", 0)]
    assert [(kind, seq) for kind, seq, _ in replayed] == [
        ("folded", 5),
        ("message.done", 6),
        ("folded", 9),
        ("message.delta", 10),
    ]
    assert replayed[0][2] == {"from_seq": 1, "to_seq": 5}
    assert replayed[2][2] == {"from_seq": 7, "to_seq": 9}


def covered(events) -> list[int]:
    """Every seq that a replay stands for, in order."""
    seqs: list[int] = []
    for event in events:
        seqs += range(int(event.payload["from_seq"]), event.seq + 1) if event.kind == "folded" else [event.seq]
    return seqs


@given(ops=st.lists(st.tuples(st.sampled_from(["delta", "done", "fold", "later"]), st.sampled_from("ab")), max_size=40))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_replay_is_gapless_after_any_history(tmp_path_factory, clock, ops):
    database = Database(f"sqlite:///{(tmp_path_factory.mktemp('db') / 'x.sqlite').as_posix()}")
    database.create()
    log = EventLog(database, clock, lambda _chats: None)
    counts = {"a": 0, "b": 0}
    for op, chat_id in ops:
        if op == "fold":
            log.fold(keep=timedelta(hours=1))
        elif op == "later":
            clock.move(hours=2)
        else:
            with log.transaction() as tx:
                tx.append(
                    chat_id,
                    MessageDelta(message_id="m", text="x")
                    if op == "delta"
                    else MessageDone(message_id="m", status="complete"),
                )
            counts[chat_id] += 1
    for chat_id, count in counts.items():
        assert covered(log.read(chat_id, 0)) == list(range(1, count + 1))
    database.close()


async def take_until(listener, count: int) -> list[int]:
    seqs: list[int] = []
    async with asyncio.timeout(5):
        while len(seqs) < count:
            seqs += [encoded.event.seq for encoded in await listener.take(timeout_s=1)]
    return seqs


async def test_a_listener_gets_old_events_then_new_ones_without_gap_or_double(event_log):
    add(event_log, "a", 700)
    follower = Follower(event_log, poll_s=0.01)
    listener = follower.listen({"a": 100})
    writing = asyncio.to_thread(add, event_log, "a", 300)
    await asyncio.gather(writing, asyncio.sleep(0))
    assert await take_until(listener, 900) == list(range(101, 1001))
    await follower.close()


async def test_a_writer_in_another_process_is_noticed_by_polling(event_log, clock):
    follower = Follower(event_log, poll_s=0.01)
    listener = follower.listen({"a": 0})
    other = Database(event_log.database.url)
    stranger = EventLog(other, clock, lambda _chats: None)  # tells nobody here
    await asyncio.to_thread(add, stranger, "a", 3)
    assert await take_until(listener, 3) == [1, 2, 3]
    await follower.close()
    other.close()


async def test_only_followed_chats_are_sent_and_more_can_be_followed_later(event_log):
    follower = Follower(event_log, poll_s=0.01)
    listener = follower.listen({"a": 0})
    await asyncio.to_thread(add, event_log, "b", 2)
    await asyncio.to_thread(add, event_log, "a", 1)
    assert await take_until(listener, 1) == [1]
    follower.follow(listener, "b", 1)
    assert await take_until(listener, 1) == [2]
    await follower.close()


async def test_a_slow_client_is_dropped_and_can_resume(event_log):
    follower = Follower(event_log, poll_s=0.01)
    slow = follower.listen({"a": 0})
    await asyncio.to_thread(bulk, event_log, QUEUE_EVENTS + 10)
    async with asyncio.timeout(20):
        while not slow.is_dropped:
            follower.wake()
            await asyncio.sleep(0.01)
    follower.leave(slow)
    resumed = follower.listen({"a": QUEUE_EVENTS})
    assert await take_until(resumed, 10) == list(range(QUEUE_EVENTS + 1, QUEUE_EVENTS + 11))
    await follower.close()


async def test_a_client_that_never_reads_holds_no_memory(event_log):
    follower = Follower(event_log, poll_s=0.01)
    slow = follower.listen({"a": 0})
    for _ in range(3):
        await asyncio.to_thread(bulk, event_log, QUEUE_EVENTS)
        follower.wake()
        await asyncio.sleep(0.3)
    async with asyncio.timeout(20):
        while not slow.is_dropped:
            await asyncio.sleep(0.01)
    await asyncio.to_thread(bulk, event_log, 100)
    await asyncio.sleep(0.1)
    assert len(slow.waiting) == 0
    await follower.close()


async def test_a_number_beyond_every_stream_disturbs_nobody_else(event_log):
    follower = Follower(event_log, poll_s=0.01)
    listener = follower.listen({"a": 0})
    follower.listen({"a": 10**30})
    follower.listen({"a": -(10**30)})
    await asyncio.sleep(0.1)
    await asyncio.to_thread(add, event_log, "a", 3)
    assert await take_until(listener, 3) == [1, 2, 3]
    await follower.close()


async def test_a_database_that_fails_for_a_moment_only_delays(event_log, monkeypatch):
    follower = Follower(event_log, poll_s=0.01)
    listener = follower.listen({"a": 0})
    await asyncio.to_thread(add, event_log, "a", 1)
    assert await take_until(listener, 1) == [1]
    read = event_log.read_since

    def locked(*_args, **_options):
        raise StorageUnavailable("The database is locked.")

    monkeypatch.setattr(event_log, "read_since", locked)
    await asyncio.to_thread(add, event_log, "a", 2)
    follower.wake()
    await asyncio.sleep(0.2)
    monkeypatch.setattr(event_log, "read_since", read)
    await asyncio.to_thread(add, event_log, "a", 1)
    assert await take_until(listener, 3) == [2, 3, 4]
    await follower.close()


def bulk(log: EventLog, count: int) -> None:
    with log.transaction() as tx:
        for _ in range(count):
            tx.append("a", MessageDelta(message_id="m", text="x"))


async def test_a_deleted_chat_leaves_its_followers_one_last_event_and_nothing_else(event_log):
    with event_log.transaction() as tx:
        store.create(tx, "chat_1", "local", NewChat())
    add(event_log, "chat_1", 5, text="a secret")
    follower = Follower(event_log, poll_s=0.01)
    near, far = follower.listen({"chat_1": 5}), follower.listen({"chat_1": 2})

    def remove() -> None:
        with event_log.transaction() as tx:
            store.remove(tx, "chat_1", "local")

    await asyncio.to_thread(remove)
    assert await take_until(near, 1) == [6]
    seen: list[int] = []
    while 6 not in seen:
        seen += await take_until(far, 1)
    assert seen == sorted(set(seen))
    await follower.close()
    (left,) = event_log.read("chat_1", 0)
    assert (left.kind, left.payload) == ("chat.deleted", {"chat_id": "chat_1"})
    with event_log.database.read() as connection, pytest.raises(NotFound):
        store.get(connection, "chat_1", "local")
