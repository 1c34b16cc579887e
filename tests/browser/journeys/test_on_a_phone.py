"""What people look up at a card table: two players side by side, and a best rating that is true.

Whom they compare, they compare at a desk as well.
"""

import re
from decimal import Decimal

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser import townsfolk as folk
from tests.browser.journeys.sums import expected_score, number
from tests.browser.town import ALICE, Town
from tests.browser.visitors import DEVICES, PHONE, PLAIN_PHONE, Device, visiting

BOTH = pytest.mark.parametrize("device", [PHONE, PLAIN_PHONE], ids=lambda device: device.name)
# Narrow and wide phones, and the small screens of old ones.
WIDTHS = (320, 360, 390, 430)
TOPS = """() => [...document.querySelectorAll("header nav a")].map((link) =>
  Math.round(link.getBoundingClientRect().top))"""


async def numbers_of(page: Page, row: str) -> tuple[Decimal, Decimal]:
    """Return what a row of the comparison says of both."""
    cells = page.get_by_role("table").first.get_by_role("row", name=re.compile(f"^{row}"))
    one, other = await cells.get_by_role("cell").all_inner_texts()
    return number(one), number(other)


async def exact_pair(town: Town, field: str) -> tuple[Decimal, Decimal]:
    """Return both ratings of those who are compared, with all their digits."""
    return (
        await exact_rating(town, folk.OFTEN, field),
        await exact_rating(town, ALICE, field),
    )


async def check_exact(page: Page, device: Device, pairs: list[tuple[Decimal, Decimal]]) -> None:
    """Check that a browser with JavaScript has worked out what to expect, to the last digit."""
    worked_out = page.get_by_text("Your browser has worked it out too")
    if not device.has_javascript:
        await expect(worked_out).to_be_hidden()
        return
    shares = re.findall(r"\d\.\d+", await worked_out.inner_text())
    assert shares == [f"{expected_score(*pair):.9f}" for pair in pairs]


async def exact_rating(town: Town, who: str, field: str) -> Decimal:
    answer = await town.client.get(f"/v1/players/{town.ids[who]}")
    return Decimal(str(answer.json()[field]))


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
async def test_two_are_compared_and_the_expected_score_is_right(
    browser: Browser, town: Town, device: Device
) -> None:
    one, other = folk.OFTEN, ALICE
    async with visiting(browser, town.url, device) as visitor:
        page = visitor.page
        await visitor.go("/compare")
        await page.get_by_role("searchbox", name="First player").fill("Mary Marg")
        await page.get_by_role("searchbox", name="Second player").fill("alice")
        await page.get_by_role("button", name="Compare").click()
        for who in (one, other):
            await page.get_by_role("link", name=town.name(who)).click()
        names = f"{town.name(one)} and {town.name(other)}"
        await expect(page.get_by_role("heading", level=1)).to_have_text(names)
        told = await page.get_by_text("would be expected to score").inner_text()
        percents = [number(each) for each in re.findall(r"(\d+)%", told)]
        rows = [await numbers_of(page, row) for row in ("Rating", "Verified rating")]
        fields = ("rating", "verified_rating")
        assert len(percents) == len(rows) == len(fields)
        for percent, shown, field in zip(percents, rows, fields, strict=True):
            exact = [await exact_rating(town, who, field) for who in (one, other)]
            assert percent == round(100 * expected_score(*exact))
            # Whoever works with the numbers on the page comes as near as those are.
            assert abs(percent - 100 * expected_score(*shown)) < 1
            assert all(abs(a - b) <= Decimal("0.5") for a, b in zip(shown, exact, strict=True))
        assert percents[0] > 50
        await check_exact(page, device, [await exact_pair(town, field) for field in fields])
        await visitor.go(f"/compare/{town.ids[other]}/{town.ids[one]}")
        turned = await page.get_by_text("would be expected to score").inner_text()
        assert [number(each) for each in re.findall(r"(\d+)%", turned)] == [
            100 - each for each in percents
        ]


@BOTH
async def test_a_peak_that_was_corrected_is_no_best_rating_any_more(
    browser: Browser, town: Town, device: Device
) -> None:
    taken_back = str(round(town.peak_taken_back))
    async with visiting(browser, town.url, device) as visitor:
        page = visitor.page
        await visitor.go(town.newest_change(folk.PEAK))
        result = page.get_by_role("region", name="Rating", exact=True)
        corrected = number((await result.locator(".sum strong").inner_text()).removeprefix("= "))
        assert corrected < Decimal(str(town.peak_taken_back))
        await visitor.go(town.page(folk.PEAK))
        record = page.get_by_role("region", name="Record")
        told = dict(
            zip(
                await record.get_by_role("term").all_inner_texts(),
                await record.get_by_role("definition").all_inner_texts(),
                strict=True,
            )
        )
        # As it was rated after the correction: 2 games of 8, and none of 5.
        assert (told["Games"], told["Won"].split()[0], told["Sessions"]) == ("13", "2", "2")
        assert told["Best rating"].split()[0] == str(round(corrected))
        chart = page.get_by_role("img", name=re.compile("All games"))
        assert await chart.locator("text.mark:not(.now)").all_text_contents() == [
            f"best {round(corrected)}"
        ]
        described = str(await chart.locator("desc").text_content())
        assert f"best {round(corrected)}" in described
        assert taken_back not in described
        # What was taken back can still be read, and says that it was.
        await page.get_by_text("The same as a table").click()
        row = page.get_by_role("row", name=re.compile(taken_back))
        await expect(row).to_contain_text("taken back by a correction")


async def test_the_navigation_is_one_row_on_every_phone(browser: Browser, town: Town) -> None:
    async with visiting(browser, town.url, PHONE) as visitor:
        for path in ("/", "/leaderboard", "/find", "/sources", "/formula"):
            await visitor.go(path)
            for width in WIDTHS:
                await visitor.page.set_viewport_size({"width": width, "height": 800})
                tops = await visitor.page.evaluate(TOPS)
                assert len(set(tops)) == 1, f"{path} at {width} px: {tops}"
