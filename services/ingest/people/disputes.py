"""What players say about sessions they did not play, and what they are answered.

It goes to the desk of the source, and to staff after some days without an answer. A source voids or
corrects the session, or answers. The texts are on no log, and go when the player is forgotten.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, Literal, Protocol, TypeAlias, get_args

import asyncpg

from services.ingest.players.grouped import find_person
from shared.db.erasing import note_erased
from shared.errors import MahjicError, NotFound, UnknownPlayer
from shared.log.postgres import Connection
from shared.notices.writing import Notice, write_notices
from shared.own_words.short_texts import read_short_text

# Whoever keeps a club's scores looks at its desk every week or two.
STAFF_AFTER: Final = timedelta(days=14)

DisputeState: TypeAlias = Literal["open", "with_staff", "answered", "resolved"]
DISPUTE_STATES: Final[tuple[DisputeState, ...]] = get_args(DisputeState)
ResolvedBy: TypeAlias = Literal["voided", "corrected", "reseated"]

# What became of the session is on record already, so it is not kept a second time. $1 is the time
# after which staff look.
_TOLD: Final = """
SELECT told.number, told.player_id, mahjic.survivor(told.player_id) AS survivor, told.session_id,
    told.source, sent.session_date, told.said, told.said_at, told.answer, told.answered_at,
    sent.corrected_by,
    CASE
        WHEN sent.status <> 'accepted' THEN sent.status
        WHEN NOT sits.here THEN 'reseated'
    END AS resolved_by,
    CASE
        WHEN sent.status <> 'accepted' OR NOT sits.here THEN 'resolved'
        WHEN told.answer IS NOT NULL THEN 'answered'
        WHEN told.said_at <= $1 THEN 'with_staff'
        ELSE 'open'
    END AS state
FROM mahjic.disputes AS told
JOIN mahjic.submissions AS sent USING (session_id)
CROSS JOIN LATERAL (
    SELECT EXISTS (
        SELECT FROM mahjic.seats AS seats
        WHERE seats.player_id = told.player_id AND seats.session_id = told.session_id
            AND seats.sits
    ) AS here
) AS sits
"""
READ_OWN: Final = f"{_TOLD} WHERE told.player_id = ANY($2) ORDER BY told.number"
READ_ONE: Final = f"{_TOLD} WHERE told.number = $2 AND told.source = COALESCE($3, told.source)"
READ_ABOUT: Final = f"""
{_TOLD} WHERE told.session_id = $2 AND told.source = $3 ORDER BY told.number
"""
LIST: Final = f"""
SELECT * FROM ({_TOLD} WHERE told.number > $2 AND told.source = COALESCE($3, told.source)) AS all_of
WHERE state = COALESCE($4, state) ORDER BY number LIMIT $5
"""
FIND_SEAT: Final = """
SELECT seats.player_id, sent.source, sent.session_date, sent.status FROM mahjic.seats
JOIN mahjic.submissions AS sent USING (session_id)
WHERE seats.player_id = ANY($1) AND seats.session_id = $2 AND seats.sits
ORDER BY seats.player_id LIMIT 1
"""
# Someone who is being forgotten says nothing more.
HOLD_PERSON: Final = """
SELECT player_id FROM mahjic.people WHERE player_id = $1 FOR KEY SHARE
"""
# One for each player and session: saying it again before it is answered changes the words.
SAY: Final = """
INSERT INTO mahjic.disputes AS earlier (player_id, session_id, source, said, said_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (player_id, session_id) DO UPDATE SET said = excluded.said
WHERE earlier.answer IS NULL
RETURNING number, xmax = 0 AS is_new
"""
# Held first, so that nobody who is being forgotten is told anything more.
HOLD_ANSWERED: Final = """
SELECT people.player_id FROM mahjic.disputes AS told JOIN mahjic.people AS people USING (player_id)
WHERE told.number = $1 FOR KEY SHARE OF people
"""
READ_ADDRESSES: Final = """
SELECT email FROM mahjic.people
WHERE player_id IN (SELECT mahjic.members($1)) AND email IS NOT NULL
ORDER BY player_id <> $1, player_id
"""
COUNT_WITH_STAFF: Final = f"SELECT count(*) FROM ({_TOLD}) AS all_of WHERE state = 'with_staff'"
ANSWER: Final = "UPDATE mahjic.disputes SET answer = $2, answered_at = $3 WHERE number = $1"
TAKE_BACK: Final = """
DELETE FROM mahjic.disputes WHERE player_id = ANY($1) AND session_id = $2 RETURNING number
"""


class UnknownDispute(NotFound):
    """There is no such dispute, or it is about a session of another source."""

    code = "unknown_dispute"
    title = "There is no such dispute"


class NothingToDispute(MahjicError):
    """The player is not in the session, or it no longer counts, or it was settled."""

    code = "nothing_to_dispute"
    title = "There is nothing to dispute"
    status = 409


@dataclass(frozen=True, slots=True)
class Dispute:
    """What a player says about a session, and what became of it.

    `player_id` is the id of the player now, `seated_as` the one in the session. `newest` is the
    session that corrects it, if one does.
    """

    number: int
    player_id: str
    seated_as: str
    session_id: str
    session_date: date
    source: str
    state: DisputeState
    said: str
    said_at: datetime
    answer: str | None
    answered_at: datetime | None
    resolved_by: ResolvedBy | None
    newest: str | None


class AnswerTold(Protocol):
    """Tells somebody of an answer, by the addresses of the player, in the answer's transaction."""

    async def __call__(
        self, connection: Connection, answered: Dispute, addresses: Sequence[str]
    ) -> None: ...


async def dispute(
    connection: Connection, player_id: str, session_id: str, text: str, *, now: datetime
) -> Dispute:
    """Keep what a player says about a session. Said again before an answer, the words change.

    Raises UnfitText, UnknownPlayer or NothingToDispute before anything is written.
    """
    said = read_short_text(text)
    ids = await find_person(connection, player_id)
    seat = await connection.fetchrow(FIND_SEAT, ids.members, session_id)
    if seat is None:
        raise NothingToDispute("You are not in this session. Choose one from your own list.")
    if seat["status"] != "accepted":
        raise NothingToDispute(
            f"This session is {seat['status']} already, and counts for nobody. There is nothing "
            "more to do."
        )
    if await connection.fetchval(HOLD_PERSON, seat["player_id"]) is None:
        raise UnknownPlayer("This player has just been forgotten.")
    kept = await connection.fetchrow(SAY, seat["player_id"], session_id, seat["source"], said, now)
    if kept is None:
        raise NothingToDispute(
            "What you said about this session was answered. Ask the club that sent it if that is "
            "not the end of it."
        )
    number = kept["number"]
    if kept["is_new"]:
        data = {
            "dispute": number,
            "session_id": session_id,
            "session_date": seat["session_date"].isoformat(),
        }
        cause = f"dispute.opened {number}"
        told = Notice(seat["source"], "dispute.opened", cause, now, data)
        await write_notices(connection, [told])
    return await _read_one(connection, number, None, now)


async def take_back(connection: Connection, player_id: str, session_id: str) -> bool:
    """Erase what a player said about a session. Return whether there was something."""
    ids = await find_person(connection, player_id)
    gone = await connection.fetch(TAKE_BACK, ids.members, session_id)
    if gone:
        await note_erased(connection, "disputes")
    return bool(gone)


async def answer_dispute(
    connection: Connection,
    number: int,
    text: str,
    *,
    by: str | None,
    now: datetime,
    tell: AnswerTold,
) -> Dispute:
    """Keep what a player is answered, by the session's source or by staff (None), and tell them.

    Answered again, the new answer stands; the same one again is no news. Raises UnfitText,
    UnknownDispute, or NothingToDispute where the session no longer counts for the player.
    """
    answer = read_short_text(text)
    await connection.execute(HOLD_ANSWERED, number)
    told = await _read_one(connection, number, by, now)
    if told.state == "resolved":
        raise NothingToDispute(
            f"The session is {told.resolved_by} already, and the player sees that. There is "
            "nothing to answer."
        )
    if told.answer == answer:
        return told
    await connection.execute(ANSWER, number, answer, now)
    if told.answer is not None:
        await note_erased(connection, "disputes")
    answered = await _read_one(connection, number, by, now)
    rows = await connection.fetch(READ_ADDRESSES, answered.player_id)
    await tell(connection, answered, [row["email"] for row in rows])
    return answered


async def session_of(
    connection: Connection, player_ids: Sequence[str], session_id: str
) -> asyncpg.Record | None:
    """Return source, day and status of a session in which one of these ids sits, if one does."""
    return await connection.fetchrow(FIND_SEAT, player_ids, session_id)


async def disputes_of(
    connection: Connection, player_ids: Sequence[str], *, now: datetime
) -> list[Dispute]:
    """Return what a person said about sessions, by all of their ids, oldest first."""
    rows = await connection.fetch(READ_OWN, now - STAFF_AFTER, player_ids)
    return [_dispute(row) for row in rows]


async def disputes_about(
    connection: Connection, session_id: str, *, source: str, now: datetime
) -> list[Dispute]:
    """Return what players said about a session of a source, oldest first."""
    rows = await connection.fetch(READ_ABOUT, now - STAFF_AFTER, session_id, source)
    return [_dispute(row) for row in rows]


async def list_disputes(
    connection: Connection,
    *,
    source: str | None,
    state: DisputeState | None,
    after: int,
    limit: int,
    now: datetime,
) -> list[Dispute]:
    """Return disputes about the sessions of a source, or of all, from the oldest on."""
    rows = await connection.fetch(LIST, now - STAFF_AFTER, after, source, state, limit)
    return [_dispute(row) for row in rows]


async def read_dispute(connection: Connection, number: int, *, now: datetime) -> Dispute:
    """Return a dispute of any source. Raises UnknownDispute."""
    return await _read_one(connection, number, None, now)


async def count_with_staff(connection: Connection, *, now: datetime) -> int:
    """Return how many disputes no source has answered in time, so that staff have to."""
    found: int = await connection.fetchval(COUNT_WITH_STAFF, now - STAFF_AFTER)
    return found


async def _read_one(
    connection: Connection, number: int, source: str | None, now: datetime
) -> Dispute:
    row = await connection.fetchrow(READ_ONE, now - STAFF_AFTER, number, source)
    if row is None:
        raise UnknownDispute(f"There is no dispute {number}. Take a `number` from the list.")
    return _dispute(row)


def _dispute(row: asyncpg.Record) -> Dispute:
    return Dispute(
        number=row["number"],
        player_id=row["survivor"],
        seated_as=row["player_id"],
        session_id=row["session_id"],
        session_date=row["session_date"],
        source=row["source"],
        state=row["state"],
        said=row["said"],
        said_at=row["said_at"],
        answer=row["answer"],
        answered_at=row["answered_at"],
        resolved_by=row["resolved_by"],
        newest=row["corrected_by"],
    )
