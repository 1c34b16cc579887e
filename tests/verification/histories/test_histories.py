"""Whatever happens, and however events come: the facts are what the rules say, one per change.

MAHJIC_SEED repeats the histories of a run, MAHJIC_HISTORIES multiplies how many are tried.
"""

import itertools
import os
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from datetime import timedelta

import asyncpg
import pytest
from hypothesis import HealthCheck, Phase, given, note, seed, settings
from hypothesis import strategies as st

from services.ingest.record.founding import found_log
from services.verification.stripe.adapter import StripeSdk
from shared.events.codec import decode_fact
from shared.events.facts import PlayerVerificationEnded, PlayerVerified
from tests.conftest import Database
from tests.verification.histories.acts import ACTS, NEEDS_ACCOUNT, is_checked, pays
from tests.verification.histories.model import FOURTEEN_DAYS, Model
from tests.verification.histories.world import World
from tests.verification.stripe.account.memory import PRICE
from tests.verification.stripe.over_http.server import FakeStripe
from tests.verification.stripe.rigs import RESTRICTED_KEY

SEED = int(os.environ.get("MAHJIC_SEED") or random.randrange(2**32))
TIMES = int(os.environ.get("MAHJIC_HISTORIES") or 1)
PEOPLE = 3
pytestmark = pytest.mark.timeout(600 * TIMES)
INSTANT = timedelta(seconds=1)
FACTS = "SELECT body FROM mahjic.facts ORDER BY seq"
# What an earlier history left is at another Stripe.
EMPTIED = ("enrollments", "stripe_events", "verification_watch", "verification_doubts")
VERIFIED = """
SELECT survivor_id FROM mahjic.verified_players JOIN mahjic.read_players USING (player_id)
WHERE survivor_id = ANY($1)
"""

_numbers = itertools.count(1)

# Which act, by whom, how it goes, and how long it is until the next one.
steps = st.lists(
    st.tuples(
        st.integers(0, len(ACTS) - 1),
        st.integers(0, PEOPLE - 1),
        st.integers(0, 3),
        st.sampled_from([0, 0, 0, 1, 15, 100, 370]),
    ),
    min_size=4,
    max_size=16,
)
histories = settings(
    max_examples=10 * TIMES,
    # A history that fails is told whole: to look for a shorter one takes minutes.
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture
async def pool(database: Database) -> asyncpg.Pool:
    return database.pool


async def a_world(pool: asyncpg.Pool) -> tuple[World, Model]:
    for table in EMPTIED:
        await pool.execute(f"DELETE FROM mahjic.{table}")
    world = World(pool, next(_numbers))
    await found_log(pool, "log_of_a_test", world.made)
    await world.settle_in(PEOPLE)
    return world, Model(world)


async def who_is_verified(world: World, model: Model) -> Mapping[str, bool]:
    """Return for each player who stands for a person whether they are Verified on record."""
    ids = list(model.everybody())
    found = {row["survivor_id"] for row in await world.pool.fetch(VERIFIED, ids)}
    return {each: each in found for each in ids}


async def facts_about(world: World) -> list[tuple[str, bool]]:
    """Return every beginning and end that is on the log about the people of a world."""
    own = {who.player_id for who in world.people}
    events = [decode_fact(row["body"]).event for row in await world.pool.fetch(FACTS)]
    return [
        (event.player_id, isinstance(event, PlayerVerified))
        for event in events
        if isinstance(event, PlayerVerified | PlayerVerificationEnded) and event.player_id in own
    ]


def check_that_each_changes_something(facts: Sequence[tuple[str, bool]]) -> None:
    """Check that no fact says of an id what was so already."""
    is_now: dict[str, bool] = {}
    for player_id, is_verified in facts:
        assert is_now.get(player_id, False) != is_verified, (player_id, facts)
        is_now[player_id] = is_verified


async def act(world: World, model: Model, step: tuple[int, int, int, int]) -> None:
    what, who, luck, _ = step
    someone, doing = world.people[who], ACTS[what]
    if not (someone.is_forgotten and doing in NEEDS_ACCOUNT):
        await doing(world, model, someone, luck)
    for each in world.people:
        await world.customer_of(each)


def stops(world: World, days: int) -> list[timedelta]:
    """Return when something may change within some days: for Stripe, or by the days of grace."""
    now, end = world.clock(), world.clock() + timedelta(days=days)
    moments = {end}
    for sub in world.account.subscriptions.values():
        for moment in (sub.period_start, sub.period_end, world.turn_of(sub.id)):
            if moment is not None:
                moments |= {moment, moment + FOURTEEN_DAYS + INSTANT}
    return [each - now for each in sorted(moments) if now < each <= end]


@seed(SEED)
@histories
@given(told=steps)
async def test_what_happens_one_by_one_is_on_the_log_as_it_happened(
    pool: asyncpg.Pool, told: list[tuple[int, int, int, int]]
) -> None:
    note(f"MAHJIC_SEED={SEED}")
    world, model = await a_world(pool)
    for step in told:
        await act(world, model, step)
        start = world.clock()
        for after in [timedelta(0), *stops(world, step[3])]:
            world.clock.now = max(world.clock.now, start + after)
            world.take_turns()
            await world.deliver(world.take_new_events())
            await world.come_to_rest()
            now = model.everybody()
            assert await who_is_verified(world, model) == now
    facts = await facts_about(world)
    check_that_each_changes_something(facts)
    await world.come_to_rest()
    assert await facts_about(world) == facts


@seed(SEED)
@histories
@given(told=steps, chance=st.integers(0, 2**32 - 1))
async def test_however_events_come_it_ends_as_the_rules_say(
    pool: asyncpg.Pool, told: list[tuple[int, int, int, int]], chance: int
) -> None:
    note(f"MAHJIC_SEED={SEED}")
    world, model = await a_world(pool)
    luck = random.Random(chance)
    await live(world, model, told, luck, world.work_with_kills)
    await world.come_to_rest()
    assert await who_is_verified(world, model) == model.everybody()
    check_that_each_changes_something(await facts_about(world))


@pytest.mark.parametrize("number", range(TIMES))
async def test_it_ends_so_over_http_by_stripes_own_library(
    pool: asyncpg.Pool, fake_stripe: FakeStripe, number: int
) -> None:
    luck = random.Random(SEED + number)
    world, model = await a_world(pool)
    fake_stripe.account.clock = world.clock
    async with aclosing(StripeSdk(RESTRICTED_KEY, PRICE, fake_stripe.url)) as stripe:
        world.go_to(stripe, fake_stripe.account, fake_stripe.switches)
        # Everybody pays and is checked first, and then anything may happen.
        first = [(ACTS.index(do), who, 2, 0) for who in range(PEOPLE) for do in (pays, is_checked)]
        told = [
            (luck.randrange(len(ACTS)), luck.randrange(PEOPLE), luck.randrange(4), days)
            for days in luck.choices([0, 0, 0, 1, 15, 100, 370], k=8)
        ]
        await live(world, model, [*first, *told], luck, world.work_with_kills_between_answers)
        await world.come_to_rest()
        assert await who_is_verified(world, model) == model.everybody(), f"MAHJIC_SEED={SEED}"
        check_that_each_changes_something(await facts_about(world))


async def live(
    world: World,
    model: Model,
    told: Sequence[tuple[int, int, int, int]],
    luck: random.Random,
    work: Callable[[random.Random], Awaitable[None]],
) -> None:
    """Live through a history, while events get lost and workers are killed."""
    for step in told:
        await act(world, model, step)
        end = world.clock() + timedelta(days=step[3])
        while (turn := world.next_turn()) is not None and turn <= end:
            world.clock.now = max(world.clock.now, turn)
            world.take_turns()
        world.clock.now = max(world.clock.now, end)
        await _let_some_in(world, luck)
        world.switches.lose = luck.choice([0, 0, 0, 1])
        world.switches.away = luck.choice([None, None, None, "hangs_up"])
        await work(luck)
        world.switches.away = None


async def _let_some_in(world: World, luck: random.Random) -> None:
    """Have events come in: shuffled, some twice, some later, some never."""
    events = [*world.late, *world.take_new_events()]
    luck.shuffle(events)
    world.late = [each for each in events if luck.random() < 0.3]
    coming = [each for each in events if each not in world.late and luck.random() < 0.8]
    coming += luck.sample(coming, len(coming) // 4)
    await world.deliver(coming)
