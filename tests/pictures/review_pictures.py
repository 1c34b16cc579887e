"""Pictures an application to become a source: as the applicant sees it, and as staff do."""

from pathlib import Path
from typing import Final

from playwright.async_api import Browser

from tests.browser.journeys.test_becoming_a_source import TYPED, apply, come_to_desk
from tests.browser.passkeys import a_device_with_passkeys
from tests.browser.town import Town
from tests.browser.visitors import DESKTOP, PHONE, visiting

APPLICANT: Final = "secretary@example.com"


async def picture_review(browser: Browser, town: Town, to: Path) -> None:
    """Apply on a phone, look at it at the staff desk, and keep what is seen."""
    async with visiting(browser, town.url, PHONE) as applicant:
        await apply(applicant, town, APPLICANT)
        await applicant.page.screenshot(path=to / "application-phone.png", full_page=True)
    async with (
        visiting(browser, town.url, DESKTOP) as staff,
        a_device_with_passkeys(staff.page),
    ):
        await come_to_desk(staff, town)
        await staff.page.get_by_role("link", name=TYPED["Name of your club"]).click()
        await staff.page.wait_for_url("**/staff/applications/app_*")
        await staff.page.screenshot(path=to / "review-desktop.png", full_page=True)
