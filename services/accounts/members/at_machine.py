"""Members of sources as the operator says at the machine: for sources that were there before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import asyncpg

from services.accounts.acts import note_act
from services.accounts.desk_acts import DeskAct, note_desk_act
from services.accounts.members.changing import RoleChange, UnknownMember, give_role
from services.accounts.members.notices import MemberNotices
from services.accounts.memberships import MemberRole, lock_members, make_member
from services.accounts.owners import lock_or_make_owner, lock_owner, typed_address
from services.accounts.ports import Connection
from services.accounts.room import Chance
from shared.access.acts import StaffActKind
from shared.access.sources import UnknownSource

IS_SOURCE: Final = "SELECT EXISTS (SELECT FROM mahjic.listed_sources WHERE slug = $1)"
LIST_ALL: Final = """
SELECT source, account_id, role, known_as, since FROM mahjic.source_members
WHERE source = COALESCE($1, source) ORDER BY source, role, since, account_id
"""

_MADE: Final[Mapping[MemberRole, StaffActKind]] = {"owner": "make_owner", "scorer": "make_scorer"}


@dataclass(frozen=True, slots=True)
class ListedMember:
    """A member of any source as the operator sees them."""

    source: str
    account_id: str
    role: MemberRole
    address: str | None = field(repr=False)
    since: datetime


async def add_member(
    pool: asyncpg.Pool,
    notices: MemberNotices,
    source: str,
    typed: str,
    *,
    role: MemberRole,
    chance: Chance,
) -> str:
    """Give an address's account a role, and return the account.

    Raises WrongAddress, UnknownSource or LastOwner.
    """
    address = typed_address(typed)
    async with pool.acquire() as connection, connection.transaction():
        await _check_source(connection, source)
        account = (
            await lock_or_make_owner(chance, connection, address, is_proved=False)
        ).account_id
        members = await lock_members(connection, source)
        if account in members:
            wanted = RoleChange(source, account, role, by=None, at=chance.now())
            await give_role(connection, notices, members, wanted)
        else:
            now = chance.now()
            await make_member(connection, source, account, role, address=address, now=now)
            done = DeskAct(
                source=source, act=f"make_{role}", by=None, about=account, address=address
            )
            await note_desk_act(connection, done, at=now)
            await notices.tell_joined(connection, source, account, role, address=address, by=None)
        await _note(connection, _MADE[role], [source, account], chance)
    return account


async def take_member(
    pool: asyncpg.Pool, notices: MemberNotices, source: str, typed: str, chance: Chance
) -> str:
    """Take the role of an address's account away, and return the account.

    Raises WrongAddress, UnknownSource, UnknownMember or LastOwner.
    """
    address = typed_address(typed)
    async with pool.acquire() as connection, connection.transaction():
        await _check_source(connection, source)
        owner = await lock_owner(connection, address)
        if owner is None:
            raise UnknownMember
        members = await lock_members(connection, source)
        wanted = RoleChange(source, owner.account_id, None, by=None, at=chance.now())
        await give_role(connection, notices, members, wanted)
        await _note(connection, "remove_member", [source, owner.account_id], chance)
    return owner.account_id


async def list_all_members(
    pool: asyncpg.Pool, source: str | None, chance: Chance
) -> Sequence[ListedMember]:
    """Return the members of a source, or of all. That their addresses were looked at is noted.

    Raises UnknownSource.
    """
    async with pool.acquire() as connection, connection.transaction():
        if source is not None:
            await _check_source(connection, source)
        rows = await connection.fetch(LIST_ALL, source)
        about = sorted({row["account_id"] for row in rows})
        await _note(connection, "list_members", about, chance)
    return [ListedMember(*row) for row in rows]


async def _check_source(connection: Connection, source: str) -> None:
    if not await connection.fetchval(IS_SOURCE, source):
        raise UnknownSource(source)


async def _note(
    connection: Connection, act: StaffActKind, about: Sequence[str], chance: Chance
) -> None:
    await note_act(connection, at=chance.now(), staff_id=None, act=act, about=about)
