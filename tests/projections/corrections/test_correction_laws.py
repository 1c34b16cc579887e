"""What holds for every history: pages add up, reasons are those of replays, rebuilds are the same.

MAHJIC_SEED repeats the histories of a run, MAHJIC_HISTORIES multiplies how many are tried.
"""

import asyncio
import os
import random
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import orjson
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from services.projections.building.rebuild import rebuild_view
from services.projections.history.project import HistoryView
from services.projections.sessions.project import SessionsView
from services.projections.views import all_views
from shared.db.server.embedded import EmbeddedServer
from shared.events.codec import decode_fact, encode_fact
from shared.events.facts import FactEvent
from shared.feed.feed import Feed
from shared.ids import player_id
from tests.conftest import TEMPLATE, Database, fresh_database
from tests.corrections.histories import PLAYERS, STEP_BYTES, STRANGERS, facts_of
from tests.log.chances import seeded_chance
from tests.projections.conftest import World, a_world, asked
from tests.projections.season import LOG_ID, TIME, Round
from tests.projections.told import ToldSeason
from tests.projections.told_history import Told, a_told_season, whole_history
from tests.replay_by_hand.history import Sessions as PlacedSessions
from tests.replay_by_hand.history import merges, survivor
from tests.replay_by_hand.replay import Standing, played_through

SEED = int(os.environ.get("MAHJIC_SEED") or random.randrange(2**32))
TIMES = int(os.environ.get("MAHJIC_HISTORIES") or 1)
# The ids of histories as addresses take them.
LAWFUL = {
    name: player_id("AN" if name.startswith("AN") else "MJ", number)
    for number, name in enumerate((*PLAYERS, STRANGERS[1]), start=1)
}
Numbers = tuple[Standing, Standing]

steps = st.lists(st.binary(min_size=STEP_BYTES, max_size=STEP_BYTES), min_size=15, max_size=60)
sizes = st.integers(1, 4)
# None for the parts that the rater makes.
parts = st.none() | sizes


def with_lawful_ids(facts: Sequence[FactEvent]) -> list[FactEvent]:
    """Return the same facts about players whose ids addresses take."""
    lawful = []
    for fact in facts:
        body = encode_fact(fact, log_id=LOG_ID, seq=1, time=TIME)
        for name, whole in LAWFUL.items():
            body = body.replace(orjson.dumps(name), orjson.dumps(whole))
        lawful.append(decode_fact(body).event)
    return lawful


@asynccontextmanager
async def a_told_world(
    server: EmbeddedServer, facts: Sequence[FactEvent], *, part: int | None, batch: int
) -> AsyncIterator[Told]:
    """Tell all facts, and let the views follow them in batches of so many verdicts."""
    async with fresh_database(server, template=TEMPLATE) as database:
        season = ToldSeason(database.pool, players_in_part=part)
        built = await a_world(season, views=[HistoryView(), SessionsView()])
        built.feed = Feed(
            database.pool, season.log, [HistoryView(), SessionsView()], records_max=batch
        )
        async with asked(built) as world:
            await season.source("a-club")
            for number, name in enumerate(LAWFUL, start=1):
                if name.startswith("AN"):
                    await season.anonymous(number, "a-club")
                else:
                    await season.player(number)
            for fact in facts[1:]:  # The season itself adopts the formula.
                await season.tell(fact)
            yield Told(world, season)


@seed(SEED)
@settings(max_examples=8 * TIMES)
@given(steps, parts, sizes)
async def test_all_changes_of_every_page_add_up_to_the_rating(
    postgres_server: EmbeddedServer, steps: list[bytes], part: int | None, batch: int
) -> None:
    print(f"MAHJIC_SEED={SEED}")  # noqa: T201 - pytest shows it with a failure.
    facts = with_lawful_ids(facts_of(steps))
    async with a_told_world(postgres_server, facts, part=part, batch=batch) as told:
        await told.world.follow()
        links = merges(told.season.counted)
        for who in set(told.season.standings) & set(LAWFUL.values()):
            if not who.startswith("MJ"):
                continue
            path = f"/v1/players/{who}/history"
            answer = await told.world.client.get(path)
            if who in links:
                assert answer.status_code == 308
                assert answer.headers["Location"] == path.replace(who, survivor(links, who))
            else:
                entries = await whole_history(told.world, who, limit=7)
                told.assert_adds_up(who, entries)


@seed(SEED)
@settings(max_examples=6 * TIMES)
@given(steps)
async def test_the_reason_of_every_correction_is_what_replays_by_hand_come_to(
    postgres_server: EmbeddedServer, steps: list[bytes]
) -> None:
    print(f"MAHJIC_SEED={SEED}")  # noqa: T201 - pytest shows it with a failure.
    facts = with_lawful_ids(facts_of(steps))
    async with a_told_world(postgres_server, facts, part=50, batch=50) as told:
        await told.world.follow()
        links = merges(told.season.counted)
        for who in told.season.standings:
            if who in links or not who.startswith("MJ"):
                continue
            for entry in await whole_history(told.world, who):
                if entry["type"] == "correction":
                    await assert_as_by_hand(told, who, entry)


async def assert_as_by_hand(told: Told, who: str, entry: dict[str, Any]) -> None:
    """Hold the rounds of a reason against full replays of the facts before and with it."""
    why = await told.why(who, entry["change_id"], limit=200)
    mover = entry["played_as"] or who
    before = rounds_by_hand(told.season, entry["fact_seq"] - 1, mover)
    after = rounds_by_hand(told.season, entry["fact_seq"], mover)
    expected = {
        key: (before.get(key), after.get(key))
        for key in before.keys() | after.keys()
        if before.get(key) != after.get(key)
    }
    shown = {
        (each["session_id"], each["round_number"]): (
            numbers(each["before"]),
            numbers(each["after"]),
        )
        for each in why["rounds"]
    }
    assert shown == expected
    assert why["rounds_count"] == len(expected)
    place = PlacedSessions(told.season.counted).place
    places = [place[each["session_id"]] for each in why["rounds"]]
    assert places == sorted(places)
    for pool in ("mahjic", "verified"):
        total: Counter[str] = Counter()
        for each in why["rounds"]:
            for when in ("before", "after"):
                if each[when] is not None:
                    total[when] += round(each[when][pool]["rating_change"] * 100)
        assert total["after"] - total["before"] == round(entry[pool]["rating_change"] * 100)


def rounds_by_hand(season: ToldSeason, seq: int, who: str) -> dict[tuple[str, int], Numbers]:
    """Return the numbers of every round of a player, as of a fact."""
    _, rated = played_through([each for each in season.counted if each[0] <= seq])
    return {
        (session, number): (seat.before, seat.after)
        for session, rounds in rated.items()
        for number, seats in enumerate(rounds, start=1)
        for seat in seats
        if seat.player == who
    }


def numbers(told: dict[str, Any] | None) -> Numbers | None:
    """Return what an answer tells of a round in both pools."""
    if told is None:
        return None
    pools = [told[pool] for pool in ("mahjic", "verified")]
    before, after = (
        Standing(
            *(
                number
                for each in pools
                for number in (round(each[f"rating_{when}"] * 100), each[f"games_{when}"])
            )
        )
        for when in ("before", "after")
    )
    return before, after


async def test_a_feed_that_is_killed_between_parts_shows_nobody_half_corrected(
    database: Database,
) -> None:
    chance = seeded_chance()
    async with a_told_season(database) as told:
        season, world = told.season, told.world
        people = [player_id("MJ", number) for number in range(1, 7)]
        nights = []
        for _ in range(12):
            won = {each: chance.randrange(4) for each in chance.sample(people, 3)}
            nights.append((await season.play("club", Round(won, wall_games=1)))[0])
        people.append(await season.player(9, source="club"))
        await told.merge(people.pop(0), people[-1])
        await world.follow()
        before = dict(season.standings)
        await told.void(*nights[:6])
        seen: Counter[bool] = Counter()
        while world.feed.seq < (await season.log.tail()).seq:
            await one_step_of_a_process_that_is_killed(world, season, chance)
            for who in people:
                total = await sum_of_changes(world, who)
                profile = await world.get(f"/v1/players/{who}")
                assert total == round(profile["rating"] * 100)
                assert total in {before[who].rating_centi, season.standings[who].rating_centi}
                seen[total == before[who].rating_centi] += 1
        assert min(seen[True], seen[False]) > 0
        for who in people:
            told.assert_adds_up(who, await told.history(who))
        for view in ("history", "sessions"):
            rebuilt = await rebuild_view(view, pool=world.pool, log=season.log)
            assert rebuilt.rows_equal is True, (view, rebuilt)


async def one_step_of_a_process_that_is_killed(
    world: World, season: ToldSeason, chance: random.Random
) -> None:
    """Let a feed take in one verdict, but not always to the end."""
    world.feed = Feed(world.pool, season.log, all_views(), records_max=1)
    step = asyncio.create_task(world.feed.step())
    await asyncio.wait([step], timeout=chance.choice((0.0, 0.001, 0.01, 10.0)))
    step.cancel()
    await asyncio.wait([step])


async def sum_of_changes(world: World, who: str) -> int:
    total = 150_000
    for entry in await whole_history(world, who):
        total += round(entry["mahjic"]["rating_change"] * 100)
    return total


@seed(SEED)
@settings(max_examples=6 * TIMES)
@given(steps, parts, sizes)
async def test_a_view_that_followed_in_any_steps_is_what_a_rebuild_makes(
    postgres_server: EmbeddedServer, steps: list[bytes], part: int | None, batch: int
) -> None:
    print(f"MAHJIC_SEED={SEED}")  # noqa: T201 - pytest shows it with a failure.
    facts = with_lawful_ids(facts_of(steps))
    async with a_told_world(postgres_server, facts, part=part, batch=batch) as told:
        await told.world.follow()
        for view in ("history", "sessions"):
            rebuilt = await rebuild_view(view, pool=told.world.pool, log=told.season.log)
            assert rebuilt.rows_equal is True, (view, rebuilt)
