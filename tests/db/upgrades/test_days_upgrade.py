"""A database of before days were kept learns them from its facts, also from corrections."""

from datetime import UTC, date, datetime

import asyncpg

from shared.db.migrations import migrate, read_migrations
from shared.events.codec import encode_fact
from shared.events.facts import FactEvent, PlayedRound, SessionCorrected, SessionSubmitted
from shared.log.postgres import append_facts, found_logs, lock_head
from tests.conftest import Database

BEFORE = read_migrations()[:6]
LOG_ID = "log_of_a_test"
TIME = "2026-02-01T12:00:00.123456Z"
ADD_SUBMISSION = """
INSERT INTO mahjic.submissions
    (session_id, source, status, fact_seq, place_seq, content_print, allowed_duplicate,
     submitted_at, corrects)
VALUES ($1, 'a-club', 'accepted', $2, $2, 'print', false, now(), $3)
"""


def a_session(number: int, day: str) -> SessionSubmitted:
    played = PlayedRound(1, 1, ("MJ-A", "MJ-B"), (0, 0), points_centi=None)
    return SessionSubmitted(f"session-{number}", "a-club", day, "social", (played,), ())


async def test_days_are_learned_from_sessions_and_from_corrections(target: Database) -> None:
    connection = await asyncpg.connect(target.dsn)
    await migrate(connection, BEFORE)
    await connection.execute(
        "INSERT INTO mahjic.sources (slug, name, type, created_at)"
        " VALUES ('a-club', 'A', 'club', $1)",
        datetime(2026, 2, 1, tzinfo=UTC),
    )
    async with connection.transaction():
        await found_logs(connection, LOG_ID)
    events: list[FactEvent] = [
        a_session(1, "2026-01-31"),
        SessionCorrected("session-1", "wrong_result", a_session(2, "2026-02-28")),
        a_session(3, "2026-02-30"),
    ]
    async with connection.transaction():
        head = await lock_head(connection)
        bodies = [encode_fact(e, log_id=LOG_ID, seq=s, time=TIME) for s, e in enumerate(events, 1)]
        await append_facts(connection, head, bodies)
        for seq in (1, 2, 3):
            corrects = "session-1" if seq == 2 else None
            await connection.execute(ADD_SUBMISSION, f"session-{seq}", seq, corrects)
        await connection.execute(
            "INSERT INTO mahjic.seats (player_id, session_id)"
            " SELECT 'MJ-A', s.session_id FROM mahjic.submissions AS s"
        )
    await migrate(connection)
    # No day of the calendar is told by the last one: it stands before all others.
    expected = {
        "session-1": date(2026, 1, 31),
        "session-2": date(2026, 2, 28),
        "session-3": date.min,
    }
    for table in ("submissions", "seats"):
        rows = await connection.fetch(f"SELECT session_id, session_date FROM mahjic.{table}")
        assert {row["session_id"]: row["session_date"] for row in rows} == expected
    await connection.close()
