"""What was rated just before a restart is answered after it, though no follower saw the verdict."""

import asyncio

from tests.conftest import Database
from tests.log.deadlines import deadline
from tests.service import running_service

A_SESSION = {
    "session_date": "2026-01-31",
    "game_type": "social",
    "rounds": [
        {
            "players": [
                {"email": "ada@example.com", "games_played": 4, "mahjongs": 3},
                {"email": "bo@example.com", "games_played": 4, "mahjongs": 1},
            ],
            "wall_games": 0,
        }
    ],
}
HOLD_VIEWS = "SELECT schema_name FROM mahjic.view_builds FOR UPDATE"


async def test_a_retry_is_answered_as_soon_as_the_view_shows_what_was_rated_before_the_restart(
    database: Database,
) -> None:
    async with running_service(database) as before:
        key = await before.source_key()
        holding = await database.pool.acquire()
        transaction = holding.transaction()
        await transaction.start()
        await holding.fetch(HOLD_VIEWS)
        first = await before.submit(A_SESSION, key)
        assert first.status_code == 201
    async with running_service(database) as after, deadline():
        looking = await after.submit(A_SESSION, key, prefer="wait=0")
        assert looking.status_code == 202
        retry = asyncio.create_task(after.submit(A_SESSION, key, prefer="wait=30"))
        await asyncio.wait([retry], timeout=0.5)
        assert not retry.done(), "The views could be read, so this test shows nothing."
        await transaction.rollback()
        await database.pool.release(holding)
        assert (await retry).status_code == 200
        assert retry.result().json()["rounds"] == first.json()["rounds"]
