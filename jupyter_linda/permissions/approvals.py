"""Grants: what an "always" may mean, and whether one covers a call."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Protocol

from sqlalchemy import insert, select, update

from ..errors import CannotUndo, NotFound
from ..schemas import Action, Grant, GrantScope
from ..storage.tables import grants
from .paths import is_under

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection, Row

    from ..ports import GateCall
    from ..storage.database import Database
    from .paths import PathPolicy


class GrantBook(Protocol):
    """The grants that were given; the SQL half stands behind this."""

    async def active(self, owner_id: str, *, now: datetime) -> Sequence[Grant]:
        """Neither expired nor revoked, of this owner, newest first."""


def covers(grant: Grant, *, tool: str, action: Action, canonical: str, chat_id: str, now: datetime, root: str) -> bool:
    """Whether a grant lets this call through. Empty fields mean any; a folder covers what lies in it."""
    if grant.revoked_at is not None or (grant.expires_at is not None and grant.expires_at <= now):
        return False
    if grant.action != action or grant.tool not in ("", tool) or grant.chat_id not in ("", chat_id):
        return False
    # The path as it was when granted: a link put in its place later leads elsewhere and is not covered.
    return not grant.path or is_under(_absolute(canonical, root), _absolute(grant.path, root))


def _absolute(canonical: str, root: str) -> str:
    # Both were resolved when they were written down; resolving the grant again would follow a new link.
    return posixpath.normpath(posixpath.join(root.replace("\\", "/"), canonical))


_VERBS = {"read": "read", "write": "change", "run": "run code in", "send": "send values of"}
_DAYS = {"run": 1, "write": 7, "read": 30, "send": 1}


def scopes_for(call: GateCall, policy: PathPolicy) -> tuple[GrantScope, ...]:
    """What "always" may mean for this call, narrowest first. Running code: this notebook in this chat, no wider."""
    if call.always_asks or call.resource.also:  # an "always" names one path
        return ()
    action = call.granted_action
    path = policy.locate(call.resource.path).canonical
    shown = path if path != "." else "the notebook folder"
    touches = "go ahead" if call.resource.kind == "none" else f"{_VERBS[action]} {shown}"  # the task list is no path
    days = _DAYS[action]
    narrow = GrantScope(
        label=f"Let {call.tool} {touches}, in this chat",
        tool=call.tool,
        action=action,
        path=path,
        chat_id=call.chat_id,
        days=days,
    )
    if action in ("run", "send"):
        return (narrow,)
    label = f"Let {call.tool} {touches}, in every chat"
    scopes = [narrow, narrow.model_copy(update={"chat_id": "", "label": label})]
    folder = posixpath.dirname(path)
    if call.resource.kind in ("file", "notebook") and folder and not path.startswith("/"):
        label = f"Let {call.tool} {_VERBS[action]} everything in {folder}/, in this chat"
        scopes.append(narrow.model_copy(update={"path": folder, "label": label}))
    return tuple(scopes)


# ---- the SQL half ------------------------------------------------------------------------------


def _as_grant(row: Row[tuple[object, ...]]) -> Grant:
    return Grant.model_validate(dict(row._mapping))  # SQLAlchemy's public name for it


def add_grant(connection: Connection, grant: Grant) -> None:
    """Write an "always" down."""
    connection.execute(insert(grants).values(**grant.model_dump()))


def list_grants(connection: Connection, owner_id: str, *, now: datetime) -> tuple[Grant, ...]:
    """Grants that hold now, newest first."""
    rows = connection.execute(
        select(grants)
        .where(grants.c.owner_id == owner_id, grants.c.revoked_at.is_(None))
        .where(grants.c.expires_at.is_(None) | (grants.c.expires_at > now))
        .order_by(grants.c.created_at.desc())
    )
    return tuple(_as_grant(row) for row in rows)


def revoke_grant(connection: Connection, grant_id: str, owner_id: str, *, now: datetime) -> Grant:
    """Take an "always" back; it holds for no later judgement. Revoking twice is no error."""
    mine = (grants.c.grant_id == grant_id) & (grants.c.owner_id == owner_id)
    connection.execute(update(grants).where(mine, grants.c.revoked_at.is_(None)).values(revoked_at=now))
    row = connection.execute(select(grants).where(mine)).one_or_none()
    if row is None:
        raise NotFound(f"There is no grant {grant_id}.")
    return _as_grant(row)


def end_grant(connection: Connection, grant_id: str, owner_id: str, *, now: datetime) -> None:
    """Revoke for good, as a person does by hand: it is over, so that no redo lets it hold again."""
    revoke_grant(connection, grant_id, owner_id, now=now)
    mine = (grants.c.grant_id == grant_id) & (grants.c.owner_id == owner_id)
    is_later = grants.c.expires_at.is_(None) | (grants.c.expires_at > now)
    connection.execute(update(grants).where(mine, is_later).values(expires_at=now))


def give_again(connection: Connection, grant_id: str, owner_id: str, *, now: datetime) -> None:
    """Let a grant that an undo took back hold again; its expiry stays. `CannotUndo` once it is over."""
    mine = (grants.c.grant_id == grant_id) & (grants.c.owner_id == owner_id)
    is_later = grants.c.expires_at.is_(None) | (grants.c.expires_at > now)
    if not connection.execute(update(grants).where(mine, is_later).values(revoked_at=None)).rowcount:
        raise CannotUndo("This permission is over: it was revoked by hand, or its time has passed.")


class SqlGrants:
    """Implements `GrantBook` on the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def active(self, owner_id: str, *, now: datetime) -> Sequence[Grant]:
        """Neither expired nor revoked, of this owner, newest first."""

        def work() -> tuple[Grant, ...]:
            with self._database.read() as connection:
                return list_grants(connection, owner_id, now=now)

        return await self._database.run(work)
