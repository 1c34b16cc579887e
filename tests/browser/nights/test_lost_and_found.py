"""Nothing that is typed is lost: not offline, by a reload, by going back, or by an ended login."""

import asyncio
from collections.abc import Awaitable, Callable
from re import Pattern

import pytest
from playwright.async_api import Browser, Page, Route, expect

from services.cli.demo.people import CLUB
from tests.browser.logging_in import log_in_by_code, look_at
from tests.browser.nights.conftest import FIRST, KEPT, OWNER, count, field_of, type_table
from tests.browser.nights.test_typing_live import begin
from tests.browser.town import Town
from tests.browser.visitors import DESKTOP, PHONE, visiting

STORED = "JSON.stringify(localStorage)"
OFFLINE = "We can’t be reached."


async def check_typed(page: Page, lines: list[tuple[str, str, str]]) -> None:
    """Fail unless the points of these lines stand in the form."""
    for number, (_who, _won, points) in enumerate(lines, start=1):
        await expect(field_of(page, "points", 1, number)).to_have_value(points)


async def test_a_reload_and_the_way_back_find_everything(browser: Browser, club_town: Town) -> None:
    async with visiting(browser, club_town.url, DESKTOP) as visitor:
        page = await begin(visitor, club_town)
        await type_table(page, 1, FIRST)
        # Before any pause is over.
        await page.reload()
        await check_typed(page, FIRST)
        await expect(field_of(page, "who", 1, 4)).to_have_value("Dave")
        await expect(page).to_have_url(KEPT)
        await page.get_by_role("button", name="Look at it").last.click()
        await expect(page.get_by_role("button", name="Send it")).to_be_visible()
        await page.go_back()
        await check_typed(page, FIRST)
        await field_of(page, "points", 1, 1).fill("12.5")
        await expect(page.get_by_role("table")).to_be_visible()
        # Somebody else at another device, and once more after everything was sent.
        async with visiting(browser, club_town.url, PHONE) as other:
            await log_in_by_code(other, club_town, OWNER)
            await other.go(f"/desk/{CLUB}")
            await other.page.get_by_role("link", name="Jan 31, 2026").click()
            await check_typed(other.page, [("", "", "12.5"), *FIRST[1:]])
        for button in ("Look at it", "Send it"):
            await page.get_by_role("button", name=button).last.click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("The night is sent")
        await page.go_back()
        await expect(page.get_by_role("heading", level=1)).to_have_text("The night is sent")
        assert await page.evaluate(STORED) == "{}"
        assert await count(club_town) == 2
        drafts = "SELECT count(*) FROM mahjic.night_drafts"
        assert await club_town.running.pool.fetchval(drafts) == 1


async def test_what_is_typed_offline_is_sent_later(browser: Browser, club_town: Town) -> None:
    async with visiting(browser, club_town.url, PHONE) as visitor:
        page = await begin(visitor, club_town)
        await page.context.set_offline(True)
        await type_table(page, 1, FIRST)
        await expect(page.get_by_text(OFFLINE)).to_be_visible()
        await look_at(visitor)
        await page.get_by_role("button", name="Look at it").last.click()
        await expect(page.get_by_text(OFFLINE)).to_be_visible()
        assert "125" in await page.evaluate(STORED)
        # It is found again by whoever opens the desk or another night there; the page that is
        # closed can't have sent it.
        await page.close()
        await visitor.page.context.set_offline(False)
        page = visitor.page = await visitor.page.context.new_page()
        visitor.watch()
        await visitor.go(f"/desk/{CLUB}")
        await expect(page.get_by_role("link", name="Jan 31, 2026")).to_be_visible()
        await page.get_by_role("link", name="Jan 31, 2026").click()
        await check_typed(page, FIRST)
        await page.context.set_offline(True)
        await field_of(page, "points", 1, 1).fill("-7")
        await expect(page.get_by_text(OFFLINE)).to_be_visible()
        await page.context.set_offline(False)
        await expect(page.get_by_text(OFFLINE)).to_have_count(0)
        assert await page.evaluate(STORED) == "{}"
        await page.reload()
        await check_typed(page, [("", "", "-7"), *FIRST[1:]])
        visitor.faults.clear()
        # Forgotten or thrown away elsewhere, it does not come back by a page that is open still.
        await club_town.running.pool.execute("DELETE FROM mahjic.night_drafts")
        await field_of(page, "points", 1, 1).fill("-8")
        await expect(page.get_by_text("This night is no longer at your desk")).to_be_visible()
        await look_at(visitor)
        assert await page.evaluate(STORED) == "{}"
        drafts = "SELECT count(*) FROM mahjic.night_drafts"
        assert await club_town.running.pool.fetchval(drafts) == 0
        visitor.faults.clear()


async def test_after_an_ended_login_one_goes_on_where_one_was(
    browser: Browser, club_town: Town
) -> None:
    async with visiting(browser, club_town.url, DESKTOP) as visitor:
        page = await begin(visitor, club_town)
        await type_table(page, 1, FIRST[:2])
        await expect(page).to_have_url(KEPT)
        await club_town.running.pool.execute("DELETE FROM mahjic.logins")
        await type_table(page, 1, FIRST)
        await expect(page.get_by_text("You are no longer logged in.")).to_be_visible()
        await look_at(visitor)
        link = page.get_by_role("link", name="Log in, and go on here")
        to = (await link.get_attribute("href") or "").removeprefix("/login?to=")
        await log_in_by_code(visitor, club_town, to=to)
        await check_typed(page, FIRST)
        # The page may have asked more than once.
        visitor.faults[:] = [each for each in visitor.faults if "answered 401" not in each]


async def come_from_elsewhere(page: Page, _: Town) -> None:
    """Let the browser say that another site causes what is sent."""

    async def send(route: Route) -> None:
        foreign = {**route.request.headers, "sec-fetch-site": "cross-site"}
        await route.fulfill(response=await route.fetch(headers=foreign))

    await page.route("**/live", send)


async def stop_at_the_network(page: Page, _: Town) -> None:
    """Let a network answer that wants one to sign in."""
    page_of_network = "<title>Sign in</title>"
    await page.route(
        "**/live",
        lambda route: route.fulfill(status=403, content_type="text/html", body=page_of_network),
    )


async def log_in_for_one_thing_only(_: Page, town: Town) -> None:
    """Make the login that of new staff, who have to add a passkey first."""
    await town.running.pool.execute("UPDATE mahjic.logins SET kind = 'first_passkey'")


@pytest.mark.parametrize(
    ("refuse", "words"),
    [
        (come_from_elsewhere, "the request did not come from a page of this site"),
        (stop_at_the_network, "Perhaps the network asks you to sign in"),
        (log_in_for_one_thing_only, "Add one, then log in with it"),
    ],
)
async def test_what_is_refused_while_one_types_is_told_as_it_is_and_kept(
    browser: Browser,
    club_town: Town,
    refuse: Callable[[Page, Town], Awaitable[None]],
    words: str,
) -> None:
    async with visiting(browser, club_town.url, PHONE) as visitor:
        page = await begin(visitor, club_town)
        await type_table(page, 1, FIRST[:2])
        await expect(page).to_have_url(KEPT)
        await refuse(page, club_town)
        await field_of(page, "points", 1, 1).fill("12.5")
        told = page.get_by_role("alert")
        await expect(told).to_contain_text(words)
        await expect(told).to_contain_text("What you type is kept on this device")
        await expect(told).not_to_contain_text("wrong on our side")
        await look_at(visitor)
        assert "12.5" in await page.evaluate(STORED)
        # Once it is let through, all of it is there.
        await page.unroute("**/live")
        await club_town.running.pool.execute("UPDATE mahjic.logins SET kind = 'person'")
        await field_of(page, "points", 1, 2).fill("9")
        await expect(told).to_be_empty()
        assert await page.evaluate(STORED) == "{}"
        await page.reload()
        await check_typed(page, [("", "", "12.5"), ("", "", "9")])
        visitor.faults.clear()


@pytest.mark.parametrize("is_arrived", [False, True], ids=["before", "after"])
async def test_the_line_breaks_while_a_night_is_sent_and_it_counts_once(
    browser: Browser, club_town: Town, is_arrived: bool
) -> None:
    async with visiting(browser, club_town.url, DESKTOP) as visitor:
        page = await begin(visitor, club_town)
        await type_table(page, 1, FIRST)
        await page.get_by_role("button", name="Look at it").last.click()
        send = page.get_by_role("button", name="Send it")
        await expect(send).to_be_focused()
        # Before the script of the page is there, the browser itself would send the form.
        await page.wait_for_load_state()

        async def break_off(route: Route) -> None:
            if is_arrived:
                await route.fetch(max_redirects=0)
            await route.abort()

        await page.route("**/send", break_off)
        for _ in range(3):
            await send.press("Enter")
        await expect(page.get_by_text("The connection was lost")).to_be_visible()
        await look_at(visitor)
        await page.unroute("**/send")
        # Nor do we know it if something breaks on our side.
        await page.route("**/send", lambda route: route.fulfill(status=503, body="Not now."))
        await send.press("Enter")
        await expect(page.get_by_text("Something went wrong on our side")).to_be_visible()
        await expect(page.get_by_text("The connection was lost")).to_have_count(0)
        await page.unroute("**/send")
        visitor.faults.clear()
        await send.dblclick()
        await expect(page.get_by_role("heading", level=1)).to_have_text("The night is sent")
        assert await count(club_town) == 2


async def test_what_is_typed_on_a_slow_line_stays(browser: Browser, club_town: Town) -> None:
    async with visiting(browser, club_town.url, DESKTOP) as visitor:
        page = await begin(visitor, club_town)
        await type_table(page, 1, FIRST)
        await expect(page).to_have_url(KEPT)
        # The next page is not there yet.
        arrive = await held_back(page, KEPT)
        await page.get_by_role("button", name="Look at it").last.click()
        await field_of(page, "points", 1, 1).fill("13")
        await arrive()
        await check_typed(page, [("", "", "13"), *FIRST[1:]])
        # The copy of before is not there yet.
        await page.route("**/live", lambda route: route.abort())
        await field_of(page, "points", 1, 1).fill("-7")
        await expect(page.get_by_text(OFFLINE)).to_be_visible()
        await page.unroute("**/live")
        arrive = await held_back(page, "**/live")
        await page.reload()
        await field_of(page, "points", 1, 2).fill("9")
        await arrive()
        await check_typed(page, [("", "", "-7"), ("", "", "9"), *FIRST[2:]])
        visitor.faults.clear()
        await page.get_by_role("button", name="Look at it").last.click()
        await expect(page.get_by_role("button", name="Send it")).to_be_visible()
        for points in ("\u22127", "9"):
            await expect(page.get_by_role("cell", name=points, exact=True)).to_be_visible()


async def held_back(page: Page, where: str | Pattern[str]) -> Callable[[], Awaitable[None]]:
    """Hold back what is sent to an address; return what lets it go on."""
    gate = asyncio.Event()

    async def wait(route: Route) -> None:
        await gate.wait()
        await route.continue_()

    await page.route(where, wait)

    async def let_go() -> None:
        async with page.expect_response(where):
            gate.set()
        await page.unroute(where)

    return let_go
