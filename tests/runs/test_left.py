"""Runs that a server in another folder left behind: what their chats say of them."""

from __future__ import annotations

import os

import pytest
from sqlalchemy import text, update

from jupyter_linda.runs import left, queue, servers
from jupyter_linda.storage.tables import runs
from tests.fakes.desk import Desk, says, uses

HERE, THERE = {"server_id": "here", "root_dir": "/here"}, {"server_id": "there", "root_dir": "/there"}


def claimant(desk: Desk, connection, server_id: str, root_dir: str) -> queue.Claimant:
    return queue.Claimant("w", server_id, root_dir, servers.gone(connection, now=desk.log.clock.now()))


def claim(desk: Desk, **who: str) -> queue.Claim | None:
    with desk.log.transaction() as tx:
        return queue.claim(tx, claimant(desk, tx.connection, **who), lease_s=15, held=())


def tell(desk: Desk) -> None:
    with desk.log.transaction() as tx:
        left.tell(tx, claimant(desk, tx.connection, **HERE))


def untold(desk: Desk) -> int:
    with desk.log.database.read() as connection:
        return len(left.untold(connection, claimant(desk, connection, **HERE), now=desk.log.clock.now()))


def started_there(desk: Desk) -> str:
    """A run that a server in another folder began, and whose worker is known to be dead."""
    run = desk.send("a", **THERE)
    claim(desk, **THERE)
    with desk.log.transaction() as tx:
        queue.free(tx, "w")
    return run.run_id


def test_a_run_that_nobody_can_carry_on_says_what_it_waits_for_once(desk):
    run_id = started_there(desk)
    assert untold(desk) == 1
    tell(desk)
    run = desk.run_of(run_id)
    assert (run.state, run.problem.kind) == ("running", "left")
    assert "/there" in run.problem.message
    assert "Start one there" in run.problem.remedy
    count = len(desk.kinds())
    assert untold(desk) == 0  # nothing to do again: no look takes the database's lock
    tell(desk)
    assert len(desk.kinds()) == count


def test_one_that_waits_in_the_queue_says_so_too(desk):
    run = desk.send("a", **THERE)
    tell(desk)
    assert (desk.run_of(run.run_id).state, desk.run_of(run.run_id).problem.kind) == ("queued", "left")


def test_a_server_that_comes_back_to_the_folder_takes_it_and_the_word_goes(desk):
    run_id = started_there(desk)
    tell(desk)
    assert claim(desk, server_id="there again", root_dir="/there").run.run_id == run_id
    assert desk.run_of(run_id).problem is None


async def test_an_answer_from_here_to_a_server_that_is_gone_is_kept_and_waits_in_words(desk):
    desk.gate.auto = False
    desk.model.scripts["go"] = [uses(("put", {"name": "b"})), says("done")]
    run = desk.send("go", **THERE)
    async with desk.working(**THERE):
        await desk.until_state(run.run_id, "waiting")
    with desk.log.database.write() as connection:
        connection.execute(text("DELETE FROM servers"))
    tell(desk)
    assert desk.run_of(run.run_id).problem is None  # its question says that it waits
    desk.answer("once")
    tell(desk)
    assert desk.run_of(run.run_id).problem.kind == "left"
    assert desk.effects.done == []
    async with desk.working(server_id="there again", root_dir="/there"):
        assert (await desk.finish(run.run_id)).state == "done"
    assert desk.run_of(run.run_id).problem is None
    assert desk.effects.done == ["put b"]


def test_what_is_held_is_left_alone_until_its_lease_is_over(desk, clock):
    run = desk.send("a", **THERE)
    claim(desk, **THERE)
    tell(desk)
    assert desk.run_of(run.run_id).problem is None
    clock.move(seconds=16)
    tell(desk)
    assert desk.run_of(run.run_id).problem.kind == "left"


def test_one_that_was_to_stop_is_stopped(desk):
    run = desk.send("a", **THERE)
    claim(desk, **THERE)
    desk.stop(run.run_id)
    with desk.log.transaction() as tx:
        queue.free(tx, "w")
    tell(desk)
    assert (desk.run_of(run.run_id).state, desk.run_of(run.run_id).problem) == ("stopped", None)


def test_a_server_that_lives_keeps_its_runs_however_old_its_heartbeat(desk, clock):
    with desk.log.database.write() as connection:
        servers.beat(connection, "there", pid=os.getpid(), now=clock.now())
    run_id = started_there(desk)
    clock.move(hours=9)
    tell(desk)
    assert (desk.run_of(run_id).state, desk.run_of(run_id).problem) == ("running", None)


def test_on_another_host_the_heartbeat_decides(desk, clock):
    with desk.log.database.write() as connection:
        servers.beat(connection, "there", pid=2**22 - 3, now=clock.now())
        connection.execute(text("UPDATE servers SET host = 'elsewhere'"))
    run_id = started_there(desk)
    tell(desk)
    assert desk.run_of(run_id).problem is None
    clock.move(seconds=61)
    tell(desk)
    assert desk.run_of(run_id).problem.kind == "left"


@pytest.mark.parametrize("is_waited_for", [False, True])
def test_a_living_server_known_in_that_folder_is_waited_for(desk, clock, ids, is_waited_for):
    with desk.log.database.write() as connection:
        servers.beat(connection, "there too", pid=os.getpid(), now=clock.now())
    desk.send("x", server_id="there too", root_dir="/there")
    desk.new_chat()
    run_id = started_there(desk)
    if is_waited_for:
        desk.send("b", **HERE)
    with desk.log.transaction() as tx:
        me = claimant(desk, tx.connection, **HERE)
        left.tell(tx, me)
        assert left.give_way(tx, me, ids) == []
    assert (desk.run_of(run_id).state, desk.run_of(run_id).problem) == ("running", None)


def test_a_run_of_an_older_version_whose_folder_nobody_knows_is_no_exception(desk):
    run_id = started_there(desk)
    with desk.log.database.write() as connection:
        connection.execute(update(runs).values(root_dir=""))
    tell(desk)
    assert desk.run_of(run_id).problem.message.startswith("The Jupyter server that worked on this is gone")
