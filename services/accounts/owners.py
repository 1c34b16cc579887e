"""Which account an address belongs to, and how one is locked while something about it is decided.

Whatever changes an account locks its row first, so that two changes at once happen in one order.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Final

from services.accounts.ports import Connection
from services.accounts.room import Chance
from services.accounts.tokens import TOKEN_BYTES
from shared.addresses import UnreadableAddress, read_address
from shared.errors import MahjicError

FIND_OWNER: Final = "SELECT account_id FROM mahjic.addresses WHERE address = $1"
LOCK: Final = """
SELECT account_id, mail_login FROM mahjic.accounts
WHERE account_id = ANY($1) ORDER BY account_id FOR UPDATE
"""
STATE: Final = """
SELECT EXISTS (SELECT FROM mahjic.staff WHERE account_id = $1) AS is_staff,
    EXISTS (SELECT FROM mahjic.passkeys WHERE account_id = $1) AS has_passkey
"""
MAKE: Final = """
INSERT INTO mahjic.accounts (account_id, passkey_handle, made_at) VALUES ($1, $2, $3)
"""
UNMAKE: Final = "DELETE FROM mahjic.accounts WHERE account_id = $1"
TAKE_ADDRESS: Final = """
INSERT INTO mahjic.addresses (address, account_id, proved_at) VALUES ($1, $2, $3)
ON CONFLICT (address) DO NOTHING RETURNING account_id
"""
AMONG_PROVED: Final = """
SELECT address FROM mahjic.addresses WHERE address = ANY($1) AND proved_at IS NOT NULL
"""
NOTE_PROVED: Final = """
UPDATE mahjic.addresses SET proved_at = $2 WHERE address = $1 AND proved_at IS NULL
"""


class WrongAddress(MahjicError):
    """What was given is no email address."""

    code = "wrong_address"
    title = "That is not an email address"
    status = 422
    exit_code = 2


@dataclass(frozen=True, slots=True)
class LockedAccount:
    """An account whose row is locked by the open transaction."""

    account_id: str
    mail_login: bool
    is_staff: bool
    has_passkey: bool


def typed_address(typed: str) -> str:
    """Return an address that somebody typed in its one form. Raises WrongAddress."""
    try:
        return read_address(typed)
    except UnreadableAddress as error:
        raise WrongAddress(str(error)) from None


async def lock_account(connection: Connection, account_id: str) -> LockedAccount | None:
    """Lock an account, None if it is gone."""
    return (await lock_accounts(connection, {account_id})).get(account_id)


async def lock_accounts(
    connection: Connection, account_ids: Set[str]
) -> Mapping[str, LockedAccount]:
    """Lock accounts, in one order for everyone, and return those that are not gone."""
    rows = await connection.fetch(LOCK, list(account_ids))
    locked = {}
    for row in rows:
        # A statement of its own: what was committed while we waited for the lock is seen by it.
        state = await connection.fetchrow(STATE, row["account_id"])
        assert state is not None
        locked[row["account_id"]] = LockedAccount(
            row["account_id"], row["mail_login"], state["is_staff"], state["has_passkey"]
        )
    return locked


async def lock_owner(connection: Connection, address: str) -> LockedAccount | None:
    """Lock the account that an address belongs to, None if it belongs to none."""
    while True:
        account_id = await connection.fetchval(FIND_OWNER, address)
        if account_id is None:
            return None
        account = await lock_account(connection, account_id)
        # It may have moved or gone while we waited.
        if account is not None and account_id == await connection.fetchval(FIND_OWNER, address):
            return account


async def lock_or_make_owner(
    chance: Chance, connection: Connection, address: str, *, is_proved: bool
) -> LockedAccount:
    """Lock the account of an address, and make one if it belongs to none."""
    now = chance.now()
    while True:
        account = await lock_owner(connection, address)
        if account is not None:
            if is_proved:
                await connection.execute(NOTE_PROVED, address, now)
            return account
        made = chance.new_id("acc")
        await connection.execute(MAKE, made, chance.random_bytes(TOKEN_BYTES), now)
        proved_at = now if is_proved else None
        if await connection.fetchval(TAKE_ADDRESS, address, made, proved_at) is None:
            # Another browser was faster: that account is the one.
            await connection.execute(UNMAKE, made)


async def proved_among(connection: Connection, addresses: Iterable[str]) -> Set[str]:
    """Return those of these addresses that some account has proved."""
    return {row["address"] for row in await connection.fetch(AMONG_PROVED, list(addresses))}
