"""Routes of instructions in files: what there is, its text, and whether it is used."""

from __future__ import annotations

from ..schemas import InstructionChoice, InstructionList
from .base import LindaHandler


class InstructionsHandler(LindaHandler):
    """GET and PUT instructions/files"""

    async def get(self) -> None:
        """The files that are there for a chat and a notebook, and how each stands."""
        chat_id, path = self.get_query_argument("chat_id", ""), self.get_query_argument("path", "")
        self.reply(InstructionList(files=await self.services.instructions.files(self.owner_id, chat_id, path)))

    async def put(self) -> None:
        """Use a file or not: for a person to say, who was shown it."""
        self.refuse_tokens()
        await self.services.instructions.choose(self.owner_id, self.body(InstructionChoice))
        self.set_status(204)
        self.finish()


class InstructionTextHandler(LindaHandler):
    """GET instructions/text"""

    async def get(self) -> None:
        """What would be used of a file."""
        self.reply(await self.services.instructions.text(self.get_query_argument("path")))
