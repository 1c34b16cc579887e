"""Roles change and end at once, and one owner is always left."""

import asyncio
from datetime import timedelta

import pytest

from services.accounts.forgetting import erase_accounts
from services.accounts.logging_in.logins import Login, LoginNotFresh, find_login
from services.accounts.members.changing import (
    LastOwner,
    UnknownMember,
    change_role,
    list_members,
    remove_member,
)
from services.accounts.members.desks import OwnersOnly, UnknownDesk, hold_desk, role_at
from services.accounts.members.inviting import invite_member, own_invitations
from services.accounts.memberships import lock_members
from services.accounts.own.joining import join_accounts
from services.accounts.own.own_addresses import add_by_link, remove_address
from services.accounts.owners import lock_accounts
from services.accounts.ports import Connection
from services.accounts.stored import account_sections
from services.ingest.players.grouped import WholePerson
from shared.errors import MahjicError, ServiceUnavailable
from tests.accounts.members.conftest import Club
from tests.accounts.members.sources import HILLTOP, LAKESIDE
from tests.accounts.people import ALICE, BEN
from tests.log.deadlines import until

CAROL = "carol@example.com"
# As a night does that somebody begins, or an act of theirs.
POINT_AT = "SELECT FROM mahjic.accounts WHERE account_id = $1 FOR KEY SHARE"
WAITING = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'
"""
READ_ROLES = "SELECT role FROM mahjic.source_members WHERE source = $1 ORDER BY role"


async def roles(club: Club) -> list[str]:
    return [row["role"] for row in await club.house.pool.fetch(READ_ROLES, LAKESIDE)]


async def test_who_is_removed_can_do_nothing_from_then_on(club: Club) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    ben = await club.join(owner, BEN)
    await remove_member(accounts, owner, LAKESIDE, ben.account_id)
    with pytest.raises(UnknownDesk):
        await role_at(accounts, ben, LAKESIDE)
    with pytest.raises(UnknownDesk):
        await accounts.settled(lambda c: hold_desk(c, ben, LAKESIDE))
    with pytest.raises(UnknownMember):
        await remove_member(accounts, owner, LAKESIDE, ben.account_id)
    said = (await club.mailed_to(BEN, "members_changed"))[-1]
    assert "You are no longer a member of Lakeside Club" in said


async def test_who_is_doing_something_is_removed_after_it(club: Club) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    ben = await club.join(owner, BEN)
    async with club.house.pool.acquire() as connection, connection.transaction():
        assert await hold_desk(connection, ben, LAKESIDE) == "scorer"
        removing = asyncio.create_task(remove_member(accounts, owner, LAKESIDE, ben.account_id))
        done, _ = await asyncio.wait({removing}, timeout=0.3)
        assert not done
    await removing
    assert await roles(club) == ["owner"]


@pytest.mark.parametrize("is_owner", [True, False])
async def test_who_does_something_and_who_changes_their_account_do_not_wait_for_each_other(
    club: Club, *, is_owner: bool
) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    ben = await club.join(owner, BEN, "owner" if is_owner else "scorer")

    async def do_something(connection: Connection) -> None:
        await hold_desk(connection, ben, LAKESIDE, as_owner=is_owner)
        await connection.execute(POINT_AT, ben.account_id)

    async with club.house.pool.acquire() as connection, connection.transaction():
        await lock_accounts(connection, {ben.account_id})
        doing = asyncio.create_task(accounts.settled(do_something))
        await until(lambda: club.house.pool.fetchval(WAITING))
        await lock_members(connection, LAKESIDE)
    await doing


async def test_of_two_that_wait_for_each_other_one_is_asked_to_try_again(club: Club) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    ben = await club.join(owner, BEN)
    has_one = [asyncio.Event(), asyncio.Event()]

    async def lock_both(number: int) -> None:
        both = [owner.account_id, ben.account_id][:: -1 if number else 1]

        async def lock(connection: Connection) -> None:
            await lock_accounts(connection, {both[0]})
            has_one[number].set()
            await has_one[1 - number].wait()
            await lock_accounts(connection, {both[1]})

        await accounts.settled(lock)

    ended = await asyncio.gather(lock_both(0), lock_both(1), return_exceptions=True)
    assert [type(each) for each in ended if each is not None] == [ServiceUnavailable]


async def test_roles_are_changed_by_owners_and_told(club: Club) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    ben = await club.join(owner, BEN)
    await change_role(accounts, owner, LAKESIDE, ben.account_id, "owner")
    assert await role_at(accounts, ben, LAKESIDE) == "owner"
    assert "You are an owner of" in (await club.mailed_to(BEN, "members_changed"))[-1]
    await change_role(accounts, ben, LAKESIDE, owner.account_id, "scorer")
    assert await role_at(accounts, owner, LAKESIDE) == "scorer"
    before = len(await club.house.mails())
    await change_role(accounts, ben, LAKESIDE, owner.account_id, "scorer")
    assert len(await club.house.mails()) == before


async def test_scorers_and_strangers_change_nobody_and_see_no_addresses(club: Club) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    scorer = await club.join(owner, BEN)
    stranger = await club.appoint(CAROL, source=HILLTOP)
    wrong: tuple[tuple[Login, type[MahjicError]], ...] = (
        (scorer, OwnersOnly),
        (stranger, UnknownDesk),
    )
    for who, error in wrong:
        for refused in (
            list_members(accounts, who, LAKESIDE),
            change_role(accounts, who, LAKESIDE, scorer.account_id, "owner"),
            remove_member(accounts, who, LAKESIDE, owner.account_id),
        ):
            with pytest.raises(error):
                await refused
    with pytest.raises(UnknownMember):
        await change_role(accounts, owner, LAKESIDE, stranger.account_id, "owner")
    club.house.clock.wind(timedelta(minutes=15))
    for refused in (
        change_role(accounts, owner, LAKESIDE, scorer.account_id, "owner"),
        remove_member(accounts, owner, LAKESIDE, scorer.account_id),
        remove_member(accounts, scorer, LAKESIDE, scorer.account_id),
    ):
        with pytest.raises(LoginNotFresh):
            await refused
    assert await roles(club) == ["owner", "scorer"]


async def test_anyone_leaves_but_the_last_owner(club: Club) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    scorer = await club.join(owner, BEN)
    for refused in (
        remove_member(accounts, owner, LAKESIDE, owner.account_id),
        change_role(accounts, owner, LAKESIDE, owner.account_id, "scorer"),
    ):
        with pytest.raises(LastOwner):
            await refused
    await remove_member(accounts, scorer, LAKESIDE, scorer.account_id)
    other = await club.join(owner, CAROL, "owner")
    await remove_member(accounts, owner, LAKESIDE, owner.account_id)
    assert await roles(club) == ["owner"]
    assert await role_at(accounts, other, LAKESIDE) == "owner"


async def test_of_two_owners_who_leave_at_once_one_stays(club: Club) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    other = await club.join(owner, BEN, "owner")
    for _ in range(5):
        left = await asyncio.gather(
            remove_member(accounts, owner, LAKESIDE, owner.account_id),
            change_role(accounts, other, LAKESIDE, other.account_id, "scorer"),
            return_exceptions=True,
        )
        assert [type(each) for each in left].count(LastOwner) == 1
        assert (await roles(club)).count("owner") == 1
        await club.make(ALICE, "owner", LAKESIDE)
        await club.make(BEN, "owner", LAKESIDE)


async def test_an_invitation_ends_with_the_owner_who_sent_it(club: Club) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    other = await club.join(owner, BEN, "owner")
    await invite_member(accounts, other, LAKESIDE, CAROL, "owner")
    await change_role(accounts, owner, LAKESIDE, other.account_id, "scorer")
    assert await own_invitations(accounts, await club.house.log_in(CAROL)) == []


async def test_the_last_owner_is_forgotten_all_the_same_and_nothing_tells_of_them(
    club: Club,
) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    scorer = await club.join(owner, BEN)
    await invite_member(accounts, owner, LAKESIDE, CAROL, "owner")
    async with club.house.pool.acquire() as connection, connection.transaction():
        await erase_accounts(connection, [ALICE])
    assert await roles(club) == ["scorer"]
    assert await role_at(accounts, scorer, LAKESIDE) == "scorer"
    for table in ("source_members", "member_invitations"):
        rows = await club.house.pool.fetch(f"SELECT * FROM mahjic.{table}")
        assert ALICE not in repr([tuple(row) for row in rows])
        assert owner.account_id not in repr([tuple(row) for row in rows])
    async with club.house.pool.acquire() as connection, connection.transaction():
        await erase_accounts(connection, [CAROL])
    noted = await club.house.pool.fetch("SELECT table_name FROM mahjic.erasures")
    assert {"source_members", "member_invitations"} <= {row[0] for row in noted}
    # The operator appoints another.
    assert (await club.appoint(BEN)).account_id == scorer.account_id
    assert await roles(club) == ["owner"]


async def test_an_invitation_to_someone_forgotten_is_gone(club: Club) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    await invite_member(accounts, owner, LAKESIDE, CAROL, "owner")
    async with club.house.pool.acquire() as connection, connection.transaction():
        await erase_accounts(connection, [CAROL])
    assert not await club.house.pool.fetchval("SELECT count(*) FROM mahjic.member_invitations")


async def test_an_address_that_is_taken_off_an_account_is_shown_to_no_owner(club: Club) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    ben = await club.join(owner, BEN)
    mail = await club.house.ask(CAROL, for_account=ben.account_id)
    await add_by_link(accounts, ben, mail.link_token)
    assert [each.address for each in await list_members(accounts, owner, LAKESIDE)] == [ALICE, BEN]
    await remove_address(accounts, ben, BEN)
    assert [each.address for each in await list_members(accounts, owner, LAKESIDE)] == [ALICE, None]
    assert await role_at(accounts, ben, LAKESIDE) == "scorer"
    kept = await club.house.pool.fetch("SELECT * FROM mahjic.source_members")
    assert BEN not in repr([tuple(row) for row in kept])


async def test_two_accounts_that_join_are_what_either_was_and_more_where_both_were(
    club: Club,
) -> None:
    accounts = club.house.accounts
    alice = await club.appoint(ALICE, "scorer")
    await club.appoint(CAROL, "owner")
    await club.appoint(BEN, "owner")
    await club.appoint(BEN, "scorer", HILLTOP)
    mail = await club.house.ask(BEN, for_account=alice.account_id)
    begun = await club.house.begin(ALICE)
    login = await find_login(accounts, begun.token)
    assert login is not None
    assert await add_by_link(accounts, login, mail.link_token) == "elsewhere"
    login = await find_login(accounts, begun.token)
    assert login is not None
    await join_accounts(accounts, login)
    assert await role_at(accounts, login, LAKESIDE) == "owner"
    assert await role_at(accounts, login, HILLTOP) == "scorer"
    assert await club.house.pool.fetchval("SELECT count(*) FROM mahjic.source_members") == 3


async def test_a_download_tells_of_memberships_and_invitations(club: Club) -> None:
    owner = await club.appoint()
    ben = await club.join(owner, BEN)
    await club.appoint(CAROL, source=HILLTOP)
    hill = await club.house.log_in(CAROL)
    await invite_member(club.house.accounts, hill, HILLTOP, BEN, "owner")
    sections = {each.name: each for each in account_sections(club.house.accounts, ben.account_id)}
    person = WholePerson(["MJ-0"], [BEN])
    (own,) = [each async for each in sections["memberships"].about(person)]
    assert (own["source"], own["role"], own["known_as"]) == (LAKESIDE, "scorer", BEN)
    (invited,) = [each async for each in sections["member_invitations"].about(person)]
    assert (invited["source"], invited["address"], invited["role"]) == (HILLTOP, BEN, "owner")
