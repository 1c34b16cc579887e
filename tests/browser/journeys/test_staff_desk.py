"""Somebody of the staff does every job of the desk, at a desk and on a phone without JavaScript."""

from datetime import UTC, datetime, timedelta

import pytest
from playwright.async_api import Browser, expect

from services.accounts.room import Chance
from services.accounts.staff import add_staff
from services.cli.demo.people import CLUB
from services.ingest.people.disputes import STAFF_AFTER
from tests.browser.logging_in import (
    ALICE,
    log_in_by_code,
    look_at,
)
from tests.browser.passkeys import a_device_with_passkeys
from tests.browser.town import Town
from tests.browser.visitors import DESKTOP, PLAIN_PHONE, Device, Visitor, visiting
from tests.ingest.claims import a_round, a_session
from tests.verification.staff.club import Club
from tests.verification.stripe.account.odd import ODD

ANN, ANN_2, BEN, CAL = (f"{name}@example.org" for name in ("ann", "ann.two", "ben", "cal"))
DISPUTE = """
INSERT INTO mahjic.disputes (player_id, session_id, source, said, said_at)
SELECT $1, session_id, source, 'I was in Ohio that week.', now() - $2::interval
FROM mahjic.submissions WHERE session_date = '2026-01-10'
"""
MAIL = """
INSERT INTO mahjic.mails (
    mail_id, kind, address, is_asked_for, subject, plain, html, queued_at, good_until, due_at,
    tries, smtp_code
) VALUES ('mail_0123456789ABCDEF', 'proof', 'x@example.org', true, 'Code', 'Code', '<p>Code</p>',
    now(), now() + interval '9 days', now() + interval '8 days', 2, 451)
"""


@pytest.fixture
async def staffed_town(own_town: Town) -> Town:
    """Return a town in which somebody played by two addresses, and things wait for staff."""
    pool = own_town.running.pool
    await add_staff(pool, ALICE, "operator", Chance())
    for day, won in [
        (10, {ANN: 3, BEN: 1}),
        (11, {ANN_2: 0, BEN: 2, CAL: 1}),
        (12, {ANN: 1, CAL: 1}),
    ]:
        claim = {**a_session(a_round(won), on=f"2026-01-{day}"), "source_id": CLUB}
        await own_town.submit(claim)
    await pool.execute(DISPUTE, own_town.ids[ANN], STAFF_AFTER + timedelta(days=1))
    await pool.execute(MAIL)
    return own_town


async def come_in(visitor: Visitor, town: Town, browser: Browser) -> None:
    """Log in with a passkey, for which a browser needs JavaScript; the desk does not."""
    async with visiting(browser, town.url, DESKTOP) as first:
        page = first.page
        async with a_device_with_passkeys(page):
            await log_in_by_code(first, town)
            await page.get_by_role("button", name="Make a passkey").click()
            await expect(page.get_by_role("heading", level=1)).to_have_text("Log in")
            await page.get_by_role("button", name="Log in with a passkey").click()
            await expect(page.get_by_role("heading", level=1)).to_have_text("Your account")
            await page.get_by_role("link", name="Staff desk").click()
            await expect(page.get_by_role("heading", level=1)).to_have_text("Staff desk")
        kept = await page.context.cookies()
    await visitor.page.context.add_cookies([{**each} for each in kept])  # type: ignore[typeddict-item]


async def follow(visitor: Visitor, link: str, heading: str) -> None:
    """Follow a link of the page, and look at where it leads."""
    await visitor.page.get_by_role("main").get_by_role("link", name=link, exact=True).first.click()
    await titled(visitor, heading)


async def press(visitor: Visitor, button: str, heading: str, *, status: int = 200) -> None:
    """Press a button of the page, and look at where it leads."""
    visitor.status = status
    # Some say, for those who hear them, what they are about as well.
    await visitor.page.get_by_role("button", name=button).first.click()
    await titled(visitor, heading)


async def titled(visitor: Visitor, heading: str) -> None:
    await expect(visitor.page.get_by_role("heading", level=1)).to_contain_text(heading)
    await look_at(visitor)
    visitor.status = 200


async def look_after_a_player(visitor: Visitor, town: Town) -> None:
    """Find, verify, hide and forget somebody, with every mistake on the way."""
    page = visitor.page
    await follow(visitor, "Players", "Players")
    await page.get_by_label("Mahjic ID").fill("nobody")
    await press(visitor, "Open the player", "Players", status=422)
    await page.get_by_label("Or an address").fill("new@example.org")
    await press(visitor, "Find who has it", "Players", status=404)
    await page.get_by_label("Or an address").fill(CAL)
    await press(visitor, "Find who has it", town.ids[CAL])
    await follow(visitor, "Verify: we know this person", "Verify this player?")
    await page.get_by_label("Why").fill(" ")
    await press(visitor, "Verify", "Verify this player?", status=422)
    await page.get_by_label("Why").fill("Cal’s club knows Cal.")
    await press(visitor, "Verify", town.ids[CAL])
    await follow(visitor, "Make private", "Make this player private?")
    await press(visitor, "Make private", town.ids[CAL])
    await follow(visitor, "Forget this player", "Forget this player?")
    await page.get_by_label("To show that you are sure").fill("yes")
    await press(visitor, "Forget for good", "Forget this player?", status=422)
    await page.get_by_label("To show that you are sure").fill(town.ids[CAL])
    await press(visitor, "Forget for good", town.ids[CAL])
    await follow(visitor, "What staff did", "What staff did")
    await expect(page.get_by_role("rowheader", name="Had a player forgotten")).to_be_visible()


async def look_after_verified_players(visitor: Visitor, town: Town) -> None:
    """Read the money page with something in every part of it, and let a check count."""
    page, pool = visitor.page, town.running.pool
    await follow(visitor, "Verified players", "Verified players")
    club = Club(pool, datetime.now(UTC))
    for email in (ANN, BEN, CAL):
        await club.pays(email)
    for email in (ANN, BEN):
        await club.shows(email, ODD)
    first, second, _third = club.stripe.account.invoices
    club.people.open_dispute(first)
    club.people.refund(second, 500)
    club.people.fail_renewal(next(iter(club.stripe.account.subscriptions)))
    await club.catch_up()
    await pool.execute("UPDATE mahjic.payments SET period_end = now() + interval '20 days'")
    await visitor.go("/staff/verified")
    await titled(visitor, "Verified players")
    held = page.get_by_role("link", name=f"{town.ids[BEN]} showed the document of")
    await held.click()
    await titled(visitor, "A check that is held")
    await page.get_by_label("Why").fill("\u200b")
    await press(visitor, "Let it count", "A check that is held", status=422)
    await page.get_by_label("Why").fill("Twins with one card; we saw both.")
    await press(visitor, "Let it count", "Verified players")
    await expect(held).to_have_count(0)


DEVICES = [DESKTOP, PLAIN_PHONE]


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
async def test_staff_look_after_sources_players_and_what_waits(
    browser: Browser, staffed_town: Town, device: Device
) -> None:
    town = staffed_town
    async with visiting(browser, town.url, device) as visitor:
        page = visitor.page
        await come_in(visitor, town, browser)
        await visitor.go("/staff")
        await titled(visitor, "Staff desk")
        await follow(visitor, "Sources", "Sources")
        name = await page.get_by_role("main").locator("tbody a").first.text_content() or ""
        await follow(visitor, name, name)
        await page.get_by_label("Requests a minute for each of its keys").fill("many")
        await press(visitor, "Save", name, status=422)
        await page.get_by_label("Requests a minute for each of its keys").fill("1,200")
        await press(visitor, "Save", name)
        await page.get_by_text("Suspend it").click()
        await look_at(visitor)
        await press(visitor, f"Suspend {name}", name)
        await press(visitor, "Let it send again", name)
        await follow(visitor, "Disputes", "Disputes")
        await page.get_by_role("main").get_by_role("link", name="Jan 10, 2026").click()
        await titled(visitor, "A session that somebody did not play")
        await page.get_by_label("Your answer").fill(" ")
        await press(visitor, "Send the answer", "A session that", status=422)
        await page.get_by_label("Your answer").fill("Bea remembers you there.")
        await press(visitor, "Send the answer", "Disputes")
        await follow(visitor, "Mail that fails", "Mail that fails")
        await press(visitor, "Try it now", "Mail that fails")
        await press(visitor, "Give it up", "Mail that fails")
        await follow(visitor, "How far behind we are", "How far behind we are")
        await look_after_verified_players(visitor, town)
        await look_after_a_player(visitor, town)


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
async def test_staff_see_what_moves_before_it_moves(
    browser: Browser, staffed_town: Town, device: Device
) -> None:
    town = staffed_town
    async with visiting(browser, town.url, device) as visitor:
        page = visitor.page
        await come_in(visitor, town, browser)
        ann, other, cal = (town.ids[each] for each in (ANN, ANN_2, CAL))
        await visitor.go(f"/staff/players/{other}")
        await follow(visitor, "Merge into another player", f"Merge {other}")
        await page.get_by_label("Mahjic ID that stays").fill("MJ-1")
        await press(visitor, "Show what it would move", f"Merge {other}", status=422)
        await page.get_by_label("Mahjic ID that stays").fill(ann)
        await press(visitor, "Show what it would move", f"Merge {other}")
        await expect(page.get_by_role("rowheader", name=ann)).to_be_visible()
        await town.submit(
            {**a_session(a_round({ANN: 2, CAL: 1}), on="2026-01-13"), "source_id": CLUB}
        )
        await press(visitor, f"Merge {other} into {ann}", f"Merge {other}")
        await expect(page.get_by_role("alert")).to_contain_text("Look at the new figures")
        await press(visitor, f"Merge {other} into {ann}", ann)
        await visitor.go(f"/staff/players/{other}")
        await look_at(visitor)
        await follow(visitor, "Undo the merge", f"Undo the merge of {other}")
        await press(visitor, "Make them two players again", other)
        await visitor.go(f"/staff/players/{ann}")
        await follow(visitor, "Give seats to somebody else", f"Give seats of {ann}")
        await page.get_by_label("Mahjic ID of who sat there").fill(cal)
        await press(visitor, "Show what it would move", f"Give seats of {ann}", status=422)
        await page.get_by_label("Jan 10, 2026").check()
        await press(visitor, "Show what it would move", f"Give seats of {ann}")
        await press(visitor, f"Give the seats to {cal}", ann)
        await follow(visitor, "Formulas", "Formulas")
        await follow(visitor, "Try mahjic-elo/2-scaled", "Try mahjic-elo/2-scaled")
        await page.get_by_label("From now on").check()
        await press(visitor, "Adopt mahjic-elo/2-scaled", "Formulas")
        await follow(visitor, "Void many sessions", "Void many sessions")
        await page.get_by_label("Why").select_option("test_entry")
        await press(visitor, "Show what it would move", "Void many sessions", status=422)
        await page.get_by_label("Source").select_option(CLUB)
        await press(visitor, "Show what it would move", "Void many sessions")
        await page.get_by_text("Which sessions").first.click()
        await look_at(visitor)
        await press(visitor, "Void 4 sessions", "Void many sessions")
