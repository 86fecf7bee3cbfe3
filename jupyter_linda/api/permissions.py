"""Routes of questions and answers, and of grants."""

from __future__ import annotations

import posixpath
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from ..chats import store
from ..errors import InvalidInput, NotAllowed
from ..events.log import home_of
from ..events.payloads import PrivacyChanged
from ..gateway.consents import add_consent
from ..journal.store import note_grant
from ..permissions import approvals
from ..permissions.gate import UNASKED
from ..runs import left, questions, servers
from ..schemas import Answer, Grant, GrantScope, Question
from .base import LindaHandler

if TYPE_CHECKING:
    from ..events.log import Transaction


class QuestionsHandler(LindaHandler):
    """GET questions"""

    async def get(self) -> None:
        """Open questions over all chats; `InvalidInput` where others are wanted."""
        owner = self.owner_id
        self.one_of("state", ("open",))

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
                    _refuse_lasting(question, wish)
                scope = _checked(question, wish)
                answered = questions.answer(
                    tx, question_id, owner, answer=wish.answer, by="terminal" if secret else "panel"
                )
                if question.kind == "consent" and wish.answer == "always":
                    self._consent(tx, question, owner)
                if scope is not None:
                    self._grant(tx, question, owner, scope, _span(scope, wish.hours))
                # No worker may have told of this server while it waited: another's must not take the run for orphaned.
                services = self.services
                servers.beat(tx.connection, services.server_id, pid=services.server_pid, now=tx.now)
                left.tell(tx, services.claimant(tx.connection, tx.now))
                return answered

        await self.services.database.run(self.services.expire)  # committed by itself: a late answer changes nothing
        answered = await self.services.database.run(work)
        self.services.brain.nudge("runs")
        self.reply(store.as_shown(answered))

    def _consent(self, tx: Transaction, question: Question, owner: str) -> None:
        """Let this folder send to that provider from now on."""
        default = self.services.levels.current().default.model_dump(mode="json")
        add_consent(
            tx.connection,
            self.services.ids.new("consent"),
            owner,
            self.services.root_dir,
            question.resource,
            default,
            now=tx.now,
        )
        tx.append(home_of(owner), PrivacyChanged(problem=self.services.levels.problem))

    def _grant(
        self, tx: Transaction, question: Question, owner: str, scope: GrantScope, span: timedelta | None
    ) -> None:
        # The place itself, not how it is called from here: another server may have another root folder.
        place = posixpath.normpath(posixpath.join(Path(self.services.root_dir).as_posix(), scope.path))
        grant = Grant(
            grant_id=self.services.ids.new("grant"),
            owner_id=owner,
            tool=scope.tool,
            action=scope.action,
            path=place if scope.path else "",
            chat_id=scope.chat_id,
            created_at=tx.now,
            expires_at=None if span is None else tx.now + span,
        )
        approvals.add_grant(tx.connection, grant)
        note_grant(tx, question, grant, self.services.root_dir)


def _refuse_lasting(question: Question, wish: Answer) -> None:
    """Whoever holds the server's token can choose a secret and send it: it answers this once, and for no longer."""
    if wish.answer == "always" and question.kind in ("approval", "consent"):
        raise NotAllowed(
            "“Always” can only be said on the page itself.", remedy="Answer once or no, or open the Linda panel."
        )


def _checked(question: Question, wish: Answer) -> GrantScope | None:
    """The scope of an "always": one that was offered, nothing wider."""
    if question.kind in ("approval", "consent") and wish.answer not in ("once", "always", "no", UNASKED):
        raise InvalidInput(f"{wish.answer[:40]!r} does not answer this question.", remedy="Answer once, always or no.")
    if question.kind in ("outcome", "budget") and wish.answer not in question.choices:
        raise InvalidInput(
            f"{wish.answer[:40]!r} is not one of the choices.", remedy=f"Choose: {', '.join(question.choices)}."
        )
    if question.kind != "approval" or wish.answer != "always":
        return None
    if wish.scope is None or wish.scope not in question.scopes:
        raise InvalidInput("“Always” needs one of the scopes the question offers.", remedy="Choose how far it reaches.")
    return wish.scope


def _span(scope: GrantScope, hours: int | None) -> timedelta | None:
    """How long a grant holds: as the person chose, at most as long as was offered."""
    offered = None if scope.days is None else timedelta(days=scope.days)
    if hours is None:
        return offered
    wanted = timedelta(hours=hours)
    if offered is not None and wanted > offered:
        raise InvalidInput(f"This can be allowed for {scope.days} days at most.", remedy="Choose a shorter time.")
    return wanted


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
        """Revoke: the next call asks again. Redo does not bring it back."""
        owner = self.owner_id

        def work() -> None:
            with self.services.database.write() as connection:
                approvals.end_grant(connection, grant_id, owner, now=self.services.clock.now())

        await self.services.database.run(work)
        self.set_status(204)
        self.finish()
