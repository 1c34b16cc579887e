"""The one transaction on a real database: groups, keys, ids, and what is on the log."""

import asyncio
import itertools
import random
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Any

import asyncpg
import pytest

from services.ingest.claim.people import read_person
from services.ingest.players.acts import forget, register, set_privacy
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.judging.identified import Submission
from services.ingest.record.waterline import Waterline
from shared.db.server.embedded import EmbeddedServer
from shared.events.chain import first_chain, next_chain
from shared.events.facts import SessionSubmitted
from shared.ids import player_id
from tests.conftest import TEMPLATE, fresh_database
from tests.ingest.changes.linking.merges import merge
from tests.ingest.claims import Claim, a_round, a_session
from tests.ingest.office import (
    NOW,
    SOURCES,
    a_submission,
    facts_on,
    found,
    ids_and_times_of,
    named,
    outcome_of,
    people_on,
    record,
)
from tests.log.chances import seeded_chance

VOID = "UPDATE mahjic.submissions SET status = 'voided' WHERE session_id = $1"
# All that a session leaves, but for random ids and what stands for them in prints.
TABLES = {
    "sessions": "SELECT session_id, source, status, fact_seq, allowed_duplicate "
    "FROM mahjic.submissions ORDER BY fact_seq",
    "rounds": "SELECT session_id, round_no, points_print IS NULL, ref_print "
    "FROM mahjic.round_prints ORDER BY session_id, round_no",
    "keys": "SELECT key_print, session_id, created_at "
    "FROM mahjic.idempotency_keys ORDER BY key_print",
    "head": "SELECT fact_seq FROM mahjic.head",
}
ADA, BO, CY, DEE = (f"{name}@example.com" for name in ("ada", "bo", "cy", "dee"))
PLAIN = a_round({ADA: 1, BO: 0})


@pytest.fixture
async def twin(postgres_server: EmbeddedServer) -> AsyncIterator[asyncpg.Pool]:
    """Return the pool of another founded database."""
    async with fresh_database(postgres_server, template=TEMPLATE) as database:
        await found(database.pool, ids_and_times_of(random.Random(1)))
        yield database.pool


def some_claim(chance: random.Random) -> Claim:
    """Return a session from a world so small that sessions often repeat each other."""
    rounds = []
    for number in range(chance.choice([1, 1, 1, 2])):
        people = chance.sample([ADA, BO, CY, "ANON:Dee", "bob@mahjic.org"], 3)
        people = [
            f"PRIVATE:{who}" if who in {ADA, BO} and chance.random() < 0.15 else who
            for who in people
        ]
        played = a_round(
            dict(zip(people, chance.choice([(1, 0, 0), (0, 1, 0), (1, 1, 0)]), strict=True)),
            points=chance.choice([(1, 0, -1), (2, 0, -2)]),
        )
        if chance.random() < 0.3:
            played["ref"] = f"{chance.choice('AB')}{number}"
        if chance.random() < 0.2:
            played["players"][0]["name"] = chance.choice(["Ann", "Ben"])
        rounds.append(played)
    return a_session(
        *rounds,
        on=chance.choice(["2026-01-30", "2026-01-31"]),
        game_type=chance.choice(["social", "league"]),
        allow_duplicate=chance.random() < 0.15,
        whole_night=chance.random() < 0.3,
    )


def some_submissions(chance: random.Random, count: int) -> list[Submission]:
    """Return submissions of which many repeat an earlier one, in whole or in part."""
    sent: list[tuple[Claim, str, str | None]] = []
    for _ in range(count):
        if sent and chance.random() < 0.35:
            claim, source, key = chance.choice(sent)
            if chance.random() < 0.3:
                source = chance.choice(SOURCES)
            if chance.random() < 0.3:
                key = chance.choice([None, "key 1", "key 2"])
        else:
            claim, source = some_claim(chance), chance.choice(SOURCES)
            key = chance.choice([None, None, "key 1", "key 2", f"key {chance.random()}"])
        sent.append((claim, source, key))
    return [
        a_submission(number, claim, source=source, key=key)
        for number, (claim, source, key) in enumerate(sent)
    ]


def told_of(fact: SessionSubmitted, name: Callable[[str], Any]) -> tuple[Any, ...]:
    """Return all that a fact says, with people by name."""
    rounds = [
        (
            played.games_played,
            played.wall_games,
            [name(each) for each in played.players],
            played.mahjongs,
            played.points_centi,
        )
        for played in fact.rounds
    ]
    new_players = [name(each) for each in fact.new_players]
    session = (fact.session_id, fact.source, fact.session_date, fact.game_type)
    return (*session, new_players, rounds)


async def everything_on(pool: asyncpg.Pool) -> dict[str, Any]:
    """Return all that is on record, with people by name instead of their random ids."""
    people = await people_on(pool)
    name = named(people)
    changed = await pool.fetch("SELECT DISTINCT player_id FROM mahjic.people_changes")
    return {
        "people": sorted(
            (
                name(each),
                name(row["merged_into"]),
                *(str(row[column]) for column in sorted(set(row) - {"player_id", "merged_into"})),
            )
            for each, row in people.items()
        ),
        "facts": [told_of(fact, name) for fact in await facts_on(pool)],
        "changed": sorted(name(row["player_id"]) for row in changed),
        **{what: [tuple(row) for row in await pool.fetch(sql)] for what, sql in TABLES.items()},
    }


async def merge_ada_into_cy(pool: asyncpg.Pool, ids_and_times: IdsAndTimes) -> None:
    """Let two who never met be one person."""
    ada, cy = [
        await register(pool, Waterline(), read_person(who), ids_and_times) for who in (ADA, CY)
    ]
    await merge(pool, ada.player_id, cy.player_id, ids_and_times)


@pytest.mark.parametrize("are_merged", [False, True])
async def test_a_group_is_judged_and_recorded_as_if_its_requests_came_one_by_one(
    pool: asyncpg.Pool, twin: asyncpg.Pool, are_merged: bool
) -> None:
    chance = seeded_chance()
    one, other = (ids_and_times_of(random.Random(seed)) for seed in (2, 3))
    if are_merged:
        await merge_ada_into_cy(pool, one)
        await merge_ada_into_cy(twin, other)
    submissions = some_submissions(chance, 250)
    together: list[str] = []
    apart: list[str] = []

    async def record_on_both(group: Sequence[Submission]) -> None:
        together.extend(map(outcome_of, await record(pool, group, one)))
        for each in group:
            apart.extend(map(outcome_of, await record(twin, [each], other)))
        assert together == apart

    async def void_on_both(number: int) -> None:
        for each in (pool, twin):
            await each.execute(VOID, submissions[number].session_id)

    while len(together) < len(submissions):
        start, size = len(together), chance.choice([1, 2, 3, 5, 8, 20, 60])
        await record_on_both(submissions[start : start + size])
        accepted = [at for at, each in enumerate(together) if each.startswith("accepted")]
        if accepted:
            await void_on_both(chance.choice(accepted))
    await void_on_both(accepted[0])
    again = a_submission(len(together), a_session(a_round(ada=1, bo=0)))
    again = replace(submissions[accepted[0]], session_id=again.session_id, key_print=None)
    await record_on_both([again])
    while "(accepted)" in together[-1]:  # Another one that counts has the same content.
        for each in (pool, twin):
            await each.execute(VOID, together[-1].split()[1])
        await record_on_both([again])
    assert await everything_on(pool) == await everything_on(twin)
    assert_every_kind_is_met({outcome.partition(" ")[0] for outcome in together}, are_merged)
    assert {outcome.rpartition(" ")[2] for outcome in together} >= {"key", "content"}
    assert "(voided)" in together[-1]


def assert_every_kind_is_met(kinds: set[str], are_merged: bool) -> None:
    certain = {"accepted", "replayed", "duplicate_session", "idempotency_key_reused"}
    certain |= {"night_changed"}
    # Whether anyone who was merged meets themselves is up to chance.
    possible = certain | ({"claim_refused", "ask_the_operator"} if are_merged else set())
    assert certain <= kinds <= possible


async def test_a_night_that_has_grown_is_told_beside_one_whose_people_played_a_thousand_times(
    pool: asyncpg.Pool,
) -> None:
    ids_and_times = ids_and_times_of(random.Random(2))
    old, grown = a_round({ADA: 1, BO: 0, CY: 0}), a_round({ADA: 0, BO: 2, CY: 0})
    busy = [f"busy{number}@example.com" for number in range(12)]
    pairs = [(who, f"ANON:guest {number}") for number in range(50) for who in busy]
    before = [a_session(old, on="2026-01-30", whole_night=True)]
    before += [a_session(a_round({who: 1, guest: 0}), on="2026-01-31") for who, guest in pairs]
    await record(pool, [a_submission(at, claim) for at, claim in enumerate(before)], ids_and_times)
    crowd = [a_round({one: 3, other: 1}) for one, other in itertools.pairwise(busy)]
    again = [
        a_session(*crowd, on="2026-01-31", whole_night=True),
        a_session(old, grown, on="2026-01-30", whole_night=True),
    ]
    sent = [a_submission(len(before) + at, claim) for at, claim in enumerate(again)]
    outcomes = [outcome_of(each) for each in await record(pool, sent, ids_and_times)]
    assert outcomes[0].startswith("accepted")
    assert outcomes[1].startswith("duplicate_session")
    assert "'kind': 'grown'" in outcomes[1]
    changed = a_session(grown, a_round({ADA: 1, BO: 0, CY: 1}), on="2026-01-30", whole_night=True)
    sent = [
        a_submission(len(before) + 2, a_session(*crowd[1:], on="2026-01-31", whole_night=True)),
        a_submission(len(before) + 3, changed),
    ]
    outcomes = [outcome_of(each) for each in await record(pool, sent, ids_and_times)]
    assert outcomes[1].startswith("night_changed")


async def test_facts_are_numbered_and_chained_without_a_gap(pool: asyncpg.Pool) -> None:
    ids_and_times = ids_and_times_of(random.Random(2))
    for start in range(0, 30, 10):
        group = [
            a_submission(number, a_session(a_round(ada=number + 1, bo=0)))
            for number in range(start, start + 10)
        ]
        await record(pool, group, ids_and_times)
    rows = await pool.fetch("SELECT seq, chain, body FROM mahjic.facts ORDER BY seq")
    assert [row["seq"] for row in rows] == list(range(1, 32))
    chain = first_chain("log_of_a_test", "facts")
    for row in rows:
        chain = next_chain(chain, row["body"])
        assert row["chain"] == chain
    head = await pool.fetchrow("SELECT fact_seq, fact_chain FROM mahjic.head")
    assert head is not None
    assert (head["fact_seq"], head["fact_chain"]) == (31, chain)
    by_fact = await pool.fetch("SELECT session_id FROM mahjic.submissions ORDER BY fact_seq")
    assert [row["session_id"] for row in by_fact] == [
        fact.session_id for fact in await facts_on(pool)
    ]


async def test_a_group_in_which_nothing_is_accepted_leaves_the_log_alone(
    pool: asyncpg.Pool,
) -> None:
    ids_and_times = ids_and_times_of(random.Random(2))
    claim = a_session(a_round(ada=1, bo=0))
    await record(pool, [a_submission(1, claim)], ids_and_times)
    before = await everything_on(pool)
    judged = await record(
        pool, [a_submission(2, claim), a_submission(3, claim, source=SOURCES[1])], ids_and_times
    )
    assert [outcome_of(each).partition(" ")[0] for each in judged] == [
        "replayed",
        "duplicate_session",
    ]
    assert await everything_on(pool) == before


async def test_an_id_is_given_out_once_forever(pool: asyncpg.Pool) -> None:
    # From a hat with few numbers, so that nearly every draw was drawn before.
    chance = seeded_chance()
    ids_and_times = IdsAndTimes(player_number=lambda: chance.randrange(12), now=lambda: NOW)
    given: set[str] = set()
    for number in range(4):
        people = {
            f"p{number}@x.org": 1,
            f"q{number}@x.org": 0,
            f"ANON:r{number}": 0,
            f"ANON:s{number}": 0,
        }
        judged = await record(
            pool, [a_submission(number, a_session(a_round(people)))], ids_and_times
        )
        assert outcome_of(judged[0]).startswith("accepted")
        (fact,) = (await facts_on(pool))[number:]
        assert len(set(fact.new_players)) == 4
        assert given.isdisjoint(fact.new_players)
        given.update(fact.new_players)
        for each in fact.new_players:
            await forget(pool, Waterline(), each, ids_and_times)
    registered = await register(pool, Waterline(), read_person("last@x.org"), ids_and_times)
    assert registered.player_id not in given


async def test_two_new_people_of_one_session_never_get_the_same_number(pool: asyncpg.Pool) -> None:
    drawn = iter([7, 7, 8, 8, 9, 10])
    ids_and_times = IdsAndTimes(player_number=lambda: next(drawn), now=lambda: NOW)
    await record(pool, [a_submission(1, a_session(a_round(ada=1, bo=0)))], ids_and_times)
    (fact,) = await facts_on(pool)
    assert set(fact.rounds[0].players) == {
        player_id("MJ", 9),
        player_id("MJ", 10),
    }


async def test_a_key_that_repeats_a_session_is_kept_like_the_key_that_made_it(
    pool: asyncpg.Pool,
) -> None:
    ids_and_times = ids_and_times_of(random.Random(2))
    other = a_session(a_round({ADA: 0, BO: 1}))
    await record(pool, [a_submission(1, a_session(PLAIN), key="first")], ids_and_times)
    await record(pool, [a_submission(2, a_session(PLAIN), key="second")], ids_and_times)
    for number, key in ((3, "first"), (4, "second")):
        judged = await record(
            pool,
            [
                a_submission(number, a_session(PLAIN), key=key),
                a_submission(number + 10, other, key=key),
            ],
            ids_and_times,
        )
        first = a_submission(1, other).session_id
        assert [outcome_of(each) for each in judged] == [
            f"replayed {first} (accepted) by key",
            "idempotency_key_reused {}",
        ]


async def test_the_rounds_of_a_voided_session_are_free_again(pool: asyncpg.Pool) -> None:
    ids_and_times = ids_and_times_of(random.Random(2))
    first = a_submission(1, a_session({**PLAIN, "ref": "T1"}))
    await record(pool, [first], ids_and_times)
    others = [
        a_submission(2, a_session(PLAIN), source=SOURCES[1]),
        a_submission(3, a_session(a_round({ADA: 0, CY: 1}, ref="T1"))),
    ]
    held = [outcome_of(each) for each in await record(pool, others, ids_and_times)]
    assert [each.partition(" ")[0] for each in held] == ["duplicate_session"] * 2
    await pool.execute(VOID, first.session_id)
    assert [outcome_of(each) for each in await record(pool, others, ids_and_times)] == [
        f"accepted {each.session_id}" for each in others
    ]


async def test_whoever_follows_the_changes_knows_everybody_as_they_are(pool: asyncpg.Pool) -> None:
    chance = seeded_chance()
    ids_and_times = ids_and_times_of(random.Random(2))
    known: dict[str, Any] = {}
    seen_seq = 0
    submissions = iter(some_submissions(chance, 60))
    for _ in range(90):
        someone = chance.choice([*known, player_id("MJ", 5)])
        match chance.randrange(4):
            case 0:
                await register(
                    pool, Waterline(), read_person(chance.choice([ADA, BO, CY, DEE])), ids_and_times
                )
            case 1 if known.get(someone) and known[someone]["email"]:
                await set_privacy(pool, Waterline(), someone, chance.choice(["normal", "private"]))
            case 2 if known.get(someone) and chance.random() < 0.3:
                await forget(pool, Waterline(), someone, ids_and_times)
            case _:
                await record(pool, list(itertools.islice(submissions, 3)), ids_and_times)
        rows = await pool.fetch(
            "SELECT seq, player_id FROM mahjic.people_changes WHERE seq > $1 ORDER BY seq", seen_seq
        )
        assert [row["seq"] for row in rows] == list(range(seen_seq + 1, seen_seq + 1 + len(rows)))
        seen_seq += len(rows)
        now = await people_on(pool)
        for row in rows:
            known[row["player_id"]] = now.get(row["player_id"])
        assert {each: row for each, row in known.items() if row is not None} == now
    assert await pool.fetchval("SELECT people_seq FROM mahjic.head") == seen_seq > 8


async def test_the_requests_of_two_transactions_at_once_wait_for_each_other(
    pool: asyncpg.Pool,
) -> None:
    ids_and_times = ids_and_times_of(random.Random(2))
    claim = a_session(PLAIN)
    judged = await asyncio.gather(
        *(record(pool, [a_submission(number, claim)], ids_and_times) for number in range(8))
    )
    outcomes = [outcome_of(each).partition(" ")[0] for (each,) in judged]
    assert sorted(outcomes) == ["accepted"] + ["replayed"] * 7
    assert len(await facts_on(pool)) == 1
