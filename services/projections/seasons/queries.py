"""Adds up what was played in a source's sessions between two days, in one statement."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

import asyncpg

from services.projections.answering.reading import ViewReader
from services.projections.seasons.answers import SatThere
from shared.ids import BOB
from shared.rating.registry import START_CENTI

# A club with a night a week for a hundred years, or a league of fifty tables for two. Nights of six
# rounds take about a second and a half then; whoever sent longer ones is told as much in time.
SEASON_SESSIONS_MAX: Final = 5_000
SEASON_S_MAX: Final = 5.0

# A session that took the place of another has its rounds in the verdict on the correction, as it
# was rated there. Seats that were reassigned since are those of whoever sits there now.
READ_SEASON: Final = """
WITH own AS MATERIALIZED (
    SELECT s.fact_seq, s.session_date FROM mahjic.recorded_sessions AS s
    WHERE s.source = $1 AND s.status = 'accepted' AND s.session_date BETWEEN $2 AND $3
    LIMIT $4 + 1
), few AS MATERIALIZED (
    SELECT own.fact_seq, own.session_date FROM own WHERE (SELECT count(*) FROM own) <= $4
), played AS (
    SELECT few.fact_seq, few.session_date, r.round_no, r.rated
    FROM few JOIN {history}.rounds AS r ON r.fact_seq = few.fact_seq
    UNION ALL
    SELECT few.fact_seq, few.session_date, placed.number, placed.rated
    FROM few
    JOIN {sessions}.changes AS made ON made.fact_seq = few.fact_seq
    CROSS JOIN LATERAL json_array_elements(
        convert_from(made.data, 'UTF8')::json -> 'session' -> 'rounds'
    ) WITH ORDINALITY AS placed (rated, number)
), seat AS (
    SELECT played.fact_seq, played.session_date, told.games_played, sat.*
    FROM played
    CROSS JOIN LATERAL json_to_record(played.rated) AS told (
        games_played bigint, players text[], played_as text[], mahjongs bigint[],
        points_centi bigint[], rating_change bigint[]
    )
    LEFT JOIN {history}.reseated_rounds AS now
        ON now.fact_seq = played.fact_seq AND now.round_no = played.round_no
    CROSS JOIN LATERAL unnest(
        COALESCE(now.seated, told.played_as, told.players),
        COALESCE(told.played_as, told.players),
        told.mahjongs, told.points_centi, told.rating_change
    ) AS sat (player_id, rated_as, mahjongs, points_centi, change_centi)
)
SELECT live.seq, live.correcting, added.*, (SELECT count(*) FROM own) AS own_sessions,
    (SELECT count(DISTINCT played.fact_seq) FROM played) AS sessions
FROM {live} AS live
LEFT JOIN (
    SELECT seat.player_id, count(*) AS rounds, sum(seat.games_played)::bigint AS games,
        sum(seat.mahjongs)::bigint AS won, sum(seat.points_centi)::bigint AS points_centi,
        COALESCE(
            sum(seat.change_centi) FILTER (WHERE seat.player_id = seat.rated_as), 0
        )::bigint AS change_centi,
        count(*) FILTER (WHERE seat.player_id <> seat.rated_as) AS reassigned,
        array_agg(DISTINCT seat.session_date) AS days
    FROM seat WHERE seat.player_id <> $5 GROUP BY seat.player_id
) AS added ON true
"""
# Only of those whom everyone may see, as of this moment.
READ_PRESENT: Final = """
SELECT live.seq, shown.player_id, shown.name, shown.rating_centi, shown.games,
    shown.is_verified
FROM {live} AS live
LEFT JOIN (
    SELECT public.player_id, public.name, COALESCE(p.rating_centi, $2) AS rating_centi,
        COALESCE(p.games, 0) AS games, COALESCE(p.is_verified, false) AS is_verified
    FROM unnest($1::text[]) AS asked (player_id)
    JOIN {visible} AS public ON public.player_id = asked.player_id
    LEFT JOIN {profiles}.profiles AS p ON p.player_id = public.player_id
) AS shown ON true
"""


@dataclass(frozen=True, slots=True)
class AddedUp:
    """Sums by the ids of the facts; None if there is too much to add up."""

    correcting: Sequence[int] | None
    sessions: int
    sat: Sequence[SatThere] | None


async def read_season(reader: ViewReader, source: str, first: date, last: date) -> AddedUp:
    """Return what was played in the sessions of a source that count, from one day to another."""
    asked = (source, first, last, SEASON_SESSIONS_MAX, BOB)
    try:
        rows = await reader.fetch(READ_SEASON, *asked, limit_s=SEASON_S_MAX)
    except TimeoutError:
        return AddedUp(None, 0, None)
    top = rows[0]
    if top["own_sessions"] > SEASON_SESSIONS_MAX:
        return AddedUp(top["correcting"], 0, None)
    sat = [
        SatThere(
            row["player_id"],
            row["days"],
            row["rounds"],
            row["games"],
            row["won"],
            row["points_centi"],
            row["change_centi"],
            row["reassigned"],
        )
        for row in rows
        if row["player_id"] is not None
    ]
    return AddedUp(top["correcting"], top["sessions"], sat)


async def read_present(reader: ViewReader, player_ids: Sequence[str]) -> Sequence[asyncpg.Record]:
    """Return where those of some players stand now whom everyone may see."""
    rows = await reader.fetch(READ_PRESENT, list(player_ids), START_CENTI)
    return [row for row in rows if row["player_id"] is not None]
