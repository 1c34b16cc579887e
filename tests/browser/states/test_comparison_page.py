"""A comparison of two formulas is one page: it is fit for everybody, asks nobody, and prints."""

import pytest
from playwright.async_api import Browser, Request

from services.foresight.comparison_page import comparison_page
from tests.browser.axe import check_axe
from tests.browser.fitting import NARROW
from tests.browser.visitors import DESKTOP, PHONE, Device
from tests.operating.test_comparing import a_season, compared
from tests.rater.stories import ADOPTED


@pytest.mark.parametrize("device", [DESKTOP, PHONE, NARROW], ids=lambda each: each.name)
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_it_is_fit_for_everybody(browser: Browser, device: Device, scheme: str) -> None:
    page_bytes = comparison_page(await compared([ADOPTED, *a_season(300, seed=12)]))
    page = await browser.new_page(
        viewport={"width": device.width, "height": device.height},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    page.on("request", note)
    await page.set_content(page_bytes.decode())
    await check_axe(page)
    root = "document.documentElement"
    assert await page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth")
    assert await page.locator("svg[role=img]").count() == 2
    assert await page.locator("table").count() >= 5
    assert not asked
    await page.close()


async def test_it_prints_with_no_table_cut_off(browser: Browser) -> None:
    page_bytes = comparison_page(await compared([ADOPTED, *a_season(300, seed=12)]))
    page = await browser.new_page()
    await page.set_content(page_bytes.decode())
    await page.emulate_media(media="print")
    await page.set_viewport_size({"width": 720, "height": 1000})  # Letter, with its margins.
    cut = await page.evaluate(
        "[...document.querySelectorAll('.scroll')].filter((e) => e.scrollWidth > e.clientWidth)"
        ".map((e) => e.getAttribute('aria-label'))"
    )
    assert cut == []
    assert (await page.pdf(format="Letter"))[:5] == b"%PDF-"
    await page.close()
