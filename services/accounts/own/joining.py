"""Joins two accounts of one person: only when both are freshly logged in in one browser.

Where either has a passkey, it must have been used for its own login. Whatever does not fit is for
staff to decide. Accounts of staff are never joined.
"""

from collections.abc import Mapping
from typing import Any, Final

import asyncpg

from services.accounts.logging_in.logins import (
    Beside,
    Login,
    check_fresh,
    end_all_logins,
)
from services.accounts.memberships import move_memberships
from services.accounts.own.ceremonies import PasskeyBrowser, spend_challenge, use_passkey
from services.accounts.own.own_addresses import ADDRESSES_MAX
from services.accounts.own.own_addresses import COUNT as COUNT_ADDRESSES
from services.accounts.own.passkeys import COUNT as COUNT_PASSKEYS
from services.accounts.own.passkeys import PASSKEYS_MAX
from services.accounts.owners import UNMAKE, LockedAccount, lock_accounts
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.accounts.spans import is_fresh
from services.accounts.telling import tell_change
from shared.errors import MahjicError

READ_BESIDE: Final = """
SELECT beside, beside_at, beside_by_passkey FROM mahjic.logins WHERE login_id = $1 FOR UPDATE
"""
NOTE_PASSKEY: Final = """
UPDATE mahjic.logins SET beside_at = $3, beside_by_passkey = true
WHERE login_id = $1 AND beside = $2 RETURNING login_id
"""
MOVE_ADDRESSES: Final = "UPDATE mahjic.addresses SET account_id = $2 WHERE account_id = $1"
MOVE_PASSKEYS: Final = "UPDATE mahjic.passkeys SET account_id = $2 WHERE account_id = $1"
# Whoever has chosen what mail to get in one of them only has chosen it for both.
KEEP_MAIL_CHOICE: Final = """
INSERT INTO mahjic.mail_choices (account_id, wants, chosen_at)
SELECT $2, wants, chosen_at FROM mahjic.mail_choices WHERE account_id = $1
ON CONFLICT (account_id) DO NOTHING
"""
SET_MAIL_LOGIN: Final = "UPDATE mahjic.accounts SET mail_login = $2 WHERE account_id = $1"
HAS_PASSKEY: Final = "SELECT EXISTS (SELECT FROM mahjic.passkeys WHERE account_id = $1)"


class NotJoined(MahjicError):
    """The two accounts can't be joined, or not yet."""

    code = "not_joined"
    title = "The two accounts are not joined"
    status = 409


async def needs_other_passkey(accounts: Accounts, login: Login) -> bool:
    """Return whether the account beside this login must still be entered with its passkey."""
    beside = login.beside
    if beside is None or beside.by_passkey:
        return False
    return bool(await accounts.settled(lambda c: c.fetchval(HAS_PASSKEY, beside.account_id)))


async def enter_beside_by_passkey(
    accounts: Accounts, login: Login, credential: Mapping[str, Any], browser: PasskeyBrowser
) -> None:
    """Note that the browser has entered the account beside this login with its passkey.

    Raises PasskeyRefused or NotJoined.
    """
    challenge = await spend_challenge(accounts, credential, browser, None)

    async def note(connection: Connection) -> None:
        account = await use_passkey(accounts, connection, credential, challenge, browser)
        now = accounts.chance.now()
        if await connection.fetchval(NOTE_PASSKEY, login.login_id, account.account_id, now) is None:
            raise NotJoined("That passkey belongs to another account than the address you added.")

    await accounts.settled(note)


async def join_accounts(accounts: Accounts, login: Login) -> None:
    """Make one account of two: the other's addresses and passkeys become this one's.

    Raises LoginNotFresh or NotJoined.
    """
    check_fresh(accounts, login)

    async def join(connection: Connection) -> None:
        beside = login.beside
        if beside is None:
            raise NotJoined("Add the other account’s address first, and prove it.")
        own, other = login.account_id, beside.account_id
        locked = await lock_accounts(connection, {own, other})
        if locked.keys() != {own, other}:
            raise NotJoined("One of the accounts is gone.")
        beside = _beside(await connection.fetchrow(READ_BESIDE, login.login_id), other)
        _check(accounts, login, beside, locked[own], locked[other])
        await connection.execute(MOVE_ADDRESSES, other, own)
        await connection.execute(MOVE_PASSKEYS, other, own)
        await _check_limits(connection, own)
        await connection.execute(KEEP_MAIL_CHOICE, other, own)
        # Whoever switched it off for one of them does not get it back unasked.
        both = locked[own].mail_login and locked[other].mail_login
        await connection.execute(SET_MAIL_LOGIN, own, both)
        await move_memberships(connection, other, own)
        for move in accounts.on_join:
            await move(connection, other, own)
        await end_all_logins(connection, other)
        await connection.execute(UNMAKE, other)
        await tell_change(accounts, connection, own, "Two accounts of yours were made one.")

    await accounts.settled(join)


async def _check_limits(connection: Connection, own: str) -> None:
    """Check that an account has no more than one may have, after it got what the other had."""
    for count, limit, what in (
        (COUNT_ADDRESSES, ADDRESSES_MAX, "addresses"),
        (COUNT_PASSKEYS, PASSKEYS_MAX, "passkeys"),
    ):
        if (has := await connection.fetchval(count, own)) > limit:
            raise NotJoined(
                f"Together they have {has} {what}, and an account has at most {limit}. Remove some "
                "first."
            )


def _beside(row: asyncpg.Record | None, other: str) -> Beside:
    if row is None or row["beside"] != other:
        raise NotJoined("You have logged in or out since. Begin again.")
    return Beside(row["beside"], row["beside_at"], row["beside_by_passkey"])


def _check(
    accounts: Accounts, login: Login, beside: Beside, own: LockedAccount, other: LockedAccount
) -> None:
    if own.is_staff or other.is_staff:
        raise NotJoined("Accounts of staff are not joined. Ask the operator.")
    if not is_fresh(beside.at, accounts.chance.now()):
        raise NotJoined("It is too long ago that you proved the other address. Prove it again.")
    is_own_proved = login.by_passkey or not own.has_passkey
    is_other_proved = beside.by_passkey or not other.has_passkey
    if not (is_own_proved and is_other_proved):
        raise NotJoined("Log in to each account that has a passkey with its passkey first.")
