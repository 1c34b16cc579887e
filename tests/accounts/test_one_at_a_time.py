"""Whatever changes an account waits for whoever is changing it, and decides only then."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import pytest

from services.accounts.forgetting import erase_accounts
from services.accounts.logging_in.logins import Login
from services.accounts.own.own_addresses import add_by_link, remove_address
from services.accounts.own.passkeys import (
    NewPasskey,
    add_passkey,
    list_passkeys,
    remove_passkey,
    set_mail_login,
)
from services.accounts.room import Chance
from services.accounts.staff import add_staff
from tests.accounts.people import ALICE, House
from tests.log.deadlines import until

WORK = "alice@work.example.com"
# Weaker than what changes take: a row that merely points to the account does not wait for it.
LOCK = "SELECT FROM mahjic.accounts WHERE account_id = $1 FOR NO KEY UPDATE"
WAITING = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'
"""
Change = Callable[[House, Login], Awaitable[object]]


async def remove_first_passkey(house: House, login: Login) -> None:
    (passkey, *_) = await list_passkeys(house.accounts, login)
    await remove_passkey(house.accounts, login, passkey.passkey_id)


async def add_another_address(house: House, login: Login) -> None:
    mail = await house.ask("third@example.com", for_account=login.account_id)
    await add_by_link(house.accounts, login, mail.link_token)


async def forget(house: House, login: Login) -> None:
    async with house.pool.acquire() as connection, connection.transaction():
        await erase_accounts(connection, [ALICE])


CHANGES: Final[dict[str, Change]] = {
    "log in": lambda house, _: house.log_in(),
    "add a passkey": lambda house, login: add_passkey(
        house.accounts, login, NewPasskey(b"another", b"key", 0, "Desk")
    ),
    "remove a passkey": remove_first_passkey,
    "switch login by mail": lambda house, login: set_mail_login(house.accounts, login, is_on=False),
    "add an address": add_another_address,
    "remove an address": lambda house, login: remove_address(house.accounts, login, WORK),
    "become staff": lambda house, _: add_staff(
        house.pool, ALICE, "operator", Chance(house.clock.now)
    ),
    "be forgotten": forget,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
async def test_a_change_waits_its_turn(house: House, change: Change) -> None:
    login = await house.log_in()
    mail = await house.ask(WORK, for_account=login.account_id)
    await add_by_link(house.accounts, login, mail.link_token)
    await add_passkey(house.accounts, login, NewPasskey(b"credential", b"key", 0, "Phone"))
    async with house.pool.acquire() as connection:
        async with connection.transaction():
            await connection.execute(LOCK, login.account_id)
            changing = asyncio.ensure_future(change(house, login))

            async def is_waiting() -> bool:
                assert not changing.done(), "It did not wait."
                # Within a transaction, the same answer would come again and again.
                return bool(await house.pool.fetchval(WAITING))

            await until(is_waiting)
        await changing
