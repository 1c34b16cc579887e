"""Staff come in with a passkey only, and what they do is kept."""

from datetime import timedelta

import asyncpg
import pytest

from services.accounts.acts import list_acts, note_act
from services.accounts.logging_in.entering import MailLoginOff
from services.accounts.logging_in.logins import OnlyFirstPasskey, check_fresh, find_login
from services.accounts.own.own_addresses import remove_address
from services.accounts.own.passkeys import NewPasskey, add_passkey, name_passkey, set_mail_login
from services.accounts.owners import WrongAddress
from services.accounts.room import Chance
from services.accounts.staff import (
    NotStaff,
    add_staff,
    list_staff,
    remove_staff,
    reset_staff,
)
from tests.accounts.people import ALICE, BEN, House

A_PASSKEY = NewPasskey(b"a credential", b"a key", 0, "Laptop")
OTHER_PASSKEY = NewPasskey(b"another credential", b"a key", 0, "Phone")


def chance(house: House) -> Chance:
    return Chance(house.clock.now)


async def test_the_first_login_by_mail_can_do_nothing_but_add_a_passkey(house: House) -> None:
    account = await add_staff(house.pool, " Alice@Example.com", "operator", chance(house))
    login = await house.log_in()
    assert (login.account_id, login.kind, login.role) == (account, "first_passkey", None)
    for refused in (
        set_mail_login(house.accounts, login, is_on=True),
        remove_address(house.accounts, login, ALICE),
        name_passkey(house.accounts, login, "pky_0", "Phone"),
    ):
        with pytest.raises(OnlyFirstPasskey):
            await refused
    with pytest.raises(OnlyFirstPasskey):
        check_fresh(house.accounts, login)
    await add_passkey(house.accounts, login, A_PASSKEY)
    # It was for this alone.
    assert await house.pool.fetchval("SELECT count(*) FROM mahjic.logins") == 0
    with pytest.raises(MailLoginOff):
        await house.log_in()


async def test_two_first_logins_add_one_passkey(house: House) -> None:
    await add_staff(house.pool, ALICE, "reviewer", chance(house))
    one, other = await house.log_in(), await house.log_in()
    await add_passkey(house.accounts, one, A_PASSKEY)
    with pytest.raises(OnlyFirstPasskey):
        await add_passkey(house.accounts, other, OTHER_PASSKEY)


async def test_a_first_login_is_short(house: House) -> None:
    await add_staff(house.pool, ALICE, "operator", chance(house))
    begun = await house.begin()
    house.clock.wind(timedelta(minutes=15))
    assert await find_login(house.accounts, begun.token) is None


async def test_a_reset_lets_the_next_login_by_mail_add_a_new_first_one(house: House) -> None:
    await add_staff(house.pool, ALICE, "operator", chance(house))
    await add_passkey(house.accounts, await house.log_in(), A_PASSKEY)
    await reset_staff(house.pool, ALICE, chance(house))
    login = await house.log_in()
    assert login.kind == "first_passkey"
    await add_passkey(house.accounts, login, OTHER_PASSKEY)


async def test_whoever_is_removed_is_a_person_like_others(house: House) -> None:
    account = await add_staff(house.pool, ALICE, "operator", chance(house))
    begun = await house.begin()
    await remove_staff(house.pool, ALICE, chance(house))
    assert await find_login(house.accounts, begun.token) is None
    login = await house.log_in()
    assert (login.account_id, login.kind) == (account, "person")


async def test_only_staff_are_removed_and_reset(house: House) -> None:
    await house.log_in(BEN)
    for change in (remove_staff, reset_staff):
        for address in (ALICE, BEN):
            with pytest.raises(NotStaff):
                await change(house.pool, address, chance(house))
        with pytest.raises(WrongAddress):
            await change(house.pool, "nobody", chance(house))


async def test_they_are_listed_with_what_is_missing(house: House) -> None:
    await add_staff(house.pool, ALICE, "operator", chance(house))
    house.clock.wind(timedelta(days=1))
    await add_staff(house.pool, BEN, "reviewer", chance(house))
    await add_passkey(house.accounts, await house.log_in(BEN), A_PASSKEY)
    listed = await list_staff(house.pool, chance(house))
    told = [(each.role, each.addresses, each.passkeys) for each in listed]
    assert told == [("operator", [ALICE], 0), ("reviewer", [BEN], 1)]
    await add_staff(house.pool, ALICE, "reviewer", chance(house))
    assert (await list_staff(house.pool, chance(house)))[0].role == "reviewer"


async def test_every_act_is_kept_by_ids_and_nobody_changes_it(house: House) -> None:
    account = await add_staff(house.pool, ALICE, "operator", chance(house))
    await list_staff(house.pool, chance(house))
    await reset_staff(house.pool, ALICE, chance(house))
    await remove_staff(house.pool, ALICE, chance(house))
    acts = await list_acts(house.accounts, limit=10)
    told = [(each.act, each.staff_id, each.about) for each in acts]
    assert told == [
        ("remove_staff", None, [account]),
        ("reset_staff", None, [account]),
        ("list_staff", None, [account]),
        ("make_operator", None, [account]),
    ]
    assert await list_acts(house.accounts, before=acts[1].number, limit=1) == [acts[2]]
    for change in (
        "UPDATE mahjic.staff_acts SET act = 'x'",
        "DELETE FROM mahjic.staff_acts",
        "TRUNCATE mahjic.staff_acts",
    ):
        with pytest.raises(asyncpg.RaiseError, match="never changed"):
            await house.pool.execute(change)


async def test_an_act_outside_a_transaction_is_our_own_mistake(house: House) -> None:
    async with house.pool.acquire() as connection:
        with pytest.raises(AssertionError, match="or not at all"):
            await note_act(
                connection, at=house.clock.now(), staff_id=None, act="see_mail", about=[]
            )
