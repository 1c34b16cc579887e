"""How what is on record is looked up: by indexes, and by plans that are made once."""

import json
from collections.abc import Iterator
from typing import Any

import asyncpg
import pytest

from services.ingest.record.known import whole_record
from shared.log.postgres import Connection

LOOK_UPS = {
    "people": (whole_record.READ_PEOPLE, ("text", "text", "text")),
    "ids given out": (whole_record.READ_GIVEN_OUT, ("text",)),
    "keys": (whole_record.READ_KEYS, ("bytea",)),
    "sessions and rounds": (whole_record.READ_REPEATED, ("bytea", "text", "bytea", "bytea")),
}


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every node of a plan."""
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes(below)


# PostgreSQL plans the first five executions for their values, and compares then.
EXECUTIONS = 7


async def prepare(connection: Connection, name: str) -> str:
    """Prepare a look-up, and return how it is executed for one value of each kind."""
    statement, kinds = LOOK_UPS[name]
    await connection.execute(f"PREPARE looked_up AS {statement}")
    values = ", ".join(f"ARRAY['a']::{kind}[]" for kind in kinds)
    return f"EXECUTE looked_up ({values})"


@pytest.mark.parametrize("name", LOOK_UPS)
async def test_a_look_up_reads_no_table_as_a_whole_when_the_planner_knows_nothing(
    pool: asyncpg.Pool, name: str
) -> None:
    """A plan is kept, so one of the first minute would slow down all that come until the next."""
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        execute = await prepare(connection, name)
        explained = await connection.fetchval(f"EXPLAIN (FORMAT JSON) {execute}")
        await connection.execute("DEALLOCATE looked_up")
    read = [
        (node["Node Type"], node["Relation Name"])
        for node in nodes(json.loads(explained)[0]["Plan"])
        if "Relation Name" in node
    ]
    assert read
    assert not [each for each in read if each[0] == "Seq Scan"], read


@pytest.mark.parametrize("name", LOOK_UPS)
async def test_a_look_up_of_few_is_not_planned_anew_each_time(
    pool: asyncpg.Pool, name: str
) -> None:
    async with pool.acquire() as connection:
        execute = await prepare(connection, name)
        for _ in range(EXECUTIONS):
            await connection.execute(execute)
        kept = await connection.fetchval(
            "SELECT generic_plans FROM pg_prepared_statements WHERE name = 'looked_up'"
        )
        await connection.execute("DEALLOCATE looked_up")
    assert kept == EXECUTIONS - 5
