"""Pictures the page on which people become Verified, before and after."""

from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

from playwright.async_api import Browser, Page, expect

from tests.browser.logging_in import log_in_by_code
from tests.browser.town import Town
from tests.browser.visitors import Device, visiting
from tests.site.me.verified.ada_paid import ada_pays

PATH: Final = "/me/verified"
ROSE: Final = "rose@example.com"
READ_OWN: Final = """
SELECT account_id, player_id FROM mahjic.addresses JOIN mahjic.people ON email = address
WHERE address = $1
"""


async def picture_verified(
    browser: Browser, town: Town, devices: Mapping[str, Device], to: Path
) -> None:
    """Log in with each device, and keep what is seen before and after paying."""
    async with AsyncExitStack() as open_pages:
        pages: dict[str, Page] = {}
        for name, device in devices.items():
            visitor = await open_pages.enter_async_context(visiting(browser, town.url, device))
            pages[name] = visitor.page
            await log_in_by_code(visitor, town, ROSE, to="")
            if len(pages) == 1:
                await _welcome(visitor.page)
        await _keep(pages, town, to, "become-verified")
        (own,) = await town.running.pool.fetch(READ_OWN, ROSE)
        await ada_pays(town.running.pool, own["account_id"], own["player_id"])
        await _keep(pages, town, to, "verified")


async def _welcome(page: Page) -> None:
    await page.get_by_role("link", name="I play: get my Mahjic ID").click()
    await page.get_by_label("The name that others see").fill("Rose Whitaker")
    await page.get_by_role("button", name="Get my Mahjic ID").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Rose Whitaker")


async def _keep(pages: Mapping[str, Page], town: Town, to: Path, what: str) -> None:
    for name, page in pages.items():
        await page.goto(f"{town.url}{PATH}")
        await page.screenshot(path=to / f"{what}-{name}.png", full_page=True)
