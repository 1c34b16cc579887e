"""Nobody's mailbox is filled, and no network fills many, however many ask at once."""

import asyncio
from datetime import timedelta

import pytest

from services.accounts.logging_in.limits import TooManyMails
from tests.accounts.people import ALICE, BEN, House, Mailed

MINUTE = timedelta(minutes=1)


async def test_an_address_gets_three_in_fifteen_minutes(house: House) -> None:
    for number in range(3):
        await house.ask(network=f"network {number}")
        house.clock.wind(MINUTE)
    with pytest.raises(TooManyMails) as refused:
        await house.ask(network="another network")
    assert refused.value.headers == {"Retry-After": str(12 * 60)}
    await house.ask(BEN, network="another network")
    house.clock.wind(12 * MINUTE)
    await house.ask(network="another network")


async def test_an_address_gets_ten_a_day(house: House) -> None:
    for number in range(10):
        await house.ask(network=f"network {number}")
        house.clock.wind(timedelta(hours=1))
    with pytest.raises(TooManyMails, match="14 hours"):
        await house.ask(network="another network")
    house.clock.wind(timedelta(hours=14))
    await house.ask(network="another network")


async def test_a_network_asks_for_twenty_an_hour(house: House) -> None:
    for number in range(20):
        await house.ask(f"person{number}@example.com")
    with pytest.raises(TooManyMails, match="your network"):
        await house.ask("one.more@example.com")
    await house.ask("one.more@example.com", network="2001:db8::/64")
    house.clock.wind(timedelta(hours=1))
    await house.ask("two.more@example.com")


async def test_many_at_once_get_no_more_than_one_after_the_other(house: House) -> None:
    asked = [house.ask(network=f"network {number}") for number in range(9)]
    done = await asyncio.gather(*asked, return_exceptions=True)
    assert sum(isinstance(each, Mailed) for each in done) == 3
    assert sum(isinstance(each, TooManyMails) for each in done) == 6
    assert len(await house.mails()) == 3


async def test_crossing_requests_do_not_block_each_other(house: House) -> None:
    pairs = [(address, network) for address in (ALICE, BEN) for network in ("one", "two", "three")]
    await asyncio.gather(*[house.ask(address, network=network) for address, network in pairs])
    assert len(await house.mails()) == 6


async def test_what_was_refused_is_not_counted(house: House) -> None:
    for _ in range(3):
        await house.ask()
    for _ in range(30):
        with pytest.raises(TooManyMails):
            await house.ask()
    house.clock.wind(15 * MINUTE)
    await house.ask()
