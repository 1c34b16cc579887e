"""What sessions leave on record about people: privacy, names, nicknames, and nothing elsewhere."""

import random
from typing import Any

import asyncpg
import pytest

from services.ingest.claim.people import read_person
from services.ingest.players.acts import forget, register, set_privacy
from services.ingest.record.waterline import Waterline
from tests.ingest.claims import a_round, a_session
from tests.ingest.office import (
    SOURCES,
    a_submission,
    facts_on,
    ids_and_times_of,
    named,
    outcome_of,
    people_on,
    record,
)
from tests.verification.deciding import set_verification

ADA, BO = "ada@example.com", "bo@example.com"
PLAIN = a_round({ADA: 1, BO: 0})
HIDDEN = a_round({f"PRIVATE:{ADA}": 1, BO: 0})


async def privacy_of(pool: asyncpg.Pool, email: str) -> tuple[bool, str]:
    row = await pool.fetchrow(
        "SELECT is_private, privacy_by FROM mahjic.people WHERE email = $1", email
    )
    assert row is not None
    return row["is_private"], row["privacy_by"]


async def id_of(pool: asyncpg.Pool, email: str) -> str:
    found_id = await pool.fetchval("SELECT player_id FROM mahjic.people WHERE email = $1", email)
    assert isinstance(found_id, str)
    return found_id


async def test_once_private_a_plain_mention_never_makes_a_player_public(pool: asyncpg.Pool) -> None:
    ids_and_times = ids_and_times_of(random.Random(2))
    expected = [(PLAIN, False), (HIDDEN, True), (PLAIN, True), (HIDDEN, True), (PLAIN, True)]
    for number, (played, is_private) in enumerate(expected):
        claim = a_session(played, on=f"2026-01-{number + 1:02}")
        await record(pool, [a_submission(number, claim, source=SOURCES[number % 2])], ids_and_times)
        assert await privacy_of(pool, ADA) == (is_private, "source")
    assert await privacy_of(pool, BO) == (False, "source")


async def test_within_one_group_private_wins_in_any_order(pool: asyncpg.Pool) -> None:
    ids_and_times = ids_and_times_of(random.Random(2))
    group = [
        a_submission(1, a_session(a_round({f"PRIVATE:{ADA}": 1, BO: 0}))),
        a_submission(2, a_session(a_round({ADA: 0, f"PRIVATE:{BO}": 1}))),
        a_submission(3, a_session(a_round({ADA: 1, BO: 1}))),
    ]
    await record(pool, group, ids_and_times)
    assert await privacy_of(pool, ADA) == (True, "source")
    assert await privacy_of(pool, BO) == (True, "source")


@pytest.mark.parametrize("privacy", ["normal", "private"])
async def test_after_the_operator_has_spoken_sources_change_nothing(
    pool: asyncpg.Pool, privacy: Any
) -> None:
    ids_and_times = ids_and_times_of(random.Random(2))
    await record(pool, [a_submission(1, a_session(HIDDEN))], ids_and_times)
    await set_privacy(pool, Waterline(), await id_of(pool, ADA), privacy)
    for number, played in enumerate([PLAIN, HIDDEN, PLAIN], start=2):
        claim = a_session(played, on=f"2026-01-{number:02}")
        await record(pool, [a_submission(number, claim)], ids_and_times)
        assert await privacy_of(pool, ADA) == (privacy == "private", "operator")


async def test_a_repeat_that_says_private_is_heard_and_a_refused_duplicate_is_not(
    pool: asyncpg.Pool,
) -> None:
    ids_and_times = ids_and_times_of(random.Random(2))
    await record(pool, [a_submission(1, a_session(PLAIN))], ids_and_times)
    (refused,) = await record(
        pool, [a_submission(2, a_session(HIDDEN), source=SOURCES[1], key="k")], ids_and_times
    )
    assert outcome_of(refused).startswith("duplicate_session")
    assert await privacy_of(pool, ADA) == (False, "source")
    assert await pool.fetchval("SELECT count(*) FROM mahjic.idempotency_keys") == 0
    (repeated,) = await record(pool, [a_submission(3, a_session(HIDDEN))], ids_and_times)
    assert outcome_of(repeated).startswith("replayed")
    assert await privacy_of(pool, ADA) == (True, "source")


async def test_registering_says_nothing_about_privacy_unless_it_says_private(
    pool: asyncpg.Pool,
) -> None:
    ids_and_times = ids_and_times_of(random.Random(2))
    first = await register(pool, Waterline(), read_person(ADA), ids_and_times)
    assert (first.is_new, await privacy_of(pool, ADA)) == (True, (False, "source"))
    await record(pool, [a_submission(1, a_session(HIDDEN))], ids_and_times)
    assert await privacy_of(pool, ADA) == (True, "source")
    again = await register(pool, Waterline(), read_person(ADA.upper()), ids_and_times)
    assert (again.is_new, again.player_id) == (False, first.player_id)
    assert await privacy_of(pool, ADA) == (True, "source")
    await register(pool, Waterline(), read_person(f"PRIVATE:{BO}"), ids_and_times)
    assert await privacy_of(pool, BO) == (True, "operator")


async def test_a_registered_player_gets_the_region_of_the_source_that_first_submits_him(
    pool: asyncpg.Pool,
) -> None:
    ids_and_times = ids_and_times_of(random.Random(2))
    ada = (await register(pool, Waterline(), read_person(ADA), ids_and_times)).player_id
    assert (await people_on(pool))[ada]["first_source"] is None
    for number, source in enumerate([SOURCES[1], SOURCES[0]]):
        claim = a_session(PLAIN, on=f"2026-01-0{number + 1}")
        await record(pool, [a_submission(number, claim, source=source)], ids_and_times)
    assert (await people_on(pool))[ada]["first_source"] == SOURCES[1]


async def test_names_are_offered_to_people_with_an_address_only(pool: asyncpg.Pool) -> None:
    ids_and_times = ids_and_times_of(random.Random(2))
    played = a_round({ADA: 1, f"PRIVATE:{BO}": 0, "ANON:Cy": 0, "bob@mahjic.org": 0})
    for seat in played["players"]:
        seat["name"] = "Some Name"
    await record(pool, [a_submission(1, a_session(played))], ids_and_times)
    people = await people_on(pool)
    name = named(people)
    rows = await pool.fetch("SELECT source, player_id, name FROM mahjic.acquaintances")
    assert {(row["source"], name(row["player_id"])): row["name"] for row in rows} == {
        (SOURCES[0], ADA): "Some Name",
        (SOURCES[0], BO): "Some Name",
        (SOURCES[0], "a-club/cy"): None,
    }
    assert all(row["name"] is None for row in people.values())


async def test_a_nickname_is_local_to_its_source(pool: asyncpg.Pool) -> None:
    ids_and_times = ids_and_times_of(random.Random(2))
    for number, (source, nickname) in enumerate(
        [(SOURCES[0], "Lucky"), (SOURCES[1], "Lucky"), (SOURCES[0], "LUCKY")]
    ):
        claim = a_session(a_round({f"ANON:{nickname}": 1, BO: 0}), on=f"2026-01-0{number + 1}")
        await record(pool, [a_submission(number, claim, source=source)], ids_and_times)
    first, second, third = (fact.rounds[0].players[0] for fact in await facts_on(pool))
    assert first.startswith("AN-")
    assert third == first != second
    people = await people_on(pool)
    assert people[first]["nickname"] == "Lucky"
    assert people[first]["email"] is None
    assert people[first]["is_private"]


async def test_a_nickname_is_shown_as_it_was_first_typed(pool: asyncpg.Pool) -> None:
    group = [
        a_submission(number, a_session(a_round({f"ANON:{nickname}": 1, BO: 0}), on=day))
        for number, nickname, day in ((1, "LuckY", "2026-01-01"), (2, "LUCKY", "2026-01-02"))
    ]
    await record(pool, group, ids_and_times_of(random.Random(2)))
    nicknames = [row["nickname"] for row in (await people_on(pool)).values() if row["nickname"]]
    assert nicknames == ["LuckY"]


async def test_bob_is_bob_on_the_log_and_nobody_on_record(pool: asyncpg.Pool) -> None:
    claim = a_session(a_round({ADA: 1, "Bob@Mahjic.org": 3, BO: 0}))
    await record(pool, [a_submission(1, claim)], ids_and_times_of(random.Random(2)))
    (fact,) = await facts_on(pool)
    assert fact.rounds[0].players[1] == "BOB"
    assert "BOB" not in fact.new_players
    assert len(await people_on(pool)) == 2


async def test_somebody_who_was_forgotten_comes_back_as_a_new_player(pool: asyncpg.Pool) -> None:
    ids_and_times = ids_and_times_of(random.Random(2))
    await record(pool, [a_submission(1, a_session(PLAIN))], ids_and_times)
    before = await id_of(pool, ADA)
    await set_verification(pool, Waterline(), before, ids_and_times, is_verified=True)
    await forget(pool, Waterline(), before, ids_and_times)
    await record(pool, [a_submission(2, a_session(PLAIN, on="2026-01-02"))], ids_and_times)
    after = await id_of(pool, ADA)
    first, second = await facts_on(pool)
    assert (first.rounds[0].players[0], second.rounds[0].players[0]) == (before, after)
    assert after != before
    assert after in second.new_players
    is_verified = await pool.fetchval(
        "SELECT is_verified FROM mahjic.players WHERE player_id = $1", before
    )
    assert is_verified is False


async def test_nothing_personal_is_kept_but_in_the_tables_that_are_erased(
    pool: asyncpg.Pool,
) -> None:
    ids_and_times = ids_and_times_of(random.Random(2))
    played = a_round(
        {"Zebedee.O'Quirk@exämple.com": 1, "PRIVATE:Xanthippe@x.org": 0, "ANON:Łucky Żuk 🀄": 2},
        ref="Wilhelmina's table",
        points=[1, 2, 3],
    )
    played["players"][0]["name"] = "Ignatius Q."
    claim = a_session(played, game_type="league")
    judged = await record(pool, [a_submission(1, claim, key="from Persephone")], ids_and_times)
    judged += await record(pool, [a_submission(2, claim, source=SOURCES[1])], ids_and_times)
    outcomes = " ".join(map(outcome_of, judged))
    tables = await pool.fetch(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'mahjic' "
        "AND tablename NOT IN ('people', 'acquaintances')"
    )
    kept = [outcomes]
    for table in (row["tablename"] for row in tables):
        for row in await pool.fetch(f'SELECT * FROM mahjic."{table}"'):
            kept += [
                value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
                for value in row.values()
            ]
    everything = "\n".join(kept).lower()
    assert "session-submitted" in everything
    assert "2026-01-31" in everything
    for word in ("zebedee", "quirk", "exämple", "exmple", "xanthippe", "ucky", "uk 🀄", "🀄"):
        assert word not in everything
    for word in ("wilhelmina", "ignatius", "persephone", "private", "anon"):
        assert word not in everything
