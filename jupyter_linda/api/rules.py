"""Routes of the rules file, the policies above it, and what would happen if."""

from __future__ import annotations

import asyncio

from ..events.log import home_of
from ..permissions.law import Law
from ..permissions.trying import attempt
from ..schemas import PolicyText, RulesInput, RulesText, Trial
from .base import LindaHandler


class RulesHandler(LindaHandler):
    """GET and PUT rules"""

    needs_database = False

    async def get(self) -> None:
        """The rules file and the policies as they stand, and what is wrong with them."""
        self._reply_rules()

    async def put(self) -> None:
        """Replace the rules; malformed ones, and those made from others than there are, are refused: the file stays."""
        self.refuse_tokens()
        wish = self.body(RulesInput)
        self.services.rules.save(wish.text, was=wish.was)
        await self.services.ready()
        owner = self.owner_id

        def work() -> None:
            with self.services.log.transaction() as tx:
                tx.append(home_of(owner), self.services.rules_changed())

        await self.services.database.run(work)
        self._reply_rules()

    def _reply_rules(self) -> None:
        rules, policies = self.services.rules, self.services.policies
        rules.current()
        policies.current()
        self.reply(
            RulesText(
                text=rules.text(),
                path=str(rules.path),
                problem=rules.problem,
                policies=tuple(
                    PolicyText(path=file.path, text=file.text(), problem=file.problem) for file in policies.there
                ),
            )
        )


class TryRulesHandler(LindaHandler):
    """POST rules/try"""

    needs_database = False

    async def post(self) -> None:
        """Faults of a rules text, and what would become of a call. Nothing is saved, done or written down."""
        services = self.services
        current, policies = services.rules.current(), services.policies.current()
        problem = services.policies.problem
        law = Law(current, policies, "" if problem is None else problem.message)
        now = services.clock.now().astimezone()
        self.reply(await asyncio.to_thread(attempt, self.body(Trial), law, services.paths, now=now))
