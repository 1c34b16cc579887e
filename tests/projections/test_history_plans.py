"""What a page of a history costs by a plan that was made while the tables were nearly empty."""

from collections import Counter
from collections.abc import Sequence

import orjson
import pytest

from services.projections.charts.queries import READ_CHART
from services.projections.history.entries import END_PLACE
from services.projections.history.queries import READ_HISTORY
from tests.projections.answering.test_timing import rows_read
from tests.projections.conftest import World
from tests.projections.season import Round

ROUNDS = 2_000
GROW = (
    """INSERT INTO {0}.changes (
        player_id, fact_seq, round_no, on_date, change_centi, verified_change_centi,
        verified_rating_after
    )
    SELECT c.player_id, number, c.round_no, c.on_date, 0, 0, 150000
    FROM {0}.changes AS c, generate_series(100, 100 + $1) AS number WHERE c.fact_seq = 2""",
    """INSERT INTO {0}.rounds
    SELECT number, r.round_no, r.session_id || number, r.source, r.session_date, r.game_type,
        r.formula, r.rated
    FROM {0}.rounds AS r, generate_series(100, 100 + $1) AS number WHERE r.fact_seq = 2""",
    """INSERT INTO {0}.corrections
    SELECT 10000 + number, 'void', 'other', '{{}}', 1, NULL, '{{}}', NULL, 3, 100
    FROM generate_series(100, 100 + $1) AS number""",
    """INSERT INTO {0}.endings
    SELECT r.session_id, 'void', 10000 + r.fact_seq, NULL
    FROM {0}.rounds AS r WHERE r.fact_seq BETWEEN 100 AND 100 + $1""",
    """INSERT INTO {0}.peaks SELECT p.player_id, number, p.rating_centi + number
    FROM {0}.peaks AS p, generate_series(100, 100 + $1) AS number""",
)


TYPES = {READ_HISTORY: "text, bigint, smallint, text, date, date, bigint", READ_CHART: "text"}
ARGUMENTS = {READ_HISTORY: (END_PLACE.fact_seq, 0, "", None, None, 201), READ_CHART: ()}


@pytest.mark.parametrize(
    ("query", "arguments", "tables", "times"),
    [
        (
            READ_HISTORY,
            f", {END_PLACE.fact_seq}, 0::smallint, '', NULL, NULL, 201",
            ("changes", "rounds", "corrections", "endings"),
            1,
        ),
        # The points, and then the newest of them and the best.
        (READ_CHART, "", ("changes", "rounds", "endings", "peaks"), 2),
    ],
)
async def test_a_page_goes_through_no_table_for_each_of_its_rows(
    world: World, query: str, arguments: str, tables: Sequence[str], times: int
) -> None:
    club = await world.season.source("club")
    ada, bo = await world.season.player(1), await world.season.player(2)
    await world.season.play(club, Round({ada: 1, bo: 0}))
    await world.follow()
    schema = await world.pool.fetchval(
        "SELECT live_schema FROM mahjic.views WHERE name = 'history'"
    )
    run = f"EXECUTE page('{ada}'{arguments})"
    await world.reader.fetch(query, ada, *ARGUMENTS[query])
    async with world.pool.acquire() as connection:
        await connection.execute("SET plan_cache_mode = force_generic_plan")
        # As it reads from the live build.
        await connection.execute(f"PREPARE page ({TYPES[query]}) AS {world.reader._texts[query]}")
        assert len(await connection.fetch(run)) == 1
        for statement in GROW:
            await connection.execute(statement.format(schema).replace("$1", str(ROUNDS)))
        told = await connection.fetchval("EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) " + run)
        assert len(await connection.fetch(run)) == (201 if query == READ_HISTORY else 1)
        await connection.execute("DEALLOCATE page")
        await connection.execute("RESET plan_cache_mode")
    (explained,) = orjson.loads(told)
    read: Counter[str] = Counter()
    for table, rows in rows_read(explained["Plan"]):
        read[table] += rows
    for table in tables:
        rows = await world.pool.fetchval(f"SELECT count(*) FROM {schema}.{table}")
        assert rows > ROUNDS
        assert 0 < read[table] <= times * rows, table
