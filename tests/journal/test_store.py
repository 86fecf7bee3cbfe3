"""The journal of a call that was killed between what it noted and what it was to do."""

from __future__ import annotations

import asyncio
import os
from datetime import timedelta

import pytest
from sqlalchemy import select

from jupyter_linda.errors import StaleRevision
from jupyter_linda.journal.store import CallJournal, Limits, trim
from jupyter_linda.storage.files import Results
from jupyter_linda.storage.tables import journal
from jupyter_linda.tools.deleting import delete_file
from tests.fakes.desk import Desk
from tests.fakes.tool_bench import ToolBench


@pytest.fixture
def bench_root(tmp_path):
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def bench(bench_root):
    return ToolBench(bench_root, live=NothingOpen())


class NothingOpen:
    async def list_notebooks(self):
        return []


@pytest.fixture
def of_call(event_log, tmp_path, ids):
    """The journal of one call, as every worker makes it anew."""
    run = Desk(event_log, tmp_path, ids).send("delete it")
    limits = Limits(file_bytes=10**6, all_bytes=10**9, keep=timedelta(days=1))
    return lambda: CallJournal(event_log, Results(tmp_path / "kept"), limits, "call_1", run, "/root")


def entries(event_log):
    with event_log.database.read() as connection:
        return list(connection.execute(select(journal.c.changes)))


def killed(*_):
    raise KeyboardInterrupt


@pytest.mark.parametrize("name", ["a.txt", "d"])
def test_what_was_saved_after_a_deletion_was_noted_is_not_deleted(
    bench, bench_root, of_call, event_log, monkeypatch, name
):
    file = bench_root / name / "a.txt" if name == "d" else bench_root / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("old")
    bench.journal = of_call()
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("jupyter_linda.tools.deleting.to_trash", killed)
        bench.run(delete_file, path=name)
    assert len(entries(event_log)) == 1
    file.write_text("a person's newer text")
    bench.journal = of_call()
    with pytest.raises(StaleRevision, match="nothing was deleted"):
        bench.run(delete_file, path=name)
    assert file.read_text() == "a person's newer text"
    assert entries(event_log) == []


def test_a_deletion_that_was_noted_and_not_done_is_noted_once(of_call, event_log):
    noted = {"op": "write", "path": "a.txt", "old": "x", "new": "gone"}
    for _ in range(2):
        asyncio.run(of_call().note("file", "a.txt", [noted]))
    assert [changes for (changes,) in entries(event_log)] == [[noted]]


def test_a_write_is_noted_anew_as_the_file_is_by_then(of_call, event_log):
    for old in ("first", "second"):
        asyncio.run(of_call().note("file", "a.txt", [{"op": "write", "path": "a.txt", "old": old, "new": "n"}]))
    assert [changes[0]["old"] for (changes,) in entries(event_log)] == ["second"]


def test_what_is_gone_of_a_folder_by_then_stays_in_the_entry(of_call, event_log):
    noted = [{"op": "write", "path": f"d/{name}", "old": name, "new": "gone"} for name in "ab"]
    asyncio.run(of_call().note("file", "d", noted))
    asyncio.run(of_call().note("file", "d", noted[1:]))
    assert [changes for (changes,) in entries(event_log)] == [noted]


def test_what_is_kept_anew_is_young_and_stays_until_its_entry_is_written(of_call, event_log, tmp_path):
    """The same content was kept long ago for an entry that is over: tidying in between must not take it away."""
    kept, work = Results(tmp_path / "kept"), of_call()
    name = asyncio.run(work.keep(b"as it was"))
    file = kept.folder / name[:2] / name
    os.utime(file, (1, 1))
    assert asyncio.run(work.keep(b"as it was")) == name

    def tidy(at):
        with event_log.database.write() as connection:
            return trim(connection, kept, work.limits, now=at)

    assert tidy(event_log.clock.now()) == 0
    assert kept.get_bytes(name) == b"as it was"
    asyncio.run(work.note("file", "a.txt", [{"op": "write", "path": "a.txt", "old": name, "new": "gone"}]))
    os.utime(file, (1, 1))
    assert tidy(event_log.clock.now()) == 0, "an entry needs it"
    assert tidy(event_log.clock.now() + timedelta(days=2)) == 1, "the entry is too old, and nothing needs it"
    assert not file.exists()
