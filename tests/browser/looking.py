"""Looks at pages as everybody does: on a phone and at a desk, in the light and in the dark."""

from collections.abc import Mapping

from playwright.async_api import Browser

from tests.browser.axe import check_axe
from tests.browser.fitting import check_fits
from tests.browser.visitors import DARK_DESKTOP, PHONE, PLAIN_PHONE, Visitor, visiting


async def look_at(browser: Browser, home: str, path: str) -> None:
    """Fail if a page keeps anybody from using it."""
    await look_at_each(browser, home, {path: 200})


async def look_at_each(
    browser: Browser, home: str, statuses: Mapping[str, int]
) -> Mapping[str, str]:
    """Fail if one of these pages keeps anybody from using it; each must have its status.

    Return what each says below the navigation.
    """
    async with visiting(browser, home, DARK_DESKTOP) as visitor:
        for path, status in statuses.items():
            await visitor.go(path, status=status)
            await check_axe(visitor.page)
    async with visiting(browser, home, PLAIN_PHONE) as visitor:
        for path, status in statuses.items():
            await visitor.go(path, status=status)
            await check_fits(visitor)
    told = {}
    async with visiting(browser, home, PHONE) as visitor:
        for path, status in statuses.items():
            told[path] = await read(visitor, path, status=status)
            await check_axe(visitor.page)
    return told


async def read(visitor: Visitor, path: str, *, status: int = 200) -> str:
    """Return what a page says below the navigation."""
    await visitor.go(path, status=status)
    return await visitor.page.get_by_role("main").inner_text()
