"""A journal in memory."""

from __future__ import annotations

import hashlib


class FakeJournal:
    """Implements `ports.Journal`; `entries` is what was written down, `kept` the contents by name."""

    def __init__(self):
        self.entries = {}
        self.kept = {}

    async def note(self, kind, path, changes):
        entry_id = f"entry_{len(self.entries)}"
        self.entries[entry_id] = (kind, path, [dict(change) for change in changes])
        return entry_id

    async def forget(self, entry_id):
        self.entries.pop(entry_id)

    async def keep(self, content):
        name = hashlib.sha256(content).hexdigest()
        self.kept[name] = content
        return name
