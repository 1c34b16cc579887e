"""A league uploads its sheet: on a phone, at a desktop, dropped on the page, without JavaScript."""

import base64
import re

import pytest
from playwright.async_api import Browser, FilePayload, Page, expect

from services.cli.demo.people import CLUB
from tests.browser.logging_in import log_in_by_code, look_at, slip
from tests.browser.town import Town
from tests.browser.visitors import (
    DESKTOP,
    PHONE,
    PLAIN_DESKTOP,
    PLAIN_PHONE,
    Device,
    Visitor,
    visiting,
)
from tests.sheets.sheets import FIELD_CSV
from tests.site.desk.sheet.uploading import (
    FOUND,
    FOUND_THEN,
    HIDDEN_ROW,
    TYPED,
    TYPED_THEN,
    WRONG,
    book_of,
)

NAME = "night.xlsx"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
DROP = """([name, content]) => {
  const bytes = Uint8Array.from(atob(content), (each) => each.charCodeAt(0));
  const files = new DataTransfer();
  files.items.add(new File([bytes], name));
  const how = { dataTransfer: files, bubbles: true, cancelable: true };
  const drop = (kind) => new DragEvent(kind, how);
  const form = document.querySelector("form.drop");
  form.dispatchEvent(drop("dragover"));
  form.dispatchEvent(drop("drop"));
}"""


async def choose(page: Page, label: str, content: bytes) -> None:
    """Choose a file, and press the button below it."""
    await page.get_by_label(label).set_input_files(
        FilePayload(name=NAME, mimeType=XLSX, buffer=content)
    )
    await page.get_by_role("button", name="Look at it", exact=True).last.click()


async def upload(visitor: Visitor, content: bytes) -> None:
    """Upload a file from the desk, as a hand on a mouse does or as a finger does."""
    page = visitor.page
    await visitor.go(f"/desk/{CLUB}")
    await page.get_by_role("main").get_by_role("link", name="Upload a sheet").last.click()
    await look_at(visitor)
    if visitor.device == DESKTOP:
        await expect(page.get_by_text("You can also drop it here.")).to_be_visible()
        await page.evaluate(DROP, [NAME, base64.b64encode(content).decode()])
    else:
        await choose(page, "The file", content)


async def type_cells(page: Page, typed: dict[str, str]) -> None:
    """Type into cells, each found by what it is called."""
    for name, text in typed.items():
        _c, row, column = name.split("-")
        label = f"Row {row}, column {column}"
        await page.get_by_label(label, exact=True).fill(text)


@pytest.mark.parametrize(
    "device", [PHONE, DESKTOP, PLAIN_PHONE, PLAIN_DESKTOP], ids=lambda each: each.name
)
async def test_a_sheet_full_of_mistakes_is_mended_till_it_counts(
    browser: Browser, club_town: Town, device: Device
) -> None:
    async with visiting(browser, club_town.url, device) as visitor:
        page = visitor.page
        await log_in_by_code(visitor, club_town)
        await visitor.go(f"/desk/{CLUB}/sheet")
        await slip(visitor, "Look at it", page.get_by_text("Choose a file first."))
        await upload(visitor, book_of(*WRONG, hidden=HIDDEN_ROW))
        heading = page.get_by_role("heading", level=1)
        await expect(heading).to_have_text("Fix the sheet")
        await expect(page.get_by_role("alert").get_by_role("listitem")).to_have_count(len(FOUND))
        await look_at(visitor)
        # The list leads to the cell, and the cell says which mistake it is, also to the ear.
        cell = page.get_by_label("Row 7, column A", exact=True)
        await page.get_by_role("link", name="Row 7, column A").click()
        await expect(cell).to_be_focused()
        await expect(cell).to_be_in_viewport()
        await expect(cell).to_have_accessible_description(re.compile("Write an email address"))
        if device.has_javascript:
            await cell.fill("bea@ex.com")
            await page.reload()
            await expect(page.get_by_text("What you typed in this window is back.")).to_be_visible()
            await expect(cell).to_have_value("bea@ex.com")
            await look_at(visitor)
        await type_cells(page, TYPED)
        await page.get_by_role("button", name="Leave out the rows of the example").click()
        await page.get_by_role("button", name="Leave out what is hidden").click()
        await expect(page.get_by_role("alert").get_by_role("listitem")).to_have_count(
            len(FOUND_THEN)
        )
        await type_cells(page, TYPED_THEN)
        await page.get_by_role("button", name="Look at it again").last.click()
        await expect(page.get_by_text("Nothing is wrong in the sheet")).to_be_visible()
        await look_at(visitor)
        await page.get_by_role("button", name="Send it").click()
        await expect(heading).to_have_text("The night is sent")


@pytest.mark.parametrize("device", [DESKTOP, PLAIN_PHONE], ids=lambda each: each.name)
async def test_the_sheet_of_the_seeds_is_sent_and_known_again(
    browser: Browser, club_town: Town, device: Device
) -> None:
    async with visiting(browser, club_town.url, device) as visitor:
        page = visitor.page
        await log_in_by_code(visitor, club_town)
        await upload(visitor, FIELD_CSV)
        await expect(page.get_by_role("button", name="Send it")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", level=1)).to_have_text("The night is sent")
        await upload(visitor, FIELD_CSV)
        question = page.get_by_role("heading", name="This night is on record already")
        await expect(question).to_be_visible()
        await look_at(visitor)
        await page.get_by_role("link", name="Change something in the sheet").click()
        await look_at(visitor)
        await visitor.go(f"/desk/{CLUB}")
        await expect(page.get_by_role("link", name="Sheet of Jan 31, 2026")).to_be_visible()
        await look_at(visitor)
