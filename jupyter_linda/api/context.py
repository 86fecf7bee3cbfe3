"""Routes of what models are given: pins, and condensing a chat now."""

from __future__ import annotations

from ..chats import store, summaries
from ..schemas import CondenseChat, MessagePatch
from .base import LindaHandler


class MessageHandler(LindaHandler):
    """PATCH chats/{chat_id}/messages/{message_id}"""

    async def patch(self, chat_id: str, message_id: str) -> None:
        """Pin a message, so that it stays word for word in prompts, or let it go."""
        patch, owner = self.body(MessagePatch), self.owner_id

        def work() -> None:
            with self.services.log.transaction() as tx:
                store.get(tx.connection, chat_id, owner)
                summaries.pin(tx, chat_id, message_id, is_pinned=patch.is_pinned)

        await self.services.database.run(work)
        self.set_status(204)
        self.finish()


class CondenseHandler(LindaHandler):
    """POST chats/{chat_id}/condense"""

    async def post(self, chat_id: str) -> None:
        """Have a summary stand for all but the last messages of a branch; the worker makes it."""
        wish, owner = self.body(CondenseChat), self.owner_id

        def work() -> None:
            with self.services.database.read() as connection:
                store.get(connection, chat_id, owner)

        await self.services.database.run(work)
        params = {"chat_id": chat_id, "owner_id": owner, "message_id": wish.message_id}
        self.reply({"summary": await self.services.brain.ask("condense", params, timeout_s=300.0)})
