"""Whom a player met most, and two players side by side."""

import pytest

from services.site.reads import SiteReads
from shared.errors import UnknownPlayer
from tests.projections.conftest import World
from tests.projections.season import Round


async def test_a_private_opponent_is_left_out_and_bob_too(world: World, pages: SiteReads) -> None:
    season = world.season
    club = await season.source("club", region="west")
    ada = await season.player(1, source=club, name="Ada")
    bo = await season.player(2, source=club)
    cy = await season.player(3, source=club, is_private=True)
    for each in (ada, bo, cy):
        await season.verify(each)
    await season.play(club, Round({ada: 2, bo: 1, cy: 0, "BOB": 0}, 1), Round({ada: 2, bo: 1}, 1))
    for night in range(12):
        await season.play(club, Round({ada: 2, bo: 1}, 1), on=f"2026-01-{night + 1:02}")
    await world.follow()
    (met,) = (await pages.players.head_to_head(ada))["opponents"] or []
    assert met == {
        "player_id": bo,
        "name": bo,
        "rounds": 14,
        "games": 56,
        "won": 28,
        "lost": 14,
        "wall_games": 14,
    }
    with pytest.raises(UnknownPlayer):
        await pages.players.head_to_head(cy)
    with pytest.raises(UnknownPlayer):
        await pages.players.comparison(ada, cy)
