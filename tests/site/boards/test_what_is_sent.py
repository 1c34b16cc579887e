"""How the pages about many are sent: once, small, and with what browsers must be told."""

import gzip
import re
from html import unescape

import httpx
import pytest

from services.projections.views import all_views
from shared.events.facts import SessionsVoided
from shared.feed.advancing import advance
from shared.feed.feed import read_live
from tests.conftest import Database
from tests.projections.conftest import a_world
from tests.projections.season import Round, Season
from tests.projections.told import ToldSeason
from tests.site.boards.conftest import Looked, a_browser

PATHS = ("/", "/leaderboard", "/leaderboard/west", "/sources", "/sources/club")
# Of a first view, without fonts (spec 8).
FIRST_VIEW_BYTES_MAX = 60_000
TELLS_BROWSERS = ("content-security-policy", "referrer-policy", "permissions-policy")


async def test_who_has_a_page_is_not_sent_it_again(looked: Looked) -> None:
    await looked.level_players(4, await looked.season.source("club", region="west"))
    for path in PATHS:
        first = await looked.browser.get(path)
        headers = {"If-None-Match": first.headers["etag"]}
        again = await looked.browser.get(path, headers=headers)
        assert (again.status_code, again.content) == (304, b""), path
        assert first.headers["cache-control"] == again.headers["cache-control"] == "no-cache"
        for name in TELLS_BROWSERS:
            assert first.headers[name] == again.headers[name]


async def test_a_page_that_changed_is_sent(looked: Looked) -> None:
    club = await looked.season.source("club", region="west")
    people = await looked.level_players(4, club)
    held = {path: (await looked.browser.get(path)).headers["etag"] for path in PATHS}
    await looked.season.play(club, Round({people[0]: 12, people[1]: 0}))
    await looked.world.follow()
    for path, etag in held.items():
        answer = await looked.browser.get(path, headers={"If-None-Match": etag})
        assert answer.status_code == 200, path


async def test_the_head_of_a_page_can_be_asked_for(looked: Looked) -> None:
    await looked.season.source("club")
    for path in PATHS:
        page, head = await looked.browser.get(path), await looked.browser.head(path)
        assert (head.status_code, head.content) == (200, b"")
        for name in ("etag", "content-type", "content-length", "cache-control", *TELLS_BROWSERS):
            assert head.headers.get(name) == page.headers.get(name), (path, name)


async def test_a_first_view_is_small(looked: Looked) -> None:
    club = await looked.season.source("club", region="west")
    people = await looked.level_players(60, club)
    for number, each in enumerate(people):
        await looked.season.change(each, name=f"{number} Featherstonehaugh-{number * 7919:x} Rosen")
    await looked.world.follow()
    for path in PATHS:
        raw = await sent(looked.browser, path)
        text = gzip.decompress(raw).decode()
        files = set(re.findall(r'(?:href|src)="(/static/[^"]+\.(?:css|js|svg))"', text))
        assert files
        total = len(raw) + sum([len(await sent(looked.browser, each)) for each in files])
        assert total < FIRST_VIEW_BYTES_MAX, (path, total)


async def sent(browser: httpx.AsyncClient, path: str) -> bytes:
    """Return what goes over the wire."""
    async with browser.stream("GET", path, headers={"Accept-Encoding": "gzip"}) as answer:
        assert answer.status_code == 200
        return b"".join([part async for part in answer.aiter_raw()])


async def test_pages_say_that_a_correction_is_being_worked_in(database: Database) -> None:
    season = ToldSeason(database.pool, players_in_part=2)
    world = await a_world(season)
    async with a_browser(world) as browser:
        looked = Looked(world, browser)
        club = await season.source("club", region="west")
        people = await looked.level_players(4, club)
        session, _ = await season.play(club, Round(dict.fromkeys(people, 3)))
        await world.follow()
        await season.tell(SessionsVoided((session,), "not_played"))
        for is_told in (True, False):
            views = {view.name: view for view in all_views()}
            builds = await read_live(world.pool, views)
            await advance(world.pool, season.log, builds, views, records_max=1)
            for path in PATHS:
                assert ("working in a correction" in await looked.page(path)) is is_told, path


async def test_while_views_are_built_pages_say_so(database: Database) -> None:
    world = await a_world(Season(database.pool))
    await world.season.source("club")
    # As after an update of the program: the builds that are there are of another version.
    await world.pool.execute("UPDATE mahjic.view_builds SET version = version + 1")
    async with a_browser(world) as browser:
        for path in PATHS:
            answer = await browser.get(path)
            assert answer.status_code == 503, path
            assert answer.headers["content-type"] == "text/html; charset=utf-8"
            assert int(answer.headers["retry-after"]) > 0
            assert "being put together" in answer.text


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", '"><img src=x>', "{{ 7 * 7 }} {0} %s", "&amp; 'x'"]
)
async def test_names_are_text_wherever_they_stand(looked: Looked, name: str) -> None:
    club = await looked.season.source("club", region="west")
    await looked.world.pool.execute("UPDATE mahjic.sources SET name = $1", name)
    for each in await looked.level_players(4, club):
        await looked.season.change(each, name=name)
    await looked.world.follow()
    for path in PATHS:
        text = await looked.page(path)
        named = {unescape(each) for each in re.findall(r"<bdi>(.*?)</bdi>", text)}
        assert named == {name}, path
        assert "<script>" not in text
        assert "<img" not in text
