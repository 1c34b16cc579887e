"""How what is on record is looked up: by indexes, also in a database that was never analysed."""

import json
from collections.abc import Iterator
from typing import Any

import asyncpg
import pytest

from services.ingest import look_up

LOOK_UPS = {
    "people": (look_up.READ_PEOPLE, 3),
    "taken ids": (look_up.READ_TAKEN_IDS, 1),
    "keys": (look_up.READ_KEYS, 1),
    "sessions": (look_up.READ_SESSIONS, 2),
    "rounds": (look_up.READ_ROUNDS, 2),
}


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every node of a plan."""
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes(below)


@pytest.mark.parametrize("name", LOOK_UPS)
async def test_a_look_up_reads_no_table_as_a_whole_when_the_planner_knows_nothing(
    pool: asyncpg.Pool, name: str
) -> None:
    """A plan is kept, so one of the first minute would slow down all that come until the next."""
    statement, parameters = LOOK_UPS[name]
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        await connection.execute(f"PREPARE looked_up AS {statement}")
        values = ", ".join(["'{}'"] * parameters)
        explained = await connection.fetchval(f"EXPLAIN (FORMAT JSON) EXECUTE looked_up ({values})")
        await connection.execute("DEALLOCATE looked_up")
    read = [
        (node["Node Type"], node["Relation Name"])
        for node in nodes(json.loads(explained)[0]["Plan"])
        if "Relation Name" in node
    ]
    assert read
    assert not [each for each in read if each[0] == "Seq Scan"], read
