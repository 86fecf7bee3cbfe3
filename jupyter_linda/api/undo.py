"""Routes of undo and redo."""

from __future__ import annotations

from ..chats import store
from ..errors import InvalidInput
from ..journal.store import to_undo
from ..schemas import Undo
from .base import LindaHandler


class _TurnHandler(LindaHandler):
    is_redo = False

    async def post(self, chat_id: str) -> None:
        """Take changes back, or do them again; each entry says how it stands and, if it stayed, why."""
        wish, owner = self.body(Undo), self.owner_id
        if len([one for one in (wish.call_id, wish.run_id, wish.since_run) if one]) != 1:
            raise InvalidInput("Name one of call_id, run_id and since_run.")

        def work() -> bool:
            with self.services.database.read() as connection:
                store.get(connection, chat_id, owner)
                found = to_undo(connection, chat_id, owner_id=owner, **wish.model_dump())
                return any(one.entry.kind == "grant" for one in found)

        if await self.services.database.run(work):
            self.refuse_tokens()  # what is always allowed is a person's to say
        params = {"chat_id": chat_id, "owner_id": owner, "wish": wish.model_dump(), "is_redo": self.is_redo}
        self.reply({"entries": await self.services.brain.ask("undo", params, timeout_s=120.0)})


class UndoHandler(_TurnHandler):
    """POST chats/{chat_id}/undo"""


class RedoHandler(_TurnHandler):
    """POST chats/{chat_id}/redo"""

    is_redo = True
