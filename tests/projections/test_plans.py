"""What a plan costs that was made while the tables were small, and is kept while they grow."""

import orjson

from services.projections.leaderboards.project import READ_DIFFERENCES
from tests.projections.conftest import World
from tests.projections.season import Round
from tests.projections.test_timing import rows_read

PLAYERS = 120


async def test_bringing_a_few_players_onto_boards_reads_no_table_once_for_each_of_all(
    world: World,
) -> None:
    season = world.season
    club = await season.source("club")
    people = [await season.player(number, source=club) for number in range(1, PLAYERS + 1)]
    for winner, loser in zip(people[::2], people[1::2], strict=True):
        await season.play(club, Round({winner: 3, loser: 1}))
    await world.follow()
    schema = await world.pool.fetchval(
        "SELECT live_schema FROM mahjic.views WHERE name = 'leaderboards'"
    )
    async with world.pool.acquire() as connection, connection.transaction():
        # As it is planned for whatever array comes, which is how a statement that is kept ends up.
        await connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        query = f"PREPARE differences (text[]) AS {READ_DIFFERENCES.format(schema=schema)}"
        await connection.execute(query)
        given = ",".join(f"'{each}'" for each in people[:8])
        explain = "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON)"
        told = await connection.fetchval(f"{explain} EXECUTE differences(ARRAY[{given}])")
        await connection.execute("DEALLOCATE differences")
    (explained,) = orjson.loads(told)
    read = sum(rows for _, rows in rows_read(explained["Plan"]))
    # Each of the tables of players, people, visits and standings at most once.
    assert read <= 4 * PLAYERS
