"""Histories, searches and sources while a verdict on the past is applied part by part."""

from collections.abc import AsyncIterator

import pytest

from services.projections.views import all_views
from shared.events.facts import SessionsVoided
from shared.feed.advancing import advance
from shared.feed.feed import read_live
from tests.conftest import Database
from tests.projections.conftest import World, a_world, asked
from tests.projections.season import Round, mj
from tests.projections.told import ToldSeason

ADA, BO, CY, DREW = people = [mj(number) for number in range(1, 5)]


@pytest.fixture
async def world(database: Database) -> AsyncIterator[World]:
    """A world whose verdicts on the past have two players in a part."""
    season = ToldSeason(database.pool, players_in_part=2)
    async with asked(await a_world(season)) as world:
        await season.source("club")
        for number in range(1, 5):
            await season.player(number)
        yield world


async def one_record(world: World) -> None:
    """Let the views take in one more record and nothing else."""
    views = {view.name: view for view in all_views()}
    builds = await read_live(world.pool, views)
    await advance(world.pool, world.season.log, builds, views, records_max=1)


async def test_a_history_has_all_that_a_correction_did_to_the_player_or_nothing_of_it(
    world: World,
) -> None:
    won = {ADA: 4, BO: 3, CY: 2, DREW: 1}
    nights = [await world.season.play("club", Round(won)) for _ in range(2)]
    await world.follow()
    paths = [f"/v1/players/{each}/history" for each in people]
    before = [await world.get(path) for path in paths]
    assert {page["correcting"] for page in before} == {None}
    (session, played_seq), _ = nights
    fact_seq = await world.season.tell(SessionsVoided((session,), "not_played"))
    entries = {}
    for part in ({"part": 1, "parts": 2}, None):
        await one_record(world)
        for who, path, page in zip(people, paths, before, strict=True):
            now = await world.get(path)
            assert now["correcting"] == part
            assert now["seq"] == (fact_seq if part is None else fact_seq - 1)
            is_in = now["changes"][0]["type"] == "correction"
            night = now["changes"][-1]
            why = await world.get(f"{path.removesuffix('history')}changes/{night['change_id']}")
            assert night["change_id"] == f"{who}.{played_seq}.1"
            assert night["voided"] is why["voided"] is is_in
            assert [each["fact_seq"] for each in why["corrections"]] == [fact_seq] * is_in
            if not is_in:
                assert now["changes"] == page["changes"]
            entries[who, part is None] = is_in
    assert [entries[who, False] for who in people].count(True) == 2
    assert all(entries[who, True] for who in people)


async def test_a_search_says_that_the_numbers_it_found_are_being_corrected(world: World) -> None:
    session, _ = await world.season.play("club", Round({ADA: 4, BO: 3, CY: 2, DREW: 1}))
    await world.follow()
    fact_seq = await world.season.tell(SessionsVoided((session,), "not_played"))
    for part in ({"part": 1, "parts": 2}, None):
        await one_record(world)
        found = await world.get("/v1/players/search", q="MJ-0")
        assert found["correcting"] == part
        assert found["seq"] == (fact_seq if part is None else fact_seq - 1)
        games = [player["games"] for player in found["players"]]
        assert games.count(0) == (4 if part is None else 2)


async def test_the_sources_say_that_they_stand_on_a_fact_that_is_not_all_in(world: World) -> None:
    session, _ = await world.season.play("club", Round({ADA: 4, BO: 3, CY: 2, DREW: 1}))
    await world.follow()
    fact_seq = await world.season.tell(SessionsVoided((session,), "not_played"))
    for part in ({"part": 1, "parts": 2}, None):
        await one_record(world)
        page = await world.get("/v1/sources")
        assert page["correcting"] == part
        assert page["seq"] == (fact_seq if part is None else fact_seq - 1)
        (club,) = page["sources"]
        assert (club["sessions"], club["sessions_voided"]) == (0, 1)
