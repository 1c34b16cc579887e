"""Who gets to the pages of one's own, and where everyone else is led."""

import pytest

from services.accounts.own.mail_choices import choose_mail
from services.accounts.staff import add_staff
from services.site.api import SITE_ROUTES
from tests.site.me.conftest import ADA, BEA, CARA, DORA, Town

PAGES = sorted(
    {
        route.path
        for route in SITE_ROUTES
        if route.method == "GET" and route.path.split("/")[1] == "me" and "{" not in route.path
    }
)
ACTS = sorted(
    {
        route.path.format_map(dict.fromkeys(("session_id", "change_id"), "x"))
        for route in SITE_ROUTES
        if route.method != "GET" and route.path.split("/")[1] == "me"
    }
)


async def everything(town: Town) -> str:
    tables = ("accounts", "addresses", "mail_choices", "people", "players", "facts", "disputes")
    rows = [
        await town.house.pool.fetch(f"SELECT * FROM mahjic.{each} ORDER BY 1") for each in tables
    ]
    return repr([[tuple(row) for row in each] for each in rows])


async def choose_for(town: Town, address: str) -> None:
    """Welcome somebody, whatever the page asks."""
    accounts = town.house.accounts
    account_id = await town.house.pool.fetchval(
        "SELECT account_id FROM mahjic.addresses WHERE address = $1", address
    )
    await accounts.settled(lambda c: choose_mail(accounts, c, account_id, "nothing"))


@pytest.mark.parametrize("path", PAGES)
async def test_whoever_is_not_logged_in_logs_in_and_comes_back(town: Town, path: str) -> None:
    browser = await town.new_browser()
    assert await browser.leads_to(path) == f"/login?to={path}"
    assert await browser.leads_to(f"{path}?cursor=ab") == f"/login?to={path}%3Fcursor%3Dab"
    answer = await browser.press(await browser.ask(ADA, to=f"{path}?cursor=ab"))
    assert answer.headers["location"] == f"{path}?cursor=ab"


async def test_after_a_login_with_nothing_else_to_go_to_people_are_at_their_page(
    town: Town,
) -> None:
    browser = await town.new_browser()
    for to in ("", "//elsewhere.example", "https://elsewhere.example/me", "/a b"):
        answer = await browser.press(await browser.ask(BEA if to else ADA, to=to))
        assert answer.headers["location"] == "/me"
        if to:
            break
    answer = await browser.press(await browser.ask(CARA, to="/account"))
    assert answer.headers["location"] == "/account"


async def test_somebody_without_a_player_is_asked_and_stays_without_one(town: Town) -> None:
    member = await town.member()
    page = await member.page("/me")
    assert "Do you play?" in page.main.text
    assert ADA in page.main.text
    for path in PAGES:
        answer = await member.get(path)
        assert answer.status_code == 200 or answer.headers["location"] in {"/me", "/me/merge"}, path
    assert await town.house.pool.fetchval("SELECT count(*) FROM mahjic.players") == 0


async def test_new_staff_add_their_passkey_first(town: Town) -> None:
    await add_staff(town.house.pool, ADA, "operator", town.house.accounts.chance)
    await town.play({ADA: 2, BEA: 1, CARA: 0, DORA: 1})
    member = await town.member()
    before = await everything(town)
    for path in PAGES:
        assert await member.leads_to(path) == "/account"
    for path in ACTS:
        answer = await member.send(path)
        assert (answer.status_code, "passkey" in answer.text) == (403, True), path
    assert await everything(town) == before


async def test_the_page_tells_who_one_is_and_who_sent_it(town: Town) -> None:
    await town.play({ADA: 2, BEA: 1, CARA: 0, DORA: 1})
    member = await town.member()
    assert await member.leads_to("/me") == "/me/welcome"
    await choose_for(town, ADA)
    page = await member.page("/me")
    who = await town.id_of(ADA)
    assert page.main.one("h1").text == who
    assert f"/players/{who}" in page.main.links()
    assert page.main.one("section", **{"aria-labelledby": "sources-title"}).links() == [
        "/sources/a-club"
    ]
    assert "Everyone can see" in page.main.text
    for address in (ADA, BEA, CARA, DORA):
        assert address not in page.html


@pytest.mark.parametrize("path", ACTS)
async def test_nothing_changes_for_whoever_is_not_logged_in(town: Town, path: str) -> None:
    await town.play({ADA: 2, BEA: 1, CARA: 0, DORA: 1})
    browser = await town.new_browser()
    before = await everything(town)
    answer = await browser.send(path, {"name": "Ada", "seen": "private", "mail": "summary"})
    assert answer.status_code == 401
    assert 'href="/login"' in answer.text
    assert await everything(town) == before
