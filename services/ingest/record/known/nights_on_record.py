"""Reads the nights on record that submissions may repeat: the source's own sessions of that day.

Call it under the lock on the head. Other facts are read only for submissions of whole nights and
for refused ones, and only those of sessions in which one of the same people sat.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from functools import partial
from typing import Final

import asyncpg

from services.ingest.record.judging.identified import Identified
from services.ingest.record.judging.nights import KnownNight, night_in
from services.ingest.record.judging.on_record import OnRecord
from services.ingest.record.judging.prints import fact_prints
from services.ingest.record.known.acquaintances import read_acquaintances
from services.ingest.record.known.held import Held, read_held, read_members
from shared.ids import BOB
from shared.log.postgres import Connection

# Only the newest of a player's sessions on one day, and of a source's sessions on that day. What
# was entered before is rarely far away, and a platform with thousands a day must not be slowed
# down. The days of one transaction have separate limits.
SESSIONS_OF_PLAYER_MAX: Final = 50
SESSIONS_OF_DAY_MAX: Final = 500

READ_NIGHTS: Final = f"""
WITH found AS (
    SELECT DISTINCT held.session_id, held.source, held.fact_seq, asked.day
    FROM unnest((SELECT $1::text[]), (SELECT $2::date[]), (SELECT $3::text[]))
        AS asked (player_id, day, source)
    CROSS JOIN LATERAL (
        SELECT s.session_id FROM mahjic.seats AS s
        WHERE s.player_id = asked.player_id AND s.session_date = asked.day AND s.is_sent
        ORDER BY s.player_id, s.session_date, s.session_id DESC LIMIT {SESSIONS_OF_PLAYER_MAX}
    ) AS seat
    CROSS JOIN LATERAL (
        SELECT h.session_id, h.source, h.fact_seq FROM mahjic.submissions AS h
        WHERE h.session_id = seat.session_id AND h.status = 'accepted' AND h.source = asked.source
        OFFSET 0
    ) AS held
)
SELECT newest.session_id, newest.source, newest.fact_seq
FROM (
    SELECT found.session_id, found.source, found.fact_seq, row_number() OVER (
        PARTITION BY found.source, found.day ORDER BY found.fact_seq DESC
    ) AS place
    FROM found
) AS newest
WHERE newest.place <= {SESSIONS_OF_DAY_MAX}
"""
READ_HELD: Final = """
SELECT held.session_id, held.source, held.fact_seq
FROM unnest((SELECT $1::text[])) AS asked (session_id)
CROSS JOIN LATERAL (
    SELECT h.session_id, h.source, h.fact_seq FROM mahjic.submissions AS h
    WHERE h.session_id = asked.session_id OFFSET 0
) AS held
"""


async def read_nights(
    connection: Connection,
    identified: Sequence[Identified],
    record: OnRecord,
    *,
    without: str | None = None,
    by_address: bool = False,
) -> None:
    """Add the nights that the submissions may repeat to the record, `without` one session.

    `by_address` ignores merges: each person is the id of their address.
    """
    asked = [each for each in identified if not each.submission.session.allow_duplicate]
    whole = [each for each in asked if each.submission.session.is_whole_night]
    held = {
        session_id
        for each in asked
        for session_id in record.holding(each.submission.source, each.round_prints)
    }
    if not whole and not held:
        return
    members = await _members(connection, asked, by_address=by_address)
    rows = await _read_whole(connection, whole, members)
    seen = {row["session_id"] for row in rows}
    rows += await connection.fetch(READ_HELD, sorted(held - seen)) if held - seen else []
    nights = await _nights(
        connection, rows, asked, members, record.acquainted, by_address=by_address
    )
    for night in nights:
        if night.session_id != without:
            record.nights_of(night.source, night.session_date).add(night)


async def read_session_night(
    connection: Connection, session_id: str, identified: Identified, *, is_for_operator: bool
) -> tuple[list[KnownNight], set[tuple[str, str]]]:
    """Return a session round by round, and who of those in it and named here its source knows.

    The list is empty if the fact cannot be read. For a source, people are the ids of addresses.
    """
    acquainted: set[tuple[str, str]] = set()
    by_address = not is_for_operator
    members = await _members(connection, [identified], by_address=by_address)
    rows = await connection.fetch(READ_HELD, [session_id])
    nights = await _nights(
        connection,
        rows,
        [identified],
        members,
        acquainted,
        knows_all=is_for_operator,
        by_address=by_address,
    )
    return nights, acquainted


async def _members(
    connection: Connection, identified: Sequence[Identified], *, by_address: bool
) -> dict[str, list[str]]:
    """Return all ids of each person named, by the id that they are read as."""
    named = (player_id for each in identified for ids in each.survivor_ids for player_id in ids)
    named_ids = set(named) - {BOB}
    if by_address:
        return {player_id: [player_id] for player_id in named_ids}
    return await read_members(connection, named_ids)


async def _read_whole(
    connection: Connection, whole: Sequence[Identified], members: Mapping[str, Sequence[str]]
) -> list[asyncpg.Record]:
    asked = sorted(
        {
            (member, each.submission.session.session_date, each.submission.source)
            for each in whole
            for ids in each.survivor_ids
            for player_id in ids
            for member in members.get(player_id, ())
        }
    )
    if not asked:
        return []
    return await connection.fetch(
        READ_NIGHTS,
        [player_id for player_id, _, _ in asked],
        [date.fromisoformat(day) for _, day, _ in asked],
        [source for _, _, source in asked],
    )


async def _nights(
    connection: Connection,
    rows: Sequence[asyncpg.Record],
    identified: Sequence[Identified],
    members: Mapping[str, Sequence[str]],
    acquainted: set[tuple[str, str]],
    *,
    by_address: bool,
    knows_all: bool = False,
) -> list[KnownNight]:
    """Return sessions round by round, oldest first. Those that cannot be read are left out.

    The people that their sources have named themselves, there and in the submissions, are added to
    `acquainted`. For the operator, who knows everyone, that is all of them.
    """
    held = [Held(row["session_id"], row["source"], row["fact_seq"]) for row in rows]
    facts = [
        # Prints on record are taken over merged players.
        (fact, fact_prints(fact, {}, [each.ref for each in prints]) if by_address else prints)
        async for fact, prints, _ in read_held(connection, held)
    ]
    asked = [
        *((f.source, each) for f, _ in facts for played in f.rounds for each in played.players),
        *(
            (one.submission.source, each)
            for one in identified
            for ids in one.player_ids
            for each in ids
        ),
    ]
    acquainted |= set(asked) if knows_all else await read_acquaintances(connection, asked)
    survivors = {each: survivor for survivor, ids in members.items() for each in ids}
    return [
        night_in(fact, partial(_read_as, fact.source, survivors, acquainted), prints)
        for fact, prints in facts
    ]


def _read_as(
    source: str,
    survivors: Mapping[str, str],
    acquainted: AbstractSet[tuple[str, str]],
    player_id: str,
) -> str:
    """Return who a source knows a player on record as, except players that the operator named."""
    if player_id == BOB or (source, player_id) in acquainted:
        return survivors.get(player_id, player_id)
    return f"not named: {player_id}"
