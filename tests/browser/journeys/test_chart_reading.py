"""A chart is read point by point: with arrow keys, with a pointer, and without JavaScript."""

import re

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from tests.browser import townsfolk as folk
from tests.browser.keyboard import tab_to
from tests.browser.town import Town
from tests.browser.visitors import DESKTOP, PHONE, PLAIN_PHONE, Device, visiting

# Where the rings of the reading stand in the chart that is seen, and the marks of now and best.
MARKS = """() => {
  const chart = [...document.querySelectorAll("svg.chart")].find((each) => each.checkVisibility());
  const spots = (selector) => [...chart.querySelectorAll(selector)]
    .filter((each) => each.getAttribute("visibility") !== "hidden")
    .map((each) => [Number(each.getAttribute("cx")), Number(each.getAttribute("cy"))]);
  return { rings: spots(".reading"), now: spots("circle.now"), best: spots(".peak") };
}"""
# Rings stand at the ratings of the table, which have no decimals; half a point is less than this.
NEAR = 1.0


def slider_of(page: Page) -> Locator:
    return page.get_by_role("slider", name="Go through the ratings one by one")


async def told_rows(page: Page) -> list[list[str]]:
    """Return what the table of a chart says, row by row."""
    rows: list[list[str]] = await page.locator("table.chart-table tbody tr").evaluate_all(
        "(rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent.trim()))"
    )
    return rows


def words_of(row: list[str], names: list[str]) -> str:
    """Return how a row is said aloud."""
    day, *cells, what = row
    said = []
    for name, cell in zip(names, cells, strict=True):
        rating, _, moved = cell.partition(" ")
        if rating:
            words = f"{rating}, {moved}" if moved else rating
            said.append(f"{name} {words}" if len(names) > 1 else words)
    return f"{day}: {'; '.join(said)}" + ("" if what == "Session" else f". {what}")


def near(one: list[float], other: list[float]) -> bool:
    return all(abs(a - b) <= NEAR for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("device", [PHONE, DESKTOP], ids=lambda device: device.name)
async def test_arrow_keys_tell_every_point_in_words_and_show_it(
    browser: Browser, town: Town, device: Device
) -> None:
    async with visiting(browser, town.url, device) as visitor:
        page = visitor.page
        await visitor.go(town.page(folk.PEAK))
        rows = await told_rows(page)
        assert [row[-1] for row in rows] == [
            "Session, taken back by a correction",
            "Session",
            "Correction",
        ]
        names = ["All games", "Verified games"]
        slider = slider_of(page)
        await tab_to(page, slider)
        words, shown = [], []
        for key in ("End", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowRight", "Home", "End"):
            await page.keyboard.press(key)
            said = await slider.get_attribute("aria-valuetext")
            # Seen under the chart as well.
            await expect(page.locator(".chart-reader output")).to_have_text(str(said))
            words.append(said)
            shown.append(await page.evaluate(MARKS))
        assert words == [words_of(rows[at], names) for at in (2, 1, 0, 0, 1, 0, 2)]
        last = shown[0]
        assert all(map(near, last["rings"], last["now"]))
        assert len(last["rings"]) == len(last["now"]) == 2
        (best,) = last["best"]
        assert near(last["rings"][0], best), "The correction left the best rating."
        # From the first session to now it goes to the right; higher ratings stand higher.
        first, second, third = [shown[at]["rings"][0] for at in (2, 1, 0)]
        assert first[0] < second[0] < third[0]
        ratings = [int(row[1].partition(" ")[0]) for row in rows]
        assert ratings[0] > ratings[1] > ratings[2]
        assert first[1] < second[1] < third[1]


async def test_a_pointer_finds_the_session_below_it(browser: Browser, town: Town) -> None:
    async with visiting(browser, town.url, DESKTOP) as visitor:
        page = visitor.page
        await visitor.go(f"{town.page(folk.OFTEN)}/chart")
        rows = await told_rows(page)
        assert len(rows) >= folk.OFTEN_SESSIONS
        chart = page.get_by_role("img", name=re.compile("All games")).first
        box = await chart.bounding_box()
        assert box is not None
        middle = box["y"] + box["height"] / 2
        found = []
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            await page.mouse.move(box["x"] + share * (box["width"] - 1), middle)
            found.append(int(await slider_of(page).input_value()))
            (ring, *_), x = (await page.evaluate(MARKS))["rings"], share * 720
            assert share in {0, 1} or abs(ring[0] - x) < 2
        assert found[0] == 0
        assert found[-1] == len(rows) - 1
        assert found == sorted(set(found))
        names = ["All games", "Verified games"][: len(rows[0]) - 2]
        said = await slider_of(page).get_attribute("aria-valuetext")
        assert said == words_of(rows[-1], names)


async def test_without_javascript_the_table_says_it_all(browser: Browser, town: Town) -> None:
    async with visiting(browser, town.url, PLAIN_PHONE) as visitor:
        page = visitor.page
        await visitor.go(town.page(folk.PEAK))
        await expect(page.get_by_role("slider")).to_have_count(0)
        await page.get_by_text("The same as a table").click()
        table = page.get_by_role("table", name=re.compile("^Ratings after each session"))
        await expect(table.get_by_role("row")).to_have_count(4)
        await visitor.go(town.page(folk.OFTEN))
        await page.get_by_role("link", name="All ratings, one by one").click()
        await page.wait_for_url("**/chart")
        assert len(await told_rows(page)) >= folk.OFTEN_SESSIONS
