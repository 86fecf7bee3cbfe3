"""Routes of what models are given: pins, condensing a chat now, standing instructions."""

from __future__ import annotations

import asyncio

from ..chats import store, summaries
from ..schemas import CondenseChat, MessagePatch, StandingText
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


class StandingHandler(LindaHandler):
    """GET and PUT instructions"""

    needs_database = False

    async def get(self) -> None:
        """The person's standing instructions."""
        self.reply(StandingText(text=await asyncio.to_thread(self.services.standing.text)))

    async def put(self) -> None:
        """Others from now on: a person's to say, like an answer, for they stand in every prompt as their words."""
        self.refuse_tokens()
        await asyncio.to_thread(self.services.standing.save, self.body(StandingText).text)
        self.reply(StandingText(text=await asyncio.to_thread(self.services.standing.text)))


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
