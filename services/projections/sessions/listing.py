"""Lists a source's sessions in pages, newest day first. The time per page is bounded.

A page is read along an index from where the last one ended. What a filter passes over is bounded
too, so a page may be short or even empty, and the list still goes on after it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

import asyncpg

from services.projections.answering.reading import ViewReader
from shared.answers import SessionStatus
from shared.answers.seen import Sight, sees
from shared.ids import BOB
from shared.json_text import INTEGER_MAX
from shared.seated import read_people, read_sight

# How much is passed over for one page, at some microseconds each.
PASSED_MAX: Final = 1000
# The statuses in the table itself. It calls everything else accepted, and the view says more.
ENDED: Final = frozenset({"voided", "corrected"})

_COLUMNS: Final = """s.session_id, s.session_date, s.fact_seq, s.status, s.submitted_at,
        s.corrects, s.corrected_by, s.end_reason"""
_SHOWN: Final = """
SELECT live.seq, found.session_id, found.session_date, found.fact_seq, found.status,
    found.submitted_at, found.corrects, found.corrected_by, found.end_reason, {cut} AS cut,
    rated.is_rated
FROM {live} AS live
LEFT JOIN found ON true
LEFT JOIN LATERAL (
    SELECT s.is_rated FROM {sessions}.sessions AS s WHERE s.session_id = found.session_id OFFSET 0
) AS rated ON true
ORDER BY found.session_date DESC, found.fact_seq DESC
"""
_READ_ALL: Final = f"""
WITH found AS MATERIALIZED (
    SELECT {_COLUMNS}
    FROM mahjic.recorded_sessions AS s
    WHERE s.source = $1 AND (s.session_date, s.fact_seq) < ($2::date, $3::bigint)
        AND s.session_date >= $4::date AND {{status}}
    ORDER BY s.session_date DESC, s.fact_seq DESC LIMIT $5
)
""" + _SHOWN.replace("{cut}", "NULL::date")
READ_ALL: Final = _READ_ALL.replace("{status}", "true")
READ_STANDING: Final = _READ_ALL.replace("{status}", "s.status = 'accepted'")
READ_ENDED: Final = {
    status: _READ_ALL.replace("{status}", f"s.status = '{status}'") for status in sorted(ENDED)
}
# Days are read whole. For players who sat in more sessions than are passed over, nothing before the
# last such day is known yet.
READ_OF_PLAYER: Final = f"""
WITH sat AS MATERIALIZED (
    SELECT member.player_id, seat.session_date, seat.session_id
    FROM unnest($6::text[]) AS member (player_id)
    CROSS JOIN LATERAL (
        SELECT seats.session_date, seats.session_id FROM mahjic.recorded_seats AS seats
        WHERE seats.player_id = member.player_id
            AND seats.session_date <= $8::date AND seats.session_date >= $4::date
        ORDER BY seats.session_date DESC FETCH FIRST $7 ROWS WITH TIES
    ) AS seat
), cut AS MATERIALIZED (
    SELECT max(whole.session_date) AS on_date FROM (
        SELECT min(sat.session_date) AS session_date FROM sat
        GROUP BY sat.player_id HAVING count(*) >= $7
    ) AS whole
), found AS MATERIALIZED (
    SELECT {_COLUMNS}
    FROM (SELECT DISTINCT sat.session_id FROM sat) AS own
    CROSS JOIN LATERAL (
        SELECT * FROM mahjic.recorded_sessions AS s WHERE s.session_id = own.session_id OFFSET 0
    ) AS s
    WHERE s.source = $1 AND (s.session_date, s.fact_seq) < ($2, $3::bigint)
        AND s.session_date >= COALESCE((SELECT cut.on_date FROM cut), $4)
    ORDER BY s.session_date DESC, s.fact_seq DESC LIMIT $5
)
""" + _SHOWN.replace("{cut}", "(SELECT cut.on_date FROM cut)")
READ_GROUP: Final = """
SELECT mahjic.survivor($1) AS survivor, ARRAY(
    SELECT member.player_id FROM mahjic.members(mahjic.survivor($1)) AS member (player_id)
) AS members
"""
# In a fact, the game type comes before everything long.
READ_DETAILS: Final = """
SELECT asked.session_id, substring(facts.body FROM 1 FOR 800) AS head,
    (
        SELECT count(*) FROM mahjic.recorded_rounds AS r WHERE r.session_id = asked.session_id
    ) AS rounds,
    ARRAY(
        SELECT seats.player_id FROM mahjic.recorded_seats AS seats
        WHERE seats.session_id = asked.session_id
    ) AS players
FROM unnest($1::text[], $2::bigint[]) AS asked (session_id, fact_seq)
LEFT JOIN mahjic.facts AS facts ON facts.seq = asked.fact_seq
"""
_GAME_TYPE: Final = re.compile(rb'"game_type":"([a-z]+)"')


@dataclass(frozen=True, slots=True)
class PagePlace:
    """Where a page starts: after a session, given by its day and its fact."""

    session_date: date
    fact_seq: int


FIRST_PLACE: Final = PagePlace(date.max, INTEGER_MAX)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which of a source's sessions are asked for. None means no filter."""

    source: str
    first_date: date | None
    last_date: date | None
    player_id: str | None
    status: SessionStatus | None


@dataclass(frozen=True, slots=True)
class ListedSession:
    """A session in a list. `seated` are the players that the caller may see."""

    session_id: str
    session_date: date
    fact_seq: int
    status: SessionStatus
    submitted_at: datetime
    corrects: str | None
    corrected_by: str | None
    reason: str | None
    game_type: str | None
    rounds_count: int
    players_count: int
    seated: Sequence[tuple[str, str | None]]


@dataclass(frozen=True, slots=True)
class SessionPage:
    """A page, the fact that it is as of, and where the next one starts if there may be more."""

    seq: int
    sessions: Sequence[ListedSession]
    next_place: PagePlace | None


async def read_sessions(
    reader: ViewReader, wanted: Wanted, after: PagePlace, limit: int, *, by: str | None
) -> SessionPage:
    """Return the sessions after a place, as the source `by`, or the operator, may see them."""
    rows = await _read(reader, wanted, after, limit, by=by)
    seq, cut = rows[0]["seq"], rows[0]["cut"]
    found = [row for row in rows if row["session_id"] is not None]
    fitting = [row for row in found if wanted.status in {None, _status(row)}]
    page = fitting[:limit]
    details = await _details(reader, page)
    sight = await read_sight(reader.fetch_plain, [row["session_id"] for row in page], by=by)
    next_place = None
    if len(fitting) > limit:
        next_place = _place(page[-1])
    elif len(found) > _rows_max(wanted, limit) - 1:
        next_place = _place(found[-1])
    elif cut is not None:
        next_place = PagePlace(cut, 0)
    listed = [_listed(row, dict(details[row["session_id"]]), sight) for row in page]
    return SessionPage(seq, listed, None if next_place == after else next_place)


async def _read(
    reader: ViewReader, wanted: Wanted, after: PagePlace, limit: int, *, by: str | None
) -> list[asyncpg.Record]:
    if wanted.last_date is not None and wanted.last_date < after.session_date:
        after = PagePlace(wanted.last_date, INTEGER_MAX)
    since = wanted.first_date or date.min
    rows_max = _rows_max(wanted, limit)
    given = (wanted.source, after.session_date, after.fact_seq, since, rows_max)
    if wanted.player_id is not None:
        members = await _members(reader, wanted.player_id, by=by)
        return await reader.fetch(READ_OF_PLAYER, *given, members, PASSED_MAX, _last_day(after))
    if wanted.status in ENDED:
        return await reader.fetch(READ_ENDED[wanted.status], *given)
    return await reader.fetch(READ_ALL if wanted.status is None else READ_STANDING, *given)


def _last_day(after: PagePlace) -> date:
    """Return the last day on which there may be a session after a place."""
    if after.fact_seq > 0 or after.session_date == date.min:
        return after.session_date
    return after.session_date - timedelta(days=1)


def _rows_max(wanted: Wanted, limit: int) -> int:
    """Return how many sessions to look at, including those that a filter may leave out."""
    is_exact = wanted.status is None or (wanted.status in ENDED and wanted.player_id is None)
    return limit + 1 if is_exact else PASSED_MAX


async def _members(reader: ViewReader, player_id: str, *, by: str | None) -> Sequence[str]:
    """Return the ids of a player whose seats the caller may see. The operator sees all.

    A source learns nothing about players it may not see, including merges: a merged id leads to
    others only for callers who may see it.
    """
    (row,) = await reader.fetch_plain(READ_GROUP, player_id)
    if row["survivor"] is None:
        return []
    members: Sequence[str] = row["members"]
    if by is None:
        return members
    people = await read_people(reader.fetch_plain, members, source=by)
    if player_id != row["survivor"] and not sees(people[player_id], "own"):
        return []
    return [each for each in members if sees(people[each], "own")]


async def _details(
    reader: ViewReader, page: Sequence[asyncpg.Record]
) -> Mapping[str, asyncpg.Record]:
    if not page:
        return {}
    asked = ([row["session_id"] for row in page], [row["fact_seq"] for row in page])
    return {row["session_id"]: row for row in await reader.fetch_plain(READ_DETAILS, *asked)}


def _status(row: asyncpg.Record) -> SessionStatus:
    status: SessionStatus = row["status"]
    if status == "accepted" and row["is_rated"] is not None:
        return "rated" if row["is_rated"] else "refused"
    return status


def _place(row: asyncpg.Record) -> PagePlace:
    return PagePlace(row["session_date"], row["fact_seq"])


def _listed(row: asyncpg.Record, details: Mapping[str, Any], sight: Sight) -> ListedSession:
    told = None if details["head"] is None else _GAME_TYPE.search(details["head"])
    players = [each for each in details["players"] if each != BOB]
    return ListedSession(
        session_id=row["session_id"],
        session_date=row["session_date"],
        fact_seq=row["fact_seq"],
        status=_status(row),
        submitted_at=row["submitted_at"],
        corrects=row["corrects"],
        corrected_by=row["corrected_by"],
        reason=row["end_reason"],
        game_type=None if told is None else told[1].decode(),
        rounds_count=details["rounds"],
        players_count=len(players),
        seated=[
            (sight.read_as(each), sight.called(each))
            for each in sorted(players)
            if sight.sees(each)
        ],
    )
