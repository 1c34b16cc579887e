"""Finds people by what a source called them or, for the operator, by anything on record."""

from collections.abc import Sequence
from typing import Any, Final

import asyncpg

from services.ingest.claim.people import Person
from shared.errors import MahjicError
from shared.log.postgres import Connection

# More would not help anyone who is looking for one person.
FOUND_MAX: Final = 20
SEARCH_S_MAX: Final = 2.0
# A session that is not rated yet has no numbers, but the one before it does.
SESSIONS_TRIED: Final = 3

# Names are compared as in the search: without case, accents and punctuation, in any part.
_SAYS: Final = """
    strpos(mahjic.name_line({text}), mahjic.name_line($1)) > 0
"""
FIND_OWN_ADDRESS: Final = """
SELECT known.player_id
FROM mahjic.people AS people
JOIN mahjic.acquaintances AS known ON known.player_id = people.player_id AND known.source = $2
WHERE people.email = $1
"""
FIND_OWN_NICKNAME: Final = """
SELECT known.player_id
FROM mahjic.people AS people
JOIN mahjic.acquaintances AS known ON known.player_id = people.player_id AND known.source = $2
WHERE people.nickname_source = $2 AND people.nickname_key = $1
"""
FIND_OWN_NAME: Final = f"""
SELECT known.player_id
FROM mahjic.acquaintances AS known
LEFT JOIN mahjic.people AS people ON people.player_id = known.player_id
WHERE known.source = $2 AND mahjic.name_line($1) <> ''
    AND ({_SAYS.format(text="known.name")} OR {_SAYS.format(text="people.nickname")})
ORDER BY known.player_id LIMIT {FOUND_MAX + 1}
"""
# An id stands for everyone merged into it, and the source may have had some of them. The id of a
# merged player that the source may not see leads to no one else: it would reveal the merge.
FIND_OWN_IDS: Final = """
SELECT DISTINCT known.player_id
FROM unnest($1::text[]) AS asked (player_id)
CROSS JOIN LATERAL mahjic.survivor(asked.player_id) AS survivor (player_id)
CROSS JOIN LATERAL mahjic.members(asked.player_id) AS member (player_id)
JOIN mahjic.acquaintances AS known ON known.player_id = member.player_id AND known.source = $2
WHERE asked.player_id = survivor.player_id
    OR EXISTS (
        SELECT FROM mahjic.acquaintances AS own
        WHERE own.player_id = asked.player_id AND own.source = $2
    )
    OR EXISTS (
        SELECT FROM mahjic.public_players AS public WHERE public.player_id = survivor.player_id
    )
ORDER BY known.player_id
"""
FIND_ADDRESS: Final = "SELECT player_id FROM mahjic.people WHERE email = $1"
FIND_NAME: Final = f"""
SELECT people.player_id
FROM mahjic.people AS people
LEFT JOIN mahjic.acquaintances AS known ON known.player_id = people.player_id
WHERE mahjic.name_line($1) <> '' AND (
    {_SAYS.format(text="known.name")} OR {_SAYS.format(text="people.name")}
    OR {_SAYS.format(text="people.offered_name")}
)
GROUP BY people.player_id ORDER BY people.player_id LIMIT {FOUND_MAX + 1}
"""
FIND_IDS: Final = """
SELECT DISTINCT member.player_id
FROM unnest($1::text[]) AS asked (player_id)
CROSS JOIN LATERAL mahjic.members(asked.player_id) AS member (player_id)
ORDER BY member.player_id
"""
# The names that a source sent, or all names for the operator ($2 is null).
READ_NAMES: Final = """
SELECT known.player_id, known.source, known.name FROM mahjic.acquaintances AS known
WHERE known.player_id = ANY($1) AND known.source = COALESCE($2, known.source)
ORDER BY known.source
"""
READ_LAST_SESSIONS: Final = """
SELECT asked.player_id, last.session_id, last.session_date::text AS session_date
FROM unnest($1::text[]) AS asked (player_id)
CROSS JOIN LATERAL (
    SELECT sent.session_id, sent.session_date
    FROM mahjic.seats AS seats
    JOIN mahjic.submissions AS sent ON sent.session_id = seats.session_id
    WHERE seats.player_id = asked.player_id AND sent.source = $2 AND sent.status = 'accepted'
        AND seats.is_sent
    ORDER BY sent.fact_seq DESC LIMIT $3
) AS last
"""


class LookUpTakesTooLong(MahjicError):
    """Too many people would have to be compared."""

    code = "look_up_takes_too_long"
    title = "Looking people up takes too long"
    status = 503

    def __init__(self) -> None:
        super().__init__(
            "Too many names would have to be compared. Give the address or nickname.",
            headers={"Retry-After": "30"},
        )


async def find_person(pool: asyncpg.Pool, person: Person, *, source: str | None) -> Sequence[str]:
    """Return the id of an address or nickname, if the source (or None, the operator) had it.

    A nickname belongs only to its own source.
    """
    if source is None:
        return [] if person.kind != "person" else await _ids(pool, FIND_ADDRESS, person.key)
    query = FIND_OWN_ADDRESS if person.kind == "person" else FIND_OWN_NICKNAME
    return await _ids(pool, query, person.key, source)


async def find_name(pool: asyncpg.Pool, part: str, *, source: str | None) -> Sequence[str]:
    """Return who has this in their name or nickname, at most one more than is shown.

    Raises LookUpTakesTooLong.
    """
    try:
        if source is None:
            return await _ids(pool, FIND_NAME, part)
        return await _ids(pool, FIND_OWN_NAME, part, source)
    except TimeoutError:
        raise LookUpTakesTooLong from None


async def find_ids(
    pool: asyncpg.Pool, player_ids: Sequence[str], *, source: str | None
) -> Sequence[str]:
    """Return which of these, and of those merged into them, the source had; operators get all."""
    if source is None:
        return await _ids(pool, FIND_IDS, player_ids)
    return await _ids(pool, FIND_OWN_IDS, player_ids, source)


async def names_sent(
    pool: asyncpg.Pool, player_ids: Sequence[str], *, source: str | None
) -> dict[str, list[tuple[str, str | None]]]:
    """Return which sources named each person, and how. A source gets only its own names."""
    names: dict[str, list[tuple[str, str | None]]] = {}
    for row in await pool.fetch(READ_NAMES, player_ids, source):
        names.setdefault(row["player_id"], []).append((row["source"], row["name"]))
    return names


async def last_sessions(
    pool: asyncpg.Pool | Connection, player_ids: Sequence[str], *, source: str
) -> dict[str, list[tuple[str, str]]]:
    """Return id and date of the source's last sessions that count, for each player."""
    sessions: dict[str, list[tuple[str, str]]] = {}
    for row in await pool.fetch(READ_LAST_SESSIONS, player_ids, source, SESSIONS_TRIED):
        sessions.setdefault(row["player_id"], []).append((row["session_id"], row["session_date"]))
    return sessions


async def _ids(pool: asyncpg.Pool, query: str, *arguments: Any) -> list[str]:  # noqa: ANN401
    rows = await pool.fetch(query, *arguments, timeout=SEARCH_S_MAX)
    return [row["player_id"] for row in rows]
