"""Somebody makes up rounds on the formula page, and sees what the service would do with them."""

import random
from typing import Final

import pytest
from playwright.async_api import Browser, Page, expect

from services.site.kit.figures import centi
from shared.rating.formula import Seat, rate_round
from shared.rating.registry import PUBLISHED
from tests.browser.axe import check_axe
from tests.browser.fitting import check_fits
from tests.browser.town import Town
from tests.browser.visitors import DESKTOP, PHONE, PLAIN_PHONE, Device, visiting

SEED: Final = 20261130
NEEDS_JAVASCRIPT: Final = "The calculator needs JavaScript, which is off in this browser."
# What the page itself tells of the example, which the fields hold at first.
PLAYERS: Final = ("Alice", "Bea", "Carol", "Dave")


@pytest.mark.parametrize("device", [PHONE, DESKTOP], ids=lambda device: device.name)
async def test_made_up_rounds_move_as_the_service_moves_them(
    browser: Browser, town: Town, device: Device
) -> None:
    rng = random.Random(SEED)
    async with visiting(browser, town.url, device) as visitor:
        await visitor.go("/formula")
        for _ in range(6):
            kind = rng.choice(["social", "league", "tournament"])
            seats = [a_seat(rng) for _ in range(rng.randint(2, 4))]
            await type_in(visitor.page, kind, seats)
            changes = rate_round(PUBLISHED, seats, points_count=kind != "social")
            right = [
                [name, centi(change, signed=True), centi(seat.rating_centi + change)]
                for name, seat, change in zip(PLAYERS, seats, changes, strict=False)
            ]
            assert await shown(visitor.page) == right, (SEED, kind, seats)


async def test_the_example_comes_out_as_the_page_tells_it(browser: Browser, town: Town) -> None:
    async with visiting(browser, town.url, DESKTOP) as visitor:
        await visitor.go("/formula")
        told = visitor.page.get_by_role("region", name="After the round").locator("tbody tr")
        rows = await told.evaluate_all(
            "(rows) => rows.map((row) => [0, 3, 4].map((at) => row.cells[at].textContent))"
        )
        assert await shown(visitor.page) == rows


async def test_a_mistake_is_told_at_its_field_until_it_is_put_right(
    browser: Browser, town: Town
) -> None:
    async with visiting(browser, town.url, PHONE) as visitor:
        page = visitor.page
        await visitor.go("/formula")
        rating = page.get_by_role("group", name="Bea").get_by_label("Rating")
        await rating.fill("good")
        await page.get_by_role("button", name="Work it out").click()
        await expect(rating).to_have_accessible_description("Write a number like 1500 or 1487.25.")
        await expect(page.locator("#calculator-moves")).to_be_hidden()
        await check_axe(page)
        await check_fits(visitor)
        await rating.fill("1550")
        await page.get_by_role("button", name="Work it out").click()
        await expect(rating).to_have_accessible_description("")
        assert len(await shown(page)) == 4


async def test_one_player_alone_is_told_to_find_another(browser: Browser, town: Town) -> None:
    async with visiting(browser, town.url, PHONE) as visitor:
        await visitor.go("/formula")
        for name in PLAYERS[1:]:
            await visitor.page.get_by_role("group", name=name).get_by_label("Rating").fill("")
        await visitor.page.get_by_role("button", name="Work it out").click()
        told = visitor.page.get_by_text("A round takes at least two players.")
        await expect(told).to_be_visible()


async def test_without_javascript_the_page_says_so_and_shows_no_form(
    browser: Browser, town: Town
) -> None:
    async with visiting(browser, town.url, PLAIN_PHONE) as visitor:
        await visitor.go("/formula")
        await expect(visitor.page.get_by_text(NEEDS_JAVASCRIPT)).to_be_visible()
        await expect(visitor.page.locator("#calculator-form")).to_be_hidden()


def a_seat(rng: random.Random) -> Seat:
    """Return somebody at the table, as they could be."""
    return Seat(
        rating_centi=rng.randint(80_000, 220_000),
        games=rng.choice([0, 29, 30, 100, 101, 900]),
        mahjongs=rng.randint(0, 4),
        points_centi=rng.randint(-40, 40) * 25 * rng.choice([1, 40]),
    )


async def type_in(page: Page, kind: str, seats: list[Seat]) -> None:
    """Fill in a round, leave out who is not there, and press the button."""
    await page.get_by_label("Kind of game").select_option(kind)
    for name, seat in zip(PLAYERS, [*seats, None, None], strict=False):
        group = page.get_by_role("group", name=name)
        await group.get_by_label("Rating").fill("" if seat is None else centi(seat.rating_centi))
        if seat is not None:
            await group.get_by_label("Games before").fill(str(seat.games))
            await group.get_by_label("Won").fill(str(seat.mahjongs))
            if kind != "social":
                await group.get_by_label("Points").fill(centi(seat.points_centi, shortest=True))
    await page.get_by_role("button", name="Work it out").click()


async def shown(page: Page) -> list[list[str]]:
    """Return the rows of the result that are seen."""
    rows: list[list[str]] = await page.locator("#calculator-moves tbody tr").evaluate_all(
        "(rows) => rows.filter((row) => row.checkVisibility())"
        ".map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    return rows
