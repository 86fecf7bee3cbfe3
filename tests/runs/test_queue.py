"""Claims, fences, answers and servers that are gone."""

from __future__ import annotations

import asyncio
import os
import threading

import pytest
from sqlalchemy import exc, text, update

from jupyter_linda.errors import LeaseLost, NoLongerValid, NotFound
from jupyter_linda.events.log import EventLog
from jupyter_linda.ports import TextDelta
from jupyter_linda.runs import left, questions, queue, servers
from jupyter_linda.runs.lease import Lease
from jupyter_linda.storage.database import Database
from jupyter_linda.storage.tables import runs
from jupyter_linda.storage.upgrade import upgrade
from tests.fakes.desk import Desk, says, uses
from tests.storage.test_database import old_database


def claim(desk: Desk, holder: str = "w", **options):
    with desk.log.transaction() as tx:
        gone = servers.gone(tx.connection, now=tx.now)
        me = queue.Claimant(holder, options.get("server_id", "s1"), options.get("root_dir", "/root"), gone)
        return queue.claim(tx, me, lease_s=15, held=options.get("held", ()))


def test_one_run_per_chat_at_a_time_in_order(desk):
    first, second = desk.send("a"), desk.send("b")
    assert claim(desk).run.run_id == first.run_id
    assert claim(desk) is None
    with desk.log.transaction() as tx:
        queue.end(tx, first.run_id, "done")
    assert claim(desk).run.run_id == second.run_id


def test_the_database_itself_refuses_a_second_active_run(desk):
    first, second = desk.send("a"), desk.send("b")
    claim(desk)
    with pytest.raises(exc.IntegrityError), desk.log.database.write() as connection:
        connection.execute(update(runs).where(runs.c.run_id == second.run_id).values(state="waiting"))
    assert desk.run_of(first.run_id).state == "running"


def test_two_workers_never_get_one_run(event_log, tmp_path, ids):
    desk = Desk(event_log, tmp_path, ids)
    for _ in range(30):
        desk.new_chat()
        desk.send("a")
    taken: list[str] = []

    def take(name: str) -> None:
        own = Database(event_log.database.url)
        log = EventLog(own, event_log.clock, lambda _chats: None)
        while True:
            with log.transaction() as tx:
                found = queue.claim(tx, queue.Claimant(name, "s1", "/root"), lease_s=15, held=())
            if found is None:
                break
            taken.append(found.run.run_id)
        own.close()

    threads = [threading.Thread(target=take, args=(f"w{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == len(set(taken)) == 30


def test_an_expired_lease_may_be_claimed_and_the_old_holder_writes_nothing(desk, clock):
    desk.send("a")
    old = Lease(desk.log, claim(desk, "w1"), lease_s=15)
    assert claim(desk, "w2") is None
    clock.move(seconds=16)
    new = Lease(desk.log, claim(desk, "w2"), lease_s=15)
    with pytest.raises(LeaseLost), old.transaction():
        pass
    with pytest.raises(LeaseLost):
        old.renew()
    new.renew()
    clock.move(seconds=14)
    assert claim(desk, "w3") is None


def test_a_worker_never_claims_what_it_already_holds(desk, clock):
    run = desk.send("a")
    claim(desk, "w1")
    clock.move(seconds=60)
    assert claim(desk, "w1", held=(run.run_id,)) is None


def test_a_dead_workers_runs_are_free_at_once(desk):
    desk.send("a")
    claim(desk, "w1")
    with desk.log.transaction() as tx:
        assert len(queue.free(tx, "w1")) == 1
    assert claim(desk, "w2") is not None


def test_another_servers_runs_are_left_alone_until_it_is_gone(desk, clock):
    with desk.log.database.write() as connection:
        servers.beat(connection, "s1", pid=1, now=clock.now())
    desk.send("a", server_id="s1")
    assert claim(desk, server_id="s2") is None
    clock.move(seconds=61)
    assert claim(desk, server_id="s2", root_dir="/elsewhere") is None
    assert claim(desk, server_id="s2") is not None


def test_a_server_whose_process_ended_is_gone_at_once(desk, clock):
    with desk.log.database.write() as connection:
        servers.beat(connection, "s1", pid=2**22 - 3, now=clock.now())
        connection.execute(text("UPDATE servers SET pid_started_at = 1"))
    desk.send("a", server_id="s1")
    assert claim(desk, server_id="s2") is not None


async def test_the_first_answer_wins_and_the_second_hears_who_decided(desk):
    desk.gate.auto = False
    desk.model.scripts["go"] = [uses(("put", {"name": "b"})), says("ok")]
    run = desk.send("go")
    async with desk.working():
        await desk.until_state(run.run_id, "waiting")
    question_id = desk.view().questions[0].question_id
    desk.answer("once")
    with pytest.raises(NoLongerValid, match="once by panel"), desk.log.transaction() as tx:
        questions.answer(tx, question_id, "local", answer="no", by="panel")
    with pytest.raises(NotFound), desk.log.transaction() as tx:
        questions.answer(tx, question_id, "somebody else", answer="no", by="panel")


async def test_case_ap_04_two_tabs_within_50_ms_and_late_clicks(desk):
    desk.gate.auto = False
    desk.model.scripts["go"] = [uses(("fire", {"name": "b"})), says("ok")]
    run = desk.send("go")
    async with desk.working():
        await desk.until_state(run.run_id, "waiting")
        question_id = desk.view().questions[0].question_id

        def click(answer: str) -> str:
            with desk.log.transaction() as tx:
                return questions.answer(tx, question_id, "local", answer=answer, by=f"tab {answer}").answer

        outcomes = await asyncio.gather(
            asyncio.to_thread(click, "once"), asyncio.to_thread(click, "no"), return_exceptions=True
        )
        await desk.finish(run.run_id)
    assert sum(isinstance(outcome, NoLongerValid) for outcome in outcomes) == 1
    winner = next(outcome for outcome in outcomes if isinstance(outcome, str))
    assert len(desk.effects.done) == (1 if winner == "once" else 0)
    # Stop, then an old click: nothing.
    again = desk.send("go")
    async with desk.working():
        await desk.until_state(again.run_id, "waiting")
    late = desk.view().questions[-1].question_id
    before = list(desk.effects.done)
    desk.stop(again.run_id)
    with pytest.raises(NoLongerValid, match="void"), desk.log.transaction() as tx:
        questions.answer(tx, late, "local", answer="once", by="panel")
    assert desk.effects.done == before


async def test_runs_waiting_in_the_last_schema_go_on_in_the_next(tmp_path, clock, ids):
    """A run that waits for an answer is written by the older version; the newer one upgrades and finishes it."""
    database = old_database(tmp_path / "data" / "linda.sqlite")
    with database.write() as connection:
        at = 1_796_000_000_000_000
        connection.exec_driver_sql("INSERT INTO chats VALUES ('chat_old', 'local', 't', '', 'ask', ?, ?)", (at, at))
        connection.exec_driver_sql(
            "INSERT INTO messages (message_id, chat_id, position, run_id, role, text, reasoning, tool_calls, context, status, model, created_at)"
            " VALUES ('m_user', 'chat_old', 0, NULL, 'user', 'go', '', '[]', '[]', 'complete', '', ?)",
            (at,),
        )
        connection.exec_driver_sql(
            "INSERT INTO messages (message_id, chat_id, position, parent_id, run_id, role, text, reasoning, tool_calls, context, status, model, created_at)"
            " VALUES ('m_reply', 'chat_old', 1, 'm_user', 'run_old', 'assistant', '', '',"
            ' \'[{"call_id": "call_old", "name": "put", "arguments": "{\\"name\\": \\"b\\"}"}]\', \'[]\', \'complete\', \'\', ?)',
            (at,),
        )
        connection.exec_driver_sql(
            "INSERT INTO runs (run_id, chat_id, owner_id, server_id, client_id, message_id, state, model, steps, attempts, fence, holder, queued_at)"
            " VALUES ('run_old', 'chat_old', 'local', 's1', 'client_old', 'm_user', 'waiting', 'fake', 1, 0, 4, '', ?)",
            (at,),
        )
        connection.exec_driver_sql(
            "INSERT INTO calls (call_id, run_id, chat_id, message_id, position, name, arguments, action, state, title, result, outputs, diffs)"
            " VALUES ('call_old', 'run_old', 'chat_old', 'm_reply', 0, 'put', '{\"name\": \"b\"}', 'write', 'asked', '', '', '[]', '[]')"
        )
        connection.exec_driver_sql(
            "INSERT INTO questions (question_id, chat_id, run_id, owner_id, call_id, kind, state, tool, action, resource, arguments, preview, choices, scopes, opened_at, expires_at)"
            " VALUES ('q_old', 'chat_old', 'run_old', 'local', 'call_old', 'approval', 'open', 'put', 'write', '', '{\"name\": \"b\"}', '{\"sentence\": \"Put?\"}', '[]', '[]', ?, 1900000000000000)",
            (at,),
        )
    assert upgrade(database, now=clock.now()) is not None
    desk = Desk(EventLog(database, clock, lambda _chats: None), tmp_path, ids)
    desk.chat_id = "chat_old"
    desk.model.scripts["go"] = [says("unused"), says("done after the upgrade")]
    desk.gate.auto = False
    desk.answer("once")
    async with desk.working():
        assert (await desk.finish("run_old")).state == "done"
    assert desk.effects.done == ["put b"]
    assert desk.view().messages[-1].text == "done after the upgrade"
    database.close()


def test_a_run_whose_holder_died_before_it_could_stop_is_stopped_by_the_next(desk):
    run = desk.send("a")
    claim(desk, "w1")
    desk.stop(run.run_id)
    assert desk.run_of(run.run_id).state == "running"
    with desk.log.transaction() as tx:
        queue.free(tx, "w1")
    assert claim(desk, "w2") is None
    assert desk.run_of(run.run_id).state == "stopped"


async def test_a_run_left_by_a_gone_server_of_another_folder_gives_way_and_says_so(desk):
    desk.model.scripts["new"] = [says("here")]
    old = desk.send("old", server_id="gone", root_dir="/elsewhere")
    new = desk.send("new", server_id="s1")
    async with desk.working():
        assert (await desk.finish(new.run_id)).state == "done"
    assert desk.run_of(old.run_id).state == "interrupted"
    assert "/elsewhere that is gone" in desk.run_of(old.run_id).problem.message
    shown = desk.view().messages
    assert [(message.text, message.status) for message in shown] == [
        ("old", "complete"),
        ("new", "complete"),
        ("", "failed"),
        ("here", "complete"),
    ]
    told = next(message for message in shown if message.status == "failed")
    assert told.error == desk.run_of(old.run_id).problem
    assert next(message for message in shown if message.text == "new").parent_id == told.message_id


async def test_a_half_streamed_answer_left_by_a_gone_server_gives_way_too(desk, clock):
    desk.model.scripts["old"] = [[TextDelta("half"), asyncio.Event()]]
    desk.model.scripts["new"] = [says("here")]
    old = desk.send("old", server_id="gone", root_dir="/elsewhere")
    async with desk.working(server_id="gone", root_dir="/elsewhere"):
        await desk.until(lambda: desk.view().messages[-1].text == "half")
    with desk.log.database.write() as connection:
        servers.leave(connection, "gone")
    new = desk.send("new", server_id="s1")
    clock.move(seconds=16)
    async with desk.working():
        assert (await desk.finish(new.run_id)).state == "done"
    cut = desk.view().messages[1]
    assert (cut.text, cut.status, cut.error.kind) == ("half", "interrupted", "left")
    assert desk.run_of(old.run_id).state == "interrupted"


def test_a_left_run_stays_until_somebody_goes_on_in_its_chat(desk, ids):
    left_one = desk.send("old", server_id="gone", root_dir="/elsewhere")
    desk.new_chat()
    desk.send("new", server_id="s1")
    with desk.log.transaction() as tx:
        gone = servers.gone(tx.connection, now=tx.now)
        assert left.give_way(tx, queue.Claimant("w", "s1", "/root", gone), ids) == []
    assert desk.run_of(left_one.run_id).state == "queued"


@pytest.mark.parametrize("silent_s", [1, 61])
def test_a_run_of_a_living_server_of_another_folder_is_waited_for(desk, clock, ids, silent_s):
    with desk.log.database.write() as connection:
        servers.beat(connection, "s2", pid=os.getpid(), now=clock.now())
    alive = desk.send("old", server_id="s2", root_dir="/elsewhere")
    desk.send("new", server_id="s1")
    clock.move(seconds=silent_s)  # its worker tells of it, and may have nothing to do
    with desk.log.transaction() as tx:
        gone = servers.gone(tx.connection, now=tx.now)
        assert left.give_way(tx, queue.Claimant("w", "s1", "/root", gone), ids) == []
    assert desk.run_of(alive.run_id).state == "queued"


def test_a_server_that_ends_obeys_the_stops_its_worker_did_not_get_to(desk):
    stopped = desk.send("a")
    claim(desk, "w1")
    desk.stop(stopped.run_id)
    desk.new_chat()
    goes_on = desk.send("b")
    claim(desk, "w1")
    with desk.log.transaction() as tx:
        queue.obey_stops(tx, "s1")
    assert desk.run_of(stopped.run_id).state == "running"  # its worker may still write
    with desk.log.transaction() as tx:
        queue.free(tx, "w1")
        queue.obey_stops(tx, "s1")
    assert [desk.run_of(run.run_id).state for run in (stopped, goes_on)] == ["stopped", "running"]
