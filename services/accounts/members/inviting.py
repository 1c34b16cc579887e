"""Invites people to the desk of a source by an address, which they prove by logging in with it.

Knowing a link, or having a mail passed on, makes nobody a member: only an account that has proved
the address accepts. The owner who invites never learns whether the address has an account.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

import asyncpg

from services.accounts.desk_acts import DeskAct, note_desk_act
from services.accounts.logging_in.limits import MailLimit, count_mail
from services.accounts.logging_in.logins import Login, check_fresh, check_whole
from services.accounts.members.desks import hold_desk
from services.accounts.members.notices import MemberNotices, source_name
from services.accounts.memberships import MemberRole, make_member
from services.accounts.owners import lock_account, typed_address
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.accounts.tokens import is_id
from services.mail.writing.letters import member_invited_letter
from shared.db.erasing import note_erased
from shared.errors import MahjicError, NotFound
from shared.mail.no_more import NO_MORE_PATH

INVITATION_PATH: Final = "/invitations/"
GOOD_FOR: Final = timedelta(days=30)
# Whoever presses a button twice invites once.
SAME_PRESS: Final = timedelta(minutes=1)
# No club has more helpers whom it waits for.
PENDING_MAX: Final = 50
# An address is not written to again and again, nor by a desk that someone else got into.
TO_ADDRESS: Final = (MailLimit(6, timedelta(days=1)),)
TO_ADDRESS_FROM_SOURCE: Final = (MailLimit(2, timedelta(days=1)),)
FROM_SOURCE: Final = (MailLimit(20, timedelta(hours=1)),)

COUNT: Final = """
SELECT count(*) FROM mahjic.member_invitations WHERE source = $1 AND address <> $2
"""
IS_MEMBER: Final = """
SELECT EXISTS (SELECT FROM mahjic.source_members WHERE source = $1 AND known_as = $2)
"""
IS_INVITED: Final = """
SELECT EXISTS (
    SELECT FROM mahjic.member_invitations
    WHERE source = $1 AND address = $2 AND role = $3 AND invited_by = $4 AND invited_at > $5
)
"""
INVITE: Final = """
INSERT INTO mahjic.member_invitations
    (invitation_id, source, address, role, invited_by, invited_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (source, address) DO UPDATE SET
    role = excluded.role, invited_by = excluded.invited_by, invited_at = excluded.invited_at
RETURNING invitation_id
"""
LIST: Final = """
SELECT invitation_id, source, address, role, invited_at FROM mahjic.member_invitations
WHERE source = $1 AND invited_at > $2 ORDER BY invited_at, invitation_id
"""
_OWN: Final = """
SELECT invited.invitation_id, invited.source, sources.name, invited.address, invited.role
FROM mahjic.member_invitations AS invited
JOIN mahjic.addresses AS own ON own.address = invited.address
JOIN mahjic.listed_sources AS sources ON sources.slug = invited.source
WHERE own.account_id = $1 AND own.proved_at IS NOT NULL AND invited.invited_at > $2
"""
LIST_OWN: Final = f"{_OWN} ORDER BY invited.invited_at, invited.invitation_id"
READ_OWN: Final = f"{_OWN} AND invited.invitation_id = $3"
WITHDRAW: Final = """
DELETE FROM mahjic.member_invitations WHERE source = $1 AND invitation_id = $2
RETURNING address
"""
TAKE: Final = """
DELETE FROM mahjic.member_invitations AS invited USING mahjic.addresses AS own
WHERE invited.invitation_id = $1 AND own.address = invited.address AND own.account_id = $2
    AND own.proved_at IS NOT NULL AND invited.invited_at > $3
RETURNING invited.source, invited.address, invited.role
"""


class AlreadyInvited(MahjicError):
    """The address is that of a member, or too many people are invited."""

    code = "not_invited"
    title = "Nobody was invited"
    status = 409


class TooManyInvitations(MahjicError):
    """The address, or the source, had its share of invitations."""

    code = "too_many_invitations"
    title = "Too many invitations"
    status = 429

    def __init__(self, wait: timedelta, *, is_source: bool) -> None:
        seconds = max(60, int(wait.total_seconds()))
        who = "Many people were invited lately" if is_source else "This address was invited lately"
        hours = -(-seconds // 3600)
        wait_words = "an hour" if hours == 1 else f"{hours} hours"
        super().__init__(
            f"{who}. Try again in {wait_words}, or ask the person to log in to "
            "Mahjic with this address: an open invitation is shown there.",
            headers={"Retry-After": str(seconds)},
        )


class InvitationGone(NotFound):
    """The invitation was withdrawn, used, is too old, or is somebody else's."""

    code = "invitation_gone"
    title = "This invitation is gone"

    def __init__(self) -> None:
        super().__init__(
            "There is no invitation for you here. It was used or withdrawn, is more than 30 days "
            "old, or was sent to an address that is not one of your account’s. Log in with the "
            "address that it was sent to, or ask for a new one."
        )


@dataclass(frozen=True, slots=True)
class MemberInvitation:
    """Somebody who was invited to the desk of a source and has not accepted yet."""

    invitation_id: str
    source: str
    address: str = field(repr=False)
    role: MemberRole
    invited_at: datetime


@dataclass(frozen=True, slots=True)
class OwnInvitation:
    """What somebody is invited to be, at which source, and by which of their addresses."""

    invitation_id: str
    source: str
    name: str
    address: str = field(repr=False)
    role: MemberRole


async def invite_member(
    accounts: Accounts, login: Login, source: str, typed: str, role: MemberRole
) -> None:
    """Invite an address, as an owner. Invited again, the newer word stands.

    Raises LoginNotFresh, UnknownDesk, OwnersOnly, WrongAddress, AlreadyInvited or
    TooManyInvitations.
    """
    check_fresh(accounts, login)
    address, now = typed_address(typed), accounts.chance.now()

    async def invite(connection: Connection) -> None:
        await lock_account(connection, login.account_id)
        await hold_desk(connection, login, source, as_owner=True)
        pressed = (source, address, role, login.account_id, now - SAME_PRESS)
        if await connection.fetchval(IS_INVITED, *pressed):
            return
        await _check_room(connection, source, address)
        await _count(accounts, connection, source, address, now)
        invitation_id = await connection.fetchval(
            INVITE, accounts.chance.new_id("inv"), source, address, role, login.account_id, now
        )
        done = DeskAct(source=source, act=f"invite_{role}", by=login.account_id, address=address)
        await note_desk_act(connection, done, at=now)
        invited = MemberInvitation(invitation_id, source, address, role, now)
        await _write(accounts, connection, invited)

    await accounts.settled(invite)


async def list_invited(accounts: Accounts, login: Login, source: str) -> Sequence[MemberInvitation]:
    """Return who is invited, for an owner. Raises UnknownDesk or OwnersOnly."""

    async def read(connection: Connection) -> Sequence[MemberInvitation]:
        await hold_desk(connection, login, source, as_owner=True)
        since = accounts.chance.now() - GOOD_FOR
        return [MemberInvitation(*row) for row in await connection.fetch(LIST, source, since)]

    return await accounts.settled(read)


async def withdraw_invitation(
    accounts: Accounts, login: Login, source: str, invitation_id: str
) -> None:
    """Take an invitation back, as an owner.

    Raises LoginNotFresh, UnknownDesk, OwnersOnly or InvitationGone.
    """
    check_fresh(accounts, login)

    async def withdraw(connection: Connection) -> None:
        await lock_account(connection, login.account_id)
        await hold_desk(connection, login, source, as_owner=True)
        if not is_id(invitation_id):
            raise InvitationGone
        address = await connection.fetchval(WITHDRAW, source, invitation_id)
        if address is None:
            raise InvitationGone
        act = "withdraw_invitation"
        done = DeskAct(source=source, act=act, by=login.account_id, address=address)
        await note_desk_act(connection, done, at=accounts.chance.now())
        await note_erased(connection, "member_invitations")

    await accounts.settled(withdraw)


async def own_invitations(accounts: Accounts, login: Login) -> Sequence[OwnInvitation]:
    """Return what somebody is invited to, by any address that their account has proved."""
    since = accounts.chance.now() - GOOD_FOR
    rows = await accounts.settled(lambda c: c.fetch(LIST_OWN, login.account_id, since))
    return [OwnInvitation(*row) for row in rows]


async def own_invitation(accounts: Accounts, login: Login, invitation_id: str) -> OwnInvitation:
    """Return one of them. Raises InvitationGone or OnlyFirstPasskey."""
    check_whole(login)
    if not is_id(invitation_id):
        raise InvitationGone
    asked = (login.account_id, accounts.chance.now() - GOOD_FOR, invitation_id)
    row = await accounts.settled(lambda c: c.fetchrow(READ_OWN, *asked))
    if row is None:
        raise InvitationGone
    return OwnInvitation(*row)


async def accept_invitation(accounts: Accounts, login: Login, invitation_id: str) -> str:
    """Become a member, and return of which source. Raises InvitationGone or OnlyFirstPasskey."""
    check_whole(login)
    now = accounts.chance.now()

    async def accept(connection: Connection) -> str:
        await lock_account(connection, login.account_id)
        taken = await _take(connection, login, invitation_id, now)
        source, address = str(taken["source"]), taken["address"]
        role = await make_member(
            connection, source, login.account_id, taken["role"], address=address, now=now
        )
        done = DeskAct(
            source=source,
            act=f"join_as_{role}",
            by=login.account_id,
            about=login.account_id,
            address=address,
        )
        await note_desk_act(connection, done, at=now)
        await MemberNotices.of(accounts).tell_joined(
            connection, source, login.account_id, role, address=address, by=None
        )
        return source

    return await accounts.settled(accept)


async def decline_invitation(accounts: Accounts, login: Login, invitation_id: str) -> None:
    """Let an invitation go. Raises InvitationGone or OnlyFirstPasskey."""
    check_whole(login)
    now = accounts.chance.now()

    async def decline(connection: Connection) -> None:
        await lock_account(connection, login.account_id)
        taken = await _take(connection, login, invitation_id, now)
        done = DeskAct(
            source=taken["source"],
            act="decline_invitation",
            by=login.account_id,
            address=taken["address"],
        )
        await note_desk_act(connection, done, at=now)

    await accounts.settled(decline)


async def _take(
    connection: Connection, login: Login, invitation_id: str, now: datetime
) -> asyncpg.Record:
    """Use an invitation of this account up, and return it. Raises InvitationGone."""
    if not is_id(invitation_id):
        raise InvitationGone
    taken = await connection.fetchrow(TAKE, invitation_id, login.account_id, now - GOOD_FOR)
    if taken is None:
        raise InvitationGone
    await note_erased(connection, "member_invitations")
    return taken


async def _check_room(connection: Connection, source: str, address: str) -> None:
    if await connection.fetchval(IS_MEMBER, source, address):
        raise AlreadyInvited(
            "Somebody with this address is a member already. Change their role instead."
        )
    if await connection.fetchval(COUNT, source, address) >= PENDING_MAX:
        raise AlreadyInvited(
            f"{PENDING_MAX} people are invited and have not answered. "
            "Withdraw some of these invitations first."
        )


async def _count(
    accounts: Accounts, connection: Connection, source: str, address: str, now: datetime
) -> None:
    to_address = accounts.counted_as(f"member {address}")
    from_source = accounts.counted_as(f"members of {source}")
    limits = {
        from_source: FROM_SOURCE,
        to_address: TO_ADDRESS,
        accounts.counted_as(f"member {address} of {source}"): TO_ADDRESS_FROM_SOURCE,
    }
    full = await count_mail(connection, limits, now)
    if full is not None:
        raise TooManyInvitations(full.wait, is_source=full.key == from_source)


async def _write(accounts: Accounts, connection: Connection, invited: MemberInvitation) -> None:
    """Have the invitation mailed, unless the address wants no mail that it did not ask for."""
    site, token = accounts.site_url(), accounts.outbox.no_more_token(invited.address)
    if token is None:
        return
    letter = member_invited_letter(
        invited.address,
        source=await source_name(connection, invited.source),
        is_owner=invited.role == "owner",
        url=f"{site}{INVITATION_PATH}{invited.invitation_id}",
        no_more_url=f"{site}{NO_MORE_PATH}{token}",
    )
    await accounts.outbox.queue(connection, letter)
