"""Who keeps the desk of which source, as what: the rows, for whatever changes an account.

Whoever writes them holds the open transaction, and locks the account before them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, TypeAlias

from services.accounts.desk_acts import erase_from_desk_acts, move_desk_acts
from services.accounts.ports import Connection
from shared.access.source_keys import move_source_keys
from shared.db.erasing import note_erased

# A scorer submits, corrects and sees sessions. An owner also decides who does, and what may.
MemberRole: TypeAlias = Literal["owner", "scorer"]

# What somebody is already is never taken away by being asked once more.
MAKE_MEMBER: Final = """
INSERT INTO mahjic.source_members AS kept (source, account_id, role, known_as, since)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (source, account_id) DO UPDATE SET
    role = CASE WHEN kept.role = 'owner' THEN kept.role ELSE excluded.role END,
    known_as = excluded.known_as
RETURNING role
"""
MOVE: Final = """
INSERT INTO mahjic.source_members AS kept (source, account_id, role, known_as, since)
SELECT source, $2, role, known_as, since FROM mahjic.source_members WHERE account_id = $1
ON CONFLICT (source, account_id) DO UPDATE SET
    role = CASE WHEN kept.role = 'owner' THEN kept.role ELSE excluded.role END,
    since = least(kept.since, excluded.since)
"""
MOVE_INVITATIONS: Final = """
UPDATE mahjic.member_invitations SET invited_by = $2 WHERE invited_by = $1
"""
MOVE_ACTS: Final = "UPDATE mahjic.session_acts SET account_id = $2 WHERE account_id = $1"
UNNAME: Final = """
UPDATE mahjic.source_members SET known_as = NULL WHERE account_id = $1 AND known_as = $2
"""
ERASE_INVITATIONS: Final = "DELETE FROM mahjic.member_invitations WHERE address = ANY($1)"
# Each locks the same rows in the same order, so that of two at once the second sees what is left.
LOCK_MEMBERS: Final = """
SELECT account_id, role, known_as, since FROM mahjic.source_members
WHERE source = $1 ORDER BY account_id FOR UPDATE
"""
CHANGE_ROLE: Final = (
    "UPDATE mahjic.source_members SET role = $3 WHERE source = $1 AND account_id = $2"
)
REMOVE_MEMBER: Final = "DELETE FROM mahjic.source_members WHERE source = $1 AND account_id = $2"
END_INVITATIONS: Final = """
DELETE FROM mahjic.member_invitations WHERE source = $1 AND invited_by = $2
"""
# Two owners who are forgotten at once wait here for each other, and the second one is the last.
LOCK_OWNED: Final = """
SELECT account_id FROM mahjic.source_members WHERE source IN (
    SELECT source FROM mahjic.source_members WHERE account_id = ANY($1) AND role = 'owner'
) ORDER BY source, account_id FOR UPDATE
"""
NOTE_OWNERLESS: Final = """
INSERT INTO mahjic.ownerless_sources (source, since)
SELECT DISTINCT own.source, now() FROM mahjic.source_members AS own
WHERE own.account_id = ANY($1) AND own.role = 'owner' AND NOT EXISTS (
    SELECT FROM mahjic.source_members AS other
    WHERE other.source = own.source AND other.role = 'owner' AND other.account_id <> ALL($1)
) ON CONFLICT (source) DO NOTHING
"""
NOTE_OWNED: Final = "DELETE FROM mahjic.ownerless_sources WHERE source = $1"


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody who keeps the desk of a source, as its owners see them.

    `address` is the one that was invited; None if the account has it no longer.
    """

    account_id: str
    role: MemberRole
    address: str | None = field(repr=False)
    since: datetime


async def make_member(
    connection: Connection,
    source: str,
    account_id: str,
    role: MemberRole,
    *,
    address: str,
    now: datetime,
) -> MemberRole:
    """Make an account a member, known by an address; return the role, which never gets less."""
    made: MemberRole = await connection.fetchval(
        MAKE_MEMBER, source, account_id, role, address, now
    )
    if made == "owner":
        await connection.execute(NOTE_OWNED, source)
    return made


async def lock_members(connection: Connection, source: str) -> dict[str, Member]:
    """Lock all members of a source, and return them by their accounts."""
    rows = await connection.fetch(LOCK_MEMBERS, source)
    return {
        row["account_id"]: Member(row["account_id"], row["role"], row["known_as"], row["since"])
        for row in rows
    }


async def set_role(
    connection: Connection, source: str, account_id: str, role: MemberRole | None
) -> None:
    """Give a locked member another role, or none. Only an owner's invitations stand."""
    if role is None:
        await connection.execute(REMOVE_MEMBER, source, account_id)
        await note_erased(connection, "source_members")
    else:
        await connection.execute(CHANGE_ROLE, source, account_id, role)
    if role == "owner":
        await connection.execute(NOTE_OWNED, source)
    else:
        await connection.execute(END_INVITATIONS, source, account_id)
        await note_erased(connection, "member_invitations")


async def move_memberships(connection: Connection, account_id: str, into: str) -> None:
    """Make what an account is at any source that of another, which is the same person."""
    await connection.execute(MOVE, account_id, into)
    await connection.execute(MOVE_INVITATIONS, account_id, into)
    await move_desk_acts(connection, account_id, into)
    await move_source_keys(connection, account_id, into)
    await connection.execute(MOVE_ACTS, account_id, into)


async def unname_memberships(connection: Connection, account_id: str, address: str) -> None:
    """Forget that a member was known by an address. The membership stays."""
    await connection.execute(UNNAME, account_id, address)
    await note_erased(connection, "source_members")
    await erase_from_desk_acts(connection, [address])


async def erase_memberships(
    connection: Connection, accounts: Sequence[str], addresses: Sequence[str]
) -> None:
    """Erase invitations to addresses, and note which sources are left without an owner.

    What accounts were goes with their rows.
    """
    await connection.fetch(LOCK_OWNED, accounts)
    await connection.execute(NOTE_OWNERLESS, accounts)
    await erase_from_desk_acts(connection, addresses)
    await connection.execute(ERASE_INVITATIONS, list(addresses))
    await note_erased(connection, "source_members", "member_invitations")
