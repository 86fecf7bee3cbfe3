"""What lies in files beside the database goes with the last chat that names it: long results, pictures, what left."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select, text

from ..storage.tables import calls, traces

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from ..storage.files import Results

YOUNG_S = 5.0
"""A file is written, or made young again, just before the row that names it."""

_RESULTS = text(
    "SELECT result_hash FROM calls WHERE result_hash IN (SELECT value FROM json_each(:names)) UNION "
    "SELECT json_extract(one.value, '$[1]') FROM calls, json_each(calls.images) AS one "
    "WHERE json_extract(one.value, '$[1]') IN (SELECT value FROM json_each(:names))"
)
_SENT = text(
    "SELECT DISTINCT one.value FROM traces, json_each(traces.details, '$.leaves.messages') AS one "
    "WHERE one.value IN (SELECT value FROM json_each(:names))"
)
"""Which of these names rows still have; asked in SQL, as there may be very many rows."""


@dataclass(frozen=True)
class Named:
    """Hashes that a chat names: of results and pictures, and of messages that left."""

    results: frozenset[str]
    sent: frozenset[str]


def named_by(connection: Connection, chat_id: str) -> Named:
    """What a chat names."""
    results: set[str] = set()
    for row in connection.execute(select(calls.c.result_hash, calls.c.images).where(calls.c.chat_id == chat_id)):
        results.update(([row.result_hash] if row.result_hash else []) + [name for _, name in row.images or ()])
    sent: set[str] = set()
    for row in connection.execute(select(traces.c.details).where(traces.c.chat_id == chat_id)):
        leaves = row.details.get("leaves") if isinstance(row.details, dict) else None
        sent.update(map(str, (leaves or {}).get("messages") or ()))
    return Named(frozenset(results), frozenset(sent))


def sweep(connection: Connection, results: Results, sent: Results, named: Named, *, now: datetime) -> int:
    """Take away what a deleted chat named and no other does; how many files went."""
    gone = 0
    for store, names, query in ((results, named.results, _RESULTS), (sent, named.sent, _SENT)):
        still = {row[0] for row in connection.execute(query, {"names": json.dumps(sorted(names))})}
        for name in sorted(names - still):
            file = store.folder / name[:2] / name
            if file.is_file() and now.timestamp() - file.stat().st_mtime >= YOUNG_S:
                file.unlink(missing_ok=True)
                gone += 1
    return gone
