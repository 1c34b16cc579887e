"""What a plan costs that was made while the tables were small, and is kept while they grow."""

from collections.abc import Sequence

import orjson
import pytest

from services.projections.history.peaks import take_in_correction, take_in_sessions
from services.projections.leaderboards.players import RECOUNT_PLAYERS, RECOUNT_VISITS
from services.projections.leaderboards.project import READ_DIFFERENCES
from services.projections.profiles.project import RECOUNT
from services.projections.sources.project import RECOUNT_PLAYERS as RECOUNT_PUBLIC
from services.projections.sources.project import RECOUNT_VISITS as RECOUNT_GUESTS
from shared.events.codec import Verdict, decode_verdict
from shared.events.facts import SessionsVoided
from shared.feed.views import Connection
from tests.projections.answering.test_timing import rows_read
from tests.projections.conftest import World
from tests.projections.season import Round, mj

PLAYERS = 120
NIGHTS = 8
ROWS_SCANNED = """
SELECT seq_tup_read FROM pg_stat_xact_user_tables WHERE schemaname = $1 AND relname = 'peaks'
"""


async def a_full_club(world: World) -> list[str]:
    """Let everybody meet everybody in turn, so that the tables have more rows than players."""
    season = world.season
    club = await season.source("club")
    people = [await season.player(number, source=club) for number in range(1, PLAYERS + 1)]
    for night in range(NIGHTS):
        away = 2 * night + 1
        guests = people[away:] + people[:away]
        pairs = zip(people[::2], guests[::2], strict=True)
        await season.play(club, *(Round({one: 3, two: 1}) for one, two in pairs))
    await world.follow()
    return people


async def rows_read_by(connection: Connection, query: str, players: list[str]) -> int:
    """Return how many rows of tables a query reads, planned as for whatever array comes."""
    async with connection.transaction():
        await connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        await connection.execute(f"PREPARE planned (text[]) AS {query}")
        given = ",".join(f"'{each}'" for each in players)
        explain = "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON)"
        told = await connection.fetchval(f"{explain} EXECUTE planned(ARRAY[{given}])")
        await connection.execute("DEALLOCATE planned")
    (explained,) = orjson.loads(told)
    return sum(rows for _, rows in rows_read(explained["Plan"]))


async def schema_of(world: World, view: str) -> str:
    schema: str = await world.pool.fetchval(
        "SELECT live_schema FROM mahjic.views WHERE name = $1", view
    )
    return schema


async def test_bringing_a_few_players_onto_boards_reads_no_table_once_for_each_of_all(
    world: World,
) -> None:
    people = await a_full_club(world)
    schema = await schema_of(world, "leaderboards")
    async with world.pool.acquire() as connection:
        read = await rows_read_by(connection, READ_DIFFERENCES.format(schema=schema), people[:8])
    # Each of the tables of players, people, visits and standings at most once.
    assert read <= 4 * PLAYERS


@pytest.mark.parametrize(
    ("view", "query"),
    [
        ("profiles", RECOUNT),
        ("leaderboards", RECOUNT_PLAYERS),
        ("leaderboards", RECOUNT_VISITS),
        ("sources", RECOUNT_GUESTS),
        ("sources", RECOUNT_PUBLIC),
    ],
)
async def test_counting_a_few_players_anew_reads_what_they_played_and_not_what_all_did(
    world: World, view: str, query: str
) -> None:
    people = await a_full_club(world)
    schema = await schema_of(world, view)
    await world.pool.execute(f"ANALYZE {schema}.attendances")
    async with world.pool.acquire() as connection:
        read = await rows_read_by(connection, query.format(schema=schema), people[:4])
    attendances = await world.pool.fetchval(f"SELECT count(*) FROM {schema}.attendances")
    assert attendances == NIGHTS * PLAYERS
    # Theirs, and small tables at most twice.
    assert read <= 4 * NIGHTS + 2 * PLAYERS


@pytest.mark.parametrize("what", ["sessions", "correction"])
async def test_peaks_of_a_few_players_are_found_though_there_were_none_when_the_view_began(
    world: World, what: str
) -> None:
    people = [mj(number) for number in range(1, 61)]
    pairs = zip(people[::2], people[1::2], strict=True)
    night, _ = await world.season.play("club", *(Round({a: 2, b: 1}) for a, b in pairs))
    moved = await world.season.tell(SessionsVoided((night,), "other"))
    await world.follow()
    schema = await schema_of(world, "history")
    records = await world.season.log.read(await world.season.log.beginning(), 100)
    verdicts = [decode_verdict(record.body) for record in records]
    async with world.pool.acquire() as connection, connection.transaction():
        for _ in range(20):  # A plan is kept after five.
            await bring_peaks(connection, schema, verdicts, what, moved)
        await connection.execute(
            f"""INSERT INTO {schema}.peaks
            SELECT 'MJ-' || player, 1000 + player, 150000
            FROM generate_series(1, 20000) AS many (player)"""
        )
        before = await connection.fetchval(ROWS_SCANNED, schema)
        await bring_peaks(connection, schema, verdicts, what, moved)
        assert await connection.fetchval(ROWS_SCANNED, schema) - before < 2 * 20000


async def bring_peaks(
    connection: Connection, schema: str, verdicts: Sequence[Verdict], what: str, moved: int
) -> None:
    if what == "sessions":
        await take_in_sessions(connection, schema, verdicts)
    else:
        (correction,) = (each for each in verdicts if each.answers.fact_seq == moved)
        await take_in_correction(connection, schema, correction)
