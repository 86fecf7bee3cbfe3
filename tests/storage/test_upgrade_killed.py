"""An upgrade that is killed half-way: the next start does it again, and nothing is lost."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text

from jupyter_linda.storage.database import REVISIONS, Database
from jupyter_linda.storage.upgrade import upgrade
from tests.storage.test_database import dump, old_database

STOPS = """
import sys, time
from datetime import UTC, datetime
from sqlalchemy import event
from jupyter_linda.storage.database import Database
from jupyter_linda.storage.upgrade import upgrade

database = Database(sys.argv[1])
left = [int(sys.argv[2])]

@event.listens_for(database.engine, "after_cursor_execute")
def stop(_connection, _cursor, statement, *_rest):
    if statement.lstrip().upper().startswith(("CREATE", "ALTER", "DROP", "INSERT", "UPDATE")):
        left[0] -= 1
        if not left[0]:
            print(statement.split()[0], flush=True)
            time.sleep(600)

upgrade(database, now=datetime(2026, 11, 29, tzinfo=UTC))
print("over", flush=True)
"""


@pytest.mark.parametrize("before", [1, 2, 3, 5, 8])
def test_a_killed_upgrade_is_done_again_and_its_rows_stay(tmp_path: Path, before: int):
    path = tmp_path / "linda.sqlite"
    old = old_database(path, revision=REVISIONS[0])
    with old.write() as connection:
        connection.execute(text("INSERT INTO chats VALUES ('c1', 'local', 'Old', '', 'ask', 1, 1)"))
    url = str(old.engine.url)
    old.close()
    with subprocess.Popen([sys.executable, "-c", STOPS, url, str(before)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() != b"over", "it was to be killed in the middle"
        process.kill()
        assert process.wait(10) in (-getattr(signal, "SIGKILL", 9), 1)
    again = Database(url)
    with closing(again):
        assert again.state() == "older"
        upgrade(again, now=datetime(2026, 11, 30, tzinfo=UTC))
        assert again.state() == "current"
        with again.read() as connection:
            assert connection.execute(text("SELECT title FROM chats")).scalar() == "Old"
            assert connection.execute(text("PRAGMA integrity_check")).scalar() == "ok"
        fresh = Database(f"sqlite:///{(tmp_path / 'fresh.sqlite').as_posix()}")
        with closing(fresh):
            fresh.create()
            assert dump(again) == dump(fresh)
