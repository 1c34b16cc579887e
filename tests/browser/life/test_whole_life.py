"""One person's whole way with Mahjic, on a phone, with real mail."""

from pathlib import Path

import pytest
from playwright.async_api import Browser

from tests.browser.life.household import a_household
from tests.browser.life.person import ADDRESS, OFFERED
from tests.browser.life.steps import Life, be_rated, claim, log_in
from tests.browser.visitors import PHONE, visiting
from tests.conftest import Database


async def test_from_the_first_mail_until_nothing_tells_of_them(
    browser: Browser, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        a_household(database, tmp_path, monkeypatch) as house,
        visiting(browser, house.url, PHONE) as phone,
    ):
        life = Life(house, phone)
        await be_rated(life, ADDRESS, OFFERED)
        await log_in(life)
        await claim(life)
