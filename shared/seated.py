"""Reads what is on record about the people in a source's sessions, for the rule of who sees what.

Ingest and reads both ask here, each on its own connection.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from shared.answers.seen import EVERYBODY, Seated, Sight

# Runs a query with its arguments, and returns the rows.
Fetch = Callable[..., Awaitable[Sequence[Any]]]

_ON_RECORD: Final = """
SELECT seated.player_id, seated.survivor_id, people.email, people.nickname,
    seated.is_sent OR EXISTS (
        SELECT FROM mahjic.acquaintances AS known
        WHERE known.source = $2 AND known.player_id = seated.player_id
    ) AS is_named,
    EXISTS (
        SELECT FROM mahjic.public_players AS public WHERE public.player_id = seated.survivor_id
    ) AS is_public,
    EXISTS (
        SELECT FROM mahjic.private_words AS word
        WHERE word.player_id = seated.player_id AND word.source = $2
    ) AS is_said_private
FROM ({seated}) AS seated
LEFT JOIN mahjic.people AS people ON people.player_id = seated.player_id
"""
# A session that the source sent itself names everyone in it but those who got a seat that was
# reassigned; the rest are people it knows.
READ_SEATED: Final = _ON_RECORD.format(
    seated="""
    SELECT seats.player_id, mahjic.survivor(seats.player_id) AS survivor_id,
        bool_or(NOT sent.is_by_operator AND seats.is_sent) AS is_sent
    FROM mahjic.seats AS seats
    JOIN mahjic.submissions AS sent ON sent.session_id = seats.session_id
    WHERE seats.session_id = ANY($1) AND sent.source = $2
    GROUP BY seats.player_id
"""
)
READ_PEOPLE: Final = _ON_RECORD.format(
    seated="""
    SELECT asked.player_id, mahjic.survivor(asked.player_id) AS survivor_id, false AS is_sent
    FROM unnest($1::text[]) AS asked (player_id)
"""
)


async def read_seated(
    fetch: Fetch, session_ids: Sequence[str], *, source: str
) -> dict[str, Seated]:
    """Return everyone who sat in these sessions of a source, by the ids in the facts."""
    return _by_id(await fetch(READ_SEATED, session_ids, source))


async def read_people(
    fetch: Fetch, player_ids: Sequence[str], *, source: str | None
) -> dict[str, Seated]:
    """Return some people as a source knows them; as the operator (None), without nicknames."""
    return _by_id(await fetch(READ_PEOPLE, player_ids, source or ""))


def _by_id(rows: Sequence[Any]) -> dict[str, Seated]:
    return {
        row["player_id"]: Seated(
            row["player_id"],
            row["survivor_id"] or row["player_id"],
            is_named=row["is_named"],
            is_public=row["is_public"],
            is_said_private=row["is_said_private"],
            address=row["email"],
            nickname=row["nickname"],
        )
        for row in rows
    }


async def read_sight(fetch: Fetch, session_ids: Sequence[str], *, by: str | None) -> Sight:
    """Return what a source sees of the people in sessions of its own; the operator (None) sees all.

    Sessions of other sources among them show it no one.
    """
    if by is None:
        return EVERYBODY
    return Sight("own", await read_seated(fetch, session_ids, source=by))
