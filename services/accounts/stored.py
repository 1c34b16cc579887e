"""What is stored of an account, for its owner alone: lists for the document of everything.

What would let somebody in is in none of them: tokens are kept as hashes only, and a passkey's own
key never leaves its device.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

from services.accounts.ports import Connection
from services.accounts.room import Accounts
from shared.access.source_keys import keys_made_by
from shared.mail.stored import ended_among, mails_to, unreachable_among

READ_ACCOUNT: Final = """
SELECT accounts.account_id, accounts.made_at, accounts.mail_login, staff.role, staff.since AS
    staff_since
FROM mahjic.accounts LEFT JOIN mahjic.staff USING (account_id) WHERE account_id = $1
"""
READ_ADDRESSES: Final = """
SELECT address, proved_at FROM mahjic.addresses WHERE account_id = $1 ORDER BY address
"""
READ_PROOFS: Final = """
SELECT address, asked_from, asked_at, leads_to, wrong_codes,
    for_account IS NOT NULL AS is_to_add
FROM mahjic.address_proofs
WHERE for_account = $1 OR for_account IS NULL AND address = ANY($2) ORDER BY asked_at
"""
READ_LOGINS: Final = """
SELECT login_id, browser, kind, by_passkey, began_at, used_at,
    beside_at AS proved_address_of_other_account_at, beside_by_passkey AS other_by_passkey
FROM mahjic.logins WHERE account_id = $1 ORDER BY began_at
"""
READ_PASSKEYS: Final = """
SELECT passkey_id, name, added_at, used_at, sign_count FROM mahjic.passkeys
WHERE account_id = $1 ORDER BY added_at
"""
# What they did, and what was done about them; who else had a part in it is not theirs to read.
READ_DESK_ACTS: Final = """
SELECT source, at, act, key_id, account_id IS NOT DISTINCT FROM $1 AS by_yourself,
    CASE WHEN account_id = $1 THEN account_id END AS account_id,
    CASE WHEN about = $1 THEN about END AS about,
    CASE WHEN address = ANY($2) THEN address END AS address
FROM mahjic.desk_acts
WHERE account_id = $1 OR about = $1 OR address = ANY($2) ORDER BY number
"""
READ_CHOICES: Final = "SELECT wants, chosen_at FROM mahjic.mail_choices WHERE account_id = $1"
READ_MEMBERSHIPS: Final = """
SELECT source, role, known_as, since FROM mahjic.source_members
WHERE account_id = $1 ORDER BY source
"""
READ_SESSION_ACTS: Final = """
SELECT number, source, session_id, act, at FROM mahjic.session_acts
WHERE account_id = $1 ORDER BY number
"""
# Those to the person; and those of others that the person sent, without whom they are for.
READ_MEMBER_INVITATIONS: Final = """
SELECT source, role, invited_at, invited_by = $1 AS by_yourself,
    CASE WHEN address = ANY($2) THEN address END AS address
FROM mahjic.member_invitations
WHERE invited_by = $1 OR address = ANY($2) ORDER BY invited_at
"""
# Who of the staff it was is nobody else's business; that somebody looked is.
READ_ACTS: Final = """
SELECT number, at, act, staff_id IS NOT DISTINCT FROM $1 AS by_yourself, (
        SELECT array_agg(each) FROM unnest(about) AS each WHERE each = $1 OR each = ANY($2)
    ) AS about
FROM mahjic.staff_acts
WHERE staff_id = $1 OR $1 = ANY(about) OR about && $2::text[] ORDER BY number
"""
READ_ASKED: Final = """
SELECT given.address, counted.asked_at
FROM unnest($1::text[], $2::bytea[]) AS given (address, key_hash)
JOIN mahjic.mails_asked_for AS counted USING (key_hash) ORDER BY given.address
"""


class _Person(Protocol):
    """Whom a list is about."""

    @property
    def player_ids(self) -> Sequence[str]: ...

    @property
    def addresses(self) -> Sequence[str]: ...


_Rows: TypeAlias = Sequence[Any]


@dataclass(frozen=True, slots=True)
class AccountSection:
    """A list of what is stored of an account, read when its turn comes."""

    name: str
    accounts: Accounts
    read: Callable[[Connection, _Person], Awaitable[_Rows]]

    async def about(self, person: _Person) -> AsyncIterator[Any]:
        """Yield the rows of the list. Raises ServiceUnavailable."""
        for row in await self.accounts.settled(lambda c: self.read(c, person)):
            yield dict(row)


def account_sections(accounts: Accounts, account_id: str) -> Sequence[AccountSection]:
    """Return all lists about an account, and about mail to its owner."""

    async def asked(connection: Connection, person: _Person) -> _Rows:
        keys = [accounts.counted_as(each) for each in person.addresses]
        return await connection.fetch(READ_ASKED, person.addresses, keys)

    reads: Sequence[tuple[str, Callable[[Connection, _Person], Awaitable[_Rows]]]] = (
        ("account", lambda c, _: c.fetch(READ_ACCOUNT, account_id)),
        ("addresses", lambda c, _: c.fetch(READ_ADDRESSES, account_id)),
        ("proofs", lambda c, person: c.fetch(READ_PROOFS, account_id, person.addresses)),
        ("logins", lambda c, _: c.fetch(READ_LOGINS, account_id)),
        ("passkeys", lambda c, _: c.fetch(READ_PASSKEYS, account_id)),
        ("staff_acts", lambda c, person: c.fetch(READ_ACTS, account_id, person.player_ids)),
        ("memberships", lambda c, _: c.fetch(READ_MEMBERSHIPS, account_id)),
        ("session_acts", lambda c, _: c.fetch(READ_SESSION_ACTS, account_id)),
        (
            "member_invitations",
            lambda c, person: c.fetch(READ_MEMBER_INVITATIONS, account_id, person.addresses),
        ),
        ("desk_acts", lambda c, person: c.fetch(READ_DESK_ACTS, account_id, person.addresses)),
        ("keys_made", lambda c, _: keys_made_by(c, account_id)),
        ("mail_choices", lambda c, _: c.fetch(READ_CHOICES, account_id)),
        ("mails_asked_for", asked),
        ("mails", lambda c, person: mails_to(c, person.addresses)),
        ("unreachable", lambda c, person: unreachable_among(c, person.addresses)),
        ("no_more_mail", lambda c, person: ended_among(c, accounts.hashes, person.addresses)),
    )
    return [AccountSection(name, accounts, read) for name, read in reads]
