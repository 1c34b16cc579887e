"""Erases the accounts of somebody who is forgotten, with everything that hangs on them.

Nobody is mailed about it: a mail would have to be kept, with the address, until it has arrived.
What keeps others from doing it is a fresh login.
"""

from collections.abc import Sequence, Set
from typing import Final

from services.accounts.memberships import erase_memberships
from services.accounts.owners import UNMAKE, lock_accounts
from services.accounts.ports import Connection
from services.mail.writing.letters import PROOF_KIND
from shared.db.erasing import note_erased
from shared.mail.outbox import erase_mails

FIND_OWNERS: Final = "SELECT DISTINCT account_id FROM mahjic.addresses WHERE address = ANY($1)"
READ_ADDRESSES: Final = "SELECT address FROM mahjic.addresses WHERE account_id = ANY($1)"
ERASE_PROOFS: Final = """
DELETE FROM mahjic.address_proofs WHERE address = ANY($1) OR for_account = ANY($2)
RETURNING address
"""


async def erase_accounts(connection: Connection, addresses: Sequence[str]) -> Sequence[str]:
    """Erase the accounts that addresses belong to, and return these and all others of theirs.

    Logins, passkeys, proofs, memberships, and mails to all addresses of the accounts go with them.
    The acts of staff stay, which hold ids only.
    """
    return await erase_owners(connection, await owners_among(connection, addresses), addresses)


async def owners_among(connection: Connection, addresses: Sequence[str]) -> Set[str]:
    """Return the accounts that addresses belong to."""
    rows = await connection.fetch(FIND_OWNERS, list(addresses))
    return {row["account_id"] for row in rows}


async def erase_owners(
    connection: Connection,
    owners: Set[str],
    addresses: Sequence[str] = (),
    asked_before: Set[str] = frozenset(),
) -> Sequence[str]:
    """Erase accounts, with what is kept here of some addresses and of theirs; return them all.

    `asked_before` is what `erase_proofs` returned earlier in the transaction.
    """
    asked = asked_before | await erase_proofs(connection, addresses, owners)
    locked = sorted(await lock_accounts(connection, owners))
    theirs = {row["address"] for row in await connection.fetch(READ_ADDRESSES, locked)}
    erased = {*addresses, *theirs}
    asked |= await erase_proofs(connection, sorted(erased), owners)
    await erase_memberships(connection, locked, sorted(erased))
    for account_id in locked:
        await connection.execute(UNMAKE, account_id)
    for address in sorted(erased):
        await erase_mails(connection, address)
    for address in sorted(asked - erased):
        # Nobody has proved it, so other mail to it may be somebody else's.
        await erase_mails(connection, address, kind=PROOF_KIND)
    await note_erased(connection, "addresses", "address_proofs", "passkeys")
    return sorted(erased)


async def erase_proofs(
    connection: Connection, addresses: Sequence[str], owners: Set[str]
) -> Set[str]:
    """Erase proofs of addresses and those for accounts, and return what they were to prove.

    Ask before accounts are locked: whoever spends a proof has it before it locks an account.
    """
    rows = await connection.fetch(ERASE_PROOFS, list(addresses), list(owners))
    return {row["address"] for row in rows}
