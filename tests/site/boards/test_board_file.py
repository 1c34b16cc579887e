"""The file of a board holds who is on its page, whole and in order, and no formula."""

import csv
import io
import re

from tests.projections.conftest import asked
from tests.projections.season import Round
from tests.site.boards.conftest import Looked, lines_of

PATH = "/sources/club/leaderboard.csv"
HEADINGS = ["Place", "Mahjic ID", "Name", "Verified rating", "Verified games"]


def rows_of(content: bytes) -> list[list[str]]:
    """Return the rows of a file without its headings, as a spreadsheet reads them."""
    headings, *rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    assert headings == HEADINGS
    return rows


async def test_it_says_what_the_board_says(looked: Looked) -> None:
    club = await looked.season.source("club")
    people = [
        await looked.season.player(n, source=club, name=name)
        for n, name in enumerate(("Zoë, the first", "Bo", "Cy", "王小明"), start=1)
    ]
    for each in people:
        await looked.season.verify(each)
    await looked.season.play(club, Round(dict(zip(people, (6, 4, 2, 0), strict=True))))
    await looked.world.follow()
    answer = await looked.browser.get(f"{PATH}?fbclid=x")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/csv; charset=utf-8")
    rows = rows_of(answer.content)
    shown = lines_of(await looked.page("/sources/club"))
    assert [(int(place), who, name) for place, who, name, _, _ in rows] == [
        (line.place, line.player_id, line.name) for line in shown
    ]
    async with asked(looked.world):
        board = await looked.world.get("/v1/sources/club/leaderboard")
    assert [(float(rating), int(games)) for *_, rating, games in rows] == [
        (each["verified_rating"], each["verified_games"]) for each in board["players"]
    ]
    assert len(rows) == 4
    assert "link" not in answer.headers


async def test_its_parts_are_the_whole_board_once(looked: Looked) -> None:
    people = await looked.level_players(12, await looked.season.source("club"))
    parts, path = [], f"{PATH}?limit=5"
    while path:
        answer = await looked.browser.get(path)
        parts.append([row[1] for row in rows_of(answer.content)])
        found = re.fullmatch(r'<(.+)>; rel="next"', answer.headers.get("link", ""))
        path = found[1] if found else ""
    assert [len(part) for part in parts] == [5, 5, 2]
    assert [who for part in parts for who in part] == sorted(people)


async def test_no_name_is_a_formula_whatever_ends_a_cell(looked: Looked) -> None:
    club = await looked.season.source("club")
    names = ("=1+1", "+1 Ann", "-2 Bo", "Cy;=1+1")
    people = [
        await looked.season.player(n, source=club, name=name)
        for n, name in enumerate(names, start=1)
    ]
    for each in people:
        await looked.season.verify(each)
    await looked.season.play(club, Round(dict.fromkeys(people, 3)))
    await looked.world.follow()
    content = (await looked.browser.get(PATH)).content
    assert [row[2] for row in rows_of(content)] == ["'=1+1", "'+1 Ann", "'-2 Bo", "Cy;'=1+1"]
    for separator in (",", ";", "\t"):
        text = io.StringIO(content.decode("utf-8-sig"), newline="")
        cells = [cell for row in csv.reader(text, delimiter=separator) for cell in row]
        assert [cell for cell in cells if cell[:1] in {"=", "+", "-", "@"}] == []


async def test_who_became_private_is_gone_from_it(looked: Looked) -> None:
    people = await looked.level_players(4, await looked.season.source("club"))
    await looked.season.change(people[0], is_private=True)
    await looked.season.erase(people[1])
    rows = rows_of((await looked.browser.get(PATH)).content)
    assert [row[1] for row in rows] == sorted(people[2:])


async def test_pages_of_others_may_read_it_and_caches_keep_it_for_minutes(looked: Looked) -> None:
    await looked.level_players(4, await looked.season.source("club"))
    answer = await looked.browser.get(PATH, headers={"Origin": "https://club.example.org"})
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "Link" in answer.headers["access-control-expose-headers"]
    assert answer.headers["cache-control"] == "public, max-age=300"
    again = await looked.browser.get(PATH, headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


async def test_what_makes_no_sense_is_refused(looked: Looked) -> None:
    await looked.season.source("club")
    for query in ("limit=0", "limit=1001", "limit=x", "cursor=x"):
        assert (await looked.browser.get(f"{PATH}?{query}")).status_code == 422, query
    assert (await looked.browser.get("/sources/nowhere/leaderboard.csv")).status_code == 404
