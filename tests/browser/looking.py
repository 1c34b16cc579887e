"""Looks at pages as everybody does: on a phone and at a desk, in the light and in the dark."""

from playwright.async_api import Browser

from tests.browser.axe import check_axe
from tests.browser.fitting import check_fits
from tests.browser.visitors import DARK_DESKTOP, PHONE, PLAIN_PHONE, visiting


async def look_at(browser: Browser, home: str, path: str, *, status: int = 200) -> str:
    """Fail if a page keeps anybody from using it; return what it says below its navigation."""
    async with visiting(browser, home, DARK_DESKTOP) as visitor:
        await visitor.go(path, status=status)
        await check_axe(visitor.page)
    async with visiting(browser, home, PLAIN_PHONE) as visitor:
        await visitor.go(path, status=status)
        await check_fits(visitor)
    async with visiting(browser, home, PHONE) as visitor:
        await visitor.go(path, status=status)
        await check_axe(visitor.page)
        return await visitor.page.get_by_role("main").inner_text()
