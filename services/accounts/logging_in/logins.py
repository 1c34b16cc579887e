"""Logins: who is logged in in which browser, until when, and how lately that was proved.

A login is an opaque token whose hash is kept. It ends by itself when it has not been used for long,
and at once when its row is deleted. One that begins never continues one that was there before: it
has a token of its own, and the one before in the same browser ends.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias

import asyncpg

from services.accounts.ports import Connection
from services.accounts.room import Accounts, Done
from services.accounts.spans import FRESH_FOR, FRESH_MINUTES, is_fresh
from services.accounts.tokens import is_token, token_hash
from shared.errors import MahjicError

# `first_passkey` is the login of new staff by mail, which can do nothing but add a passkey.
LoginKind: TypeAlias = Literal["person", "staff", "first_passkey"]
Role: TypeAlias = Literal["operator", "reviewer"]

# How long a login lasts without being used.
UNUSED_MAX: Final[Mapping[LoginKind, timedelta]] = {
    "person": timedelta(days=30),
    "staff": timedelta(hours=12),
    "first_passkey": FRESH_FOR,
}
# Noting each use would write a row for every page; a minute more or less makes no difference.
NOTED_EVERY: Final = timedelta(minutes=1)

BEGIN: Final = """
INSERT INTO mahjic.logins
    (login_id, token_hash, account_id, kind, by_passkey, browser, began_at, used_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
"""
END_BEFORE: Final = "DELETE FROM mahjic.logins WHERE token_hash = $1"
FIND: Final = """
SELECT logins.login_id, logins.account_id, logins.kind, logins.by_passkey, logins.browser,
    logins.began_at, logins.used_at, logins.beside, logins.beside_at, logins.beside_by_passkey,
    staff.role
FROM mahjic.logins LEFT JOIN mahjic.staff ON staff.account_id = logins.account_id
WHERE logins.token_hash = $1
"""
NOTE_USE: Final = """
UPDATE mahjic.logins SET used_at = $2 WHERE login_id = $1 AND used_at < $2
"""
LIST: Final = """
SELECT login_id, browser, by_passkey, kind, began_at, used_at FROM mahjic.logins
WHERE account_id = $1 ORDER BY used_at DESC, login_id
"""
END_ONE: Final = "DELETE FROM mahjic.logins WHERE account_id = $1 AND login_id = $2"
END_OTHERS: Final = "DELETE FROM mahjic.logins WHERE account_id = $1 AND login_id <> $2"
END_ALL: Final = "DELETE FROM mahjic.logins WHERE account_id = $1"


class NotLoggedIn(MahjicError):
    """Nobody is logged in in this browser, or the login has ended."""

    code = "not_logged_in"
    title = "You are not logged in"
    status = 401

    def __init__(self) -> None:
        super().__init__("Log in to see this page.")


class LoginNotFresh(MahjicError):
    """What is asked for needs a login of the last minutes."""

    code = "login_not_fresh"
    title = "Log in once more for this"
    status = 403

    def __init__(self) -> None:
        super().__init__(
            f"This needs a login of the last {FRESH_MINUTES} minutes, so that nobody does it who "
            "only found your browser open. Nothing was changed. Log in once more, and do it again."
        )


class OnlyFirstPasskey(MahjicError):
    """A login of new staff by mail is good for adding a passkey, and for nothing else."""

    code = "first_passkey_needed"
    title = "Add a passkey first"
    status = 403

    def __init__(self) -> None:
        super().__init__(
            "You belong to the staff, so you need a passkey for everything else. Add one, then "
            "log in with it."
        )


@dataclass(frozen=True, slots=True)
class Beside:
    """A second account to which the same browser has logged in, to join the two."""

    account_id: str
    at: datetime
    by_passkey: bool


@dataclass(frozen=True, slots=True)
class Login:
    """Who is logged in. `role` is that of staff whose login is one of staff."""

    login_id: str
    account_id: str
    kind: LoginKind
    by_passkey: bool
    browser: str
    began_at: datetime
    role: Role | None = None
    beside: Beside | None = None

    def is_fresh(self, now: datetime) -> bool:
        """Return whether it began lately enough for what hurts."""
        return is_fresh(self.began_at, now)


@dataclass(frozen=True, slots=True)
class ListedLogin:
    """A login as its owner sees it among others."""

    login_id: str
    browser: str
    by_passkey: bool
    began_at: datetime
    used_at: datetime


@dataclass(frozen=True, slots=True)
class BegunLogin:
    """A new login: its token, which is shown to nobody but the browser, and where to go."""

    token: str
    kind: LoginKind
    leads_to: str


async def hung_on_login(accounts: Accounts, work: Callable[[Connection], Awaitable[Done]]) -> Done:
    """Do some work that keeps something for a login or its account, in one transaction.

    Either may end while we are at it. Raises NotLoggedIn then, and what `settled` raises.
    """
    try:
        return await accounts.settled(work)
    except asyncpg.ForeignKeyViolationError:
        raise NotLoggedIn from None


async def begin_login(
    accounts: Accounts,
    connection: Connection,
    account_id: str,
    *,
    kind: LoginKind,
    by_passkey: bool,
    browser: str,
    token_before: str | None,
) -> str:
    """Begin a login in the open transaction, end the one before, and return the new token."""
    chance = accounts.chance
    token = chance.new_token()
    if token_before is not None:
        await connection.execute(END_BEFORE, token_hash(token_before))
    await connection.execute(
        BEGIN,
        chance.new_id("lgn"),
        token_hash(token),
        account_id,
        kind,
        by_passkey,
        browser,
        chance.now(),
    )
    return token


async def find_login(accounts: Accounts, token: str) -> Login | None:
    """Return who is logged in with a token, and note its use; None if it has ended."""
    if not is_token(token):
        return None
    now = accounts.chance.now()

    async def find(connection: Connection) -> Login | None:
        row = await connection.fetchrow(FIND, token_hash(token))
        if row is None or now - row["used_at"] >= UNUSED_MAX[row["kind"]]:
            return None
        if now - row["used_at"] >= NOTED_EVERY:
            await connection.execute(NOTE_USE, row["login_id"], now)
        return _login(row)

    return await accounts.settled(find)


async def list_logins(accounts: Accounts, login: Login) -> Sequence[ListedLogin]:
    """Return all logins of an account that have not ended, the one used last first."""
    now = accounts.chance.now()
    rows = await accounts.settled(lambda c: c.fetch(LIST, login.account_id))
    return [
        ListedLogin(
            row["login_id"], row["browser"], row["by_passkey"], row["began_at"], row["used_at"]
        )
        for row in rows
        if now - row["used_at"] < UNUSED_MAX[row["kind"]]
    ]


async def end_login(accounts: Accounts, login: Login, login_id: str) -> None:
    """End a login of the same account: this one, or another."""
    await accounts.settled(lambda c: c.execute(END_ONE, login.account_id, login_id))


async def end_other_logins(accounts: Accounts, login: Login) -> None:
    """End all logins of the account but this one."""
    await accounts.settled(lambda c: c.execute(END_OTHERS, login.account_id, login.login_id))


async def end_all_logins(connection: Connection, account_id: str) -> None:
    """End all logins of an account, in the open transaction."""
    await connection.execute(END_ALL, account_id)


def check_whole(login: Login) -> None:
    """Check that a login is for more than adding a passkey. Raises OnlyFirstPasskey."""
    if login.kind == "first_passkey":
        raise OnlyFirstPasskey


def check_fresh(accounts: Accounts, login: Login) -> None:
    """Check that a login may do what hurts. Raises OnlyFirstPasskey or LoginNotFresh."""
    check_whole(login)
    if not login.is_fresh(accounts.chance.now()):
        raise LoginNotFresh


def _login(row: asyncpg.Record) -> Login:
    beside = None
    if row["beside"] is not None:
        beside = Beside(row["beside"], row["beside_at"], row["beside_by_passkey"])
    return Login(
        row["login_id"],
        row["account_id"],
        row["kind"],
        row["by_passkey"],
        row["browser"],
        row["began_at"],
        row["role"] if row["kind"] == "staff" else None,
        beside,
    )
