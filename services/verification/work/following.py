"""Follows who was merged, parted or forgotten, as views do: who is Verified may change with it."""

from typing import Final

from services.verification.room import Database

ROWS_MAX: Final = 10_000

# Most changes are about people of whom nothing is known here.
FOLLOW: Final = """
WITH place AS (
    SELECT people_seq FROM mahjic.verification_place FOR UPDATE
), changes AS (
    SELECT seq, player_id FROM mahjic.people_changes
    WHERE seq > (SELECT people_seq FROM place) ORDER BY seq LIMIT $1
), doubts AS (
    INSERT INTO mahjic.verification_doubts (player_id)
    SELECT DISTINCT player_id FROM changes
    WHERE player_id IN (SELECT verified.player_id FROM mahjic.verified_players AS verified)
        OR player_id IN (SELECT enrolled.player_id FROM mahjic.enrollments AS enrolled)
        OR player_id IN (SELECT decided.player_id FROM mahjic.verification_decisions AS decided)
        OR player_id IN (SELECT watched.player_id FROM mahjic.verification_watch AS watched)
    ON CONFLICT DO NOTHING
)
UPDATE mahjic.verification_place SET people_seq = (SELECT max(seq) FROM changes)
WHERE EXISTS (SELECT FROM changes)
RETURNING (SELECT count(*) FROM changes)
"""


async def follow_people(database: Database) -> None:
    """Put everybody in doubt who has changed since the last look."""
    while (await database.fetchval(FOLLOW, ROWS_MAX) or 0) == ROWS_MAX:
        continue
