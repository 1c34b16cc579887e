"""Pages in frames show what the site shows, to everyone the same, and no name as markup."""

import pytest

from tests.projections.season import Round, mj
from tests.site.boards.conftest import GAMES, Looked, looked

__all__ = ["looked"]

HOSTILE = "<img src=x onerror=alert(1)>"


async def a_board(looked: Looked) -> list[str]:
    """Play one round of four at a club, one of whom has a hostile name."""
    club = await looked.season.source("club")
    names = (HOSTILE, "Bo", "Cy", "王小明")
    people = [
        await looked.season.player(n, source=club, name=name) for n, name in enumerate(names, 1)
    ]
    for each in people:
        await looked.season.verify(each)
    won = (6, 4, 2, 0)
    await looked.season.play(club, Round(dict(zip(people, won, strict=True))))
    assert sum(won) == GAMES
    await looked.world.follow()
    return people


@pytest.mark.parametrize("path", ["/embed/leaderboard", "/embed/leaderboard/club"])
async def test_a_board_shows_as_many_as_it_is_asked_for_in_order(looked: Looked, path: str) -> None:
    people = await a_board(looked)
    for query, shown in (("", people), ("?limit=2&utm_source=x", people[:2])):
        page = await looked.page(path + query)
        places = [page.index(f'href="/players/{who}"') for who in shown]
        assert places == sorted(places)
        assert [each for each in people if f"/players/{each}" in page] == shown
        assert "<img" not in page
        assert "&lt;img src=x" in page
        assert "<script" not in page


async def test_a_player_is_shown_as_on_their_page(looked: Looked) -> None:
    people = await a_board(looked)
    page = await looked.page(f"/embed/player/{people[0].lower()}?theme=dark")
    assert '<html lang="en" class="dark">' in page
    assert "&lt;img src=x" in page
    assert "<img" not in page
    assert f'href="/players/{people[0]}"' in page


async def test_who_is_not_public_looks_like_somebody_unknown(looked: Looked) -> None:
    people = await a_board(looked)
    await looked.season.change(people[0], is_private=True)
    await looked.season.erase(people[1])
    await looked.season.merge(people[2], people[0])
    await looked.world.follow()
    answers = [await looked.browser.get(f"/embed/player/{who}") for who in (*people[:3], mj(99))]
    assert {each.status_code for each in answers} == {404}
    assert len({each.text for each in answers}) == 1
    assert "We can’t find that player" in answers[0].text
    fields = [{name for name in each.headers if name != "x-request-id"} for each in answers]
    assert all(each == fields[0] for each in fields)


async def test_an_id_that_was_merged_leads_to_the_player_it_belongs_to_now(looked: Looked) -> None:
    people = await a_board(looked)
    new = await looked.season.player(5, source="club")
    await looked.season.merge(new, people[1])
    await looked.world.follow()
    answer = await looked.browser.get(f"/embed/player/{new}?theme=dark")
    assert answer.status_code == 302
    assert answer.headers["location"] == f"/embed/player/{people[1]}?theme=dark"
    assert "frame-ancestors" not in answer.headers["content-security-policy"]


async def test_a_login_changes_nothing_and_no_cookie_is_set(looked: Looked) -> None:
    people = await a_board(looked)
    for path in ("/embed/leaderboard/club", f"/embed/player/{people[0]}", "/embed/calculator"):
        plain = await looked.browser.get(path)
        cookie = {"Cookie": f"__Host-mahjic-login={'x' * 43}"}
        known = await looked.browser.get(path, headers=cookie)
        assert (known.text, known.status_code) == (plain.text, 200)
        for each in (plain, known):
            assert "set-cookie" not in each.headers


async def test_what_makes_no_sense_is_told_in_a_page_that_a_frame_shows(looked: Looked) -> None:
    await a_board(looked)
    for path, status in (
        ("/embed/leaderboard/nowhere", 404),
        ("/embed/leaderboard?limit=0", 422),
        ("/embed/leaderboard/club?limit=51", 422),
        ("/embed/calculator?theme=blue", 422),
        ("/embed/player/MJ-0", 422),
        ("/embed/nothing", 404),
    ):
        answer = await looked.browser.get(path)
        assert answer.status_code == status, path
        assert '<body class="framed">' in answer.text
        assert "frame-ancestors" not in answer.headers["content-security-policy"]


async def test_the_calculator_tells_what_a_round_does_and_what_is_wrong(looked: Looked) -> None:
    query = "kind=social&rating-0=1500&won-0=2&rating-1=1500&won-1=1"
    page = await looked.page(f"/embed/calculator?{query}")
    assert "+16.00" in page
    assert "1484.00" in page
    wrong = await looked.page(f"/embed/calculator?{query}&games-1=%3Cb%3E")
    assert 'value="&lt;b&gt;" inputmode="numeric" aria-invalid="true"' in wrong
    assert "+16.00" not in wrong
