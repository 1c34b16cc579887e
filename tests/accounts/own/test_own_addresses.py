"""Addresses are added once they are proved, never moved, and two accounts join only on purpose."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from services.accounts.logging_in.logins import Beside, Login, LoginNotFresh, find_login
from services.accounts.logging_in.proofs import ProofGone, WrongCode
from services.accounts.own.ceremonies import passkey_to_log_in
from services.accounts.own.joining import (
    NotJoined,
    enter_beside_by_passkey,
    join_accounts,
    needs_other_passkey,
)
from services.accounts.own.own_addresses import (
    AddressRefused,
    add_by_code,
    add_by_link,
    list_addresses,
    remove_address,
)
from services.accounts.room import Chance
from services.accounts.staff import add_staff
from shared.errors import NotFound
from tests.accounts.own.authenticator import Device
from tests.accounts.own.test_passkeys import at_site, log_in, make
from tests.accounts.people import ALICE, BEN, SITE, House, Mailed

WORK = "alice@work.example.com"


async def ask_to_add(house: House, login: Login, address: str) -> Mailed:
    return await house.ask(address, for_account=login.account_id, network=address)


async def own(house: House, login: Login) -> list[str]:
    return [each.address for each in await list_addresses(house.accounts, login)]


async def again(house: House, login: Login) -> Login:
    """Return the login as it is now."""
    row = await house.pool.fetchrow(
        "SELECT beside, beside_at, beside_by_passkey FROM mahjic.logins WHERE login_id = $1",
        login.login_id,
    )
    assert row is not None
    return replace(login, beside=None if row["beside"] is None else Beside(*row))


async def beside(house: House, login: Login, address: str) -> Login:
    """Prove an address of another account in this browser, and return the login."""
    mail = await ask_to_add(house, login, address)
    assert await add_by_link(house.accounts, login, mail.link_token) == "elsewhere"
    return await again(house, login)


async def test_an_address_is_added_by_link_and_all_others_hear_of_it(house: House) -> None:
    login = await house.log_in()
    mail = await ask_to_add(house, login, WORK)
    assert await add_by_link(house.accounts, login, mail.link_token) == "added"
    assert await own(house, login) == [ALICE, WORK]
    told = (await house.mails())[-1]
    assert (told.address, told.kind) == (ALICE, "account_changed")
    assert WORK not in told.text
    assert (await house.log_in(WORK)).account_id == login.account_id


async def test_an_address_is_added_by_code_in_the_browser_that_asked(house: House) -> None:
    login, browser = await house.log_in(), house.new_browser()
    mail = await house.ask(WORK, browser_token=browser, for_account=login.account_id)
    with pytest.raises(WrongCode):
        await add_by_code(house.accounts, login, browser, "0000-0000")
    assert await add_by_code(house.accounts, login, browser, mail.code) == "added"
    with pytest.raises(ProofGone):
        await add_by_code(house.accounts, login, browser, mail.code)


async def test_nobody_else_can_take_an_address_by_the_link_that_was_asked_for(
    house: House,
) -> None:
    alice, ben = await house.log_in(ALICE), await house.log_in(BEN)
    # Ben asks for Alice's work address, hoping that she presses the button of his mail.
    mail = await ask_to_add(house, ben, WORK)
    with pytest.raises(ProofGone):
        await add_by_link(house.accounts, alice, mail.link_token)
    # A link to log in adds nothing either.
    login_mail = await house.ask(WORK, network="elsewhere")
    with pytest.raises(ProofGone):
        await add_by_link(house.accounts, alice, login_mail.link_token)
    assert await own(house, alice) == [ALICE]
    assert await own(house, ben) == [BEN]


async def test_adding_needs_a_fresh_login(house: House) -> None:
    login = await house.log_in()
    house.clock.wind(timedelta(minutes=14))
    mail = await ask_to_add(house, login, WORK)
    house.clock.wind(timedelta(minutes=1))
    with pytest.raises(LoginNotFresh):
        await add_by_link(house.accounts, login, mail.link_token)


async def test_an_address_that_is_proved_elsewhere_is_never_moved(house: House) -> None:
    alice, ben = await house.log_in(ALICE), await house.log_in(BEN)
    await beside(house, alice, BEN)
    assert await own(house, alice) == [ALICE]
    assert await own(house, ben) == [BEN]


async def test_two_who_add_one_address_at_once_are_told_apart(house: House) -> None:
    alice, ben = await house.log_in(ALICE), await house.log_in(BEN)
    mails = [await ask_to_add(house, each, WORK) for each in (alice, ben)]
    done = await asyncio.gather(
        add_by_link(house.accounts, alice, mails[0].link_token),
        add_by_link(house.accounts, ben, mails[1].link_token),
    )
    assert sorted(done) == ["added", "elsewhere"]


async def test_removing_takes_it_from_account_and_player_and_tells_the_others(
    house: House,
) -> None:
    login = await house.log_in()
    with pytest.raises(AddressRefused, match="only address"):
        await remove_address(house.accounts, login, ALICE)
    mail = await ask_to_add(house, login, WORK)
    await add_by_link(house.accounts, login, mail.link_token)
    with pytest.raises(NotFound):
        await remove_address(house.accounts, login, BEN)
    await remove_address(house.accounts, login, ALICE)
    assert await own(house, login) == [WORK]
    assert house.detached.addresses[-1] == ALICE
    told = (await house.mails())[-1]
    assert told.address == WORK
    assert "removed" in told.text
    # Whoever proves it now has an account of their own.
    assert (await house.log_in(ALICE)).account_id != login.account_id


async def test_two_tabs_that_remove_the_last_two_leave_one(house: House) -> None:
    login = await house.log_in()
    mail = await ask_to_add(house, login, WORK)
    await add_by_link(house.accounts, login, mail.link_token)
    done = await asyncio.gather(
        remove_address(house.accounts, login, ALICE),
        remove_address(house.accounts, login, WORK),
        return_exceptions=True,
    )
    assert sorted(type(each).__name__ for each in done) == ["AddressRefused", "NoneType"]


async def test_two_accounts_of_one_browser_are_made_one(house: House) -> None:
    begun = await house.begin(BEN)
    alice = await house.log_in(ALICE)
    alice = await beside(house, alice, BEN)
    await join_accounts(house.accounts, alice)
    assert await own(house, alice) == [ALICE, BEN]
    assert await find_login(house.accounts, begun.token) is None
    assert await house.pool.fetchval("SELECT count(*) FROM mahjic.accounts") == 1
    told = [mail.address for mail in await house.mails() if "made one" in mail.text]
    assert told == [ALICE, BEN]
    with pytest.raises(NotJoined):
        await join_accounts(house.accounts, alice)


ADD_ADDRESSES = """
INSERT INTO mahjic.addresses (address, account_id, proved_at)
SELECT 'more' || number || '@example.com', $1, now() FROM generate_series(1, $2::integer) AS number
"""
ADD_PASSKEYS = """
INSERT INTO mahjic.passkeys (
    passkey_id, credential_id, account_id, public_key, sign_count, name, added_at, handle
)
SELECT 'psk' || number, int4send(number), $1, '', 0, 'Phone', now(), ''
FROM generate_series(1, $2::integer) AS number
"""


@pytest.mark.parametrize(
    ("more", "fits", "told"), [(ADD_ADDRESSES, 18, "21 addresses"), (ADD_PASSKEYS, 20, "passkeys")]
)
async def test_two_accounts_that_have_too_much_together_stay_two(
    house: House, more: str, fits: int, told: str
) -> None:
    ben = await house.log_in(BEN)
    alice = await beside(house, await house.log_in(ALICE), BEN)
    alice = replace(alice, by_passkey=True)
    await house.pool.execute(more, alice.account_id, fits + 1)
    with pytest.raises(NotJoined, match=told):
        await join_accounts(house.accounts, alice)
    assert await own(house, ben) == [BEN]
    await house.pool.execute(
        "DELETE FROM mahjic.addresses WHERE address = 'more1@example.com'"
        if more == ADD_ADDRESSES
        else "DELETE FROM mahjic.passkeys WHERE passkey_id = 'psk1'"
    )
    await join_accounts(house.accounts, alice)
    assert BEN in await own(house, alice)


async def test_joining_needs_both_to_be_fresh(house: House) -> None:
    await house.log_in(BEN)
    alice = await house.log_in(ALICE)
    with pytest.raises(NotJoined, match="first"):
        await join_accounts(house.accounts, alice)
    alice = await beside(house, alice, BEN)
    house.clock.wind(timedelta(minutes=15))
    with pytest.raises(LoginNotFresh):
        await join_accounts(house.accounts, alice)


async def test_where_the_other_has_a_passkey_it_must_be_used(house: House) -> None:
    device, own_device = Device(SITE), Device(SITE, b"of alice")
    await make(house, await house.log_in(BEN), device)
    alice = await beside(house, await house.log_in(ALICE), BEN)
    assert await needs_other_passkey(house.accounts, alice)
    with pytest.raises(NotJoined, match="with its passkey"):
        await join_accounts(house.accounts, alice)
    browser = at_site(house)
    signed = device.sign(await passkey_to_log_in(house.accounts, browser))
    await enter_beside_by_passkey(house.accounts, alice, signed, browser)
    alice = await again(house, alice)
    assert not await needs_other_passkey(house.accounts, alice)
    # An own passkey counts as well.
    await make(house, alice, own_device)
    with pytest.raises(NotJoined, match="with its passkey"):
        await join_accounts(house.accounts, alice)
    alice = await beside(house, await log_in(house, own_device), BEN)
    browser = at_site(house)
    signed = device.sign(await passkey_to_log_in(house.accounts, browser))
    await enter_beside_by_passkey(house.accounts, alice, signed, browser)
    await join_accounts(house.accounts, await again(house, alice))
    # Both passkeys are its own now.
    assert (await log_in(house, device)).account_id == alice.account_id


async def test_another_passkey_proves_nothing_about_the_other_account(house: House) -> None:
    bens, carols = Device(SITE), Device(SITE, b"of carol")
    await make(house, await house.log_in(BEN), bens)
    await make(house, await house.log_in("carol@example.com"), carols)
    alice = await beside(house, await house.log_in(ALICE), BEN)
    browser = at_site(house)
    signed = carols.sign(await passkey_to_log_in(house.accounts, browser))
    with pytest.raises(NotJoined, match="another account"):
        await enter_beside_by_passkey(house.accounts, alice, signed, browser)


async def test_staff_are_never_joined(house: House) -> None:
    await add_staff(house.pool, BEN, "reviewer", Chance(house.clock.now))
    alice = await beside(house, await house.log_in(ALICE), BEN)
    with pytest.raises(NotJoined, match="staff"):
        await join_accounts(house.accounts, alice)


async def test_two_that_join_each_other_at_once_become_one(house: House) -> None:
    alice, ben = await house.log_in(ALICE), await house.log_in(BEN)
    alice, ben = await beside(house, alice, BEN), await beside(house, ben, ALICE)
    done = await asyncio.gather(
        join_accounts(house.accounts, alice),
        join_accounts(house.accounts, ben),
        return_exceptions=True,
    )
    assert sorted(type(each).__name__ for each in done) == ["NoneType", "NotJoined"]
    assert await house.pool.fetchval("SELECT count(*) FROM mahjic.addresses") == 2
    assert await house.pool.fetchval("SELECT count(*) FROM mahjic.accounts") == 1
