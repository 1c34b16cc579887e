"""What the club does with its nights: enters, corrects and prints one, and uploads a sheet."""

import asyncio
import re
from pathlib import Path
from typing import Final

from playwright.async_api import Page, expect

from tests.browser.axe import check_axe
from tests.browser.desks.story import (
    FIRST,
    SECOND,
    Story,
    arrive,
    check_round,
    field_of,
    look_at,
    open_tab,
    press,
    type_round,
)
from tests.sheets.sheets import FIELD_CSV

SENT: Final = "The night is sent"
PEOPLE: Final = sorted({who for who, _, _ in (*FIRST, *SECOND)})
# How a number is written on a page, but for its minus.
SIGNS: Final = re.compile(r"[+\u00b1]")


async def enter_the_first_night(story: Story) -> None:
    """Enter the league night of the seeds, with people of whom nobody has heard yet."""
    page, visitor = story.owner.phone.page, story.owner.phone
    await open_tab(visitor, "Enter a night")
    await arrive(visitor, "Enter a night")
    await page.get_by_label("Kind of game").select_option("league")
    await type_night(page)
    await press(page, "Look at it")
    await expect(page).to_have_url(re.compile("check=yes"))
    await page.wait_for_load_state("networkidle")
    for name in PEOPLE:
        asked = page.get_by_role("group", name=f"Who is {name}?")
        if name == "Dave":
            await asked.get_by_role("radio", name="The same, but private").check()
        await asked.get_by_role("textbox", name="Email address").fill(f"{name.lower()}@example.com")
    await look_at(visitor)
    await press(page, "Look at it")
    await expect(page.get_by_text("Nothing counts yet.")).to_be_visible()
    await look_at(visitor)
    await press(page, "Send it")
    await arrive(visitor, SENT)
    await story.note_new("night")
    await see_who_moved(story, page)
    await on_paper(page)


async def type_night(page: Page) -> None:
    """Type both rounds."""
    await type_round(page, 1, FIRST)
    await press(page, "Next round, same people")
    await expect(field_of(page, "who", 2, 1)).to_have_value("Alice")
    await type_round(page, 2, SECOND, wall="1")


async def see_who_moved(story: Story, page: Page) -> None:
    """Fail unless the page shows of everybody what a program reads about the session."""
    session = await story.told(story.sessions["night"])
    changes = sorted(round(each["rating_change"]) for each in session["results"])
    rows = page.get_by_role("table", name="Who moved, from where to where").locator("tbody tr")
    await expect(rows).to_have_count(len(PEOPLE))
    shown = [(await row.locator("td").last.inner_text()).strip() for row in await rows.all()]
    assert sorted(int(SIGNS.sub("", each).replace("\u2212", "-")) for each in shown) == changes
    assert (
        sorted([(await row.locator("th bdi").inner_text()) for row in await rows.all()]) == PEOPLE
    )


async def on_paper(page: Page) -> None:
    """Fail unless the printed page has what was played, and nothing to press."""
    await page.emulate_media(media="print")
    await expect(page.get_by_role("table").first).to_be_visible()
    await expect(page.get_by_role("navigation", name="This desk")).to_be_hidden()
    await expect(page.get_by_role("link", name="Enter another night")).to_be_hidden()
    for name in PEOPLE:
        await expect(page.get_by_role("rowheader", name=name).first).to_be_visible()
    await check_axe(page)
    await page.emulate_media(media="screen")


async def correct_it(story: Story) -> None:
    """Find the night again, put one number right, and see that it took the other's place."""
    page, visitor = story.owner.phone.page, story.owner.phone
    await open_tab(visitor, "Sessions")
    await arrive(visitor, "Sessions")
    await page.locator(f"a[href$='{story.sessions['night']}']").click()
    await expect(page.get_by_role("button", name="Correct it")).to_be_visible()
    await look_at(visitor)
    await press(page, "Correct it")
    await check_round(page, 1, [*FIRST[:3], ("Dave", "0", "\u221250")])
    await look_at(visitor)
    await field_of(page, "points", 1, 1).fill("12.5")
    await press(page, "Look at it")
    await expect(page.get_by_role("heading", name="What you change")).to_be_visible()
    await look_at(visitor)
    reasons = page.get_by_role("group", name="Why are you changing it?")
    await reasons.get_by_role("radio").first.check()
    await press(page, "Send the correction")
    await expect(page.get_by_text("Your correction counts now")).to_be_visible()
    await look_at(visitor)
    story.sessions["corrected"] = page.url.rpartition("/")[2].partition("?")[0]
    told = await story.told(story.sessions["corrected"])
    assert told["corrects"] == story.sessions["night"]


async def upload_the_sheet(story: Story, folder: Path) -> None:
    """Upload the sheet of the seeds, see what is in it, and send it."""
    page, visitor = story.owner.phone.page, story.owner.phone
    await open_tab(visitor, "Upload a sheet")
    await arrive(visitor, "Upload a sheet")
    file = folder / "night.csv"
    await asyncio.to_thread(file.write_bytes, FIELD_CSV)
    await page.get_by_label("The file", exact=True).set_input_files(file)
    await press(page, "Look at it")
    await expect(page.get_by_text("Nothing is wrong in the sheet")).to_be_visible()
    await look_at(visitor)
    await press(page, "Send it")
    await arrive(visitor, SENT)
    await story.note_new("sheet")
