"""Two accounts of one person become one: what each has paid and proved counts once, together."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from services.accounts.logging_in.logins import Beside, Login
from services.accounts.own.joining import join_accounts
from services.accounts.own.own_addresses import add_by_link
from services.verification.deciding import decide
from services.verification.leaving import move_enrollments
from services.verification.own.recalling import read_told
from services.verification.staff.holds import list_holds
from services.verification.starting import (
    NotNow,
    be_checked,
    get_money_back,
    pay,
    see_receipts,
)
from tests.conftest import Database
from tests.verification.staff.club import Club, a_club
from tests.verification.stripe.account.odd import ODD, a_document

ANN, BEN = "ann@example.com", "ben@example.com"
NOW: Final = datetime(2027, 3, 1, 12, tzinfo=UTC)
READ_BESIDE: Final = """
SELECT beside, beside_at, beside_by_passkey FROM mahjic.logins WHERE login_id = $1
"""
VERIFIED: Final = "SELECT player_id FROM mahjic.verified_players"
ENROLLED: Final = "SELECT DISTINCT account_id, player_id FROM mahjic.enrollments"
Has = Callable[[Club, str], Awaitable[object]]


@pytest.fixture
async def club(database: Database) -> Club:
    """Return a club whose accounts take along what was paid when two become one."""
    club = await a_club(database.pool, NOW)
    club.house.accounts = replace(club.house.accounts, on_join=(move_enrollments,))
    club.room = replace(club.room, accounts=club.house.accounts)
    club.worker = replace(club.worker, room=club.room)
    return club


async def nothing(_club: Club, _email: str) -> None: ...


async def paid(club: Club, email: str) -> None:
    await club.pays(email)


async def checked(club: Club, email: str) -> None:
    await club.shows(email, a_document(len(email) + ord(email[0])))


async def both(club: Club, email: str) -> None:
    await paid(club, email)
    await checked(club, email)


async def both_with_odd(club: Club, email: str) -> None:
    await paid(club, email)
    await club.shows(email, ODD)


async def ann_and_ben_are_one(club: Club) -> Login:
    """Join Ben's account with Ann's, from a browser with both, and return the login."""
    club.house.clock.wind(timedelta(hours=1))
    await club.house.log_in(BEN)
    login = await club.house.log_in(ANN)
    mail = await club.house.ask(BEN, for_account=login.account_id, network="of Ben")
    assert await add_by_link(club.house.accounts, login, mail.link_token) == "elsewhere"
    row = await club.pool.fetchrow(READ_BESIDE, login.login_id)
    assert row is not None
    login = replace(login, beside=Beside(*row))
    await join_accounts(club.house.accounts, login)
    await club.tick()
    await club.catch_up()
    return login


@pytest.mark.parametrize(
    ("ann_has", "ben_has", "verified"),
    [
        (both, both, ANN),
        (both, nothing, ANN),
        (nothing, both, BEN),
        (paid, checked, ANN),
        (checked, paid, ANN),
        (paid, paid, None),
        (checked, checked, None),
        # The document was the same person's all along.
        (both_with_odd, both_with_odd, ANN),
    ],
)
async def test_what_either_has_counts_for_the_one_that_stays(
    club: Club, ann_has: Has, ben_has: Has, verified: str | None
) -> None:
    await ann_has(club, ANN)
    await ben_has(club, BEN)
    login = await ann_and_ben_are_one(club)
    players = {ANN: await club.player(ANN), BEN: await club.player(BEN)}
    found = [row["player_id"] for row in await club.pool.fetch(VERIFIED)]
    assert found == ([players[verified]] if verified else [])
    async with club.pool.acquire() as connection:
        assert await list_holds(connection) == []
    # All of it is one account's, and for one player.
    (row,) = await club.pool.fetch(ENROLLED)
    assert row["account_id"] == login.account_id
    await club.tick()
    await club.catch_up()
    assert [row["player_id"] for row in await club.pool.fetch(VERIFIED)] == found


async def test_the_page_tells_of_the_player_who_is_verified(club: Club) -> None:
    ann = await club.player(ANN)
    await both(club, BEN)
    login = await ann_and_ben_are_one(club)
    # Hers is the address that was proved first, so her page is that of her own player.
    told = await read_told(club.room, login, ann)
    assert (told.standing, told.payment, told.check) == ("verified", "paid", "passed")
    # What staff decided about her own player is told all the same.
    await decide(club.room, ann, "grant", None)
    assert (await read_told(club.room, login, ann)).standing == "granted"


async def test_whoever_pays_twice_can_stop_and_take_back_both(club: Club) -> None:
    first = await club.pays(ANN)
    club.house.clock.wind(timedelta(hours=1))
    second = await club.pays(BEN)
    login = await ann_and_ben_are_one(club)
    own_ids = (await club.player(ANN), await club.player(BEN))
    with pytest.raises(NotNow, match="paid already"):
        await pay(club.room, login, own_ids)
    account = club.stripe.account
    customers = {each: account.subscriptions[each].customer_id for each in (first, second)}

    async def customer_of_receipts() -> str:
        url = await see_receipts(club.room, login)
        return account.portals[url.rpartition("/")[2]].customer_id

    assert await customer_of_receipts() == customers[first]
    club.people.cancel_at_period_end(first)
    await club.catch_up()
    assert await customer_of_receipts() == customers[second]
    for _ in range(2):
        await get_money_back(club.room, login)
        await club.catch_up()
    assert {each.refunded_cents for each in account.charges.values()} == {2000}
    assert {each.status for each in account.subscriptions.values()} == {"canceled"}
    with pytest.raises(NotNow):
        await get_money_back(club.room, login)


async def test_while_one_check_is_looked_at_no_other_is_begun(club: Club) -> None:
    await club.pays(ANN)
    ben = await club.house.log_in(BEN)
    url = await be_checked(club.room, ben, (await club.player(BEN),))
    session_id = url.rpartition("/")[2]
    club.people.begin_processing(session_id)
    await club.catch_up()
    login = await ann_and_ben_are_one(club)
    own_ids = (await club.player(ANN),)
    with pytest.raises(NotNow, match="still looking"):
        await be_checked(club.room, login, own_ids)
    club.people.pass_check(session_id, ODD)
    await club.catch_up()
    assert [row["player_id"] for row in await club.pool.fetch(VERIFIED)] == [own_ids[0]]


async def test_two_accounts_together_have_no_more_checks_than_one(club: Club) -> None:
    sessions = set()
    for email in (ANN, BEN, ANN, BEN, ANN):
        club.house.clock.wind(timedelta(hours=1))
        login = await club.house.log_in(email)
        url = await be_checked(club.room, login, (await club.player(email),))
        sessions.add(url.rpartition("/")[2])
        club.stripe.account.cancel_check(url.rpartition("/")[2])
        await club.catch_up()
    assert len(sessions) == 5
    login = await ann_and_ben_are_one(club)
    with pytest.raises(NotNow, match="tried often"):
        await be_checked(club.room, login, (await club.player(ANN),))
