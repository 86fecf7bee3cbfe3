"""Routes of questions and answers, grants, rules, audit."""

from __future__ import annotations

import posixpath
from datetime import timedelta
from pathlib import Path

from ..errors import InvalidInput
from ..events.log import Transaction, home_of
from ..events.payloads import RulesChanged
from ..permissions import approvals, audit
from ..runs import left, questions, servers
from ..schemas import Answer, AuditEntry, Grant, GrantScope, Noun, Question
from .base import LindaHandler


class QuestionsHandler(LindaHandler):
    """GET questions"""

    async def get(self) -> None:
        """Open questions over all chats."""
        owner = self.owner_id

        def work() -> tuple[Question, ...]:
            with self.services.database.read() as connection:
                return questions.list_open(connection, owner)

        self.reply({"questions": await self.services.database.run(work)})


class AnswerHandler(LindaHandler):
    """POST questions/{question_id}/answer"""

    async def post(self, question_id: str) -> None:
        """A person answers: from the page (cookie and XSRF), or with the one-time secret of the run."""
        wish, owner = self.body(Answer), self.owner_id
        secret = self.request.headers.get("X-Linda-Answer-Secret", "")
        if not secret:
            self.refuse_tokens()

        def work() -> Question:
            with self.services.log.transaction() as tx:
                question = questions.get(tx.connection, question_id, owner)
                if secret:
                    questions.check_secret(tx.connection, question, secret)
                scope = _checked(question, wish)
                answered = questions.answer(
                    tx, question_id, owner, answer=wish.answer, by="terminal" if secret else "panel"
                )
                if scope is not None:
                    self._grant(tx, owner, scope)
                # No worker may have told of this server while it waited: another's must not take the run for orphaned.
                services = self.services
                servers.beat(tx.connection, services.server_id, pid=services.server_pid, now=tx.now)
                left.tell(tx, services.claimant(tx.connection, tx.now))
                return answered

        await self.services.database.run(self.services.expire)  # committed by itself: a late answer changes nothing
        answered = await self.services.database.run(work)
        self.services.brain.nudge("runs")
        self.reply(answered)

    def _grant(self, tx: Transaction, owner: str, scope: GrantScope) -> None:
        # The place itself, not how it is called from here: another server may have another root folder.
        place = posixpath.normpath(posixpath.join(Path(self.services.root_dir).as_posix(), scope.path))
        approvals.add_grant(
            tx.connection,
            Grant(
                grant_id=self.services.ids.new("grant"),
                owner_id=owner,
                tool=scope.tool,
                action=scope.action,
                path=place if scope.path else "",
                chat_id=scope.chat_id,
                created_at=tx.now,
                expires_at=None if scope.days is None else tx.now + timedelta(days=scope.days),
            ),
        )


def _checked(question: Question, wish: Answer) -> GrantScope | None:
    """The scope of an "always": one that was offered, nothing wider."""
    if question.kind == "approval" and wish.answer not in ("once", "always", "no"):
        raise InvalidInput(f"{wish.answer[:40]!r} does not answer this question.", remedy="Answer once, always or no.")
    if question.kind == "outcome" and wish.answer not in question.choices:
        raise InvalidInput(
            f"{wish.answer[:40]!r} is not one of the choices.", remedy=f"Choose: {', '.join(question.choices)}."
        )
    if question.kind != "approval" or wish.answer != "always":
        return None
    if wish.scope is None or wish.scope not in question.scopes:
        raise InvalidInput("“Always” needs one of the scopes the question offers.", remedy="Choose how far it reaches.")
    return wish.scope


def _as_seen_from(grant: Grant, root_dir: str) -> Grant:
    """A grant with its place as it is called in this server's folder, where it lies there."""
    root = Path(root_dir).as_posix().rstrip("/") + "/"
    return grant.model_copy(update={"path": grant.path.removeprefix(root)}) if grant.path.startswith(root) else grant


class GrantsHandler(LindaHandler):
    """GET grants"""

    async def get(self) -> None:
        """What was given for longer, and still holds."""
        owner = self.owner_id

        def work() -> tuple[Grant, ...]:
            with self.services.database.read() as connection:
                return approvals.list_grants(connection, owner, now=self.services.clock.now())

        self.reply(
            {
                "grants": [
                    _as_seen_from(grant, self.services.root_dir) for grant in await self.services.database.run(work)
                ]
            }
        )


class GrantHandler(LindaHandler):
    """DELETE grants/{grant_id}"""

    async def delete(self, grant_id: str) -> None:
        """Revoke: the next call asks again."""
        owner = self.owner_id

        def work() -> None:
            with self.services.database.write() as connection:
                approvals.revoke_grant(connection, grant_id, owner, now=self.services.clock.now())

        await self.services.database.run(work)
        self.set_status(204)
        self.finish()


class RulesText(Noun):
    """PUT rules"""

    text: str


class RulesHandler(LindaHandler):
    """GET and PUT rules"""

    needs_database = False

    async def get(self) -> None:
        """The rules file as it stands, and what is wrong with it."""
        self._reply_rules()

    async def put(self) -> None:
        """Replace the rules; malformed ones are refused and the file stays."""
        self.refuse_tokens()
        self.services.rules.save(self.body(RulesText).text)
        await self.services.ready()
        owner = self.owner_id

        def work() -> None:
            with self.services.log.transaction() as tx:
                tx.append(home_of(owner), RulesChanged(problem=self.services.rules.problem))

        await self.services.database.run(work)
        self._reply_rules()

    def _reply_rules(self) -> None:
        rules = self.services.rules
        rules.current()
        problem = None if rules.problem is None else rules.problem.model_dump()
        self.reply({"text": rules.text(), "path": str(rules.path), "problem": problem})


class AuditHandler(LindaHandler):
    """GET audit"""

    async def get(self) -> None:
        """Decisions, newest first."""
        owner = self.owner_id
        chat_id, tool = self.get_query_argument("chat_id", ""), self.get_query_argument("tool", "")
        before, limit = self.number("before"), self.number("limit", 100) or 100

        def work() -> tuple[AuditEntry, ...]:
            with self.services.database.read() as connection:
                return audit.list_entries(connection, owner, chat_id=chat_id, tool=tool, before=before, limit=limit)

        self.reply({"entries": await self.services.database.run(work)})
