"""A database of before acquaintances were kept learns whom each source named, and by which name."""

from datetime import UTC, date, datetime

import asyncpg

from shared.db.migrations import migrate, read_migrations
from tests.conftest import Database

BEFORE = read_migrations()[:7]
NOW = datetime(2026, 2, 1, tzinfo=UTC)
DAY = date(2026, 1, 31)
ADD_SOURCE = """
INSERT INTO mahjic.sources (slug, name, type, created_at) VALUES ($1, $1, 'club', $2)
"""
ADD_PERSON = """
WITH player AS (INSERT INTO mahjic.players (player_id) VALUES ($1))
INSERT INTO mahjic.people (player_id, email, is_private, privacy_by, offered_name)
VALUES ($1, $1 || '@example.com', false, 'source', $2)
"""
ADD_SESSION = """
INSERT INTO mahjic.submissions
    (session_id, source, status, fact_seq, place_seq, session_date, content_print,
     allowed_duplicate, submitted_at, is_by_operator)
VALUES ($1, $2, 'accepted', $3, $3, $4, 'print', false, $5, $6)
"""
ADD_SEATS = """
INSERT INTO mahjic.seats (player_id, session_date, session_id)
SELECT player_id, $2, $3 FROM unnest($1::text[]) AS player_id
"""
# By which source, whether the operator put it together, and who sat there.
SESSIONS = [
    ("a-club", False, ["only-a", "both", "nameless"]),
    ("a-club", False, ["only-a", "corrected"]),
    ("b-club", False, ["both", "nameless"]),
    ("a-club", True, ["operators", "corrected"]),
]
PEOPLE = {
    "only-a": "Ada",
    "both": "Whose?",
    "nameless": None,
    "operators": "Op",
    "corrected": "Unsure",
    "nowhere": "Never played",
}


async def test_sources_are_acquainted_with_whom_they_named_themselves(target: Database) -> None:
    connection = await asyncpg.connect(target.dsn)
    await migrate(connection, BEFORE)
    for slug in ("a-club", "b-club"):
        await connection.execute(ADD_SOURCE, slug, NOW)
    for player_id, name in PEOPLE.items():
        await connection.execute(ADD_PERSON, player_id, name)
    for seq, (source, is_by_operator, seated) in enumerate(SESSIONS, start=1):
        session = f"session-{seq}"
        await connection.execute(ADD_SESSION, session, source, seq, DAY, NOW, is_by_operator)
        await connection.execute(ADD_SEATS, seated, DAY, session)
    await migrate(connection)
    rows = await connection.fetch("SELECT source, player_id, name FROM mahjic.acquaintances")
    assert {(row["source"], row["player_id"]): row["name"] for row in rows} == {
        ("a-club", "only-a"): "Ada",
        ("a-club", "both"): None,
        ("a-club", "nameless"): None,
        ("a-club", "corrected"): None,
        ("b-club", "both"): None,
        ("b-club", "nameless"): None,
    }
    # A name of which nobody can tell who sent it is shown to no source, and kept for the player.
    kept = await connection.fetch("SELECT player_id, offered_name FROM mahjic.people")
    assert {row["player_id"]: row["offered_name"] for row in kept} == {**PEOPLE, "only-a": None}
    await connection.close()
