"""People become Verified, stay so, stop, and come back, with Stripe's pages in between."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from playwright.async_api import Browser, expect

from shared.db.server.embedded import EmbeddedServer
from tests.browser.journeys.paying import PATH, PayingTown, a_payer, a_paying_town
from tests.browser.logging_in import ALICE, look_at
from tests.browser.visitors import DESKTOP, PHONE, PLAIN_DESKTOP, PLAIN_PHONE, Device
from tests.verification.stripe.account.odd import ODD

YEAR_DAYS = 365
EVERYBODYS = [PHONE, PLAIN_DESKTOP]


@pytest.fixture
async def paying(
    browser: Browser,
    postgres_server: EmbeddedServer,
    stripe_mock_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[PayingTown]:
    async with a_paying_town(postgres_server, stripe_mock_url, monkeypatch) as paying:
        yield paying


@pytest.mark.parametrize(
    "device", [PHONE, DESKTOP, PLAIN_PHONE, PLAIN_DESKTOP], ids=lambda device: device.name
)
async def test_somebody_pays_fails_the_check_tries_again_and_is_on_the_board(
    browser: Browser, paying: PayingTown, device: Device
) -> None:
    async with a_payer(browser, paying, device) as alice:
        page = alice.page
        await alice.pays()
        await alice.is_told("You have paid, and are not Verified yet")
        await alice.press("Start the check")
        await alice.press("Fail the check: selfie does not match")
        await alice.is_told("does not look like the photo on the document")
        await alice.press("Try again")
        await alice.press("Pass the check")
        await alice.is_told("is renewed then by itself")
        await expect(page.get_by_role("heading", level=1)).to_have_text("You are Verified")
        await alice.visitor.go("/leaderboard")
        await expect(page.get_by_role("link", name="Alice Sampson")).to_have_count(0)
        await paying.play(on="2026-02-07")
        await alice.visitor.go("/leaderboard")
        await expect(page.get_by_role("link", name="Alice Sampson")).to_be_visible()


@pytest.mark.parametrize("device", EVERYBODYS, ids=lambda device: device.name)
async def test_somebody_cancels_lapses_pays_again_and_has_the_old_rating(
    browser: Browser, paying: PayingTown, device: Device
) -> None:
    async with a_payer(browser, paying, device) as alice:
        page, stripe = alice.page, paying.stripe
        await alice.becomes_verified()
        await paying.play(on="2026-02-07")
        rating = await verified_rating(paying)
        assert rating != 1500
        await alice.press("Open my page at Stripe")
        await alice.press("Cancel subscription")
        await page.get_by_role("link", name="Back").click()
        await alice.is_told("It ends then, because it is not renewed.")
        await stripe.pass_time(days=200)
        await alice.logs_in_again()
        await alice.reads("You are Verified until")
        await stripe.pass_time(days=YEAR_DAYS - 200)
        stripe.people.end(stripe.subscription.id)
        await paying.tell()
        await alice.logs_in_again()
        await alice.reads(f"Your Verified rating of {round(rating)} after 12 games is kept")
        await look_at(alice.visitor)
        await paying.play(on="2026-02-08")
        assert await verified_rating(paying) == rating
        await alice.pays("Pay again")
        await alice.is_told("is renewed then by itself")
        assert await verified_rating(paying) == rating
        await paying.play(on="2026-02-09")
        assert await verified_rating(paying) > rating


async def verified_rating(paying: PayingTown) -> float:
    """Return the rating of Alice among Verified players, as everyone reads it."""
    who = await paying.town.running.pool.fetchval(
        "SELECT player_id FROM mahjic.people WHERE email = $1", ALICE
    )
    told = (await paying.town.client.get(f"/v1/players/{who}")).json()
    return float(told["verified_rating"])


@pytest.mark.parametrize("device", EVERYBODYS, ids=lambda device: device.name)
async def test_somebody_gets_the_money_back_by_the_button(
    browser: Browser, paying: PayingTown, device: Device
) -> None:
    async with a_payer(browser, paying, device) as alice:
        await alice.pays()
        await alice.is_told("You can have your money back until")
        await alice.press("Give me my money back")
        await alice.reads("Your money is on its way back to you.")
        await look_at(alice.visitor)
        await paying.stripe.work()
        await alice.is_told("Given back to you")
        await expect(alice.page.get_by_role("button", name="Pay again")).to_be_visible()


@pytest.mark.parametrize("device", EVERYBODYS, ids=lambda device: device.name)
async def test_a_lost_dispute_ends_it(browser: Browser, paying: PayingTown, device: Device) -> None:
    async with a_payer(browser, paying, device) as alice:
        stripe = paying.stripe
        await alice.becomes_verified()
        stripe.people.open_dispute(stripe.invoice.id)
        await paying.tell()
        await alice.opens("Until the bank has decided, nothing changes.")
        stripe.people.close_dispute(stripe.invoice.id, "lost")
        await paying.tell()
        await alice.opens("Your bank took your last payment back from us")
        await expect(alice.page.get_by_role("heading", level=1)).to_have_text("Become Verified")


@pytest.mark.parametrize("device", EVERYBODYS, ids=lambda device: device.name)
async def test_a_card_that_fails_leaves_two_weeks(
    browser: Browser, paying: PayingTown, device: Device
) -> None:
    async with a_payer(browser, paying, device) as alice:
        stripe = paying.stripe
        await alice.becomes_verified()
        await stripe.pass_time(days=YEAR_DAYS, hours=2)
        stripe.people.fail_renewal(stripe.subscription.id)
        await paying.tell()
        await alice.logs_in_again()
        await alice.reads("Stripe is taking the payment for the next one")
        await look_at(alice.visitor)
        await stripe.pass_time(days=1)
        await alice.opens("the payment for the next one has not come through")
        await expect(alice.page.get_by_role("heading", level=1)).to_have_text("You are Verified")
        await look_at(alice.visitor)
        await stripe.pass_time(days=12, hours=20)
        await alice.opens("the payment for the next one has not come through")
        await stripe.pass_time(hours=4)
        await alice.opens("You were Verified until")
        stripe.people.renew(stripe.subscription.id)
        await paying.tell()
        await alice.opens("is renewed then by itself")


@pytest.mark.parametrize("device", EVERYBODYS, ids=lambda device: device.name)
async def test_everything_else_that_the_page_can_say(
    browser: Browser, paying: PayingTown, device: Device
) -> None:
    async with a_payer(browser, paying, device) as alice:
        stripe, pool = paying.stripe, paying.town.running.pool
        await alice.press("Start the check")
        await alice.press("Leave it in processing")
        await alice.is_left_waiting("Stripe is looking at what you sent.")
        await alice.visitor.go(f"{PATH}?from=stripe&look=20")
        await alice.reads("Stripe hasn’t told us yet. That can take some time.")
        await look_at(alice.visitor)
        await hold_check(paying)
        await alice.opens("our staff have to look at it before it counts")
        stripe.fake.switches.away = "fails"
        await alice.visitor.go(PATH)
        alice.visitor.status = 503
        await alice.press("Pay")
        await alice.reads("gives no answer at the moment")
        await look_at(alice.visitor)
        alice.visitor.status = 200
        await pool.execute("UPDATE mahjic.verification_place SET away_since = '2026-01-01'")
        await alice.opens("has given no answer for some minutes")
        await pool.execute("UPDATE mahjic.logins SET began_at = began_at - interval '1 hour'")
        await alice.opens("log in once more")
        for is_verified, words in ((True, "our staff know who you are"), (False, "not Verified")):
            await decide(paying, is_verified=is_verified)
            await alice.opens(words)


async def hold_check(paying: PayingTown) -> None:
    """Pass the check with a document that has no number."""
    stripe = paying.stripe
    stripe.people.pass_check(stripe.check.id, replace(ODD, number=""))
    await paying.tell()


async def decide(paying: PayingTown, *, is_verified: bool) -> None:
    """Decide about Alice as the operator does."""
    town = paying.town
    who = await town.running.pool.fetchval(
        "SELECT player_id FROM mahjic.people WHERE email = $1", ALICE
    )
    answer = await town.client.put(
        f"/v1/admin/players/{who}/verification",
        json={"verified": is_verified},
        headers=town.operator,
    )
    assert answer.status_code == 200, answer.text
