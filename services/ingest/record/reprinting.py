"""Takes the prints of sessions again when ids are merged or not, or seats are reassigned.

Prints are taken over survivors, so that what is sent twice is recognized whichever id it names.
Where seats were reassigned there are prints of who was sent, and others of who sits there now.
Call it under the lock on the head, after the link or the seats were changed.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from services.ingest.record.judging.identified import seated_players
from services.ingest.record.judging.prints import (
    RoundPrint,
    columns_of,
    content_print,
    fact_prints,
)
from services.ingest.record.known.groups import (
    TURN_SESSIONS,
    PlayedSession,
    sessions_of,
    survivors_of,
)
from shared.events.facts import SessionSubmitted
from shared.log.postgres import Connection

READ_REFS: Final = """
SELECT session_id, round_no, ref_print FROM mahjic.round_prints
WHERE session_id = ANY($1) AND ref_print IS NOT NULL
"""
WRITE_ROUNDS: Final = """
UPDATE mahjic.round_prints AS r SET base_print = n.base_print, points_print = n.points_print
FROM unnest($1::text[], $2::smallint[], $3::bytea[], $4::bytea[])
    AS n (session_id, round_no, base_print, points_print)
WHERE r.session_id = n.session_id AND r.round_no = n.round_no
"""
WRITE_CONTENTS: Final = """
UPDATE mahjic.submissions AS s SET content_print = n.content_print
FROM unnest($1::text[], $2::bytea[]) AS n (session_id, content_print)
WHERE s.session_id = n.session_id
"""
REMOVE_SEATED: Final = "DELETE FROM mahjic.reseated_prints WHERE session_id = ANY($1)"
WRITE_SEATED: Final = """
INSERT INTO mahjic.reseated_prints (session_id, round_no, base_print, points_print)
SELECT n.session_id, n.round_no, n.base_print, n.points_print
FROM unnest($1::text[], $2::smallint[], $3::bytea[], $4::bytea[])
    AS n (session_id, round_no, base_print, points_print)
JOIN mahjic.round_prints AS sent
    ON sent.session_id = n.session_id AND sent.round_no = n.round_no
WHERE n.base_print <> sent.base_print
"""
WRITE_SEATED_CONTENTS: Final = """
UPDATE mahjic.reseats AS r SET content_print = NULLIF(n.content_print, sent.content_print)
FROM unnest($1::text[], $2::bytea[]) AS n (session_id, content_print)
JOIN mahjic.submissions AS sent ON sent.session_id = n.session_id
WHERE r.session_id = n.session_id
"""


async def print_anew(connection: Connection, player_ids: Sequence[str]) -> None:
    """Take the prints again of all sessions in which any of these players sat."""
    async for sessions in sessions_of(connection, player_ids):
        await print_sessions(connection, sessions)


async def print_sessions(connection: Connection, sessions: Sequence[PlayedSession]) -> None:
    """Take the prints of these sessions again."""
    named = (
        player
        for each in sessions
        for session in (each.played, each.seated)
        for player in seated_players(session)
    )
    survivors = await survivors_of(connection, named)
    rows = await connection.fetch(READ_REFS, [each.session_id for each in sessions])
    refs = {(row["session_id"], row["round_no"]): row["ref_print"] for row in rows}
    prints: dict[str, tuple[RoundPrint, ...]] = {}
    seated: dict[str, tuple[RoundPrint, ...]] = {}
    for done, each in enumerate(sessions, start=1):
        prints[each.session_id] = _prints(each.played, survivors, refs)
        if each.seated is not each.played:
            seated[each.session_id] = _prints(each.seated, survivors, refs)
        if done % TURN_SESSIONS == 0:
            await asyncio.sleep(0)
    await connection.execute(WRITE_ROUNDS, *columns_of(prints.items()))
    await connection.execute(
        WRITE_CONTENTS,
        list(prints),
        [content_print(each.played, prints[each.session_id], each.source) for each in sessions],
    )
    if seated:
        contents = [
            content_print(each.seated, seated[each.session_id], each.source)
            for each in sessions
            if each.session_id in seated
        ]
        await connection.execute(REMOVE_SEATED, list(seated))
        await connection.execute(WRITE_SEATED, *columns_of(seated.items()))
        await connection.execute(WRITE_SEATED_CONTENTS, list(seated), contents)


def _prints(
    session: SessionSubmitted,
    survivors: Mapping[str, str],
    refs: Mapping[tuple[str, int], bytes],
) -> tuple[RoundPrint, ...]:
    numbers = range(1, len(session.rounds) + 1)
    kept = [refs.get((session.session_id, number)) for number in numbers]
    return fact_prints(session, survivors, kept)
