"""Somebody checks a player in their own browser, and is told what holds and what does not."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.async_api import Browser, Route, expect

from services.cli.demo.league_night import LEAGUE_NIGHT
from services.telling import public_log_room
from services.transparency.beginning import LogEnding, begin_again, init_public_logs
from services.transparency.folder import TransparencyFolder
from services.transparency.keeping.running import run_transparency
from services.transparency.standing import read_signed
from shared.db.server.embedded import EmbeddedServer
from tests.browser.looking import look_at
from tests.browser.town import ALICE, Town, empty_town
from tests.browser.visitors import DESKTOP, PHONE, PLAIN_PHONE, visiting
from tests.conftest import TEMPLATE, fresh_database
from tests.log.deadlines import until

PUBLIC_URL: Final = "https://mahjic.example"
NEEDS_JAVASCRIPT: Final = "This check needs JavaScript, which is off in this browser."


@pytest.fixture
async def signed_town(
    browser: Browser, postgres_server: EmbeddedServer, tmp_path: Path
) -> AsyncIterator[Town]:
    """Return a town of one league night, whose logs are signed."""
    del browser  # Without one there is nothing to do.
    folder = tmp_path / "transparency"
    init_public_logs(folder, PUBLIC_URL)
    async with (
        fresh_database(postgres_server, template=TEMPLATE) as database,
        empty_town(database, transparency=folder, public_url=PUBLIC_URL) as town,
    ):
        process = town.running.service.process
        room = public_log_room(process, town.running.service.logs)
        keeping = asyncio.create_task(run_transparency(room))
        await town.submit(LEAGUE_NIGHT)
        await town.all_shown()
        await town.read_changes(ALICE)
        end = (await town.running.service.logs.facts.tail()).seq

        async def is_signed() -> bool:
            return [each.size for each in read_signed(process.public_logs.there(), ())] == [
                end,
                end,
            ]

        await until(is_signed)
        try:
            yield town
        finally:
            keeping.cancel()
            with suppress(asyncio.CancelledError):
                await keeping


async def test_whoever_looks_is_told_that_earlier_logs_ended_and_why(
    browser: Browser, postgres_server: EmbeddedServer, tmp_path: Path
) -> None:
    folder = tmp_path / "transparency"
    init_public_logs(folder, PUBLIC_URL)
    why = "A disk was lost on May 3."
    ending = LogEnding(why, datetime(2026, 5, 4, tzinfo=UTC), is_sure=True)
    begin_again(TransparencyFolder(folder), ending)
    async with (
        fresh_database(postgres_server, template=TEMPLATE) as database,
        empty_town(database, transparency=folder, public_url=PUBLIC_URL) as town,
        visiting(browser, town.url, PHONE) as visitor,
    ):
        page = visitor.page
        await visitor.go("/log")
        await expect(page.get_by_text("Earlier logs had to end.")).to_be_visible()
        await look_at(browser, town.url, "/log")
        for name in ("facts", "verdicts"):
            link = page.get_by_role("link", name=f"mahjic.example/{name}", exact=True)
            note = await page.request.get(town.url + str(await link.get_attribute("href")))
            assert f"why {why}\n" in await note.text()


async def test_a_doubt_is_followed_to_the_log_and_checked(
    browser: Browser, signed_town: Town
) -> None:
    async with visiting(browser, signed_town.url, PHONE) as visitor:
        page = visitor.page
        await visitor.go(signed_town.newest_change(ALICE))
        await expect(page.get_by_text("This change follows from fact")).to_be_visible()
        await page.get_by_role("link", name="Check this player").click()
        assert visitor.path == f"/log?player={signed_town.ids[ALICE]}"
        await expect(page.get_by_label("Mahjic ID")).to_have_value(signed_town.ids[ALICE])
        await page.get_by_role("button", name="Check").click()
        await expect(page.get_by_text("Everything holds.")).to_be_visible()
        # Two rounds of one session, which has one fact and one verdict.
        told = page.get_by_text("Changes checked: 2. Records shown whole: 2.")
        await expect(told).to_be_visible()


async def test_an_altered_rating_is_told_with_its_place(
    browser: Browser, signed_town: Town
) -> None:
    who = signed_town.ids[ALICE]

    async def alter(route: Route) -> None:
        answer: Any = await (await route.fetch()).json()
        answer["changes"][0]["why"]["mahjic"]["rating_after"] += 1
        await route.fulfill(body=json.dumps(answer), content_type="application/json")

    async with visiting(browser, signed_town.url, DESKTOP) as visitor:
        await visitor.page.route("**/proofs?*", alter)
        await visitor.go("/log")
        await visitor.page.get_by_label("Mahjic ID").fill(f" {who.lower()} ")
        await visitor.page.get_by_role("button", name="Check").click()
        told = visitor.page.get_by_role("status")
        await expect(told.get_by_text("Something doesn’t hold.")).to_be_visible()
        await expect(told.get_by_role("listitem").first).to_contain_text(f"{who}.")
        await expect(told).to_contain_text("mahjic: rating_after is")


async def test_the_page_is_fit_for_everybody(browser: Browser, signed_town: Town) -> None:
    await look_at(browser, signed_town.url, "/log")
    async with visiting(browser, signed_town.url, PLAIN_PHONE) as visitor:
        await visitor.go("/log")
        await expect(visitor.page.get_by_text(NEEDS_JAVASCRIPT)).to_be_visible()
        await expect(visitor.page.get_by_role("button", name="Check")).to_have_count(0)
        await expect(
            visitor.page.get_by_text("mahjic check https://mahjic.example")
        ).to_be_visible()
    async with visiting(browser, signed_town.url, DESKTOP) as visitor:
        await visitor.go("/log")
        await visitor.page.get_by_label("Mahjic ID").fill("MJ-7K3Q9XZ0")
        await visitor.page.get_by_role("button", name="Check").click()
        await expect(visitor.page.get_by_text("This isn’t a Mahjic ID.")).to_be_visible()
