"""Consents: to which provider a workspace may send, given by a person once and revocable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import insert, select, update

from ..errors import NotFound
from ..schemas import Consent
from ..storage.tables import consents

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy import Connection, Row

    from ..ports import Json
    from ..storage.database import Database


def _as_consent(row: Row[tuple[object, ...]]) -> Consent:
    return Consent.model_validate({key: value for key, value in row._mapping.items() if key != "revoked_at"})


def add_consent(
    connection: Connection,
    consent_id: str,
    owner_id: str,
    root_dir: str,
    provider: str,
    levels: Mapping[str, Json],
    *,
    now: datetime,
) -> None:
    """Write a consent down, once for each provider and folder."""
    if provider in providers_of(connection, owner_id, root_dir):
        return
    connection.execute(
        insert(consents).values(
            consent_id=consent_id,
            owner_id=owner_id,
            root_dir=root_dir,
            provider=provider,
            levels=dict(levels),
            created_at=now,
            revoked_at=None,
        )
    )


def list_consents(connection: Connection, owner_id: str) -> tuple[Consent, ...]:
    """Those that hold, newest first."""
    rows = connection.execute(
        select(consents)
        .where(consents.c.owner_id == owner_id, consents.c.revoked_at.is_(None))
        .order_by(consents.c.created_at.desc())
    )
    return tuple(_as_consent(row) for row in rows)


def providers_of(connection: Connection, owner_id: str, root_dir: str) -> frozenset[str]:
    """To whom a workspace may send."""
    return frozenset(one.provider for one in list_consents(connection, owner_id) if one.root_dir == root_dir)


def revoke_consent(connection: Connection, consent_id: str, owner_id: str, *, now: datetime) -> None:
    """Take a consent back: the next request asks again. Twice is no error."""
    mine = (consents.c.consent_id == consent_id) & (consents.c.owner_id == owner_id)
    connection.execute(update(consents).where(mine, consents.c.revoked_at.is_(None)).values(revoked_at=now))
    if connection.execute(select(consents.c.consent_id).where(mine)).first() is None:
        raise NotFound(f"There is no consent {consent_id}.")


class ConsentBook:
    """Asked by the door before every request that leaves."""

    def __init__(self, database: Database, root_dir: str) -> None:
        self._database = database
        self._root_dir = root_dir

    async def providers(self, owner_id: str) -> frozenset[str]:
        """To whom this owner's work in this folder may go."""

        def work() -> frozenset[str]:
            with self._database.read() as connection:
                return providers_of(connection, owner_id, self._root_dir)

        return await self._database.run(work)
