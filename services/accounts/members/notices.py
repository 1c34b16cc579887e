"""Tells people by mail that they have another role at a source, and its other owners of it.

A mail holds no address but its reader's. It is written in the transaction of the change.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from services.accounts.memberships import MemberRole
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.mail.writing.letters import (
    keys_letter,
    members_letter,
    webhook_added_letter,
    webhook_off_letter,
)
from shared.mail.letters import Letter
from shared.mail.outbox import MailOutbox

DESK_PATH: Final = "/desk/"
MEMBERS_PATH: Final = "/members"
KEYS_PATH: Final = "/keys"
WEBHOOKS_PATH: Final = "/webhooks"

READ_NAME: Final = "SELECT name FROM mahjic.listed_sources WHERE slug = $1"
READ_OWN: Final = """
SELECT address FROM mahjic.addresses
WHERE account_id = $1 AND (proved_at IS NOT NULL OR address = $2) ORDER BY address
"""
# An owner is told once, at the address by which the source knows them if they still have it.
READ_OWNERS: Final = """
SELECT (
    SELECT address FROM mahjic.addresses AS theirs
    WHERE theirs.account_id = members.account_id
        AND (theirs.proved_at IS NOT NULL OR theirs.address = members.known_as)
    ORDER BY theirs.address = members.known_as DESC NULLS LAST, theirs.address LIMIT 1
) AS address
FROM mahjic.source_members AS members
WHERE members.source = $1 AND members.role = 'owner' AND members.account_id <> ALL($2)
ORDER BY members.account_id
"""


@dataclass(frozen=True, slots=True)
class MemberNotices:
    """Writes the mails. Links in them begin with `site_url()`."""

    outbox: MailOutbox = field(repr=False)
    site_url: Callable[[], str]

    @classmethod
    def of(cls, accounts: Accounts) -> "MemberNotices":
        """Return what tells people in the name of these accounts."""
        return cls(accounts.outbox, accounts.site_url)

    async def tell_joined(
        self,
        connection: Connection,
        source: str,
        account_id: str,
        role: MemberRole,
        *,
        address: str | None,
        by: str | None,
    ) -> None:
        """Tell that an account has a role now; `by` is the account that gave it, if it was one."""
        name = await source_name(connection, source)
        what = f"You are {_a(role)} of {name} on Mahjic now."
        desk = f"{self.site_url()}{DESK_PATH}{source}"
        for row in await connection.fetch(READ_OWN, account_id, address):
            await self._tell(connection, row["address"], name, what, desk)
        others = f"Somebody is {_a(role)} of {name} on Mahjic now. Its owners see who it is."
        await self._tell_owners(connection, source, name, others, {account_id, by})

    async def tell_left(
        self,
        connection: Connection,
        source: str,
        account_id: str,
        *,
        address: str | None,
        by: str | None,
    ) -> None:
        """Tell that an account is a member no longer."""
        name = await source_name(connection, source)
        what = f"You are no longer a member of {name} on Mahjic. Your own account stays as it is."
        account_url = f"{self.site_url()}/account"
        for row in await connection.fetch(READ_OWN, account_id, address):
            await self._tell(connection, row["address"], name, what, account_url)
        others = f"Somebody is no longer a member of {name} on Mahjic. Its owners see who is left."
        await self._tell_owners(connection, source, name, others, {account_id, by})

    async def tell_of_key(self, connection: Connection, source: str, *, is_made: bool) -> None:
        """Tell all owners, also the one who did it, that a key was made or revoked."""
        await self._write_owners(connection, source, KEYS_PATH, keys_letter, is_made=is_made)

    async def tell_of_webhook(self, connection: Connection, source: str, *, host: str) -> None:
        """Tell all owners, also the one who did it, that events go to another server."""
        await self._write_owners(connection, source, WEBHOOKS_PATH, webhook_added_letter, host=host)

    async def tell_of_webhook_off(
        self, connection: Connection, source: str, *, host: str, is_gone: bool
    ) -> None:
        """Tell all owners that a server gets no more events."""
        await self._write_owners(
            connection, source, WEBHOOKS_PATH, webhook_off_letter, host=host, is_gone=is_gone
        )

    async def _write_owners(
        self,
        connection: Connection,
        source: str,
        path: str,
        letter: Callable[..., Letter],
        **said: object,
    ) -> None:
        """Write the same letter to all owners, with a link to a page of their desk."""
        name = await source_name(connection, source)
        url = f"{self.site_url()}{DESK_PATH}{source}{path}"
        for row in await connection.fetch(READ_OWNERS, source, []):
            if row["address"] is not None:
                written = letter(row["address"], source=name, url=url, **said)
                await self.outbox.queue(connection, written)

    async def _tell_owners(
        self, connection: Connection, source: str, name: str, what: str, but: set[str | None]
    ) -> None:
        known = sorted(each for each in but if each is not None)
        url = f"{self.site_url()}{DESK_PATH}{source}{MEMBERS_PATH}"
        for row in await connection.fetch(READ_OWNERS, source, known):
            if row["address"] is not None:
                await self._tell(connection, row["address"], name, what, url)

    async def _tell(
        self, connection: Connection, address: str, name: str, what: str, url: str
    ) -> None:
        await self.outbox.queue(
            connection, members_letter(address, source=name, what=what, url=url)
        )


async def source_name(connection: Connection, source: str) -> str:
    """Return what people call a source."""
    return str(await connection.fetchval(READ_NAME, source))


def _a(role: MemberRole) -> str:
    return "an owner" if role == "owner" else "a scorer"
