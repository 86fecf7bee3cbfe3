"""The SQL halves of grants and audit, on a real database."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import text

from jupyter_linda.errors import CannotUndo, LindaError, NotFound
from jupyter_linda.permissions.approvals import SqlGrants, add_grant, end_grant, give_again, revoke_grant
from jupyter_linda.permissions.audit import AuditFilter, SqlAudit, list_entries
from jupyter_linda.schemas import Grant
from jupyter_linda.storage.database import Database
from tests.fakes.permission_stores import FakeClock


@pytest.fixture
def database(tmp_path):
    database = Database(f"sqlite:///{tmp_path}/linda.sqlite")
    database.create()
    yield database
    database.close()


def grant(clock, grant_id="grant_1", **fields):
    values = {"grant_id": grant_id, "owner_id": "local", "tool": "t", "action": "write", "path": "a", "chat_id": "",
              "created_at": clock.now(), "expires_at": None, **fields}  # fmt: skip
    return Grant(**values)


def test_grants_hold_until_they_expire_or_are_revoked(database):
    clock = FakeClock()
    later = clock.now()
    clock.move(days=-1)
    with database.write() as connection:
        add_grant(connection, grant(clock))
        add_grant(connection, grant(clock, "grant_2", expires_at=later))
        add_grant(connection, grant(clock, "grant_3", owner_id="other"))
    book = SqlGrants(database)

    def held():
        return {found.grant_id for found in asyncio.run(book.active("local", now=clock.now()))}

    assert held() == {"grant_1", "grant_2"}
    clock.move(days=2)
    assert held() == {"grant_1"}
    with database.write() as connection:
        assert revoke_grant(connection, "grant_1", "local", now=clock.now()).revoked_at == clock.now()
        with pytest.raises(NotFound):
            revoke_grant(connection, "grant_3", "local", now=clock.now())
    assert held() == set()


def test_a_grant_revoked_by_hand_never_holds_again(database):
    clock = FakeClock()
    with database.write() as connection:
        for grant_id in ("grant_1", "grant_2"):
            add_grant(connection, grant(clock, grant_id))
        revoke_grant(connection, "grant_1", "local", now=clock.now())  # as an undo does
        end_grant(connection, "grant_2", "local", now=clock.now())
        give_again(connection, "grant_1", "local", now=clock.now())
        with pytest.raises(CannotUndo, match="revoked by hand"):
            give_again(connection, "grant_2", "local", now=clock.now())
    found = asyncio.run(SqlGrants(database).active("local", now=clock.now()))
    assert [one.grant_id for one in found] == ["grant_1"]


def test_the_audit_keeps_arguments_and_cannot_be_changed(database, bench):
    log, clock = SqlAudit(database), FakeClock()
    for path, arguments in (("a", '{"x": 1}'), ("b", "not json")):
        call = bench.call(path, arguments=arguments)
        asyncio.run(log.record(call, decision="auto", resource=path, rule="r", by="rules", at=clock.now()))
    with database.read() as connection:
        newest, oldest = list_entries(connection, "local")
        assert list_entries(connection, "local", before=newest.audit_id) == (oldest,)
        assert list_entries(connection, "other") == ()
        assert list_entries(connection, "local", AuditFilter(tool="none")) == ()
    assert (oldest.arguments, newest.arguments) == ({"x": 1}, "not json")
    for statement in ("DELETE FROM audit", "UPDATE audit SET rule = 'x'"):
        with pytest.raises((LindaError, Exception), match="append-only"), database.write() as connection:
            connection.execute(text(statement))


async def decide(bench, database):
    bench.gate._audit = SqlAudit(database)
    return await bench.judge()


def test_a_gate_over_the_database_writes_before_it_permits(database, bench):
    assert asyncio.run(decide(bench, database)).effect == "auto"
    with database.read() as connection:
        assert [entry.decision for entry in list_entries(connection, "local")] == ["auto"]
