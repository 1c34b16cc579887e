"""Leaderboards: everybody once, on the right place, whatever is asked for."""

import re
from html import unescape

import pytest

from tests.projections.season import Round
from tests.site.boards.conftest import Looked, lines_of, links_of
from tests.site.serving import ORIGIN


async def test_equal_ratings_over_pages_are_all_there_once_on_the_first_place(
    looked: Looked,
) -> None:
    club = await looked.season.source("club", region="west")
    people = await looked.level_players(60, club)
    for path in ("/leaderboard", "/leaderboard/west", "/sources/club"):
        pages = await looked.whole_board(path)
        assert [len(page) for page in pages] == [50, 10]
        lines = [line for page in pages for line in page]
        assert [line.player_id for line in lines] == sorted(people)
        assert {line.place for line in lines} == {1}
        assert {line.rating for line in lines} == {"1500"}
        second = await looked.page(f"{path}?page=2")
        assert f'rel="prev" href="{path}"' in second
        assert "Players 51 to 60 of 60" in second


async def test_a_board_says_how_many_are_on_it_and_counts_nobody_else(looked: Looked) -> None:
    club = await looked.season.source("club", region="west")
    people = await looked.level_players(56, club)
    # Without a place: whoever has too few games, is not Verified, or is private.
    for late in [await looked.season.player(100 + n, source=club) for n in range(4)]:
        await looked.season.verify(late)
        await looked.season.play(club, Round({late: 3, people[0]: 3}))
    await looked.season.play(club, Round({await looked.season.player(200): 5, people[0]: 5}))
    await looked.season.change(people[1], is_private=True)
    await looked.world.follow()
    for path in ("/leaderboard", "/leaderboard/west", "/sources/club"):
        told = [TOTAL.findall(await looked.page(f"{path}?page={page}")) for page in (1, 2)]
        assert told == [[("55", "50", "55")], [("55", "55", "55")]], path
        shown = [line for page in await looked.whole_board(path) for line in page]
        assert len(shown) == 55
        # Counting these would take a look at every player.
        for query in ("min_games=5", "active_within_days=36500"):
            filtered = await looked.page(f"{path}?{query}")
            assert "Players 1 to 50</span>" in filtered
            assert "or more</p>" not in filtered


TOTAL = re.compile(
    r"<p[^>]*>(\d+) players with 10 Verified games or more</p>.*Players \d+ to (\d+) of (\d+)<",
    re.DOTALL,
)


async def test_places_go_on_after_ties_and_the_first_three_stand_out(looked: Looked) -> None:
    club = await looked.season.source("club")
    a, b, c, d = [await looked.season.player(n, source=club) for n in (1, 2, 3, 4)]
    for each in (a, b, c, d):
        await looked.season.verify(each)
    await looked.season.play(club, Round({d: 6, c: 2, b: 2, a: 0}))
    await looked.world.follow()
    page = await looked.page("/leaderboard")
    lines = lines_of(page)
    assert [(line.place, line.player_id) for line in lines] == [(1, d), (2, b), (2, c), (4, a)]
    assert len(re.findall(r'<tr class="medal">', page)) == 3
    # They began at 1500: by the formula the winner gains what the last one loses.
    moved = re.findall(r'<span class="move (\w+)">([^<]+)</span>', page)
    gained = int(lines[0].rating) - 1500
    assert moved == [("up", f"+{gained}"), ("down", f"−{gained}")]


async def test_filters_are_links_and_keep_what_else_was_chosen(looked: Looked) -> None:
    club = await looked.season.source("club", region="west")
    people = await looked.level_players(4, club)
    await looked.season.play(club, Round({people[0]: 10, people[1]: 10}))
    await looked.world.follow()
    page = await looked.page("/leaderboard?active_within_days=90")
    assert chosen_on(page) == {"Everywhere", "In the last 90 days", "10 or more"}
    assert "/leaderboard/west?active_within_days=90" in links_of(page)
    assert "/leaderboard?active_within_days=90&min_games=25" in links_of(page)
    assert "/leaderboard" in links_of(page)
    page = await looked.page("/leaderboard/west?min_games=25&active_within_days=90")
    assert chosen_on(page) == {"West", "In the last 90 days", "25 or more"}
    assert {line.player_id for line in lines_of(page)} == {people[0], people[1]}
    assert "Nobody fits" in await looked.page("/leaderboard?min_games=50")
    assert lines_of(await looked.page("/leaderboard/midwest")) == []


def chosen_on(page: str) -> set[str]:
    _before, _head, main = page.partition("<main")
    return set(re.findall(r'<a href="[^"]*" aria-current="true">([^<]*)</a>', main))


ADDRESSES = [
    ("/leaderboard", "/leaderboard", True),
    ("/leaderboard?page=1&min_games=10&fbclid=x", "/leaderboard", True),
    ("/leaderboard?page=2", "/leaderboard?page=2", True),
    ("/leaderboard?page=3", "/leaderboard?page=3", False),
    ("/leaderboard?min_games=25", "/leaderboard?min_games=25", False),
    ("/leaderboard/west", "/leaderboard/west", True),
    ("/sources/club?active_within_days=90", "/sources/club?active_within_days=90", False),
    ("/sources/club", "/sources/club", True),
    ("/sources?a=b", "/sources", True),
    ("/?utm_source=x", "/", True),
]


async def test_a_page_has_one_address_and_a_picture(looked: Looked) -> None:
    await looked.level_players(52, await looked.season.source("club", region="west"))
    for path, canonical, is_indexed in ADDRESSES:
        page = await looked.page(path)
        (told,) = re.findall(r'<link rel="canonical" href="([^"]*)">', page)
        assert unescape(told) == ORIGIN + canonical
        assert ('<meta name="robots" content="noindex">' in page) is not is_indexed, path
        (picture,) = re.findall(r'<meta property="og:image" content="([^"]*)">', page)
        board = canonical.partition("?")[0] if "board" in canonical or "/club" in canonical else ""
        assert picture == f"{ORIGIN}{board}/preview.png"
        assert len(re.findall(r'<meta name="description" content="[^"]{20,160}">', page)) == 1


async def test_a_page_beyond_the_last_leads_back(looked: Looked) -> None:
    await looked.level_players(4, await looked.season.source("club"))
    page = await looked.page("/leaderboard?page=2000000")
    assert "no page 2,000,000" in page
    assert lines_of(page) == []


SENSELESS = [
    "page=0",
    "page=-1",
    "page=2000001",
    "page=1e3",
    "page=<script>",
    "page=" + "9" * 400,
    "min_games=-1",
    "min_games=%00",
    "active_within_days=0",
    "active_within_days=36501",
    "active_within_days=x",
]


@pytest.mark.parametrize("path", ["/leaderboard", "/leaderboard/west", "/sources/club"])
async def test_an_address_that_makes_no_sense_is_told_so(looked: Looked, path: str) -> None:
    await looked.season.source("club", region="west")
    for query in SENSELESS:
        answer = await looked.browser.get(f"{path}?{query}")
        assert answer.status_code == 422, query
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert "That address isn’t quite right" in answer.text
        assert "<script>" not in answer.text


MISSING = [
    "/leaderboard/nowhere",
    "/leaderboard/West",
    "/leaderboard/%3Cscript%3E",
    "/sources/nobody",
    "/sources/%00",
    "/sources/Club",
    "/sources/club'--",
    "/leaderboard/",
]


async def test_what_is_not_there_is_a_page_that_says_so(looked: Looked) -> None:
    await looked.season.source("club", region="west")
    for path in MISSING:
        answer = await looked.browser.get(path)
        assert answer.status_code == 404, path
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert "We can’t find that" in answer.text


async def test_parameters_of_others_break_no_page(looked: Looked) -> None:
    await looked.season.source("club")
    for path in ("/", "/leaderboard", "/sources", "/sources/club"):
        plain = await looked.page(path)
        assert await looked.page(f"{path}?fbclid=x&utm_source=%F0&q=&q=&limit=x&cursor=x") == plain
