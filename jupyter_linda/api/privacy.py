"""Routes of what may leave: the levels, consents, a request to try, and what did leave."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from ..errors import LindaError
from ..events.log import home_of
from ..events.payloads import PrivacyChanged
from ..gateway import consents
from ..gateway.deciding import options_of
from ..gateway.door import preview_text
from ..gateway.kinds import kind_of
from ..gateway.levels import level_of
from ..gateway.providers import AUTOMATIC
from ..gateway.redaction import Book, Redactor
from ..gateway.router import Facts, route
from ..permissions.paths import Places
from ..ports import ModelRequest
from ..schemas import (
    Consent,
    PrivacyInput,
    PrivacyText,
    RouteTrial,
    RouteTrialResult,
    Sent,
    SentCall,
)
from ..storage.tables import chats, model_calls, traces
from .base import LindaHandler

if TYPE_CHECKING:
    from sqlalchemy import Row


class PrivacyHandler(LindaHandler):
    """GET and PUT privacy"""

    needs_database = False

    async def get(self) -> None:
        """The file of levels as it stands, and what is wrong with it."""
        self._reply_levels()

    async def put(self) -> None:
        """Replace the levels; malformed ones, and those made from others than there are, are refused."""
        self.refuse_tokens()
        wish = self.body(PrivacyInput)
        self.services.levels.save(wish.text, was=wish.was)
        await self.services.ready()
        owner = self.owner_id

        def work() -> None:
            with self.services.log.transaction() as tx:
                tx.append(home_of(owner), PrivacyChanged(problem=self.services.levels.problem))

        await self.services.database.run(work)
        self._reply_levels()

    def _reply_levels(self) -> None:
        levels = self.services.levels
        levels.current()
        self.reply(PrivacyText(text=levels.text(), path=levels.path, problem=levels.problem))


class TryRequestHandler(LindaHandler):
    """POST privacy/try"""

    async def post(self) -> None:
        """Where a request would go and what would go with it. Nothing is sent or written down."""
        wish, services, owner = self.body(RouteTrial), self.services, self.owner_id

        def work() -> frozenset[str]:
            with services.database.read() as connection:
                return consents.providers_of(connection, owner, services.root_dir)

        allowed = await services.database.run(work)
        privacy, providers = services.levels.current(), services.providers
        asked = wish.model or providers.default_model
        request = ModelRequest(model=asked, messages=[{"role": "user", "content": wish.text}])
        kind = kind_of(request.messages)
        facts = Facts(
            options=options_of(providers, request, allowed),
            chosen="" if asked == AUTOMATIC else asked,
            sensitivity="high" if wish.frame else "normal",
            complexity=kind.complexity,
            length_chars=kind.length_chars,
            task=kind.task,
            all_local=privacy.all_local,
            is_offline=privacy.offline,
        )
        decided = route(facts)
        is_here = bool(decided.model) and providers.stays_here(decided.model)
        places = Places(services.root_dir).of(wish.path) if wish.path else ()
        level = level_of(privacy, places, (wish.frame,) if wish.frame else ())
        redacted, _ = Redactor().redact(
            wish.text, Book(), terms=privacy.terms, secrets=providers.known_keys(), only_keys=level.text == "open"
        )
        self.reply(
            RouteTrialResult(
                effect=decided.effect,
                model=decided.model,
                is_here=is_here,
                destination="" if is_here or not decided.model else providers.destination(decided.model),
                reason=decided.reason,
                text_level=level.text,
                text_line=level.text_line,
                data_level=level.data,
                data_line=level.data_line,
                redacted=wish.text if is_here else redacted,
            )
        )


class ConsentsHandler(LindaHandler):
    """GET consents"""

    async def get(self) -> None:
        """Where which folder's work may go."""
        owner = self.owner_id

        def work() -> tuple[Consent, ...]:
            with self.services.database.read() as connection:
                return consents.list_consents(connection, owner)

        self.reply({"consents": await self.services.database.run(work)})


class ConsentHandler(LindaHandler):
    """DELETE consents/{consent_id}"""

    async def delete(self, consent_id: str) -> None:
        """Revoke: the next request asks again."""
        owner = self.owner_id

        def work() -> None:
            with self.services.database.write() as connection:
                consents.revoke_consent(connection, consent_id, owner, now=self.services.clock.now())

        await self.services.database.run(work)
        self.set_status(204)
        self.finish()


class SentHandler(LindaHandler):
    """GET sent/{message_id}"""

    async def get(self, message_id: str) -> None:
        """Exactly what left for a message: every request, as it went out."""
        owner = self.owner_id

        def work() -> tuple[SentCall, ...]:
            with self.services.database.read() as connection:
                rows = connection.execute(
                    select(model_calls, traces.c.details)
                    .join(traces, traces.c.model_call_id == model_calls.c.model_call_id)
                    .join(chats, chats.c.chat_id == model_calls.c.chat_id)
                    .where(model_calls.c.message_id == message_id, chats.c.owner_id == owner)
                    .order_by(model_calls.c.begun_at)
                ).all()
            return tuple(self._as_sent(row) for row in rows)

        self.reply(Sent(calls=await self.services.database.run(work)))

    def _as_sent(self, row: Row[Any]) -> SentCall:
        details = row.details if isinstance(row.details, dict) else {}
        way, leaves = details.get("route") or {}, details.get("leaves") or {}
        messages = []
        for name in leaves.get("messages") or ():
            with contextlib.suppress(LindaError):  # one that was tidied away is left out
                messages.append(json.loads(self.services.sent.get(name)))
        return SentCall(
            model=row.model,
            is_here=row.is_local,
            destination=str(way.get("destination", "")),
            reason=row.reason,
            withheld=tuple(leaves.get("withheld") or ()),
            placeholders=leaves.get("placeholders") or {},
            tools=int(leaves.get("tools") or 0),
            text=preview_text(messages, most_chars=None),
            begun_at=row.begun_at,
        )
