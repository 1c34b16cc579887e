"""People log in with a mail or a passkey, on a phone and at a desk, in a real browser."""

import re

import pytest
from playwright.async_api import Browser, expect

from services.accounts.room import Chance
from services.accounts.staff import add_staff
from tests.browser.axe import check_axe
from tests.browser.logging_in import ALICE, ask, last_mail, log_in_by_code, look_at
from tests.browser.passkeys import a_device_with_passkeys
from tests.browser.town import Town
from tests.browser.visitors import DESKTOP, PHONE, PLAIN_DESKTOP, Device, visiting

_LINK = re.compile(r"http://localhost:\d+(/login/link/\S+)")


@pytest.mark.parametrize("device", [PHONE, DESKTOP, PLAIN_DESKTOP], ids=lambda device: device.name)
async def test_by_mail_with_and_without_javascript(
    browser: Browser, own_town: Town, device: Device
) -> None:
    async with visiting(browser, own_town.url, device) as visitor:
        page = visitor.page
        await visitor.go("/account")
        await expect(page).to_have_url(f"{own_town.url}/login?to=/account")
        await look_at(visitor)
        await log_in_by_code(visitor, own_town)
        await expect(page.get_by_role("heading", level=1)).to_have_text("Your account")
        await look_at(visitor)
        await page.get_by_role("button", name="Log out here").click()
        await ask(visitor)
        (path,) = _LINK.findall((await last_mail(own_town)).text)
        await visitor.go(path)
        await expect(page.get_by_text(ALICE)).to_be_visible()
        await look_at(visitor)
        await page.get_by_role("button", name="Log in here").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Your account")


async def test_a_passkey_is_made_used_elsewhere_and_removed(
    browser: Browser, own_town: Town
) -> None:
    async with visiting(browser, own_town.url, DESKTOP) as visitor:
        page = visitor.page
        async with a_device_with_passkeys(page) as device:
            await log_in_by_code(visitor, own_town)
            await page.get_by_role("button", name="Make a passkey").click()
            await expect(page.get_by_text("Chrome on Linux").first).to_be_visible()
            await expect(page.get_by_text("You can log in by mail, too.")).to_be_visible()
            await page.get_by_role("button", name="Log out here").click()
            await visitor.go("/login")
            await page.get_by_role("button", name="Log in with a passkey").click()
            await expect(page.get_by_role("heading", level=1)).to_have_text("Do you play?")
            await visitor.go("/account")
            await page.get_by_role("button", name="Switch off logging in by mail").click()
            await expect(page.get_by_text("with a passkey only")).to_be_visible()
            await check_axe(page)
            assert [each["isResidentCredential"] for each in await device.kept()] == [True]


async def test_new_staff_add_a_passkey_first_and_come_in_with_it(
    browser: Browser, own_town: Town
) -> None:
    await add_staff(own_town.running.pool, ALICE, "operator", Chance())
    async with visiting(browser, own_town.url, DESKTOP) as visitor:
        page = visitor.page
        async with a_device_with_passkeys(page):
            await log_in_by_code(visitor, own_town)
            await expect(page.get_by_role("heading", level=1)).to_have_text("Add your passkey")
            await look_at(visitor)
            await page.get_by_role("button", name="Make a passkey").click()
            await expect(page.get_by_role("heading", level=1)).to_have_text("Log in")
            await page.get_by_role("button", name="Log in with a passkey").click()
            await expect(page.get_by_role("heading", level=1)).to_have_text("Your account")
            await page.get_by_role("link", name="Staff desk").click()
            await page.get_by_role("main").get_by_role("link", name="What staff did").last.click()
            await expect(
                page.get_by_role("rowheader", name="Made somebody an operator")
            ).to_be_visible()
            await look_at(visitor)
    kinds = await own_town.running.pool.fetch("SELECT kind, by_passkey FROM mahjic.logins")
    assert [tuple(row) for row in kinds] == [("staff", True)]


@pytest.mark.parametrize("device", [PHONE, PLAIN_DESKTOP], ids=lambda device: device.name)
async def test_an_address_of_another_account_joins_the_two(
    browser: Browser, own_town: Town, device: Device
) -> None:
    async with visiting(browser, own_town.url, device) as visitor:
        page = visitor.page
        await log_in_by_code(visitor, own_town, "ben@example.com")
        await page.get_by_role("button", name="Log out here").click()
        await log_in_by_code(visitor, own_town)
        await page.get_by_label("Add another address of yours").fill("ben@example.com")
        await page.get_by_role("button", name="Mail a link to it").click()
        await page.get_by_label("The code in the mail").fill((await last_mail(own_town)).code)
        await page.get_by_role("button", name="Go on").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Join two accounts")
        await look_at(visitor)
        await page.get_by_role("button", name="Make them one").click()
        await expect(page.get_by_text("ben@example.com").first).to_be_visible()
        await look_at(visitor)
