"""A link or a code proves an address once, for a while, and the code in the asking browser only."""

import asyncio
from datetime import timedelta

import pytest

from services.accounts.logging_in.entering import MailLoginOff
from services.accounts.logging_in.logins import BegunLogin
from services.accounts.logging_in.proofs import ProofGone, WrongCode, look_at_asked, look_at_link
from tests.accounts.people import ALICE, BEN, DESK, House

WRONG = "0000-0000"
GOOD_FOR = timedelta(minutes=15)


async def accounts_of(house: House, address: str) -> list[str]:
    rows = await house.pool.fetch(
        "SELECT account_id FROM mahjic.addresses WHERE address = $1", address
    )
    return [row["account_id"] for row in rows]


async def test_the_link_logs_in_and_makes_the_account_of_someone_new(house: House) -> None:
    mail = await house.ask()
    assert await accounts_of(house, ALICE) == []
    begun = await house.by_link(mail)
    assert (begun.kind, begun.leads_to) == ("person", "/account")
    (account,) = await accounts_of(house, ALICE)
    again = await house.log_in()
    assert again.account_id == account


async def test_mail_scanners_look_as_often_as_they_like_and_spend_nothing(house: House) -> None:
    mail = await house.ask()
    house.clock.wind(timedelta(minutes=3))
    for _ in range(4):
        proof = await look_at_link(house.accounts, mail.link_token)
        assert (proof.address, proof.asked_from) == (ALICE, DESK)
        assert proof.age == timedelta(minutes=3)
    assert await house.pool.fetchval("SELECT count(*) FROM mahjic.logins") == 0
    await house.by_link(mail)


async def test_a_link_is_used_once_and_its_code_with_it(house: House) -> None:
    browser = house.new_browser()
    mail = await house.ask(browser_token=browser)
    await house.by_link(mail)
    with pytest.raises(ProofGone):
        await house.by_link(mail)
    with pytest.raises(ProofGone):
        await look_at_link(house.accounts, mail.link_token)
    with pytest.raises(ProofGone):
        await house.by_code(browser, mail.code)


async def test_a_code_is_used_once_and_its_link_with_it(house: House) -> None:
    browser = house.new_browser()
    mail = await house.ask(browser_token=browser)
    await house.by_code(browser, mail.code)
    with pytest.raises(ProofGone):
        await house.by_code(browser, mail.code)
    with pytest.raises(ProofGone):
        await house.by_link(mail)


async def test_of_many_presses_at_once_one_logs_in(house: House) -> None:
    mail = await house.ask()
    done = await asyncio.gather(*[house.by_link(mail) for _ in range(8)], return_exceptions=True)
    assert sum(isinstance(each, BegunLogin) for each in done) == 1
    assert sum(isinstance(each, ProofGone) for each in done) == 7


async def test_of_many_who_type_the_code_at_once_one_logs_in(house: House) -> None:
    browser = house.new_browser()
    mail = await house.ask(browser_token=browser)
    typed = [house.by_code(browser, mail.code) for _ in range(8)]
    done = await asyncio.gather(*typed, return_exceptions=True)
    assert sorted(type(each).__name__ for each in done) == ["BegunLogin"] + ["ProofGone"] * 7
    assert await house.pool.fetchval("SELECT count(*) FROM mahjic.logins") == 1


async def test_link_and_code_at_once_log_in_once(house: House) -> None:
    for _ in range(5):
        browser = house.new_browser()
        mail = await house.ask(browser_token=browser)
        done = await asyncio.gather(
            house.by_link(mail), house.by_code(browser, mail.code), return_exceptions=True
        )
        assert sorted(type(each).__name__ for each in done) == ["BegunLogin", "ProofGone"]
        house.clock.wind(timedelta(days=1))


@pytest.mark.parametrize("way", ["link", "code"])
async def test_both_are_good_for_fifteen_minutes(house: House, way: str) -> None:
    for age, is_good in ((GOOD_FOR - timedelta(milliseconds=1), True), (GOOD_FOR, False)):
        browser = house.new_browser()
        mail = await house.ask(browser_token=browser)
        house.clock.wind(age)
        enter = house.by_link(mail) if way == "link" else house.by_code(browser, mail.code)
        if is_good:
            await enter
        else:
            with pytest.raises(ProofGone):
                await enter


async def test_a_code_is_good_in_the_browser_that_asked_and_in_no_other(house: House) -> None:
    browser, other = house.new_browser(), house.new_browser()
    mail = await house.ask(browser_token=browser)
    with pytest.raises(ProofGone):
        await house.by_code(other, mail.code)
    # Nor in one that asked for something else.
    await house.ask(BEN, browser_token=other)
    with pytest.raises(WrongCode):
        await house.by_code(other, mail.code)
    await house.by_code(browser, mail.code)


async def test_five_wrong_codes_end_it_and_the_right_one_comes_too_late(house: House) -> None:
    browser = house.new_browser()
    mail = await house.ask(browser_token=browser)
    for left in (4, 3, 2, 1, 0):
        with pytest.raises(WrongCode) as wrong:
            await house.by_code(browser, WRONG)
        assert wrong.value.left == left
    with pytest.raises(ProofGone):
        await house.by_code(browser, mail.code)
    with pytest.raises(ProofGone):
        await house.by_link(mail)


async def test_after_four_wrong_codes_the_right_one_is_good(house: House) -> None:
    browser = house.new_browser()
    mail = await house.ask(browser_token=browser)
    for _ in range(4):
        with pytest.raises(WrongCode):
            await house.by_code(browser, WRONG)
    await house.by_code(browser, mail.code)


async def test_wrong_codes_at_once_are_all_counted(house: House) -> None:
    browser = house.new_browser()
    mail = await house.ask(browser_token=browser)
    done = await asyncio.gather(
        *[house.by_code(browser, WRONG) for _ in range(9)], return_exceptions=True
    )
    assert sorted(type(each).__name__ for each in done) == ["ProofGone"] * 4 + ["WrongCode"] * 5
    with pytest.raises(ProofGone):
        await house.by_code(browser, mail.code)


async def test_what_cannot_be_a_code_counts_as_a_wrong_one(house: House) -> None:
    browser = house.new_browser()
    await house.ask(browser_token=browser)
    for typed in ("", "x" * 100_000, "\x00" * 8, "7K3Q-9XZ", "ÄÖÜß-1234"):
        with pytest.raises(WrongCode):
            await house.by_code(browser, typed)
    with pytest.raises(ProofGone):
        await house.by_code(browser, WRONG)


async def test_a_new_one_ends_the_one_before_of_the_same_browser_only(house: House) -> None:
    browser = house.new_browser()
    theirs = await house.ask()
    first = await house.ask(browser_token=browser)
    second = await house.ask(browser_token=browser)
    with pytest.raises(ProofGone):
        await house.by_link(first)
    with pytest.raises(WrongCode):
        await house.by_code(browser, first.code)
    await house.by_code(browser, second.code)
    await house.by_link(theirs)


async def test_a_new_one_starts_with_five_tries_again(house: House) -> None:
    browser = house.new_browser()
    await house.ask(browser_token=browser)
    for _ in range(4):
        with pytest.raises(WrongCode):
            await house.by_code(browser, WRONG)
    await house.ask(browser_token=browser)
    with pytest.raises(WrongCode) as wrong:
        await house.by_code(browser, WRONG)
    assert wrong.value.left == 4


async def test_two_tabs_that_ask_at_once_leave_one_proof(house: House) -> None:
    browser = house.new_browser()
    await asyncio.gather(*[house.ask(browser_token=browser) for _ in range(3)])
    good = []
    for mail in await house.mails():
        try:
            await house.by_link(mail)
        except ProofGone:
            continue
        good.append(mail)
    assert len(good) == 1


async def test_a_page_that_waits_for_the_code_knows_what_was_asked_for(house: House) -> None:
    browser = house.new_browser()
    with pytest.raises(ProofGone):
        await look_at_asked(house.accounts, browser)
    await house.ask(browser_token=browser)
    assert (await look_at_asked(house.accounts, browser)).address == ALICE


async def test_two_who_prove_a_new_address_at_once_come_into_one_account(house: House) -> None:
    mails = [await house.ask(), await house.ask(), await house.ask()]
    await asyncio.gather(*map(house.by_link, mails))
    assert len(await accounts_of(house, ALICE)) == 1
    assert await house.pool.fetchval("SELECT count(*) FROM mahjic.accounts") == 1
    assert await house.pool.fetchval("SELECT count(*) FROM mahjic.logins") == 3


async def test_a_link_that_adds_an_address_lets_nobody_in(house: House) -> None:
    login = await house.log_in()
    browser = house.new_browser()
    mail = await house.ask(BEN, browser_token=browser, for_account=login.account_id)
    with pytest.raises(ProofGone):
        await house.by_link(mail)
    with pytest.raises(ProofGone):
        await house.by_code(browser, mail.code)
    assert await accounts_of(house, BEN) == []


async def test_with_login_by_mail_off_a_link_is_used_up_and_lets_nobody_in(house: House) -> None:
    login = await house.log_in()
    await house.pool.execute("UPDATE mahjic.accounts SET mail_login = false")
    mail = await house.ask()
    with pytest.raises(MailLoginOff):
        await house.by_link(mail)
    with pytest.raises(ProofGone):
        await house.by_link(mail)
    assert await house.pool.fetchval("SELECT count(*) FROM mahjic.logins") == 1
    assert login.account_id


async def test_nothing_that_proves_anything_is_kept_as_it_is(house: House) -> None:
    browser = house.new_browser()
    mail = await house.ask(browser_token=browser)
    begun = await house.begin()
    for table in ("address_proofs", "logins", "mails_asked_for"):
        kept = repr([dict(row) for row in await house.pool.fetch(f"SELECT * FROM mahjic.{table}")])
        for secret in (browser, mail.link_token, mail.code.replace("-", ""), begun.token):
            assert secret not in kept
    counted = repr([*map(dict, await house.pool.fetch("SELECT * FROM mahjic.mails_asked_for"))])
    assert ALICE not in counted
    assert "192.0.2.1" not in counted
