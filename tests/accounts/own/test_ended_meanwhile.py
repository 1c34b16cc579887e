"""A login that ends, or an account that is forgotten, between reading who asks and doing it."""

import contextlib
from collections.abc import Awaitable, Callable
from typing import Final

import pytest

from services.accounts.forgetting import erase_accounts
from services.accounts.logging_in.logins import Login, NotLoggedIn, end_login, end_other_logins
from services.accounts.own.ceremonies import PasskeyBrowser, passkey_to_add
from services.accounts.own.joining import join_accounts
from services.accounts.own.own_addresses import add_by_link, remove_address
from services.accounts.own.passkeys import (
    NewPasskey,
    add_passkey,
    name_passkey,
    remove_passkey,
    set_mail_login,
)
from shared.errors import MahjicError
from tests.accounts.people import ALICE, House

WORK = "alice@work.example.com"
ORIGIN = "https://mahjic.example.org"
Ask = Callable[[House, Login], Awaitable[object]]


async def forget(house: House, _: Login) -> None:
    async with house.pool.acquire() as connection, connection.transaction():
        await erase_accounts(connection, [ALICE])


async def ask_to_add(house: House, login: Login) -> None:
    await house.ask(WORK, for_account=login.account_id)


async def ask_for_a_passkey(house: House, login: Login) -> None:
    browser = PasskeyBrowser(ORIGIN, house.new_browser())
    await passkey_to_add(house.accounts, login, browser)


ENDS: Final[dict[str, Ask]] = {
    "logged out": lambda house, login: end_login(house.accounts, login, login.login_id),
    "forgotten": forget,
}
ASKED: Final[dict[str, Ask]] = {
    "ask to add an address": ask_to_add,
    "ask for a passkey": ask_for_a_passkey,
    "add a passkey": lambda house, login: add_passkey(
        house.accounts, login, NewPasskey(b"new", b"key", 0, "Phone")
    ),
    "name a passkey": lambda house, login: name_passkey(house.accounts, login, "pky_0", "Desk"),
    "remove a passkey": lambda house, login: remove_passkey(house.accounts, login, "pky_0"),
    "switch login by mail": lambda house, login: set_mail_login(house.accounts, login, is_on=False),
    "add an address": lambda house, login: add_by_link(house.accounts, login, "x" * 43),
    "remove an address": lambda house, login: remove_address(house.accounts, login, ALICE),
    "join": lambda house, login: join_accounts(house.accounts, login),
    "log out elsewhere": lambda house, login: end_other_logins(house.accounts, login),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
async def test_what_comes_too_late_is_told_so_and_is_no_fault(
    house: House, ask: Ask, end: Ask
) -> None:
    login = await house.log_in()
    await end(house, login)
    with contextlib.suppress(MahjicError):
        await ask(house, login)


async def test_who_is_forgotten_is_told_that_they_are_not_logged_in(house: House) -> None:
    login = await house.log_in()
    await forget(house, login)
    with pytest.raises(NotLoggedIn):
        await ask_to_add(house, login)
    assert not await house.pool.fetch("SELECT FROM mahjic.mails WHERE address = $1", WORK)


async def test_who_logged_out_gets_no_challenge_for_a_passkey(house: House) -> None:
    login = await house.log_in()
    await end_login(house.accounts, login, login.login_id)
    with pytest.raises(NotLoggedIn):
        await ask_for_a_passkey(house, login)
