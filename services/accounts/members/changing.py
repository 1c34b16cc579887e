"""Lists the members of a source, changes their roles, and removes them, as its owners say.

One owner is always left: only being forgotten takes the last one away.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from services.accounts.desk_acts import DeskAct, note_desk_act
from services.accounts.logging_in.logins import Login, check_fresh
from services.accounts.members.desks import OwnersOnly, UnknownDesk, check_slug, hold_desk
from services.accounts.members.notices import MemberNotices
from services.accounts.memberships import Member, MemberRole, lock_members, set_role
from services.accounts.owners import lock_accounts
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.accounts.tokens import is_id
from shared.errors import MahjicError, NotFound

LIST: Final = """
SELECT account_id, role, known_as, since FROM mahjic.source_members
WHERE source = $1 ORDER BY role, since, account_id
"""
# Where nobody else is an owner.
LIST_OWNED_ALONE: Final = """
SELECT sources.slug, sources.name FROM mahjic.source_members AS own
JOIN mahjic.listed_sources AS sources ON sources.slug = own.source
WHERE own.account_id = $1 AND own.role = 'owner' AND NOT EXISTS (
    SELECT FROM mahjic.source_members AS other
    WHERE other.source = own.source AND other.role = 'owner' AND other.account_id <> $1
) ORDER BY sources.name, sources.slug
"""


class LastOwner(MahjicError):
    """The only owner of a source would be one no longer."""

    code = "last_owner"
    title = "A source needs an owner"
    status = 409

    def __init__(self) -> None:
        super().__init__(
            "This is the only owner of the source. Make another member an owner first."
        )


class UnknownMember(NotFound):
    """The account is not a member of this source, or no longer."""

    code = "unknown_member"
    title = "This is not a member"

    def __init__(self) -> None:
        super().__init__("They are not a member of this source. Load the list again.")


@dataclass(frozen=True, slots=True)
class RoleChange:
    """What a member is to be, or no longer to be. `by` is None at the machine."""

    source: str
    account_id: str
    role: MemberRole | None
    by: str | None
    at: datetime

    @property
    def act(self) -> str:
        """What is done, in the list that owners read."""
        if self.role is None:
            return "leave" if self.by == self.account_id else "remove_member"
        return f"make_{self.role}"


async def list_members(accounts: Accounts, login: Login, source: str) -> Sequence[Member]:
    """Return all members, owners first, for an owner. Raises UnknownDesk or OwnersOnly."""

    async def read(connection: Connection) -> Sequence[Member]:
        await hold_desk(connection, login, source, as_owner=True)
        rows = await connection.fetch(LIST, source)
        return [
            Member(row["account_id"], row["role"], row["known_as"], row["since"]) for row in rows
        ]

    return await accounts.settled(read)


async def owned_alone(accounts: Accounts, login: Login) -> Mapping[str, str]:
    """Return the sources whose only owner somebody is: their names, by their slugs."""
    rows = await accounts.settled(lambda c: c.fetch(LIST_OWNED_ALONE, login.account_id))
    return {row["slug"]: row["name"] for row in rows}


async def change_role(
    accounts: Accounts, login: Login, source: str, account_id: str, role: MemberRole
) -> None:
    """Give a member another role, as an owner.

    Raises LoginNotFresh, UnknownDesk, OwnersOnly, UnknownMember or LastOwner.
    """
    await _change(accounts, login, source, account_id, role)


async def remove_member(accounts: Accounts, login: Login, source: str, account_id: str) -> None:
    """Remove a member, as an owner, or leave oneself, as anyone may but the last owner.

    Raises LoginNotFresh, UnknownDesk, OwnersOnly, UnknownMember or LastOwner.
    """
    await _change(accounts, login, source, account_id, None)


async def _change(
    accounts: Accounts, login: Login, source: str, account_id: str, role: MemberRole | None
) -> None:
    check_fresh(accounts, login)
    check_slug(source)
    notices = MemberNotices.of(accounts)

    async def change(connection: Connection) -> None:
        # Accounts before members, as everywhere. What is no id is not sent to PostgreSQL.
        named = {account_id} if is_id(account_id) else set()
        await lock_accounts(connection, {login.account_id, *named})
        members = await lock_members(connection, source)
        own = members.get(login.account_id)
        if own is None:
            raise UnknownDesk
        is_leaving = role is None and account_id == login.account_id
        if own.role != "owner" and not is_leaving:
            raise OwnersOnly
        wanted = RoleChange(source, account_id, role, login.account_id, accounts.chance.now())
        await give_role(connection, notices, members, wanted)

    await accounts.settled(change)


async def give_role(
    connection: Connection,
    notices: MemberNotices,
    members: Mapping[str, Member],
    wanted: RoleChange,
) -> None:
    """Give one of the locked members of the source another role, or none, and tell of it.

    Raises UnknownMember or LastOwner.
    """
    source, account_id, role, by = wanted.source, wanted.account_id, wanted.role, wanted.by
    member = members.get(account_id)
    if member is None:
        raise UnknownMember
    if member.role == role:
        return
    owners = {each.account_id for each in members.values() if each.role == "owner"}
    if role != "owner" and owners == {account_id}:
        raise LastOwner
    await set_role(connection, source, account_id, role)
    done = DeskAct(source=source, act=wanted.act, by=by, about=account_id, address=member.address)
    await note_desk_act(connection, done, at=wanted.at)
    if role is None:
        await notices.tell_left(connection, source, account_id, address=member.address, by=by)
    else:
        await notices.tell_joined(
            connection, source, account_id, role, address=member.address, by=by
        )
