"""The sitemap names every page, and of people only those who chose a public name themselves."""

import random
import re
from xml.etree import ElementTree

import pytest

from services.site.api import SITE_ROUTES
from services.site.boards import sitemap
from shared.ids import PLAYER_ID_SPACE
from tests.projections.season import Round
from tests.site.boards.conftest import Looked
from tests.site.serving import ORIGIN

NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


async def paths_in(looked: Looked, path: str, root: str) -> list[str]:
    """Return the paths that a file lists."""
    answer = await looked.browser.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/xml")
    assert answer.headers["cache-control"] == "no-cache"
    told = ElementTree.fromstring(answer.content)
    assert told.tag == NAMESPACE + root
    found = [str(each.text) for each in told.iter(NAMESPACE + "loc")]
    assert all(each.startswith(ORIGIN + "/") for each in found)
    return [each.removeprefix(ORIGIN) for each in found]


async def all_paths(looked: Looked) -> list[str]:
    """Return what all files of the sitemap list, as a crawler takes them."""
    answer = await looked.browser.get("/sitemap.xml")
    if "<sitemapindex" not in answer.text:
        return await paths_in(looked, "/sitemap.xml", "urlset")
    files = await paths_in(looked, "/sitemap.xml", "sitemapindex")
    return [path for file in files for path in await paths_in(looked, file, "urlset")]


def players_in(paths: list[str]) -> list[str]:
    return [each.removeprefix("/players/") for each in paths if each.startswith("/players/")]


async def test_pages_boards_and_sources_are_there_and_exist(looked: Looked) -> None:
    await looked.season.source("club", region="west")
    paths = await all_paths(looked)
    assert len(set(paths)) == len(paths)
    assert {"/", "/leaderboard", "/leaderboard/west", "/sources", "/sources/club"} <= set(paths)
    routes = [re.sub(r"\{\w+\}", "[^/]+", each.path) for each in SITE_ROUTES]
    for path in paths:
        assert any(re.fullmatch(route, path) for route in routes), path
        if path.startswith(("/leaderboard", "/sources")) or path == "/":
            await looked.page(path)


async def test_only_public_people_who_chose_a_name_are_in_it(looked: Looked) -> None:
    season = looked.season
    club = await season.source("club")
    named = await season.player(1, source=club, name="Ada")
    survivor = await season.player(2, source=club, name="Grace")
    merged = await season.player(3, source=club, name="Grace H")
    host = await season.player(4, source=club, name="Edith")
    private_member = await season.player(5, source=club, is_private=True)
    erased = await season.player(6, source=club, name="Mary")
    await season.player(7, source=club)
    await season.player(8, source=club, name="Hidden", is_private=True)
    anonymous = await season.anonymous(9, club)
    everyone = [named, survivor, merged, host, private_member, erased, anonymous]
    await season.play(club, *(Round({named: 1, each: 1}) for each in everyone[1:]))
    assert players_in(await all_paths(looked)) == sorted([named, survivor, merged, host, erased])
    await season.merge(merged, survivor)
    await season.merge(private_member, host)
    await season.erase(erased)
    # At once, whether the views have followed or not.
    assert players_in(await all_paths(looked)) == sorted([named, survivor])
    await season.change(named, is_private=True)
    await season.change(survivor, name=None)
    assert players_in(await all_paths(looked)) == []


@pytest.mark.parametrize("seed", [1, 2])
async def test_many_players_are_cut_into_files_that_hold_all_of_them_once(
    looked: Looked, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(sitemap, "ADDRESSES_MAX", 60)
    monkeypatch.setattr(sitemap, "_PART_PLAYERS", 30)
    numbers = {*random.Random(seed).sample(range(PLAYER_ID_SPACE), 150), 0, PLAYER_ID_SPACE - 1}
    people = [await looked.season.player(each, name=f"Player {each}") for each in sorted(numbers)]
    files = await paths_in(looked, "/sitemap.xml", "sitemapindex")
    assert files == [
        "/sitemap-pages.xml",
        *(f"/sitemap-players-{part}-of-8.xml" for part in range(1, 9)),
    ]
    for file in files:
        assert len(await paths_in(looked, file, "urlset")) <= 60
    assert players_in(await all_paths(looked)) == sorted(people)


@pytest.mark.parametrize("parts", [1, 2, 16])
async def test_any_number_of_parts_that_an_index_ever_named_holds_all_players(
    looked: Looked, parts: int
) -> None:
    numbers = (0, PLAYER_ID_SPACE // 2 - 1, PLAYER_ID_SPACE // 2, PLAYER_ID_SPACE - 1)
    people = [await looked.season.player(each, name="Ada") for each in numbers]
    found: list[str] = []
    for part in range(1, parts + 1):
        paths = await paths_in(looked, f"/sitemap-players-{part}-of-{parts}.xml", "urlset")
        found += players_in(paths)
    assert found == people


@pytest.mark.parametrize("name", ["0-of-1", "2-of-1", "1-of-3", "1-of-2048", "x-of-1", "1-of-"])
async def test_other_parts_do_not_exist(looked: Looked, name: str) -> None:
    answer = await looked.browser.get(f"/sitemap-players-{name}.xml")
    assert answer.status_code in {404, 422}


async def test_it_is_sent_compressed_and_once(looked: Looked) -> None:
    for number in range(40):
        await looked.season.source(f"club-{number}")
    first = await looked.browser.get("/sitemap.xml")
    assert first.headers["content-encoding"] == "gzip"
    again = await looked.browser.get(
        "/sitemap.xml", headers={"If-None-Match": first.headers["etag"]}
    )
    assert (again.status_code, again.content) == (304, b"")
