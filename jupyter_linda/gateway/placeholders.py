"""A chat's placeholders in the database: written down before anything that holds them leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import insert, select

from ..storage.tables import chats, placeholders
from .redaction import Book

if TYPE_CHECKING:
    from ..storage.database import Database


class PlaceholderBooks:
    """Loads and keeps the books of chats."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, chat_id: str) -> Book:
        """The book of a chat; an empty one for no chat."""

        def work() -> Book:
            with self._database.read() as connection:
                rows = connection.execute(select(placeholders).where(placeholders.c.chat_id == chat_id))
                return Book({row.placeholder: row.value for row in rows})

        return await self._database.run(work) if chat_id else Book()

    async def keep(self, chat_id: str, book: Book) -> None:
        """Write down what is new; nothing for a chat that is gone."""
        if not chat_id or not book.fresh:
            return
        fresh = dict(book.fresh)

        def work() -> None:
            with self._database.write() as connection:
                if connection.execute(select(chats.c.chat_id).where(chats.c.chat_id == chat_id)).first() is None:
                    return
                rows = [{"chat_id": chat_id, "placeholder": name, "value": value} for name, value in fresh.items()]
                connection.execute(insert(placeholders), rows)

        await self._database.run(work)
        book.fresh.clear()
