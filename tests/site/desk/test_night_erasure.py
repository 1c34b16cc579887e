"""Drafts go with the people in them, and after 30 days, and nothing of them is in a log."""

from datetime import timedelta

from services.desks.drafts import sweep_drafts
from services.ports import people_of_accounts
from tests.mail.letters import START
from tests.site.desk.conftest import CLUB, SCORER, Desks
from tests.site.desk.test_night import DAY, DRAFTS, league_night, meet
from tests.site.desk.typing import Typist

HELD = "SELECT night::text || coalesce(sending::text, '') || named::text FROM mahjic.night_drafts"


async def forget(desks: Desks, address: str) -> None:
    people = people_of_accounts(desks.town.running.service.recording)
    player_id = await desks.town.id_of(address)
    async with desks.town.house.pool.acquire() as connection, connection.transaction():
        await people.forget(connection, player_id)


async def test_a_draft_goes_with_whoever_is_named_in_it(desks: Desks) -> None:
    await meet(desks)
    browser = await desks.browser_of(SCORER)
    for typed in ("alice", "alice@ex.com", "PRIVATE: Alice@EX.com"):
        typist = await Typist.begin(browser)
        await typist.type(date=DAY).row(0, 0, typed).row(0, 1, "Bob").press("save")
    guest = await Typist.begin(browser)
    await guest.type(date=DAY).row(0, 0, "Somebody").press("save")
    await guest.type(guest_0_address="alice@ex.com").press("save")
    other = await Typist.begin(browser)
    await other.type(date=DAY).row(0, 0, "Carol").press("save")
    assert await desks.town.house.pool.fetchval(DRAFTS) == 5
    await forget(desks, "alice@ex.com")
    held = [row[0] for row in await desks.town.house.pool.fetch(HELD)]
    assert len(held) == 1
    assert "Carol" in held[0]
    assert (await browser.get(guest.action)).status_code == 404


async def test_of_a_night_that_is_sent_nobody_is_left_in_its_draft(desks: Desks) -> None:
    await meet(desks)
    await (await league_night(await desks.browser_of(SCORER))).send()
    (held,) = [row[0] for row in await desks.town.house.pool.fetch(HELD)]
    for name in ("lice", "Bob", "@", "MJ-"):
        assert name not in held


async def test_a_draft_that_nobody_touches_is_gone_after_30_days(desks: Desks) -> None:
    typist = await Typist.begin(await desks.browser_of(SCORER))
    await typist.type(date=DAY).press("save")
    pool = desks.town.house.pool
    changed = await pool.fetchval("SELECT changed_at FROM mahjic.night_drafts")
    assert await sweep_drafts(pool, now=changed + timedelta(days=30, seconds=-1)) == 0
    assert await sweep_drafts(pool, now=changed + timedelta(days=30)) == 1
    assert await pool.fetchval(DRAFTS) == 0
    assert await sweep_drafts(pool, now=START) == 0


async def test_a_draft_stays_when_its_typist_leaves(desks: Desks) -> None:
    await meet(desks)
    typist = await Typist.begin(await desks.browser_of(SCORER))
    await typist.type(date=DAY).row(0, 0, "Carol").press("save")
    await desks.town.house.pool.execute(
        "DELETE FROM mahjic.accounts WHERE account_id IN (SELECT begun_by FROM mahjic.night_drafts)"
    )
    assert await desks.town.house.pool.fetchval(DRAFTS) == 1
    assert (await typist.browser.get(f"/desk/{CLUB}")).status_code == 302
