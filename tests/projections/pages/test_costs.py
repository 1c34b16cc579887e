"""What the reads of the pages cost: nothing for hidden players, and no more as tables grow."""

from collections import Counter
from dataclasses import dataclass

import orjson

from services.projections.history.entries import END_PLACE
from services.projections.history.session_queries import READ_PLACES, READ_SESSIONS_OF
from services.projections.leaderboards.moves import READ_MOVES
from services.projections.together.queries import READ_MET, READ_TOGETHER, ROUNDS_MAX
from shared.feed.views import Connection
from shared.rating.registry import START_CENTI
from tests.projections.answering.test_timing import rows_read
from tests.projections.conftest import TODAY, World
from tests.projections.season import Round, mj

# What is kept of each player. The rows of people are looked up by id, whoever is asked for.
TABLES = {
    "attendances",
    "changes",
    "corrections",
    "endings",
    "links",
    "merges",
    "replaced_rounds",
    "replacements",
    "rounds",
}
GROW = (
    """INSERT INTO {history}.changes (
        player_id, fact_seq, round_no, on_date, change_centi, verified_change_centi,
        verified_rating_after
    )
    SELECT c.player_id, number, c.round_no, c.on_date, 0, 0, 150000
    FROM {history}.changes AS c, generate_series({first}, {last}) AS number WHERE c.fact_seq = 2""",
    """INSERT INTO {history}.rounds
    SELECT number, r.round_no, r.session_id || number, r.source, r.session_date, r.game_type,
        r.formula, r.rated
    FROM {history}.rounds AS r, generate_series({first}, {last}) AS number WHERE r.fact_seq = 2""",
    """INSERT INTO {profiles}.attendances
    SELECT a.player_id, number, a.source, a.session_date, a.mahjongs, a.wall_games
    FROM {profiles}.attendances AS a, generate_series({first}, {last}) AS number
    WHERE a.fact_seq = 2""",
)


async def rows(connection: Connection, statement: str, *arguments: object) -> Counter[str]:
    """Return how many rows of each table a statement reads."""
    explain = "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) "
    (explained,) = orjson.loads(await connection.fetchval(explain + statement, *arguments))
    read: Counter[str] = Counter()
    for table, count in rows_read(explained["Plan"]):
        read[table] += count
    return read


async def text_of(world: World, query: str, *arguments: object) -> str:
    """Return a query as it reads from the live builds."""
    await world.reader.fetch(query, *arguments)
    return world.reader._texts[query]


async def of_all(world: World, who: str, other: str) -> list[int]:
    """Return the costs of everything that is read about one player, and about two."""
    end = END_PLACE.fact_seq
    asked: list[tuple[str, tuple[object, ...]]] = [
        (READ_PLACES, (who, end)),
        (READ_SESSIONS_OF, (who, 0, end)),
        (READ_MET, (who,)),
        (READ_TOGETHER, (who, other)),
        (READ_TOGETHER, (other, who)),
    ]
    costs = []
    for query, arguments in asked:
        text = await text_of(world, query, *arguments)
        async with world.pool.acquire() as connection:
            read = await rows(connection, text, *arguments)
        costs.append(sum(read[table] for table in TABLES))
    return costs


async def test_looking_for_a_hidden_player_costs_as_little_as_for_an_unknown_one(
    world: World,
) -> None:
    season = world.season
    club = await season.source("club")
    ada, bo = await season.player(1, source=club), await season.player(6, source=club)
    private = await season.player(2, source=club, is_private=True)
    erased = await season.player(3, source=club)
    nick = await season.anonymous(4, club)
    table = Round({ada: 2, private: 1, erased: 0, nick: 0}, 1)
    for _ in range(5):
        await season.play(club, *[table] * 20, Round({ada: 1, bo: 0}))
    await season.erase(erased)
    await world.follow()
    # The choice of a plan must not depend on how much is known of the tables.
    for analyzed in (False, True):
        if analyzed:
            await world.pool.execute("ANALYZE")
        *of_unknown, one_way, other_way = await of_all(world, mj(5), ada)
        for hidden in (private, erased, nick):
            found = await of_all(world, hidden, ada)
            assert found == [*of_unknown, one_way, other_way], (hidden, analyzed)
        of_ada = await of_all(world, ada, bo)
        assert all(a > b for a, b in zip(of_ada, of_unknown, strict=False)), "Nothing is counted."


@dataclass(frozen=True)
class Prepared:
    """A read with the types of its parameters, and what it is asked with."""

    query: str
    types: str
    arguments: tuple[object, ...]
    values: str


END = END_PLACE.fact_seq
ADA, BO = mj(1), mj(2)
READS = {
    "moves": Prepared(
        READ_MOVES,
        "text[], date, bigint",
        ([ADA, BO], TODAY, START_CENTI),
        f"'{{{ADA},{BO}}}', '{TODAY}', {START_CENTI}",
    ),
    "met": Prepared(READ_MET, "text", (ADA,), f"'{ADA}'"),
    "places": Prepared(READ_PLACES, "text, bigint", (ADA, END), f"'{ADA}', {END}"),
    "sessions": Prepared(
        READ_SESSIONS_OF, "text, bigint, bigint", (ADA, 100, 125), f"'{ADA}', 100, 125"
    ),
}


async def test_no_read_costs_more_as_histories_grow(world: World) -> None:
    """The plans are for any arguments, and made again once the database has counted its tables."""
    season = world.season
    club = await season.source("club")
    await season.player(1)
    await season.player(2)
    await season.play(club, Round({ADA: 1, BO: 0}))
    await world.follow()
    live = {
        row["name"]: row["live_schema"]
        for row in await world.pool.fetch("SELECT name, live_schema FROM mahjic.views")
    }
    found = []
    async with world.pool.acquire() as connection:
        await connection.execute("SET plan_cache_mode = force_generic_plan")
        for name, read in READS.items():
            text = await text_of(world, read.query, *read.arguments)
            await connection.execute(f"PREPARE {name} ({read.types}) AS {text}")
            assert await connection.fetch(f"EXECUTE {name}({read.values})")
        for first in (100, 100 + 3 * ROUNDS_MAX):
            last = first + 2 * ROUNDS_MAX
            for statement in GROW:
                await connection.execute(statement.format(first=first, last=last, **live))
            await connection.execute("ANALYZE")
            found.append(
                {
                    name: await rows(connection, f"EXECUTE {name}({read.values})")
                    for name, read in READS.items()
                }
            )
        for name in READS:
            await connection.execute(f"DEALLOCATE {name}")
        await connection.execute("RESET plan_cache_mode")
    for name in READS:
        smaller, larger = (each[name] for each in found)
        for table in TABLES:
            assert larger[table] <= smaller[table] + 2, (name, table)
    assert found[-1]["moves"]["changes"] <= 4
    assert found[-1]["met"]["rounds"] <= ROUNDS_MAX + 2
