"""A login lasts while it is used, can be ended from elsewhere, and is never passed on."""

import asyncio
from datetime import timedelta

import pytest

from services.accounts.logging_in.logins import (
    LoginNotFresh,
    check_fresh,
    end_login,
    end_other_logins,
    find_login,
    list_logins,
)
from services.accounts.room import Chance
from services.accounts.staff import add_staff
from services.accounts.tokens import token_of
from tests.accounts.people import ALICE, BEN, House

MONTH = timedelta(days=30)
A_MOMENT = timedelta(milliseconds=1)


async def test_it_lasts_thirty_days_from_its_last_use(house: House) -> None:
    begun = await house.begin()
    for _ in range(3):
        house.clock.wind(MONTH - A_MOMENT)
        assert await find_login(house.accounts, begun.token) is not None
    house.clock.wind(MONTH)
    assert await find_login(house.accounts, begun.token) is None


async def test_a_minute_of_use_is_noted_once(house: House) -> None:
    begun = await house.begin()
    read = "SELECT used_at - began_at FROM mahjic.logins"
    house.clock.wind(timedelta(seconds=59))
    await find_login(house.accounts, begun.token)
    assert await house.pool.fetchval(read) == timedelta(0)
    house.clock.wind(timedelta(seconds=1))
    await find_login(house.accounts, begun.token)
    assert await house.pool.fetchval(read) == timedelta(minutes=1)


async def test_no_other_token_finds_it(house: House) -> None:
    begun = await house.begin()
    for token in ("", "x", begun.token[:-1], begun.token + "x", token_of(bytes(32)), "é" * 43):
        assert await find_login(house.accounts, token) is None


async def test_logging_in_again_ends_the_login_before_and_continues_nothing(house: House) -> None:
    # Somebody put a login of their own into the browser of a victim, who then logs in.
    planted = await house.begin(BEN)
    victims = await house.begin(ALICE, planted.token)
    assert victims.token != planted.token
    assert await find_login(house.accounts, planted.token) is None
    found = await find_login(house.accounts, victims.token)
    assert found is not None
    assert found.account_id == (await house.log_in(ALICE)).account_id


async def test_logins_are_listed_and_ended_one_by_one(house: House) -> None:
    begun = [await house.begin() for _ in range(3)]
    theirs = await house.begin(BEN)
    here = await find_login(house.accounts, begun[0].token)
    there = await find_login(house.accounts, begun[1].token)
    stranger = await find_login(house.accounts, theirs.token)
    assert here is not None
    assert there is not None
    assert stranger is not None
    assert len(await list_logins(house.accounts, here)) == 3
    await end_login(house.accounts, stranger, there.login_id)
    assert await find_login(house.accounts, begun[1].token) is not None
    await end_login(house.accounts, here, there.login_id)
    assert await find_login(house.accounts, begun[1].token) is None
    await end_other_logins(house.accounts, here)
    assert [await find_login(house.accounts, each.token) is not None for each in begun] == [
        True,
        False,
        False,
    ]
    assert await find_login(house.accounts, theirs.token) is not None


async def test_one_that_has_ended_by_itself_is_not_listed(house: House) -> None:
    await house.begin()
    house.clock.wind(MONTH)
    here = await house.log_in()
    assert [each.login_id for each in await list_logins(house.accounts, here)] == [here.login_id]


async def test_what_hurts_needs_a_login_of_the_last_fifteen_minutes(house: House) -> None:
    login = await house.log_in()
    house.clock.wind(timedelta(minutes=15) - A_MOMENT)
    check_fresh(house.accounts, login)
    house.clock.wind(A_MOMENT)
    with pytest.raises(LoginNotFresh):
        check_fresh(house.accounts, login)


async def test_using_a_login_makes_it_no_fresher(house: House) -> None:
    begun = await house.begin()
    house.clock.wind(timedelta(minutes=15))
    login = await find_login(house.accounts, begun.token)
    assert login is not None
    with pytest.raises(LoginNotFresh):
        check_fresh(house.accounts, login)


async def test_a_login_that_is_ended_while_it_is_used_stays_ended(house: House) -> None:
    for _ in range(5):
        begun = await house.begin()
        login = await find_login(house.accounts, begun.token)
        assert login is not None
        house.clock.wind(timedelta(hours=4))
        await asyncio.gather(
            find_login(house.accounts, begun.token),
            end_login(house.accounts, login, login.login_id),
        )
        assert await find_login(house.accounts, begun.token) is None


async def test_whoever_becomes_staff_is_logged_out_everywhere(house: House) -> None:
    begun = await house.begin()
    await add_staff(house.pool, ALICE, "operator", Chance(house.clock.now))
    assert await find_login(house.accounts, begun.token) is None
