"""Makes the pictures of docs/clubs.md anew: `make guide`. Each is cut out of a page."""

import asyncio
import io
from pathlib import Path
from typing import Any, Final

from PIL import Image
from playwright.async_api import FloatRect, Locator, expect

from services.cli.demo.people import CLUB
from tests.browser.chromium import running_chromium
from tests.browser.nights.conftest import field_of
from tests.browser.town import ALICE, Town
from tests.browser.visitors import Device, Visitor, visiting
from tests.pictures.desk_pictures import log_in, open_desk, upload
from tests.pictures.own_town import own_town
from tests.site.desk.sheet.uploading import book_of

FOLDER: Final = Path(__file__).parents[2] / "docs" / "pictures"
PAPER: Final = Device("paper", 768, 1024)
# Above what is cut out, in pixels.
MARGIN: Final = 4
COLORS: Final = 128
DAY: Final = "2026-02-03"
NAMES: Final = {
    ALICE: "Alice Abrams",
    "bea@ex.com": "Bea Bennett",
    "carla@ex.com": "Carla Diaz",
    "dot@ex.com": "Dot Ellis",
}
# Games won on the nights before, by each of them.
BEFORE: Final = {"2026-01-20": (3, 1, 0, 2), "2026-01-27": (2, 1, 1, 2)}
WON: Final = (2, 1, 2, None)
WALL_GAMES: Final = 1
SHEET: Final[tuple[list[object], ...]] = (
    ["MAHJIC SCORE SHEET", None, "Date: 2026-02-10"],
    ["Game Type: League"],
    ["ROUND 1 | Games Played: 4 | Wall Games: 0"],
    ["Player Email", "Mahjongs", "Points"],
    [ALICE, 2, 80],
    ["bea at ex.com", 1, 20],
    ["carla@ex.com", 1, -30],
    ["dot@ex.com", 0, -70],
)


async def make_pictures(folder: Path) -> None:
    """Keep score on a service of its own, and keep what the guide shows of it."""
    async with own_town() as town, running_chromium() as browser:
        await _play(town)
        await open_desk(town)
        async with visiting(browser, town.url, PAPER) as visitor:
            await log_in(visitor, town)
            await _picture_night(visitor, folder)
            await _picture_sheet(visitor, folder)


async def _play(town: Town) -> None:
    for day, wins in BEFORE.items():
        seats: list[dict[str, Any]] = [
            {"email": who, "name": name, "games_played": sum(wins), "mahjongs": won}
            for (who, name), won in zip(NAMES.items(), wins, strict=True)
        ]
        await town.submit(
            {
                "source_id": CLUB,
                "session_date": day,
                "game_type": "social",
                "rounds": [{"players": seats, "wall_games": 0}],
            }
        )
    await town.all_shown()


async def _picture_night(visitor: Visitor, folder: Path) -> None:
    page = visitor.page
    await visitor.go(f"/desk/{CLUB}/night")
    await page.get_by_label("Date").fill(DAY)
    for seat, (name, won) in enumerate(zip(NAMES.values(), WON, strict=True), start=1):
        await field_of(page, "who", 1, seat).fill(name)
        await field_of(page, "games won", 1, seat).fill("" if won is None else str(won))
    await page.get_by_label("Wall games in round 1").fill(str(WALL_GAMES))
    await page.keyboard.press("Tab")
    await expect(page.get_by_text("Nothing is missing.")).to_be_visible()
    table = page.get_by_role("group", name="Round 1")
    await _keep(folder / "club-night.png", table, table)


async def _picture_sheet(visitor: Visitor, folder: Path) -> None:
    page = visitor.page
    await upload(visitor, book_of(*SHEET))
    rows = page.get_by_role("row")
    await _keep(folder / "club-sheet.png", rows.nth(4), rows.nth(6))
    await page.get_by_label("Row 6, column A").fill("bea@ex.com")
    await page.get_by_role("button", name="Look at it again").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Tuesday, Feb 10, 2026")
    moves = page.get_by_role("row", name="Dot Ellis").first
    await _keep(folder / "club-look.png", page.get_by_role("button", name="Send it"), moves)


async def _keep(to: Path, first: Locator, last: Locator) -> None:
    """Cut out what stands on a page from one place to another, without the focus, in few colors."""
    page = first.page
    await page.evaluate("document.activeElement.blur()")
    above, below = await first.bounding_box(), await last.bounding_box()
    assert above is not None
    assert below is not None
    top = above["y"] + await page.evaluate("scrollY") - MARGIN
    height = below["y"] + below["height"] - above["y"] + MARGIN
    clip = FloatRect(x=0, y=top, width=PAPER.width, height=height)
    seen = Image.open(io.BytesIO(await page.screenshot(full_page=True, clip=clip)))
    seen.quantize(COLORS).save(to, optimize=True)


if __name__ == "__main__":
    asyncio.run(make_pictures(FOLDER))
