"""A club finds its sessions by day and by player, opens one, and downloads it as a sheet."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.service import bearer
from tests.site.desk.conftest import CLUB, OTHER, OWNER, SCORER, STRANGER, Desks
from tests.site.desk.test_night import DAY, NAMES, as_sent, meet
from tests.site.players.reading import PageRead

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
LIST = f"/desk/{CLUB}/sessions"


def claim_of(day: str, won: Mapping[str, int]) -> dict[str, Any]:
    """Return a small social session of a day."""
    seats = [
        {"email": who, "games_played": 4, "mahjongs": mahjongs} for who, mahjongs in won.items()
    ]
    wall = 4 - sum(won.values())
    rounds = [{"players": seats, "wall_games": wall}]
    return {"session_date": day, "game_type": "social", "rounds": rounds}


async def read(desks: Desks, path: str) -> dict[str, Any]:
    """Read what the interface answers to the club's key."""
    headers = bearer(desks.town.key)
    answer = await desks.town.running.client.get(path, headers=headers)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def send(desks: Desks, claim: dict[str, object]) -> str:
    """Have a session of the club rated and shown, as a program sends it; return its id."""
    answer = await desks.town.running.submit(claim, desks.town.key)
    assert answer.status_code == 201, answer.text
    await desks.town.shown(answer.json()["seq"])
    return str(answer.json()["session_id"])


def linked(page: PageRead) -> list[str]:
    """Return the sessions to which a page leads, in its order."""
    return [each.rsplit("/", 1)[1] for each in page.main.links() if each.startswith(f"{LIST}/ses_")]


def rows(page: PageRead, caption: str) -> Sequence[Sequence[str]]:
    """Return the rows of the table with a caption, without its head."""
    (table,) = [
        each for each in page.main.all("table") if each.one("caption").text.startswith(caption)
    ]
    return table.rows()[1:]


async def test_sessions_are_found_by_day_and_by_player(desks: Desks) -> None:
    await meet(desks)
    night = await send(desks, as_sent())
    newest = await send(desks, claim_of("2026-02-07", {"eve@ex.com": 1, "george@ex.com": 0}))
    browser = await desks.browser_of(SCORER)
    page = await browser.page(LIST)
    first = linked(page)[-1]
    assert linked(page) == [newest, night, first]
    assert "Feb 7, 2026" in page.main.text
    assert "Eve, George" in page.main.text
    assert "League · 2 rounds · counts" in page.main.text
    # The filter offers the club's own names, and its address holds ids only.
    options = {each.text: each.attributes["value"] for each in page.main.all("option")}
    assert set(options) == {"Anybody", *NAMES.values()}
    asked = {
        f"from={DAY}": [newest, night],
        f"to={DAY}": [night, first],
        f"from={DAY}&to={DAY}": [night],
        f"player={options['George']}": [newest, night, first],
        f"player={options['Alice']}": [night, first],
        f"player={options['Alice']}&from={DAY}&fbclid=x": [night],
        "from=2027-01-01": [],
    }
    for query, found in asked.items():
        assert linked(await browser.page(f"{LIST}?{query}")) == found, query
    assert "No session matches" in (await browser.page(f"{LIST}?from=2027-01-01")).main.text


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("from=yesterday", "from"),
        ("to=2026-02-30", "to"),
        ("from=2026-02-01&to=2026-01-01", "to"),
        ("player=MJ-00000000", "player"),
        ("player=%00", "player"),
    ],
)
async def test_what_cannot_be_looked_for_is_said_at_its_field(
    desks: Desks, query: str, field: str
) -> None:
    browser = await desks.browser_of(SCORER)
    page = await browser.page(f"{LIST}?{query}", status=422)
    assert [each.attributes["id"] for each in page.main.all("p", class_="wrong")] == [
        f"{field}-wrong"
    ]


async def test_long_lists_are_pages_and_each_session_is_on_one(desks: Desks) -> None:
    won = {"a@ex.com": 1, "b@ex.com": 0}
    sent = [await send(desks, claim_of(f"2025-04-{day:02}", won)) for day in range(1, 31)]
    browser = await desks.browser_of(SCORER)
    page = await browser.page(f"{LIST}?from=2025-04-02")
    (older,) = [each for each in page.main.links() if "cursor=" in each]
    found = [*linked(page), *linked(await browser.page(LIST + older))]
    assert found == sent[:0:-1]
    # A cursor of another list begins anew.
    assert await browser.leads_to(LIST + older.replace("04-02", "04-05")) == LIST
    assert await browser.leads_to(f"{LIST}?cursor=x") == LIST


async def test_a_session_shows_who_sat_and_who_moved_from_where_to_where(desks: Desks) -> None:
    await meet(desks)
    night = await send(desks, as_sent())
    told = await read(desks, f"/v1/sessions/{night}")
    page = await (await desks.browser_of(SCORER)).page(f"{LIST}/{night}")
    assert page.main.one("h1").text == "Session of Jan 31, 2026"
    moved = rows(page, "Who moved")
    assert [row[0] for row in moved] == list(NAMES.values())
    assert [row[1:3] for row in moved] == [
        [str(round(each["rating_before"])), str(round(each["rating_after"]))]
        for each in told["results"]
    ]
    assert rows(page, "Round 1: 4 games") == [
        ["Alice", "2", "125"],
        ["Bob", "1", "80"],
        ["Carol", "1", "45"],
        ["Dave", "0", "−50"],
    ]


async def test_a_session_of_others_is_as_one_that_is_not_there(desks: Desks) -> None:
    night = await send(desks, as_sent())
    await desks.make(OWNER, "scorer", OTHER)
    browser = await desks.browser_of(OWNER)
    nowhere = "ses_01HZX3Y5ZQ8W6V4T2R0PNMKJHG"
    for path in ("", "/sheet.csv", "/sheet.xlsx"):
        for each in (night, nowhere, "%00", "x" * 3000):
            assert (await browser.get(f"/desk/{OTHER}/sessions/{each}{path}")).status_code == 404
        assert (await browser.get(f"{LIST}/{night}{path}")).status_code == 200
    stranger = await desks.browser_of(STRANGER)
    assert (await stranger.get(f"{LIST}/{night}")).status_code == 404


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
async def test_a_sheet_that_is_uploaded_again_is_the_same_session(desks: Desks, kind: str) -> None:
    await meet(desks)
    night = await send(desks, as_sent())
    answer = await (await desks.browser_of(SCORER)).get(f"{LIST}/{night}/sheet.{kind}")
    assert answer.headers["content-disposition"] == f'attachment; filename="{night}.{kind}"'
    assert answer.headers["cache-control"] == "no-store"
    types = {"csv": "text/csv", "xlsx": XLSX}
    headers = {**bearer(desks.town.key), "Content-Type": types[kind]}
    sheets, client = "/v1/sheets", desks.town.running.client
    tried = await client.post(f"{sheets}?dry_run=true", content=answer.content, headers=headers)
    assert tried.status_code == 200, tried.text
    sent = as_sent()
    assert tried.json()["claim"]["session_date"] == sent["session_date"]
    assert tried.json()["claim"]["rounds"] == sent["rounds"]
    again = await client.post(sheets, content=answer.content, headers=headers)
    assert (again.status_code, again.json()["session_id"]) == (200, night)
