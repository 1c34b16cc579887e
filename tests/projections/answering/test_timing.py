"""The time of an answer tells nothing of hidden players: nothing of theirs is looked at for it."""

from collections.abc import Iterator
from typing import Any

import orjson

from services.projections.charts.queries import READ_CHART
from services.projections.history.entries import END_PLACE
from services.projections.history.queries import READ_CHANGE, READ_HISTORY
from services.projections.profiles.queries import READ_PROFILE
from shared.rating.registry import START_CENTI
from tests.projections.conftest import World
from tests.projections.season import Round, mj

# What is kept of each player. The rows of people are looked up by id, whoever is asked for.
TABLES = {
    "profiles",
    "changes",
    "rounds",
    "standings",
    "corrections",
    "endings",
    "links",
    "peaks",
}


async def test_looking_for_a_hidden_player_costs_as_little_as_for_an_unknown_one(
    world: World,
) -> None:
    season = world.season
    club = await season.source("club")
    ada = await season.player(1, source=club)
    private = await season.player(2, source=club, is_private=True)
    erased = await season.player(3, source=club)
    nick = await season.anonymous(4, club)
    for each in (ada, private, erased):
        await season.verify(each)
    table = Round({ada: 2, private: 1, erased: 0, nick: 0}, 1)
    facts = [(await season.play(club, *[table] * 40))[1] for _ in range(5)]
    await season.erase(erased)
    await world.follow()
    # The choice of a plan must not depend on how much is known of the tables.
    for analyzed in (False, True):
        if analyzed:
            await world.pool.execute("ANALYZE")
        of_unknown = await costs(world, mj(5), facts[0])
        for hidden in (private, erased, nick):
            assert await costs(world, hidden, facts[0]) == of_unknown, (hidden, analyzed)
        of_ada = await costs(world, ada, facts[0])
        assert all(a > b for a, b in zip(of_ada, of_unknown, strict=True)), "Or nothing is counted."


async def costs(world: World, who: str, fact_seq: int) -> list[int]:
    """Return the costs of a profile, of a page of history, of a change, and of a chart."""
    return [
        await cost(world, READ_PROFILE, who, START_CENTI),
        await cost(world, READ_HISTORY, who, END_PLACE.fact_seq, 0, "", None, None, 201),
        await cost(world, READ_CHANGE, who, who, fact_seq, 1),
        await cost(world, READ_CHART, who),
    ]


async def cost(world: World, query: str, *arguments: object) -> int:
    """Return how many rows of players a query reads."""
    explain = "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) "
    (row,) = await world.reader.fetch(explain + query, *arguments)
    (explained,) = orjson.loads(row["QUERY PLAN"])
    return sum(rows for table, rows in rows_read(explained["Plan"]) if table in TABLES)


def rows_read(plan: dict[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield how many rows each part of a plan took from which table, those it left out included."""
    if "Relation Name" in plan:
        kept, left_out = plan["Actual Rows"], plan.get("Rows Removed by Filter", 0)
        yield plan["Relation Name"], round((kept + left_out) * plan["Actual Loops"])
    for part in plan.get("Plans", ()):
        yield from rows_read(part)
