"""Passkeys of an account: listed, added, named, removed; and login by mail, which one can replace.

`ceremonies.py` holds what a passkey signs; here is what an account may do with its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from services.accounts.logging_in.logins import Login, OnlyFirstPasskey, check_fresh, check_whole
from services.accounts.owners import LockedAccount, lock_account
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.accounts.telling import tell_change
from shared.characters import forbidden_in_label
from shared.db.erasing import note_erased
from shared.errors import MahjicError, NotFound

NAME_CHARACTERS_MAX: Final = 40
PASSKEYS_MAX: Final = 20

LIST: Final = """
SELECT passkey_id, name, added_at, used_at FROM mahjic.passkeys
WHERE account_id = $1 ORDER BY added_at, passkey_id
"""
ADD: Final = """
INSERT INTO mahjic.passkeys
    (passkey_id, credential_id, account_id, public_key, sign_count, name, added_at, handle)
SELECT $1, $2, $3, $4, $5, $6, $7, passkey_handle FROM mahjic.accounts WHERE account_id = $3
ON CONFLICT (credential_id) DO NOTHING RETURNING passkey_id
"""
COUNT: Final = "SELECT count(*) FROM mahjic.passkeys WHERE account_id = $1"
NAME: Final = """
UPDATE mahjic.passkeys SET name = $3 WHERE account_id = $1 AND passkey_id = $2
RETURNING passkey_id
"""
REMOVE: Final = """
DELETE FROM mahjic.passkeys WHERE account_id = $1 AND passkey_id = $2 RETURNING passkey_id
"""
SET_MAIL_LOGIN: Final = "UPDATE mahjic.accounts SET mail_login = $2 WHERE account_id = $1"
READ_MAIL_LOGIN: Final = "SELECT mail_login FROM mahjic.accounts WHERE account_id = $1"
END_LOGIN: Final = "DELETE FROM mahjic.logins WHERE login_id = $1"


class PasskeyRefused(MahjicError):
    """The passkey can't be added, used or removed as asked."""

    code = "passkey_refused"
    title = "That did not work with this passkey"
    status = 422


@dataclass(frozen=True, slots=True)
class ListedPasskey:
    """A passkey as its owner sees it."""

    passkey_id: str
    name: str
    added_at: datetime
    used_at: datetime | None


@dataclass(frozen=True, slots=True)
class NewPasskey:
    """A passkey that signed the challenge it was given."""

    credential_id: bytes
    public_key: bytes
    sign_count: int
    name: str


async def list_passkeys(accounts: Accounts, login: Login) -> Sequence[ListedPasskey]:
    """Return the passkeys of an account, the first one first."""
    rows = await accounts.settled(lambda c: c.fetch(LIST, login.account_id))
    return [
        ListedPasskey(row["passkey_id"], row["name"], row["added_at"], row["used_at"])
        for row in rows
    ]


def check_may_add(accounts: Accounts, login: Login, account: LockedAccount) -> None:
    """Check that a login may add a passkey. Raises LoginNotFresh or OnlyFirstPasskey."""
    if login.kind != "first_passkey":
        check_fresh(accounts, login)
    elif account.has_passkey:
        # It came in by mail before there was one; from now on only a passkey adds another.
        raise OnlyFirstPasskey


async def add_passkey(accounts: Accounts, login: Login, new: NewPasskey) -> None:
    """Add a passkey. A login that was for this alone ends.

    Raises LoginNotFresh, OnlyFirstPasskey or PasskeyRefused.
    """
    name = read_passkey_name(new.name)

    async def add(connection: Connection) -> None:
        account = await _locked(connection, login)
        check_may_add(accounts, login, account)
        if await connection.fetchval(COUNT, login.account_id) >= PASSKEYS_MAX:
            raise PasskeyRefused(
                f"An account has at most {PASSKEYS_MAX} passkeys. Remove one that you don’t use."
            )
        added = await connection.fetchval(
            ADD,
            accounts.chance.new_id("pky"),
            new.credential_id,
            login.account_id,
            new.public_key,
            new.sign_count,
            name,
            accounts.chance.now(),
        )
        if added is None:
            raise PasskeyRefused("This passkey is in use already. Use it, or make another one.")
        if login.kind == "first_passkey":
            await connection.execute(END_LOGIN, login.login_id)
        await tell_change(
            accounts, connection, login.account_id, "A passkey was added to your account."
        )

    await accounts.settled(add)


async def name_passkey(accounts: Accounts, login: Login, passkey_id: str, typed: str) -> None:
    """Give a passkey another name. Raises PasskeyRefused or NotFound."""
    name = read_passkey_name(typed)
    check_whole(login)

    async def rename(connection: Connection) -> None:
        if await connection.fetchval(NAME, login.account_id, passkey_id, name) is None:
            raise _gone()
        await note_erased(connection, "passkeys")

    await accounts.settled(rename)


async def remove_passkey(accounts: Accounts, login: Login, passkey_id: str) -> None:
    """Remove a passkey. Without any, an account is entered by mail again; staff keep one.

    Raises LoginNotFresh, PasskeyRefused or NotFound.
    """
    check_fresh(accounts, login)

    async def remove(connection: Connection) -> None:
        account = await _locked(connection, login)
        if await connection.fetchval(REMOVE, login.account_id, passkey_id) is None:
            raise _gone()
        await note_erased(connection, "passkeys")
        if not await connection.fetchval(COUNT, login.account_id):
            if account.is_staff:
                raise PasskeyRefused(
                    "Staff log in with passkeys only, so you need one. Add another one first."
                )
            await connection.execute(SET_MAIL_LOGIN, login.account_id, True)
        await tell_change(
            accounts, connection, login.account_id, "A passkey was removed from your account."
        )

    await accounts.settled(remove)


async def set_mail_login(accounts: Accounts, login: Login, *, is_on: bool) -> None:
    """Switch login by mail on or off; off needs a passkey. Raises LoginNotFresh, PasskeyRefused."""
    check_fresh(accounts, login)

    async def switch(connection: Connection) -> None:
        account = await _locked(connection, login)
        if not is_on and not account.has_passkey:
            raise PasskeyRefused("Add a passkey first, or you could no longer log in.")
        if account.mail_login == is_on:
            return
        await connection.execute(SET_MAIL_LOGIN, login.account_id, is_on)
        what = "on" if is_on else "off"
        await tell_change(
            accounts, connection, login.account_id, f"Logging in by mail was switched {what}."
        )

    await accounts.settled(switch)


async def is_mail_login_on(accounts: Accounts, login: Login) -> bool:
    """Return whether an account is entered by mail too."""
    return bool(await accounts.settled(lambda c: c.fetchval(READ_MAIL_LOGIN, login.account_id)))


def read_passkey_name(typed: str) -> str:
    """Return a name for a passkey as it is kept. Raises PasskeyRefused."""
    name = " ".join(typed[: 5 * NAME_CHARACTERS_MAX].split())
    if not name or len(name) > NAME_CHARACTERS_MAX or forbidden_in_label(name) is not None:
        raise PasskeyRefused(
            f"Name the passkey with 1 to {NAME_CHARACTERS_MAX} plain characters, such as Phone."
        )
    return name


async def _locked(connection: Connection, login: Login) -> LockedAccount:
    account = await lock_account(connection, login.account_id)
    if account is None:
        raise _gone()
    return account


def _gone() -> NotFound:
    return NotFound("It is gone already. Load the page again.")
