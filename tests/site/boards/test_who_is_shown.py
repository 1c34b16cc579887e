"""Nobody who is private, erased, merged or anonymous is on any page about many, nor counted."""

import re

import pytest

from tests.projections.season import Round
from tests.site.boards.conftest import Looked, lines_of

PATHS = (
    "/",
    "/leaderboard",
    "/leaderboard?page=2",
    "/leaderboard?min_games=0",
    "/leaderboard?min_games=0&active_within_days=36500",
    "/leaderboard/west",
    "/leaderboard/west?min_games=0",
    "/sources",
    "/sources/club",
    "/sources/club?min_games=0",
    "/sitemap.xml",
    "/sitemap-players-1-of-1.xml",
)
NAMES = ("Hidden One", "Hidden Two", "Hidden Three", "Hidden Four")


async def a_town(looked: Looked) -> tuple[list[str], list[str]]:
    """Let people play who are shown, and some who will not be. Return who is which."""
    season = looked.season
    club = await season.source("club", region="west")
    shown = [await season.player(n, source=club, name=f"Shown {n}") for n in (1, 2)]
    unseen = [
        await season.player(10 + n, source=club, name=name) for n, name in enumerate(NAMES, start=1)
    ]
    for each in (*shown, *unseen):
        await season.verify(each)
    anonymous = await season.anonymous(20, club)
    unseen.append(anonymous)
    for each in unseen:
        await season.play(club, Round({shown[0]: 4, shown[1]: 4, each: 4}))
    # One session has nobody else.
    await season.play(club, Round({unseen[0]: 2, unseen[1]: 2}))
    return shown, unseen


async def hide(looked: Looked, shown: list[str], unseen: list[str]) -> None:
    season = looked.season
    private, erased, merged, with_private_member, _anonymous = unseen
    member = await season.player(30, source="club", is_private=True)
    unseen.append(member)
    await season.change(private, is_private=True)
    await season.erase(erased)
    await season.merge(merged, shown[0])
    await season.merge(member, with_private_member)


async def test_the_unseen_are_gone_at_once_and_who_is_merged_once_views_follow(
    looked: Looked,
) -> None:
    shown, unseen = await a_town(looked)
    await looked.world.follow()
    # They were there, so the walk would see them.
    before = await looked.page("/leaderboard")
    assert {line.name for line in lines_of(before)} == {"Shown 1", "Shown 2", *NAMES}
    await hide(looked, shown, unseen)
    private, erased = unseen[:2]
    await assert_nowhere(looked, [private, erased, unseen[4], *NAMES[:2], "nickname-20"])
    await looked.world.follow()
    await assert_nowhere(looked, [*unseen, *NAMES, "nickname-20"])
    assert {line.player_id for line in lines_of(await looked.page("/leaderboard"))} == set(shown)
    assert players_of_source(await looked.page("/sources/club")) == len(shown)


async def assert_nowhere(looked: Looked, traces: list[str]) -> None:
    for path in PATHS:
        text = await looked.page(path)
        assert [each for each in traces if each in text] == [], path


def players_of_source(page: str) -> int:
    (players,) = re.findall(r"<dt>Public players</dt><dd>([0-9,]+)</dd>", page)
    return int(players)


@pytest.mark.parametrize("path", PATHS)
async def test_a_page_is_the_same_however_somebody_came_to_be_hidden(
    looked: Looked, path: str
) -> None:
    """Private and erased people leave the same page behind."""
    season = looked.season
    club = await season.source("club", region="west")
    shown = [await season.player(n, source=club, name=f"Shown {n}") for n in (1, 2)]
    gone = await season.player(3, source=club, name="Hidden")
    for each in (*shown, gone):
        await season.verify(each)
    await season.play(club, Round({shown[0]: 4, shown[1]: 4, gone: 4}))
    await looked.world.follow()
    with_all = await looked.page(path)
    await season.change(gone, is_private=True)
    await looked.world.follow()
    private = await looked.page(path)
    await season.erase(gone)
    await looked.world.follow()
    assert await looked.page(path) == private
    if "page=2" not in path:
        assert with_all != private
