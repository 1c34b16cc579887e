"""A source whose last owner is forgotten: staff are told, once, and nothing tells of the person."""

import asyncio

from services.accounts.forgetting import erase_accounts
from services.accounts.members.at_machine import take_member
from services.accounts.members.notices import MemberNotices
from services.accounts.staff import add_staff
from services.accounts.sweeping import sweep_accounts
from tests.accounts.members.conftest import Club
from tests.accounts.members.sources import HILLTOP, LAKESIDE
from tests.accounts.people import ALICE, BEN

CAROL = "carol@example.com"
OPERATOR, REVIEWER, UNPROVED = (f"{name}@staff.example" for name in ("op", "rev", "new"))
OWNERLESS = "SELECT source FROM mahjic.ownerless_sources ORDER BY source"


async def forget(club: Club, *addresses: str) -> None:
    async with club.house.pool.acquire() as connection, connection.transaction():
        await erase_accounts(connection, addresses)


async def ownerless(club: Club) -> list[str]:
    return [row["source"] for row in await club.house.pool.fetch(OWNERLESS)]


async def test_staff_and_scorers_are_told_once_and_until_somebody_is_an_owner_again(
    club: Club,
) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    await club.join(owner, BEN)
    await club.appoint(ALICE, "scorer", HILLTOP)
    for address in (OPERATOR, REVIEWER):
        await club.house.log_in(address)
    await add_staff(club.house.pool, OPERATOR, "operator", accounts.chance)
    await add_staff(club.house.pool, REVIEWER, "reviewer", accounts.chance)
    await add_staff(club.house.pool, UNPROVED, "operator", accounts.chance)
    await forget(club, ALICE)
    assert await ownerless(club) == [LAKESIDE]
    for _ in range(2):
        await sweep_accounts(accounts)
    told = [each for each in await club.house.mails() if each.kind == "ownerless"]
    assert [each.address for each in told] == [OPERATOR]
    assert "Lakeside Club (lakeside)" in told[0].text
    assert ALICE not in told[0].text + told[0].html
    assert owner.account_id not in told[0].text + told[0].html
    said = await club.mailed_to(BEN, "members_changed")
    assert ["has no owner" in each for each in said].count(True) == 1
    await club.make(CAROL, "owner", LAKESIDE)
    assert await ownerless(club) == []


async def test_a_scorer_who_becomes_an_owner_ends_it_too(club: Club) -> None:
    await club.appoint()
    await club.make(BEN, "scorer", LAKESIDE)
    await forget(club, ALICE)
    await club.make(BEN, "owner", LAKESIDE)
    assert await ownerless(club) == []


async def test_with_another_owner_left_nobody_is_told(club: Club) -> None:
    accounts = club.house.accounts
    await club.appoint(ALICE)
    await club.make(BEN, "owner", LAKESIDE)
    await forget(club, ALICE)
    assert await ownerless(club) == []
    notices = MemberNotices.of(accounts)
    await club.make(CAROL, "owner", LAKESIDE)
    await take_member(club.house.pool, notices, LAKESIDE, CAROL, accounts.chance)
    assert await ownerless(club) == []


async def test_of_two_owners_who_are_forgotten_at_once_one_is_the_last(club: Club) -> None:
    await club.appoint(ALICE)
    await club.make(BEN, "owner", LAKESIDE)
    await asyncio.gather(forget(club, ALICE), forget(club, BEN))
    assert await ownerless(club) == [LAKESIDE]
