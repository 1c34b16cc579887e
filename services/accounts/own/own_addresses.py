"""The addresses of an account: listed, added once they are proved, and removed.

An address that is proved elsewhere is never moved: that this browser proved it too is noted beside
its login, and joining the two accounts is a step of its own (`joining.py`).
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias

from services.accounts.logging_in.logins import Login, check_fresh
from services.accounts.logging_in.proofs import (
    AddressProof,
    ProofGone,
    WrongCode,
    spend_code,
    spend_link,
)
from services.accounts.memberships import unname_memberships
from services.accounts.owners import (
    FIND_OWNER,
    NOTE_PROVED,
    TAKE_ADDRESS,
    lock_accounts,
    typed_address,
)
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.accounts.telling import tell_change
from shared.db.erasing import note_erased
from shared.errors import MahjicError, NotFound
from shared.mail.outbox import erase_mails

ADDRESSES_MAX: Final = 20

LIST: Final = """
SELECT address, proved_at FROM mahjic.addresses WHERE account_id = $1 ORDER BY address
"""
LIST_PROVED: Final = """
SELECT address FROM mahjic.addresses
WHERE account_id = $1 AND proved_at IS NOT NULL ORDER BY proved_at, address
"""
COUNT: Final = "SELECT count(*) FROM mahjic.addresses WHERE account_id = $1"
NOTE_BESIDE: Final = """
UPDATE mahjic.logins SET beside = $2, beside_at = $3, beside_by_passkey = false
WHERE login_id = $1
"""
REMOVE: Final = """
DELETE FROM mahjic.addresses WHERE account_id = $1 AND address = $2 RETURNING address
"""
END_PROOFS: Final = """
DELETE FROM mahjic.address_proofs WHERE for_account = $1 AND address = $2
"""

# `elsewhere`: it belongs to another account, which may be joined with this one.
Added: TypeAlias = Literal["added", "elsewhere"]
_Spend: TypeAlias = Callable[[Connection], Awaitable[AddressProof | WrongCode]]


class AddressRefused(MahjicError):
    """The address can't be added or removed as asked."""

    code = "address_refused"
    title = "That can't be done with this address"
    status = 422


@dataclass(frozen=True, slots=True)
class OwnAddress:
    """An address of an account as its owner sees it."""

    address: str
    proved_at: datetime | None


async def list_addresses(accounts: Accounts, login: Login) -> Sequence[OwnAddress]:
    """Return the addresses of an account."""
    rows = await accounts.settled(lambda c: c.fetch(LIST, login.account_id))
    return [OwnAddress(row["address"], row["proved_at"]) for row in rows]


async def proved_addresses(connection: Connection, account_id: str) -> Sequence[str]:
    """Return the addresses that an account has proved, the one proved first at the beginning."""
    return [row["address"] for row in await connection.fetch(LIST_PROVED, account_id)]


async def add_by_link(accounts: Accounts, login: Login, link_token: str) -> Added:
    """Add the address that a link proves, in a browser that is logged in to the account.

    Raises LoginNotFresh, ProofGone or AddressRefused.
    """
    return await _add(accounts, login, lambda c: spend_link(accounts, c, link_token))


async def add_by_code(accounts: Accounts, login: Login, browser_token: str, typed: str) -> Added:
    """Add the address that a code proves. Raises the same as `add_by_link`, and WrongCode."""
    return await _add(accounts, login, lambda c: spend_code(accounts, c, browser_token, typed))


async def _add(accounts: Accounts, login: Login, spend: _Spend) -> Added:
    check_fresh(accounts, login)

    async def add(connection: Connection) -> Added | WrongCode:
        proof = await spend(connection)
        if isinstance(proof, WrongCode):
            return proof
        if proof.for_account != login.account_id:
            # Of nobody's account but the one that asked.
            raise ProofGone
        return await _take(accounts, connection, login, proof.address)

    found = await accounts.settled(add)
    if isinstance(found, WrongCode):
        raise found
    return found


async def _take(accounts: Accounts, connection: Connection, login: Login, address: str) -> Added:
    now, own = accounts.chance.now(), login.account_id
    while True:
        owner = await connection.fetchval(FIND_OWNER, address)
        locked = await lock_accounts(connection, {own, owner or own})
        if own not in locked:
            raise NotFound("The account is gone.")
        if owner != await connection.fetchval(FIND_OWNER, address):
            continue  # It moved while we waited.
        if owner == own:
            await connection.execute(NOTE_PROVED, address, now)
            return "added"
        if owner is not None:
            await connection.execute(NOTE_BESIDE, login.login_id, owner, now)
            return "elsewhere"
        if await connection.fetchval(COUNT, own) >= ADDRESSES_MAX:
            raise AddressRefused(f"An account has at most {ADDRESSES_MAX} addresses.")
        if await connection.fetchval(TAKE_ADDRESS, address, own, now) is not None:
            what = "An address was added to your account."
            await tell_change(accounts, connection, own, what, but=(address,))
            return "added"


async def remove_address(accounts: Accounts, login: Login, typed: str) -> None:
    """Take an address from an account and from its player, for good; one proved address stays.

    Raises LoginNotFresh, WrongAddress, AddressRefused, NotFound, and what `detach` raises.
    """
    check_fresh(accounts, login)
    address = typed_address(typed)

    async def remove(connection: Connection) -> None:
        # First, as it locks the log: whoever forgets a player locks that first, too.
        await accounts.players.begin(connection)
        # Then proofs: whoever spends one has it before it locks an account.
        await connection.execute(END_PROOFS, login.account_id, address)
        await lock_accounts(connection, {login.account_id})
        if await connection.fetchval(REMOVE, login.account_id, address) is None:
            raise NotFound("It is gone already. Load the page again.")
        others = await proved_addresses(connection, login.account_id)
        if not others:
            raise AddressRefused(
                "This is the only address of your account, so it stays. Add another one first."
            )
        await accounts.players.detach(connection, address, others=others)
        await unname_memberships(connection, login.account_id, address)
        # It may be somebody else's tomorrow, who is to see nothing of what waited for this person.
        await erase_mails(connection, address)
        await note_erased(connection, "addresses", "address_proofs")
        await tell_change(
            accounts, connection, login.account_id, "An address was removed from your account."
        )

    await accounts.settled(remove)
