"""Who belongs to the staff, as the operator says at the machine.

Staff log in with passkeys only. Whoever becomes staff, or is it no longer, or lost their passkeys,
is logged out everywhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import asyncpg

from services.accounts.acts import note_act
from services.accounts.logging_in.logins import Role, end_all_logins
from services.accounts.owners import (
    LockedAccount,
    lock_or_make_owner,
    lock_owner,
    typed_address,
)
from services.accounts.ports import Connection
from services.accounts.room import Chance
from shared.access.acts import StaffActKind
from shared.db.erasing import note_erased
from shared.errors import MahjicError

ADD: Final = """
INSERT INTO mahjic.staff (account_id, role, since) VALUES ($1, $2, $3)
ON CONFLICT (account_id) DO UPDATE SET role = excluded.role
"""
REMOVE: Final = "DELETE FROM mahjic.staff WHERE account_id = $1"
RESET: Final = "DELETE FROM mahjic.passkeys WHERE account_id = $1"
ALLOW_MAIL: Final = "UPDATE mahjic.accounts SET mail_login = true WHERE account_id = $1"
LIST: Final = """
SELECT staff.account_id, staff.role, staff.since,
    ARRAY(
        SELECT address FROM mahjic.addresses WHERE addresses.account_id = staff.account_id
        ORDER BY address
    ) AS addresses,
    (SELECT count(*) FROM mahjic.passkeys WHERE passkeys.account_id = staff.account_id) AS passkeys
FROM mahjic.staff ORDER BY staff.since, staff.account_id
"""

_MADE: Final[Mapping[Role, StaffActKind]] = {
    "operator": "make_operator",
    "reviewer": "make_reviewer",
}


class NotStaff(MahjicError):
    """The address belongs to nobody of the staff."""

    code = "not_staff"
    title = "Nobody of the staff has this address"
    status = 404
    exit_code = 1

    def __init__(self) -> None:
        super().__init__(
            "Nobody of the staff has this address. `mahjic staff list` shows who has which."
        )


@dataclass(frozen=True, slots=True)
class StaffMember:
    """Someone of the staff, as the operator sees them. Without a passkey nobody has come in yet."""

    account_id: str
    role: Role
    since: datetime
    addresses: Sequence[str]
    passkeys: int


async def add_staff(pool: asyncpg.Pool, typed: str, role: Role, chance: Chance) -> str:
    """Give an address's account a role, and return the account. Raises WrongAddress."""
    address = typed_address(typed)
    async with pool.acquire() as connection, connection.transaction():
        account = await lock_or_make_owner(chance, connection, address, is_proved=False)
        await connection.execute(ADD, account.account_id, role, chance.now())
        await end_all_logins(connection, account.account_id)
        await _note(connection, _MADE[role], account, chance)
    return account.account_id


async def remove_staff(pool: asyncpg.Pool, typed: str, chance: Chance) -> str:
    """Take an account's role away, and return the account. Raises NotStaff or WrongAddress."""
    async with pool.acquire() as connection, connection.transaction():
        account = await _locked(connection, typed_address(typed))
        await connection.execute(REMOVE, account.account_id)
        await end_all_logins(connection, account.account_id)
        await _note(connection, "remove_staff", account, chance)
    return account.account_id


async def reset_staff(pool: asyncpg.Pool, typed: str, chance: Chance) -> str:
    """Forget the passkeys of someone of the staff, so that the next login by mail adds a new one.

    Raises NotStaff or WrongAddress.
    """
    async with pool.acquire() as connection, connection.transaction():
        account = await _locked(connection, typed_address(typed))
        await connection.execute(RESET, account.account_id)
        await connection.execute(ALLOW_MAIL, account.account_id)
        await note_erased(connection, "passkeys")
        await end_all_logins(connection, account.account_id)
        await _note(connection, "reset_staff", account, chance)
    return account.account_id


async def list_staff(pool: asyncpg.Pool, chance: Chance) -> Sequence[StaffMember]:
    """Return all of the staff. That their addresses were looked at is noted."""
    async with pool.acquire() as connection, connection.transaction():
        rows = await connection.fetch(LIST)
        about = [row["account_id"] for row in rows]
        await note_act(connection, at=chance.now(), staff_id=None, act="list_staff", about=about)
    return [
        StaffMember(row["account_id"], row["role"], row["since"], row["addresses"], row["passkeys"])
        for row in rows
    ]


async def _locked(connection: Connection, address: str) -> LockedAccount:
    account = await lock_owner(connection, address)
    if account is None or not account.is_staff:
        raise NotStaff
    return account


async def _note(
    connection: Connection, act: StaffActKind, account: LockedAccount, chance: Chance
) -> None:
    await note_act(connection, at=chance.now(), staff_id=None, act=act, about=[account.account_id])
