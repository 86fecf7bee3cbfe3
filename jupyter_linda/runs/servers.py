"""Which Jupyter servers share the database, and which of them are gone."""

from __future__ import annotations

import socket
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import psutil
from sqlalchemy import Connection, delete, insert, select, update

from ..storage.tables import runs, servers
from .queue import lapse

if TYPE_CHECKING:
    from collections.abc import Sequence


def beat(connection: Connection, server_id: str, *, pid: int, now: datetime) -> None:
    """Say that a server lives, on behalf of the process `pid`."""
    changed = connection.execute(update(servers).where(servers.c.server_id == server_id).values(heartbeat_at=now))
    if changed.rowcount == 0:
        connection.execute(
            insert(servers).values(
                server_id=server_id,
                host=socket.gethostname(),
                pid=pid,
                pid_started_at=started_at(pid) or now,
                heartbeat_at=now,
            )
        )


def beat_worker(connection: Connection, server_id: str, worker_id: str, *, pid: int) -> None:
    """Say which process carries a server's runs, so that its death shows at once and not only by its leases."""
    connection.execute(
        update(servers)
        .where(servers.c.server_id == server_id)
        .values(worker_id=worker_id, worker_pid=pid, worker_started_at=started_at(pid))
    )


def dead_workers(connection: Connection) -> Sequence[str]:
    """Workers of this host whose process ended while they held runs."""
    rows = connection.execute(
        select(servers.c.worker_id, servers.c.worker_pid, servers.c.worker_started_at).where(
            servers.c.host == socket.gethostname(),
            servers.c.worker_id.in_(select(runs.c.holder).where(runs.c.state == "running")),
        )
    )
    return [row.worker_id for row in rows if row.worker_pid and started_at(row.worker_pid) != row.worker_started_at]


def leave(connection: Connection, server_id: str) -> None:
    """A server ends in order: whoever comes next may take its runs at once."""
    connection.execute(delete(servers).where(servers.c.server_id == server_id))


def gone(connection: Connection, *, now: datetime) -> Sequence[str]:
    """Servers with unfinished runs that left, whose heartbeat is 60 s old, or whose process on this host ended."""
    here = socket.gethostname()
    rows = {row.server_id: row for row in connection.execute(select(servers))}
    used = connection.execute(
        select(runs.c.server_id).where(runs.c.state.in_(("queued", "running"))).distinct()
    ).scalars()
    return [
        server_id
        for server_id in used
        if (row := rows.get(server_id)) is None
        or row.heartbeat_at < lapse(now)
        or (row.host == here and started_at(row.pid) != row.pid_started_at)
    ]


def living(connection: Connection, *, now: datetime) -> Sequence[str]:
    """Servers that may come back to their runs: their process lives on this host, or elsewhere their heart beats.

    On this host a heartbeat proves nothing: a worker may have been idle, and a machine asleep.
    """
    here = socket.gethostname()
    return [
        row.server_id
        for row in connection.execute(select(servers))
        if (started_at(row.pid) == row.pid_started_at if row.host == here else row.heartbeat_at >= lapse(now))
    ]


def started_at(pid: int) -> datetime | None:
    """When a process began, to tell it from a later one with the same id; None if there is none."""
    try:
        return datetime.fromtimestamp(int(psutil.Process(pid).create_time()), UTC)
    except psutil.Error:
        return None
