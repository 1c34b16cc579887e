"""A passkey proves its owner: to this site, once for each challenge, in the browser that asked."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.accounts.logging_in.entering import Entrance, MailLoginOff
from services.accounts.logging_in.logins import BegunLogin, Login, LoginNotFresh, find_login
from services.accounts.own.ceremonies import (
    PasskeyBrowser,
    log_in_by_passkey,
    passkey_to_add,
    passkey_to_log_in,
    read_new_passkey,
)
from services.accounts.own.passkeys import (
    PasskeyRefused,
    add_passkey,
    is_mail_login_on,
    list_passkeys,
    name_passkey,
    remove_passkey,
    set_mail_login,
)
from services.accounts.room import Chance
from services.accounts.staff import add_staff
from shared.errors import NotFound
from tests.accounts.own.authenticator import Device, bytes_of, text_of
from tests.accounts.people import ALICE, BEN, DESK, SITE, House

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3)
    ),
    max_leaves=8,
)


def at_site(house: House) -> PasskeyBrowser:
    return PasskeyBrowser(SITE, house.new_browser())


async def make(house: House, login: Login, device: Device, name: str = "Phone") -> None:
    browser = at_site(house)
    made = device.make(await passkey_to_add(house.accounts, login, browser))
    new = await read_new_passkey(house.accounts, login, browser, made, name)
    await add_passkey(house.accounts, login, new)


async def enter(house: House, browser: PasskeyBrowser, credential: dict[str, Any]) -> BegunLogin:
    return await log_in_by_passkey(
        house.accounts, browser, credential, Entrance(DESK, None), "/account"
    )


async def log_in(house: House, device: Device) -> Login:
    browser = at_site(house)
    signed = device.sign(await passkey_to_log_in(house.accounts, browser))
    found = await find_login(house.accounts, (await enter(house, browser, signed)).token)
    assert found is not None
    return found


async def test_it_is_made_and_logs_in_its_owner(house: House) -> None:
    login = await house.log_in()
    device = Device(SITE)
    await make(house, login, device)
    found = await log_in(house, device)
    assert (found.account_id, found.by_passkey, found.kind) == (login.account_id, True, "person")
    (listed,) = await list_passkeys(house.accounts, login)
    assert (listed.name, listed.used_at) == ("Phone", house.clock.now())
    assert "A passkey was added" in (await house.mails())[-1].text


async def test_staff_come_in_as_staff_and_stay_for_twelve_hours(house: House) -> None:
    await add_staff(house.pool, ALICE, "reviewer", Chance(house.clock.now))
    device = Device(SITE)
    await make(house, await house.log_in(), device)
    found = await log_in(house, device)
    assert (found.kind, found.role) == ("staff", "reviewer")
    browser = at_site(house)
    begun = await enter(
        house, browser, device.sign(await passkey_to_log_in(house.accounts, browser))
    )
    house.clock.wind(timedelta(hours=12) - timedelta(milliseconds=1))
    assert await find_login(house.accounts, begun.token) is not None
    house.clock.wind(timedelta(hours=12))
    assert await find_login(house.accounts, begun.token) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"origin": "https://mahjic.example.org.elsewhere.example"},
        {"origin": "http://mahjic.example.org"},
        {"verifies_owner": False},
        {"credential_id": b"another credential"},
        {"handle": b"another account"},
        {"key": Device("").key},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
async def test_what_is_not_as_it_was_made_is_refused(house: House, wrong: dict[str, Any]) -> None:
    device = Device(SITE)
    await make(house, await house.log_in(), device)
    with pytest.raises(PasskeyRefused):
        await log_in(house, replace(device, **wrong))
    await log_in(house, device)


@pytest.mark.parametrize(
    "wrong", [{"origin": "https://elsewhere.example"}, {"verifies_owner": False}], ids=str
)
async def test_none_is_made_elsewhere_or_without_asking_its_owner(
    house: House, wrong: dict[str, Any]
) -> None:
    login = await house.log_in()
    with pytest.raises(PasskeyRefused):
        await make(house, login, replace(Device(SITE), **wrong))
    assert await list_passkeys(house.accounts, login) == []


async def test_a_challenge_is_good_once_also_for_two_at_once(house: House) -> None:
    device, browser = Device(SITE), at_site(house)
    await make(house, await house.log_in(), device)
    signed = device.sign(await passkey_to_log_in(house.accounts, browser))
    done = await asyncio.gather(
        *[enter(house, browser, signed) for _ in range(6)], return_exceptions=True
    )
    assert sorted(type(each).__name__ for each in done) == ["BegunLogin"] + ["PasskeyRefused"] * 5


async def test_a_challenge_is_good_in_its_browser_for_five_minutes_and_for_its_end(
    house: House,
) -> None:
    login, device, browser = await house.log_in(), Device(SITE), at_site(house)
    await make(house, login, device)
    signed = device.sign(await passkey_to_log_in(house.accounts, browser))
    with pytest.raises(PasskeyRefused):
        await enter(house, at_site(house), signed)
    house.clock.wind(timedelta(minutes=5))
    with pytest.raises(PasskeyRefused):
        await enter(house, browser, signed)
    # One to add a passkey logs nobody in.
    options = await passkey_to_add(house.accounts, login, browser)
    with pytest.raises(PasskeyRefused):
        await enter(house, browser, device.sign(options.replace('"rp"', '"rpId": "x", "rp"')))


async def test_a_copy_that_counts_backward_is_refused(house: House) -> None:
    device = Device(SITE, sign_count=5)
    await make(house, await house.log_in(), device)
    device.sign_count = 6
    await log_in(house, device)
    for count in (6, 5, 0):
        device.sign_count = count
        with pytest.raises(PasskeyRefused):
            await log_in(house, device)
    device.sign_count = 7
    await log_in(house, device)


async def test_adding_and_removing_need_a_fresh_login(house: House) -> None:
    login = await house.log_in()
    await make(house, login, Device(SITE))
    (kept,) = await list_passkeys(house.accounts, login)
    house.clock.wind(timedelta(minutes=15))
    for refused in (
        passkey_to_add(house.accounts, login, at_site(house)),
        remove_passkey(house.accounts, login, kept.passkey_id),
        set_mail_login(house.accounts, login, is_on=False),
    ):
        with pytest.raises(LoginNotFresh):
            await refused


async def test_the_passkeys_of_others_are_out_of_reach(house: House) -> None:
    alice, ben = await house.log_in(ALICE), await house.log_in(BEN)
    await make(house, alice, Device(SITE))
    (kept,) = await list_passkeys(house.accounts, alice)
    with pytest.raises(NotFound):
        await remove_passkey(house.accounts, ben, kept.passkey_id)
    with pytest.raises(NotFound):
        await name_passkey(house.accounts, ben, kept.passkey_id, "Mine")
    # One passkey is of one account.
    with pytest.raises(PasskeyRefused, match="in use already"):
        await make(house, ben, Device(SITE))
    await name_passkey(house.accounts, alice, kept.passkey_id, "  My   phone ")
    assert [each.name for each in await list_passkeys(house.accounts, alice)] == ["My phone"]
    for name in ("", " ", "x" * 41, "a\u202eb", "a\x00b"):
        with pytest.raises(PasskeyRefused):
            await name_passkey(house.accounts, alice, kept.passkey_id, name)


async def test_login_by_mail_is_off_only_while_there_is_a_passkey(house: House) -> None:
    login = await house.log_in()
    with pytest.raises(PasskeyRefused, match="Add a passkey first"):
        await set_mail_login(house.accounts, login, is_on=False)
    await make(house, login, Device(SITE))
    await set_mail_login(house.accounts, login, is_on=False)
    assert "switched off" in (await house.mails())[-1].text
    with pytest.raises(MailLoginOff):
        await house.log_in()
    (kept,) = await list_passkeys(house.accounts, login)
    await remove_passkey(house.accounts, login, kept.passkey_id)
    assert await is_mail_login_on(house.accounts, login)
    await house.log_in()


async def test_staff_keep_one_passkey(house: House) -> None:
    await add_staff(house.pool, ALICE, "operator", Chance(house.clock.now))
    one = Device(SITE)
    await make(house, await house.log_in(), one)
    login = await log_in(house, one)
    (first,) = await list_passkeys(house.accounts, login)
    with pytest.raises(PasskeyRefused, match="Staff"):
        await remove_passkey(house.accounts, login, first.passkey_id)
    await make(house, login, Device(SITE, b"another credential"))
    await remove_passkey(house.accounts, login, first.passkey_id)


async def test_two_who_remove_the_last_two_at_once_leave_one_to_staff(house: House) -> None:
    await add_staff(house.pool, ALICE, "operator", Chance(house.clock.now))
    one = Device(SITE)
    await make(house, await house.log_in(), one)
    login = await log_in(house, one)
    await make(house, login, Device(SITE, b"another credential"))
    listed = await list_passkeys(house.accounts, login)
    done = await asyncio.gather(
        *[remove_passkey(house.accounts, login, each.passkey_id) for each in listed],
        return_exceptions=True,
    )
    assert sorted(type(each).__name__ for each in done) == ["NoneType", "PasskeyRefused"]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(["id", "rawId", "type", "response"]), ANY_JSON))
async def test_no_made_up_credential_does_more_than_be_refused(
    house: House, made_up: dict[str, Any]
) -> None:
    with pytest.raises(PasskeyRefused):
        await enter(house, at_site(house), made_up)


@pytest.mark.parametrize("part", ["clientDataJSON", "authenticatorData", "signature", "userHandle"])
async def test_a_part_that_is_damaged_is_refused(house: House, part: str) -> None:
    device = Device(SITE)
    await make(house, await house.log_in(), device)
    for damage in ("", "x", "A" * 5000, "é", None, 7, text_of(b"\xff" * 40)):
        browser = at_site(house)
        signed = device.sign(await passkey_to_log_in(house.accounts, browser))
        signed["response"][part] = damage
        with pytest.raises(PasskeyRefused):
            await enter(house, browser, signed)
    assert bytes_of(text_of(b"\x00\xff")) == b"\x00\xff"
