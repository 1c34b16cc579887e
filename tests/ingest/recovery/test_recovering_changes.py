"""Changes of the past that are taken over from a copy of the log are on record as they were."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest

from services.ingest.record.known.groups import READ_FACTS
from services.ingest.recovery.recovering import Recovered, take_over
from shared.db.server.embedded import EmbeddedServer
from shared.events.facts import (
    FormulaAdoptedFromBeginning,
    PlayersMerged,
    PlayersUnmerged,
    SeatsReassigned,
    SessionCorrected,
    SessionsVoided,
)
from shared.log.port import Record
from shared.log.postgres import Connection, found_logs, lock_head
from tests.conftest import TEMPLATE, Database, fresh_database
from tests.ingest.changes.asking import ask, correct, played, player_ids, void
from tests.ingest.changes.linking.merges import events_on
from tests.ingest.claims import Claim, a_round, a_session
from tests.service import RunningService, running_service

AT_ONCE = "respond-async"
# All that ingest leaves behind, as far as the facts tell it.
TABLES = {
    "facts": "SELECT seq, chain, body FROM mahjic.facts",
    "players": (
        "SELECT player_id, first_source, is_verified, merged_into, link_fact_seq"
        " FROM mahjic.players"
    ),
    "submissions": (
        "SELECT session_id, source, status, fact_seq, place_seq, content_print, submitted_at,"
        " corrects, corrected_by, ended_fact_seq, end_reason, session_date FROM mahjic.submissions"
    ),
    "round_prints": (
        "SELECT session_id, round_no, base_print, points_print, ref_print FROM mahjic.round_prints"
    ),
    "seats": "SELECT player_id, session_date, session_id, is_sent, sits FROM mahjic.seats",
    "reseats": (
        "SELECT session_id, fact_seq, given, taker, seats, content_print FROM mahjic.reseats"
    ),
    "reseated_prints": (
        "SELECT session_id, round_no, base_print, points_print FROM mahjic.reseated_prints"
    ),
    "formulas": "SELECT fact_seq, formula, since FROM mahjic.formulas",
}


@pytest.fixture
async def twin(postgres_server: EmbeddedServer) -> AsyncIterator[Database]:
    """Return another migrated database, with nothing in it."""
    async with fresh_database(postgres_server, template=TEMPLATE) as database:
        yield database


async def left_behind(pool: asyncpg.Pool) -> dict[str, list[tuple[Any, ...]]]:
    return {
        name: sorted(map(tuple, await pool.fetch(query)), key=repr)
        for name, query in TABLES.items()
    }


async def change_all(service: RunningService) -> None:
    """Play, and change the past in every way that there is."""
    key, operator = await service.source_key(), await service.operator_key()
    first = await played(service, key, prefer=AT_ONCE, ada=2, bo=1)
    second = await played(service, key, prefer=AT_ONCE, cy=2, bo=1)
    third = await played(service, key, prefer=AT_ONCE, ada=0, dee=1)
    many = [await played(service, key, prefer=AT_ONCE, eve=number, flo=1) for number in range(3)]
    newer = await _corrected(service, first, a_session(a_round(ada=1, bo=2)), key)
    newest = await _corrected(service, newer, a_session(a_round(ada=1, bo=1)), key)
    for voided in (newest, second):
        assert (await void(service, voided, key, prefer=AT_ONCE)).status_code == 202
    await _corrected(service, second, a_session(a_round(cy=1, bo=2)), key)
    body = {"session_ids": many, "reason": "test_entry"}
    await ask(service, "/v1/admin/sessions/void", body, operator, prefer=AT_ONCE)
    ids = await player_ids(service)
    for player_id, into in (("ada", "bo"), ("dee", "eve"), ("bo", "cy"), ("flo", "ada")):
        # Those who have met stay apart.
        path = f"/v1/admin/players/{ids[player_id]}/merge"
        await ask(service, path, {"into": ids[into]}, operator, prefer=AT_ONCE)
    path = f"/v1/admin/players/{ids['dee']}/unmerge"
    await ask(service, path, {}, operator, prefer=AT_ONCE)
    await _corrected(service, third, a_session(a_round(ada=1, dee=1)), key)
    formula = {"formula": "mahjic-elo/2-scaled", "since": "beginning"}
    await ask(service, "/v1/admin/formulas", formula, operator, prefer=AT_ONCE)


async def reseat_some(service: RunningService) -> None:
    """Give seats away, between merges, some of them to and fro."""
    key, operator = await service.source_key(), await service.operator_key()
    night = await played(service, key, prefer=AT_ONCE, on="2026-02-01", ada=1, gus=1)
    other = await played(service, key, prefer=AT_ONCE, on="2026-02-02", ada=1, hal=1)
    ids = await player_ids(service)
    # Ada counts as Bo.
    await _reseated(service, ids["bo"], [night, other], "karen", operator)
    karen = (await player_ids(service))["karen"]
    await _reseated(service, karen, [other], "ada", operator)
    await ask(service, f"/v1/admin/players/{ids['ada']}/unmerge", {}, operator, prefer=AT_ONCE)
    await _reseated(service, ids["gus"], [night], "hal", operator)
    into = {"into": ids["bo"]}
    await ask(service, f"/v1/admin/players/{karen}/merge", into, operator, prefer=AT_ONCE)


async def _reseated(
    service: RunningService, player_id: str, sessions: list[str], name: str, key: str
) -> None:
    body = {"sessions": sessions, "email": f"{name}@example.com"}
    path = f"/v1/admin/players/{player_id}/reseat"
    answer = await ask(service, path, body, key, prefer=AT_ONCE)
    assert answer.status_code == 202, answer.text


async def _corrected(service: RunningService, session_id: str, claim: Claim, key: str) -> str:
    answer = await correct(service, session_id, claim, key, prefer=AT_ONCE)
    assert answer.status_code == 202, answer.text
    new = answer.json()["session_id"]
    assert isinstance(new, str)
    return new


async def records_on(pool: asyncpg.Pool) -> list[Record]:
    rows = await pool.fetch("SELECT seq, chain, body FROM mahjic.facts ORDER BY seq")
    return [Record(*row) for row in rows]


@asynccontextmanager
async def taking_over(database: Database, log_id: str) -> AsyncIterator[Connection]:
    """Give a connection that takes facts over into a database with nothing in it."""
    async with database.pool.acquire() as connection, connection.transaction():
        await found_logs(connection, log_id)
        yield connection


@pytest.mark.parametrize("batch", [1, 4, 100])
async def test_all_that_the_facts_tell_of_changes_is_as_it_was(
    database: Database, twin: Database, batch: int
) -> None:
    async with running_service(database, is_rating=False) as service:
        await change_all(service)
        await reseat_some(service)
    before = await left_behind(database.pool)
    told = {type(each) for each in await events_on(database.pool)}
    assert told >= {
        SessionsVoided,
        SessionCorrected,
        PlayersMerged,
        PlayersUnmerged,
        SeatsReassigned,
        FormulaAdoptedFromBeginning,
    }
    records = await records_on(database.pool)
    log_id = await database.pool.fetchval("SELECT log_id FROM mahjic.head")
    done = Recovered()
    async with taking_over(twin, log_id) as connection:
        head = await lock_head(connection)
        for first in range(0, len(records), batch):
            head = await take_over(connection, head, records[first : first + batch], done)
    assert await left_behind(twin.pool) == before
    assert (done.facts, done.sessions) == (len(records), len(before["submissions"]))
    # Who corrected is on no log; a source is shown nobody whom the operator may have put in.
    corrections = "SELECT session_id FROM mahjic.submissions WHERE corrects IS NOT NULL"
    limited = "SELECT session_id FROM mahjic.submissions WHERE is_by_operator"
    found = [sorted(map(tuple, await twin.pool.fetch(each))) for each in (corrections, limited)]
    assert found[0] == found[1] != []


# Ada is merged into Bo, and Dee into Eve and out again; of the first four facts, Ada sat in the
# second and the fourth, and Dee in the fourth.
@pytest.mark.parametrize(("before", "read_again"), [(0, set()), (4, {2, 4})])
async def test_facts_that_come_with_a_merge_are_not_read_again_for_their_prints(
    database: Database, twin: Database, before: int, read_again: set[int]
) -> None:
    async with running_service(database, is_rating=False) as service:
        await change_all(service)
    records = await records_on(database.pool)
    log_id = await database.pool.fetchval("SELECT log_id FROM mahjic.head")
    read: set[int] = set()

    def note(asked: Any) -> None:
        if asked.query == READ_FACTS:
            read.update(asked.args[0])

    async with taking_over(twin, log_id) as connection:
        head = await lock_head(connection)
        if before:
            head = await take_over(connection, head, records[:before], Recovered())
        connection.add_query_logger(note)
        await take_over(connection, head, records[before:], Recovered())
        connection.remove_query_logger(note)
    assert read == read_again
