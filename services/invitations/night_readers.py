"""Who is told of a night: those who sat there, chose a summary, and were not told of it yet."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from services.accounts.own.mail_choices import wanting_summaries
from services.ingest.people.reaching import addresses_of
from services.invitations.room import Connection

# Everyone who sits in sessions that count, with all ids of the person.
READ_SEATED: Final = """
WITH seated AS (
    SELECT read_as.survivor_id, seats.session_id, sent.fact_seq
    FROM mahjic.recorded_sessions AS sent
    JOIN mahjic.recorded_seats AS seats USING (session_id)
    JOIN mahjic.read_players AS read_as ON read_as.player_id = seats.player_id
    WHERE sent.source = $1 AND sent.session_date = $2 AND sent.status = 'accepted'
), persons AS (
    SELECT survivor_id, array_agg(DISTINCT session_id) AS sessions, max(fact_seq) AS fact_seq
    FROM seated GROUP BY survivor_id
)
SELECT persons.survivor_id, persons.sessions, persons.fact_seq, member.player_ids,
    EXISTS (
        SELECT FROM mahjic.public_players AS public WHERE public.player_id = persons.survivor_id
    ) AS is_public
FROM persons CROSS JOIN LATERAL (
    SELECT array_agg(each.player_id ORDER BY each.player_id) AS player_ids
    FROM mahjic.members(persons.survivor_id) AS each (player_id)
) AS member
ORDER BY persons.survivor_id
"""
READ_TOLD: Final = """
SELECT player_id FROM mahjic.summaries WHERE source = $1 AND session_date = $2
"""


@dataclass(frozen=True, slots=True)
class NightReader:
    """Somebody who is told of a night, at the address with which they chose that.

    `player_id` is the id as which the person is read, `addressed` the one that has the address.
    `fact_seq` is the last fact of the sessions.
    """

    player_id: str
    player_ids: Sequence[str]
    sessions: Sequence[str]
    fact_seq: int
    is_public: bool
    addressed: str
    address: str = field(repr=False)


async def readers_of(connection: Connection, source: str, day: date) -> list[NightReader]:
    """Return who is still to be told of a night."""
    rows = await connection.fetch(READ_SEATED, source, day)
    addresses = await addresses_of(connection, [one for row in rows for one in row["player_ids"]])
    wanting = await wanting_summaries(connection, addresses.values())
    if not wanting:
        return []
    told = {row["player_id"] for row in await connection.fetch(READ_TOLD, source, day)}
    readers = []
    for row in rows:
        chosen = [one for one in row["player_ids"] if addresses.get(one) in wanting]
        if chosen and told.isdisjoint(row["player_ids"]):
            readers.append(
                NightReader(
                    row["survivor_id"],
                    row["player_ids"],
                    row["sessions"],
                    row["fact_seq"],
                    row["is_public"],
                    addressed=chosen[0],
                    address=addresses[chosen[0]],
                )
            )
    return readers
