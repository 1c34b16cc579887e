"""The front page and the pages about sources: what they say, full and empty."""

import re

from services.site.api import SITE_ROUTES
from tests.projections.season import Round
from tests.site.boards.conftest import Looked, lines_of, links_of


def there_is(path: str) -> bool:
    path = path.partition("?")[0].partition("#")[0] or "/"
    patterns = [re.sub(r"\{\w+\}", "[^/]+", each.path) for each in SITE_ROUTES]
    return any(re.fullmatch(pattern, path) for pattern in patterns)


async def test_an_empty_service_says_so_in_friendly_words(looked: Looked) -> None:
    home = await looked.page("/")
    assert "Nobody is on the leaderboard yet" in home
    assert "Nothing has been played yet" in home
    assert "Nobody sends results to this service yet" in await looked.page("/sources")
    assert "Nobody is on this board yet" in await looked.page("/leaderboard")
    await looked.season.source("club")
    assert "It has not sent a session yet" in await looked.page("/sources/club")
    assert "not yet" in await looked.page("/sources")


async def test_the_front_page_shows_the_first_ten_and_what_happened(looked: Looked) -> None:
    club = await looked.season.source("club", region="west")
    people = await looked.level_players(12, club)
    await looked.season.play(club, Round({people[11]: 12, people[10]: 0}))
    await looked.world.follow()
    home = await looked.page("/")
    lines = lines_of(home)
    assert [line.player_id for line in lines] == [people[11], *people[:9]]
    assert [line.place for line in lines] == [1, *[2] * 9]
    _, _, lately = home.partition('id="lately"')
    assert "/sources/club" in links_of(lately)
    assert f"/players/{people[11]}" in links_of(lately)
    assert "Jan 31, 2026" in lately


async def test_every_link_leads_to_a_page(looked: Looked) -> None:
    await looked.level_players(52, await looked.season.source("club", region="west"))
    for path in ("/", "/leaderboard", "/leaderboard?page=2", "/sources", "/sources/club"):
        text = await looked.page(path)
        assert re.findall(r'<form class="find" action="/find"', text) or "/sources" in path
        for link in links_of(text):
            assert there_is(link) or link.startswith("#"), (path, link)


async def test_sources_tell_where_how_much_and_since_when(looked: Looked) -> None:
    season = looked.season
    club = await season.source("zebra", region="west")
    await season.source("apple", kind="platform")
    await looked.world.pool.execute("UPDATE mahjic.sources SET name = 'aces' WHERE slug = 'zebra'")
    a, b = [await season.player(n, source=club) for n in (1, 2)]
    await season.play(club, Round({a: 3, b: 2}), Round({a: 1, b: 0}, wall_games=1), on="2026-01-05")
    await season.play(club, Round({a: 1, b: 1}), on="2026-01-31")
    await looked.world.follow()
    listed = await looked.page("/sources")
    assert re.findall(r'<th scope="row"><a href="/sources/([^"]+)">', listed) == ["zebra", "apple"]
    for told in ("Jan 5, 2026", "West", "Platform"):
        assert told in listed
    page = await looked.page("/sources/zebra")
    figures = dict(re.findall(r"<dt>([^<]+)</dt><dd>([^<]+)</dd>", page))
    # By hand: 2 sessions of 3 rounds of 5, 2 and 2 games.
    assert figures == {
        "Sessions": "2",
        "Rounds": "3",
        "Games": "9",
        "Public players": "2",
        "Last session": "Jan 31, 2026",
    }
    assert "A club in the West. The first session here was on Jan 5, 2026." in page
