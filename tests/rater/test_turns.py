"""While the rater works, everything else in its process has its turns."""

import asyncio

from shared.rating.expected import expected_table
from tests.log.adapters import new_memory_logs
from tests.log.deadlines import deadline
from tests.rater.running import a_running_rater
from tests.rater.stories import ADOPTED, a_round, a_session, fact_bodies

ADA, BO = "MJ-ADA", "MJ-BO"


async def test_others_have_their_turns_while_long_sessions_are_rated() -> None:
    sessions = [
        a_session(*[a_round({ADA: 3, BO: 1}, wall_games=1)] * 100, name=f"long-{number}")
        for number in range(100)
    ]
    logs, turns = new_memory_logs(), 0
    await logs.facts.append(fact_bodies([ADOPTED, *sessions]))
    async with deadline(), a_running_rater(logs):
        while (await logs.verdicts.tail()).seq == 0:
            turns += 1
            await asyncio.sleep(0)
    # All of them are one batch; each two or three of them are a turn.
    assert turns > 25


async def test_others_have_their_turns_while_the_table_of_expected_scores_is_computed() -> None:
    logs, turns = new_memory_logs(), 0
    expected_table.cache_clear()
    async with deadline(), a_running_rater(logs):
        while not expected_table.cache_info().currsize:
            turns += 1
            await asyncio.sleep(0)
    # It takes a good part of a second.
    assert turns > 100
