"""People see what is stored of them, join what is theirs, dispute, and are forgotten."""

import asyncio
import json
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.browser.journeys.test_logging_in import (
    ALICE,
    log_in_by_code,
    look_at,
    own_town,  # noqa: F401 - A fixture.
)
from tests.browser.town import Town
from tests.browser.visitors import PHONE, PLAIN_DESKTOP, Device, visiting

DEVICES = [PHONE, PLAIN_DESKTOP]


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
async def test_somebody_downloads_everything(
    browser: Browser,
    own_town: Town,  # noqa: F811
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
async def test_somebody_is_forgotten(
    browser: Browser,
    own_town: Town,  # noqa: F811
    device: Device,
) -> None:
    async with visiting(browser, own_town.url, device) as visitor:
        page = visitor.page
        await log_in_by_code(visitor, own_town)
        await visitor.go("/me/forget")
        await look_at(visitor)
        await page.get_by_label("To show that you are sure").fill("yes")
        visitor.status = 422
        await page.get_by_role("button", name="Forget me for good").click()
        await expect(page.get_by_text("Nothing was erased.")).to_be_visible()
        await look_at(visitor)
        visitor.status = 200
        await page.get_by_label("To show that you are sure").fill("forget me")
        await page.get_by_role("button", name="Forget me for good").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("You are forgotten")
        await look_at(visitor)
        await visitor.go("/me/forget")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Log in")
    assert await own_town.running.pool.fetchval("SELECT count(*) FROM mahjic.accounts") == 0
