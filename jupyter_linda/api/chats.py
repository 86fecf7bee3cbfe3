"""Routes of chats and their messages."""

from __future__ import annotations

from sqlalchemy import select

from ..chats import store
from ..chats.sweeping import Named, named_by, sweep
from ..errors import InvalidInput, NotFound
from ..events.log import Transaction, home_of
from ..events.payloads import MessageAdded
from ..journal.store import entries_of_chat
from ..ports.held import plain
from ..runs import questions, queue, servers
from ..schemas import Accepted, Chat, ChatList, ChatPatch, ChatView, Message, NewChat, NewMessage, Retry, Run
from ..storage.tables import chats, messages
from .base import LindaHandler

TITLE_CHARS = 60


class ChatsHandler(LindaHandler):
    """GET and POST chats"""

    async def get(self) -> None:
        """The owner's chats, newest first."""
        owner, query = self.owner_id, self.get_query_argument("query", "")

        def work() -> ChatList:
            with self.services.database.read() as connection:
                home = home_of(owner)
                return ChatList(
                    chats=store.list_all(connection, owner, query), home_id=home, seq=store.last_seq(connection, home)
                )

        self.reply(await self.services.database.run(work))

    async def post(self) -> None:
        """A new chat."""
        wish, owner = self.body(NewChat), self.owner_id
        if wish.mode == "edit":
            self.refuse_tokens()  # it takes questions away: only a person may

        def work() -> Chat:
            with self.services.log.transaction() as tx:
                return store.create(tx, self.services.ids.new("chat"), owner, wish)

        self.reply(await self.services.database.run(work), status=201)


class ChatHandler(LindaHandler):
    """GET, PATCH and DELETE chats/{chat_id}"""

    async def get(self, chat_id: str) -> None:
        """All of it, as of one seq."""
        owner = self.owner_id

        def work() -> ChatView:
            with self.services.database.read() as connection:
                found = store.view(connection, chat_id, owner)
                return found.model_copy(update={"journal": entries_of_chat(connection, chat_id)})

        self.reply(await self.services.database.run(work))

    async def patch(self, chat_id: str) -> None:
        """Rename, choose a model or a mode."""
        patch, owner = self.body(ChatPatch), self.owner_id
        if patch.mode == "edit":
            self.refuse_tokens()

        def work() -> Chat:
            with self.services.log.transaction() as tx:
                return store.change(tx, chat_id, owner, patch)

        self.reply(await self.services.database.run(work))

    async def delete(self, chat_id: str) -> None:
        """Delete; what runs is told to stop first, and its fence keeps it from writing."""
        owner = self.owner_id

        def work() -> tuple[list[str], Named]:
            with self.services.log.transaction() as tx:
                running = queue.active_in(tx.connection, chat_id)
                named = named_by(tx.connection, chat_id)
                store.remove(tx, chat_id, owner)
                return running, named

        def sweep_up() -> None:
            services = self.services
            with services.database.read() as connection:
                sweep(connection, services.results, services.sent, named, now=services.clock.now())

        running, named = await self.services.database.run(work)
        for run_id in running:
            self.services.brain.nudge("stop", run_id=run_id)
        await self.services.database.run(sweep_up)
        self.set_status(204)
        self.finish()


class MessagesHandler(LindaHandler):
    """POST chats/{chat_id}/messages"""

    async def post(self, chat_id: str) -> None:
        """Take a message and queue its run; a retried POST starts no second one."""
        wish, owner = self.body(NewMessage), self.owner_id
        secret = self.request.headers.get("X-Linda-Answer-Secret", "")
        # What `/name` calls is read here, from a file that this person allowed: nobody else may say what it is.
        called = await self.services.instructions.called(owner, chat_id, wish.text)
        attached = [item for item in wish.context if item.kind not in ("command", "skill")]
        wish = wish.model_copy(update={"context": (*attached, *filter(None, [called]))})

        def work() -> Accepted:
            with self.services.log.transaction() as tx:
                chat = store.get(tx.connection, chat_id, owner)
                known = self._known(tx, chat_id, wish.client_id)
                if known is not None:
                    return known
                message = self._message(tx, chat_id, wish)
                store.add_message(tx, message)
                values: dict[str, object] = {"updated_at": tx.now}
                if not chat.title:
                    values["title"] = title_of(wish.text)
                tx.connection.execute(chats.update().where(chats.c.chat_id == chat_id).values(**values))
                tx.append(chat_id, MessageAdded(message=message))
                run = self._enqueue(tx, chat_id, message.message_id, wish.model or chat.model, wish.client_id, secret)
                return Accepted(message=message, run=run)

        accepted = await self.services.database.run(work)
        self.services.brain.nudge("runs")
        self.reply(accepted, status=202)

    def _known(self, tx: Transaction, chat_id: str, client_id: str) -> Accepted | None:
        run = queue.by_client_id(tx.connection, chat_id, client_id)
        if run is None:
            return None
        row = tx.connection.execute(select(messages).where(messages.c.message_id == run.message_id)).one()
        return Accepted(message=store.as_message(row), run=run)

    def _message(self, tx: Transaction, chat_id: str, wish: NewMessage) -> Message:
        parent = wish.parent_id
        if parent is None and not wish.is_root:
            parent = store.newest_message_id(tx.connection, chat_id)
        elif parent is not None:
            owned = tx.connection.execute(
                select(messages.c.message_id).where(messages.c.chat_id == chat_id, messages.c.message_id == parent)
            ).first()
            if owned is None:
                raise InvalidInput(f"The message {parent} is not in this chat.", remedy="Reload the chat.")
        return Message(
            message_id=self.services.ids.new("message"),
            chat_id=chat_id,
            parent_id=parent,
            run_id=None,
            role="user",
            text=wish.text,
            context=wish.context,
            created_at=tx.now,
        )

    def _enqueue(self, tx: Transaction, chat_id: str, message_id: str, model: str, client_id: str, secret: str) -> Run:
        services = self.services
        servers.beat(tx.connection, services.server_id, pid=services.server_pid, now=tx.now)
        run = Run(
            run_id=services.ids.new("run"),
            chat_id=chat_id,
            owner_id=self.owner_id,
            state="queued",
            model=model or services.providers.default_model,
            message_id=message_id,
            queued_at=tx.now,
        )
        return queue.enqueue(
            tx,
            run,
            server_id=services.server_id,
            root_dir=services.root_dir,
            client_id=client_id,
            answer_secret_hash=questions.hash_secret(secret) if secret else None,
        )


class RetryHandler(MessagesHandler):
    """POST chats/{chat_id}/retry"""

    async def post(self, chat_id: str) -> None:
        """Answer a user message again, as a new branch."""
        wish, owner = self.body(Retry), self.owner_id

        def work() -> Accepted:
            with self.services.log.transaction() as tx:
                chat = store.get(tx.connection, chat_id, owner)
                known = self._known(tx, chat_id, wish.client_id)
                if known is not None:
                    return known
                row = tx.connection.execute(
                    select(messages).where(messages.c.chat_id == chat_id, messages.c.message_id == wish.message_id)
                ).one_or_none()
                if row is None or row.role != "user":
                    raise NotFound(
                        f"There is no user message {wish.message_id} in this chat.", remedy="Reload the chat."
                    )
                run = self._enqueue(tx, chat_id, wish.message_id, wish.model or chat.model, wish.client_id, "")
                return Accepted(message=store.as_message(row), run=run)

        accepted = await self.services.database.run(work)
        self.services.brain.nudge("runs")
        self.reply(accepted, status=202)


class StopHandler(LindaHandler):
    """POST chats/{chat_id}/stop"""

    async def post(self, chat_id: str) -> None:
        """Stop whatever of the chat runs, waits or queues."""
        owner = self.owner_id

        def work() -> list[Run]:
            with self.services.log.transaction() as tx:
                store.get(tx.connection, chat_id, owner)
                return [queue.ask_to_stop(tx, run_id) for run_id in queue.active_in(tx.connection, chat_id)]

        stopped = await self.services.database.run(work)
        for run in stopped:
            if run.state == "running":
                self.services.brain.nudge("stop", run_id=run.run_id)
        self.reply({"runs": [run.model_dump(mode="json") for run in stopped]})


class ResultHandler(LindaHandler):
    """GET results/{digest}"""

    async def get(self, digest: str) -> None:
        """A long tool result, whole, to those whose chat it is in."""
        owner = self.owner_id

        def work() -> str:
            with self.services.database.read() as connection:
                store.check_result_owner(connection, digest, owner)
            return self.services.results.get(digest)

        text = plain(await self.services.database.run(work))
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.finish(text)


def title_of(text: str) -> str:
    """A chat's title from its first message: one line, cut at a word."""
    line = " ".join(text.split())
    if len(line) <= TITLE_CHARS:
        return line
    cut = line[:TITLE_CHARS]
    return (cut.rsplit(" ", 1)[0] if " " in cut[20:] else cut) + "…"
