"""People see what is stored of them, join what is theirs, dispute, and are forgotten."""

import asyncio
import json
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.browser.logging_in import (
    ALICE,
    log_in_by_code,
    look_at,
    slip,
)
from tests.browser.town import Town
from tests.browser.visitors import PHONE, PLAIN_DESKTOP, Device, visiting
from tests.ingest.changes.asking import caught_up
from tests.ingest.claims import a_round, a_session

WORK = "alice.work@example.org"
ADD = """
INSERT INTO mahjic.addresses
SELECT $1, account_id, now() FROM mahjic.addresses WHERE address = $2
"""
DEVICES = [PHONE, PLAIN_DESKTOP]


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
async def test_somebody_downloads_everything(
    browser: Browser,
    own_town: Town,
    device: Device,
) -> None:
    async with visiting(browser, own_town.url, device) as visitor:
        page = visitor.page
        await log_in_by_code(visitor, own_town)
        await visitor.go("/me/download")
        await look_at(visitor)
        async with page.expect_download() as coming:
            await page.get_by_role("button", name="Download everything").click()
        file = await coming.value
        assert file.suggested_filename == "mahjic.json"
        told = json.loads(await asyncio.to_thread(Path(await file.path()).read_text))
        assert [each["address"] for each in told["addresses"]] == [ALICE]
        await own_town.running.pool.execute(
            "UPDATE mahjic.logins SET began_at = began_at - interval '1 hour'"
        )
        await visitor.go("/me/download")
        await expect(page.get_by_role("link", name="log in once more")).to_be_visible()
        await look_at(visitor)


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
async def test_somebody_disputes_a_session_and_joins_two_players(
    browser: Browser,
    own_town: Town,
    device: Device,
) -> None:
    running = own_town.running
    key = await running.source_key("a-club")
    night = await running.submit(a_session(a_round({ALICE: 2, "ben": 1})), key)
    await running.submit(a_session(a_round({WORK: 1, "cy": 0}), on="2026-01-02"), key)
    await caught_up(running)
    async with visiting(browser, own_town.url, device) as visitor:
        page = visitor.page
        await log_in_by_code(visitor, own_town)
        await running.pool.execute(ADD, WORK, ALICE)
        await visitor.go(f"/me/sessions/{night.json()['session_id']}/dispute")
        await look_at(visitor)
        await page.get_by_label("What happened?").fill("x" * 501)
        await slip(visitor, "Send it to the club", page.get_by_text("more than 500 characters"))
        await page.get_by_label("What happened?").fill("I was in Ohio.\nAsk Ben. " + "W" * 60)
        await page.get_by_role("button", name="Send it to the club").click()
        await expect(page.get_by_text("The club has not answered yet.")).to_be_visible()
        await look_at(visitor)
        await visitor.go("/me/disputes")
        await expect(page.get_by_text("I was in Ohio.")).to_be_visible()
        await look_at(visitor)
        await visitor.go("/me/merge")
        await look_at(visitor)
        await page.get_by_role("button", name="Put them together").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("You are one player")
        await look_at(visitor)
        await visitor.go("/me/merge")
        await expect(page.get_by_role("link", name="Add another address")).to_be_visible()
        await look_at(visitor)


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
async def test_somebody_is_forgotten(
    browser: Browser,
    own_town: Town,
    device: Device,
) -> None:
    async with visiting(browser, own_town.url, device) as visitor:
        page = visitor.page
        await log_in_by_code(visitor, own_town)
        await visitor.go("/me/forget")
        await look_at(visitor)
        await page.get_by_label("To show that you are sure").fill("yes")
        await slip(visitor, "Forget me for good", page.get_by_text("Nothing was erased."))
        await page.get_by_label("To show that you are sure").fill("forget me")
        await page.get_by_role("button", name="Forget me for good").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("You are forgotten")
        await look_at(visitor)
        await visitor.go("/me/forget")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Log in")
    assert await own_town.running.pool.fetchval("SELECT count(*) FROM mahjic.accounts") == 0
