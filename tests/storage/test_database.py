"""Opening, upgrading and refusing databases; storage faults in words."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import exc, text

from jupyter_linda.errors import NewerDatabase, StorageUnavailable
from jupyter_linda.runs.readiness import check_database
from jupyter_linda.storage.database import HEAD, REVISIONS, Database
from jupyter_linda.storage.peek import has_unfinished_runs
from jupyter_linda.storage.tables import metadata
from jupyter_linda.storage.upgrade import upgrade

NOW = datetime(2026, 11, 29, tzinfo=UTC)


def old_database(path, *, revision="0001") -> Database:
    """A database as an older version left it, made by the migrations themselves."""
    from alembic import command
    from alembic.config import Config

    import jupyter_linda.storage.upgrade as module

    made = Database(f"sqlite:///{path.as_posix()}")
    config = Config()
    config.set_main_option("script_location", str(module.Path(module.__file__).parent / "migrations"))
    with made.write() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    return made


def dump(database: Database) -> list[tuple[str, ...]]:
    with database.read() as connection:
        return sorted(
            (row.type, row.name, row.tbl_name)
            for row in connection.execute(
                text("SELECT type, name, tbl_name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
            )
        )


def test_migrating_and_making_afresh_give_the_same_schema(tmp_path):
    migrated = old_database(tmp_path / "a.sqlite", revision="head")
    fresh = Database(f"sqlite:///{(tmp_path / 'b.sqlite').as_posix()}")
    fresh.create()
    assert dump(migrated) == dump(fresh)
    with migrated.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": False})
        assert compare_metadata(context, metadata) == []
    migrated.close()
    fresh.close()


def test_an_older_database_is_backed_up_then_upgraded_and_its_rows_stay(tmp_path):
    path = tmp_path / "linda.sqlite"
    old = old_database(path)
    with old.write() as connection:
        connection.execute(text("INSERT INTO chats VALUES ('c1', 'local', 'Old', '', 'ask', 1, 1)"))
    assert old.state() == "older"
    copy = upgrade(old, now=NOW)
    assert old.state() == "current"
    with old.read() as connection:
        assert connection.execute(text("SELECT title FROM chats")).scalar() == "Old"
    assert copy is not None
    with closing(sqlite3.connect(copy)) as backup:
        assert backup.execute("SELECT version_num FROM alembic_version").fetchone() == (REVISIONS[0],)
        assert backup.execute("SELECT title FROM chats").fetchone() == ("Old",)
    assert upgrade(old, now=NOW) is None
    old.close()


def test_a_newer_database_is_refused_and_left_alone(database):
    with database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    before = database.path.read_bytes()
    with pytest.raises(NewerDatabase, match=f"schema 9999; this version knows {HEAD}"):
        upgrade(database, now=NOW)
    assert database.path.read_bytes() == before


def test_a_damaged_database_is_told_in_words(tmp_path):
    path = tmp_path / "linda.sqlite"
    path.write_bytes(b"this is not a database at all, but it is long enough to look at" * 20)
    damaged = Database(f"sqlite:///{path.as_posix()}")
    with pytest.raises(StorageUnavailable, match="damaged") as caught:
        damaged.state()
    assert "backups" in caught.value.remedy
    damaged.close()


def test_a_locked_database_is_told_in_words(database):
    with closing(sqlite3.connect(database.path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with database.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA busy_timeout=10").close()
            connection.rollback()
        with pytest.raises(StorageUnavailable, match="locked"), database.write() as connection:
            connection.execute(text("SELECT 1"))


def test_a_full_disk_is_told_in_words(database):
    with pytest.raises(StorageUnavailable, match="full"), database.write() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count=1")
        connection.execute(text("CREATE TABLE filler (data TEXT)"))
        for _ in range(200):
            connection.execute(text("INSERT INTO filler VALUES (hex(randomblob(4000)))"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_told_in_words(tmp_path):
    tmp_path.chmod(0o500)
    closed = Database(f"sqlite:///{(tmp_path / 'deep' / 'linda.sqlite').as_posix()}")
    with pytest.raises(StorageUnavailable, match="cannot be made"):
        closed.create()


def test_a_folder_that_is_a_file_is_told_in_words(tmp_path):
    (tmp_path / "data").write_text("a file")
    closed = Database(f"sqlite:///{(tmp_path / 'data' / 'linda.sqlite').as_posix()}")
    with pytest.raises(StorageUnavailable, match="cannot be made"):
        closed.create()
    closed.close()


def test_the_audit_cannot_be_changed_or_deleted(database):
    with database.write() as connection:
        connection.execute(
            text(
                "INSERT INTO audit VALUES (NULL, 1, 'o', 'c', 'r', 'k', 't', 'read', 'p', '{}', 'auto', 'rule', 'rules')"
            )
        )
    for statement in ("DELETE FROM audit", "UPDATE audit SET decision = 'denied'"):
        with pytest.raises(exc.IntegrityError, match="append-only"), database.write() as connection:
            connection.execute(text(statement))


def test_the_look_at_server_start_sees_unfinished_runs_and_never_raises(tmp_path, database):
    assert not has_unfinished_runs(tmp_path / "none.sqlite")
    assert not has_unfinished_runs(database.path)
    with database.write() as connection:
        connection.execute(text("INSERT INTO chats VALUES ('c1', 'local', 't', '', 'ask', 1, 1)"))
        connection.execute(
            text(
                "INSERT INTO runs (run_id, chat_id, owner_id, server_id, client_id, message_id, state, model, steps, attempts, fence, holder, queued_at) "
                "VALUES ('r1', 'c1', 'local', 's', 'x', 'm', 'running', 'm', 0, 0, 0, '', 1)"
            )
        )
    assert has_unfinished_runs(database.path)
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"no")
    assert not has_unfinished_runs(broken)


def test_a_database_deleted_or_replaced_while_in_use_is_told_in_words(database, tmp_path):
    with database.read() as connection:
        connection.execute(text("SELECT 1"))
    kept = database.path.rename(tmp_path / "kept.sqlite")
    with pytest.raises(StorageUnavailable, match="deleted or replaced"), database.write():
        pass
    kept.rename(database.path)
    with database.read() as connection:
        assert connection.execute(text("SELECT 1")).scalar() == 1


def test_on_a_network_file_system_a_rollback_journal_takes_the_logs_place(tmp_path):
    def mounts() -> list[tuple[str, str]]:
        return [("/", "ext4"), (str(tmp_path), "nfs4")]

    far = Database(f"sqlite:///{(tmp_path / 'home' / 'linda.sqlite').as_posix()}", mounts=mounts)
    far.create()
    assert far.is_on_network
    with far.read() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "delete"
    assert check_database(far).state == "warning"
    far.close()


def test_on_a_local_disk_the_log_is_written_ahead(database):
    with database.read() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
    assert not database.is_on_network
