"""Condensing a chat because a person asked for it, beside any run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..chats import store
from ..errors import Conflict, NotFound
from ..runs import queue
from ..schemas import Run
from .prompting import Prompter
from .transcript import Transcript, load_branch
from .window import LAST

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..events.log import EventLog, Transaction
    from ..ports import ModelRequest
    from ..schemas import Summary
    from .prompting import Desk


@dataclass(frozen=True)
class Beside:
    """Implements `recording.Bearer`: calls on a person's account that belong to no run."""

    run: Run
    log: EventLog


class Condensing:
    """Makes summaries when asked. While a run goes on in the chat, it does not: that run has its own prompt."""

    def __init__(self, log: EventLog, desk: Desk, resolve_model: Callable[[str], str]) -> None:
        self._log = log
        self._desk = desk
        self._resolve_model = resolve_model

    async def condense(self, chat_id: str, owner_id: str, message_id: str) -> Summary | None:
        """Condense all but the last six messages of the branch that ends in `message_id`; None: nothing is older."""
        transcript, model = await self._log.database.run(self._read, chat_id, owner_id, message_id)
        now = self._log.clock.now()
        run = Run(
            run_id="",
            chat_id=chat_id,
            owner_id=owner_id,
            state="running",
            model=model,
            message_id=message_id,
            queued_at=now,
        )

        async def write(work: Callable[[Transaction], None]) -> None:
            await self._log.database.run(self._write, chat_id, work)

        def signed(request: ModelRequest) -> ModelRequest:
            return replace(request, owner_id=owner_id, chat_id=chat_id)

        prompter = Prompter(self._desk, Beside(run, self._log), write, signed)
        return await prompter.compact(transcript, model, last=LAST)

    def _read(self, chat_id: str, owner_id: str, message_id: str) -> tuple[Transcript, str]:
        with self._log.database.read() as connection:
            chat = store.get(connection, chat_id, owner_id)
            if queue.active_in(connection, chat_id):
                raise Conflict("Linda is working in this chat.", remedy="Condense it when she is done, or stop her.")
            transcript = load_branch(connection, chat_id, message_id)
            if not transcript.history:
                raise NotFound(f"There is no message {message_id} in this chat.", remedy="Reload the chat.")
            return transcript, self._resolve_model(chat.model)

    def _write(self, chat_id: str, work: Callable[[Transaction], None]) -> None:
        with self._log.transaction() as tx:
            work(tx)
