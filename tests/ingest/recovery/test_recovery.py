"""After facts are taken over from a copy of the log, ingest knows again what it had recorded."""

import random
from collections.abc import Sequence
from typing import Any

import asyncpg

from services.ingest.claim.people import read_person
from services.ingest.players.acts import register
from services.ingest.record.waterline import Waterline
from services.ingest.recovery.recovering import Recovered, take_over
from shared.access.sources import SourceDetails, add_source
from shared.log.port import Record
from shared.log.postgres import append_facts, lock_head
from tests.ingest.claims import Claim, a_round, a_session
from tests.ingest.office import NOW, SOURCES, a_submission, ids_and_times_of, outcome_of, record
from tests.verification.deciding import set_verification

IDS_AND_TIMES = ids_and_times_of(random.Random(7))
ADA, BO, CY = "ada@example.com", "bo@example.com", "cy@example.com"
EARLY = a_session(a_round({ADA: 1, BO: 0, CY: 2}), on="2026-01-01")
LEAGUE = a_session(
    a_round({ADA: 2, BO: 1, CY: 0}, wall_games=1, points=[10, -4, -6]),
    a_round({ADA: 0, "bob@mahjic.org": 3, BO: 0}, points=[1, -1, 0]),
    on="2026-01-02",
    game_type="league",
)
SOCIAL = a_session(a_round({BO: 0, ADA: 1}), on="2026-01-03")
OF_A_STRANGER = a_session(a_round({ADA: 1, "dee@example.com": 0}), on="2026-01-04")

# What recording leaves behind, as far as the facts tell it.
SESSIONS = (
    "SELECT session_id, source, status, fact_seq, session_date, content_print"
    " FROM mahjic.submissions"
)
ROUNDS = "SELECT session_id, round_no, base_print, points_print, ref_print FROM mahjic.round_prints"
PLAYERS = "SELECT player_id, first_source, is_verified FROM mahjic.players"
FACTS = "SELECT seq, chain, body FROM mahjic.facts"
HEAD = "SELECT log_id, fact_seq, fact_chain FROM mahjic.head"
OF_LATE = "(SELECT session_id FROM mahjic.submissions WHERE fact_seq > $1)"
FORGET_SESSIONS = (
    f"DELETE FROM mahjic.round_prints WHERE session_id IN {OF_LATE}",
    f"DELETE FROM mahjic.idempotency_keys WHERE session_id IN {OF_LATE}",
    "DELETE FROM mahjic.submissions WHERE fact_seq > $1",
    "DELETE FROM mahjic.facts WHERE seq > $1",
)


async def left_behind(pool: asyncpg.Pool) -> dict[str, list[tuple[Any, ...]]]:
    queries = (SESSIONS, ROUNDS, PLAYERS, FACTS, HEAD)
    return {query: sorted(map(tuple, await pool.fetch(query))) for query in queries}


async def put_back(pool: asyncpg.Pool, seq: int) -> list[Record]:
    """Make the database what it was when the fact `seq` was the last, and return what followed."""
    lost = [Record(*row) for row in await pool.fetch(f"{FACTS} WHERE seq > $1 ORDER BY seq", seq)]
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("SET LOCAL session_replication_role = replica")
        await connection.execute(
            """UPDATE mahjic.head SET fact_seq = $1,
            fact_chain = (SELECT chain FROM mahjic.facts WHERE seq = $1)""",
            seq,
        )
        for statement in FORGET_SESSIONS:
            await connection.execute(statement, seq)
    return lost


async def take_all_over(
    pool: asyncpg.Pool, records: Sequence[Record], *, batch: int = 2
) -> Recovered:
    done = Recovered()
    async with pool.acquire() as connection, connection.transaction():
        head = await lock_head(connection)
        for first in range(0, len(records), batch):
            head = await take_over(connection, head, records[first : first + batch], done)
    return done


async def submitted(pool: asyncpg.Pool, number: int, claim: Claim, **more: Any) -> str:
    (judgment,) = await record(pool, [a_submission(number, claim, **more)], IDS_AND_TIMES)
    return outcome_of(judgment)


async def forget_players(pool: asyncpg.Pool, *player_ids: str) -> None:
    settled = ("verification_decisions", "verification_watch")
    for table in ("people", *settled, "players"):
        await pool.execute(f"DELETE FROM mahjic.{table} WHERE player_id = ANY($1)", player_ids)


async def players_in(pool: asyncpg.Pool) -> set[str]:
    return {row["player_id"] for row in await pool.fetch(PLAYERS)}


async def test_all_that_the_facts_tell_is_as_it_was(pool: asyncpg.Pool) -> None:
    await submitted(pool, 1, EARLY)
    early = await players_in(pool)
    await submitted(pool, 2, LEAGUE, source=SOURCES[1])
    await submitted(pool, 3, SOCIAL)
    await submitted(pool, 4, OF_A_STRANGER)
    registered = await register(pool, Waterline(), read_person("eve@example.com"), IDS_AND_TIMES)
    late = await players_in(pool) - early
    for who in (*sorted(early), registered.player_id):
        await set_verification(pool, Waterline(), who, IDS_AND_TIMES, is_verified=True)
    await set_verification(pool, Waterline(), min(early), IDS_AND_TIMES, is_verified=False)
    before = await left_behind(pool)
    lost = await put_back(pool, 2)
    await forget_players(pool, *late)
    await pool.execute("UPDATE mahjic.players SET is_verified = false")
    done = await take_all_over(pool, lost)
    assert await left_behind(pool) == before
    assert (done.facts, done.sessions, done.sessions_of_lost) == (8, 3, 1)
    assert (done.lost_players, done.lost_sources) == (late, set())


async def test_a_session_taken_over_is_recognized_when_it_is_sent_again(
    pool: asyncpg.Pool,
) -> None:
    await submitted(pool, 1, EARLY)
    first = await submitted(pool, 2, LEAGUE, key="k-1")
    session = first.removeprefix("accepted ")
    await take_all_over(pool, await put_back(pool, 2))
    again = f"replayed {session} (accepted) by content"
    assert await submitted(pool, 3, LEAGUE) == again
    assert await submitted(pool, 4, LEAGUE, key="k-1") == again
    assert await submitted(pool, 5, {**LEAGUE, "allow_duplicate": True}) == again
    held = await submitted(pool, 6, LEAGUE, source=SOURCES[1])
    assert held.startswith("duplicate_session")
    other = {**LEAGUE, "session_date": "2026-01-20"}
    assert (await submitted(pool, 7, other)).startswith("accepted")


async def test_a_session_whose_rounds_had_refs_is_not_counted_twice(pool: asyncpg.Pool) -> None:
    await submitted(pool, 1, EARLY)
    with_ref = a_session(a_round({ADA: 1, BO: 0}, ref="table 1"))
    session = (await submitted(pool, 2, with_ref)).removeprefix("accepted ")
    await take_all_over(pool, await put_back(pool, 2))
    refused = await submitted(pool, 3, with_ref)
    assert refused.startswith("duplicate_session")
    assert session in refused


async def test_a_source_that_is_gone_is_put_back_by_its_name_alone(pool: asyncpg.Pool) -> None:
    await submitted(pool, 1, EARLY)
    await add_source(pool, "c-club", SourceDetails("C", "league", "west"), now=NOW)
    await submitted(pool, 2, SOCIAL, source="c-club")
    lost = await put_back(pool, 2)
    await pool.execute("DELETE FROM mahjic.sources WHERE slug = 'c-club'")
    done = await take_all_over(pool, lost)
    assert done.lost_sources == {"c-club"}
    assert await pool.fetchval("SELECT name FROM mahjic.sources WHERE slug = 'c-club'") == "c-club"


async def test_a_fact_that_cannot_be_read_is_taken_over_byte_for_byte(pool: asyncpg.Pool) -> None:
    await submitted(pool, 1, EARLY)
    async with pool.acquire() as connection, connection.transaction():
        await append_facts(connection, await lock_head(connection), [b"\xff no fact"])
    await submitted(pool, 2, SOCIAL)
    before = await left_behind(pool)
    done = await take_all_over(pool, await put_back(pool, 2))
    assert await left_behind(pool) == before
    assert (done.facts, done.sessions) == (2, 1)
