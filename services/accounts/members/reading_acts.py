"""Reads what was done about the members, keys, webhooks and profile of a source, for its owners."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, TypeAlias

from services.accounts.logging_in.logins import Login
from services.accounts.members.desks import hold_desk
from services.accounts.ports import Connection
from services.accounts.room import Accounts

DoneBy: TypeAlias = Literal["you", "member", "operator", "gone"]

# Whoever declined is no member, and by which other address they may be one is not told.
LIST: Final = """
SELECT acts.number, acts.at, acts.act, CASE
        WHEN acts.done_by = 'operator' THEN 'operator'
        WHEN acts.account_id = $2 THEN 'you'
        WHEN doers.account_id IS NULL THEN 'gone'
        ELSE 'member'
    END AS done_by,
    doers.known_as AS doer,
    CASE WHEN acts.about = $2 THEN NULL ELSE coalesce(acts.address, abouts.known_as) END AS whom,
    acts.about IS NOT DISTINCT FROM $2 AS is_about_you,
    acts.key_id
FROM mahjic.desk_acts AS acts
LEFT JOIN mahjic.source_members AS doers
    ON doers.source = acts.source AND doers.account_id = acts.account_id
    AND acts.act <> 'decline_invitation'
LEFT JOIN mahjic.source_members AS abouts
    ON abouts.source = acts.source AND abouts.account_id = acts.about
WHERE acts.source = $1 AND acts.number < $3 ORDER BY acts.number DESC LIMIT $4
"""
_NEWEST: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class ListedDeskAct:
    """An act as an owner reads it: by whom, as the source knows them, and about whom."""

    number: int
    at: datetime
    act: str
    done_by: DoneBy
    doer: str | None = field(repr=False)
    whom: str | None = field(repr=False)
    is_about_you: bool
    key_id: str | None


async def list_desk_acts(
    accounts: Accounts, login: Login, source: str, *, before: int | None, limit: int
) -> Sequence[ListedDeskAct]:
    """Return the newest acts, or those before a number. Raises UnknownDesk or OwnersOnly."""

    async def read(connection: Connection) -> Sequence[ListedDeskAct]:
        await hold_desk(connection, login, source, as_owner=True)
        newest = _NEWEST if before is None else before
        rows = await connection.fetch(LIST, source, login.account_id, newest, limit)
        return [ListedDeskAct(*row) for row in rows]

    return await accounts.settled(read)
