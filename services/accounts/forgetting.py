"""Erases the accounts of somebody who is forgotten, with everything that hangs on them."""

from collections.abc import Sequence
from typing import Final

from services.accounts.memberships import erase_memberships
from services.accounts.owners import UNMAKE, lock_accounts
from services.accounts.ports import Connection
from shared.db.erasing import note_erased
from shared.mail.outbox import erase_mails

FIND_OWNERS: Final = "SELECT DISTINCT account_id FROM mahjic.addresses WHERE address = ANY($1)"
READ_ADDRESSES: Final = "SELECT address FROM mahjic.addresses WHERE account_id = ANY($1)"
ERASE_PROOFS: Final = "DELETE FROM mahjic.address_proofs WHERE address = ANY($1)"


async def erase_accounts(connection: Connection, addresses: Sequence[str]) -> None:
    """Erase the accounts that addresses belong to, in the open transaction.

    Logins, passkeys, proofs, memberships, and mails to all addresses of the accounts go with them.
    The acts of staff stay, which hold ids only.
    """
    found = {row["account_id"] for row in await connection.fetch(FIND_OWNERS, list(addresses))}
    owners = sorted(await lock_accounts(connection, found))
    theirs = {row["address"] for row in await connection.fetch(READ_ADDRESSES, owners)}
    erased = sorted({*addresses, *theirs})
    await connection.execute(ERASE_PROOFS, erased)
    await erase_memberships(connection, erased)
    for account_id in owners:
        await connection.execute(UNMAKE, account_id)
    for address in erased:
        await erase_mails(connection, address)
    await note_erased(connection, "addresses", "address_proofs", "passkeys")
