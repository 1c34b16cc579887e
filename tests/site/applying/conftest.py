"""A service to apply at, and a browser of whoever does."""

import re
from collections.abc import AsyncIterator

import pytest

from tests.accounts.people import Mailed
from tests.conftest import Database
from tests.site.me.conftest import Member, Town, a_town
from tests.site.players.reading import PageRead

APPLY = "/become-a-source"
_OWN = re.compile(r"/become-a-source/(app_[0-9A-Z]{16})\b")


@pytest.fixture
async def town(database: Database) -> AsyncIterator[Town]:
    async with a_town(database) as town:
        yield town


async def mails_to(town: Town, address: str) -> list[Mailed]:
    """Return all mails to an address, the first one first."""
    return [each for each in await town.house.mails() if each.address == address]


async def fill_in(browser: Member, form: dict[str, str]) -> Mailed:
    """Fill in the form, and return the mail that proves its address."""
    answer = await browser.send(APPLY, form)
    assert (answer.status_code, answer.headers["location"]) == (303, "/login/sent"), answer.text
    return (await browser.house.mails())[-1]


async def begin(browser: Member, form: dict[str, str]) -> str:
    """Fill in the form and follow the link of the mail; return the path of the application."""
    answer = await browser.press(await fill_in(browser, form))
    assert answer.status_code == 303
    path = answer.headers["location"]
    assert _OWN.fullmatch(path), path
    return str(path)


async def apply(browser: Member, form: dict[str, str]) -> str:
    """Fill in the form, prove the address and send it; return the path of the application."""
    path = await begin(browser, form)
    answer = await browser.send(f"{path}/send")
    assert (answer.status_code, answer.headers["location"]) == (303, path)
    return path


def typed_in(page: PageRead) -> dict[str, str]:
    """Return what stands in the fields of the form of an application."""
    form = page.main.one("form", class_="apply")
    typed = {
        each.attributes["name"]: each.attributes.get("value", "")
        for each in form.all("input")
        if each.attributes["type"] != "radio"
    }
    for each in form.all("textarea"):
        # The first line break belongs to the tag.
        (text,) = each.children or [""]
        typed[each.attributes["name"]] = str(text).removeprefix("\n")
    for each in form.all("input", type="radio"):
        typed.setdefault(each.attributes["name"], "")
        if "checked" in each.attributes:
            typed[each.attributes["name"]] = each.attributes["value"]
    for select in form.all("select"):
        chosen = [each for each in select.all("option") if "selected" in each.attributes]
        typed[select.attributes["name"]] = chosen[0].attributes["value"] if chosen else ""
    return typed


def wrong_in(page: PageRead) -> dict[str, str]:
    """Return what is wrong, by the field at which it stands."""
    return {
        each.attributes["id"].removesuffix("-wrong"): each.text
        for each in page.main.all("p", class_="wrong")
    }
