"""Verdicts that many ask for at the same time are read together."""

import asyncio

import pytest

from services.projections.sessions.gathering import SESSIONS_MAX, RatedSessions
from services.projections.sessions.queries import rated_sessions
from shared.errors import ServiceUnavailable
from tests.projections.conftest import World
from tests.projections.season import Round


async def played(world: World, sessions: int) -> list[str]:
    """Play sessions, and let the views show them."""
    club = await world.season.source("club")
    ada, bo = await world.season.player(1), await world.season.player(2)
    ids = [(await world.season.play(club, Round({ada: 1, bo: 0})))[0] for _ in range(sessions)]
    await world.follow()
    return ids


async def test_everybody_is_told_the_verdict_on_their_own_session(world: World) -> None:
    ids = await played(world, 5)
    expected = await rated_sessions(world.reader, ids)
    together = RatedSessions(world.reader)
    unknown = "ses_" + "0" * 26
    found = await asyncio.gather(*(together.find(each) for each in [*ids, unknown, *ids] * 20))
    assert (
        found == [*(expected[each] for each in ids), None, *(expected[each] for each in ids)] * 20
    )


async def test_more_than_are_asked_for_in_one_query_are_all_answered(world: World) -> None:
    (session,) = await played(world, 1)
    together = RatedSessions(world.reader)
    asked = [f"ses_{number:026}" for number in range(SESSIONS_MAX * 2 + 1)]
    found = await asyncio.gather(*(together.find(each) for each in [*asked, session]))
    assert found[:-1] == [None] * len(asked)
    assert found[-1] is not None


async def test_one_who_leaves_takes_nothing_from_those_who_stay(world: World) -> None:
    (session,) = await played(world, 1)
    together = RatedSessions(world.reader)
    leaving = asyncio.create_task(together.find(session))
    staying = asyncio.create_task(together.find(session))
    await asyncio.sleep(0)
    leaving.cancel()
    assert await staying is not None
    with pytest.raises(asyncio.CancelledError):
        await leaving


async def test_a_database_that_is_away_is_told_to_each_who_asked(world: World) -> None:
    together = RatedSessions(world.reader)
    world.pool.terminate()
    asked = [together.find(f"ses_{number:026}") for number in range(3)]
    told = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(each) for each in told] == [ServiceUnavailable] * 3
