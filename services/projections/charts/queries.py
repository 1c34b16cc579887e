"""Reads the points of a player's rating chart, with the record and the best rating."""

from collections.abc import Mapping
from typing import Any, Final

from services.projections.answering.people import NoPublicPlayer
from services.projections.answering.reading import ViewReader
from services.projections.history.queries import MEMBERS_SHOWN

# More than two a pixel on a wide screen, and someone who plays every other day for ten years. What
# a chart costs is in proportion to it.
POINTS_MAX: Final = 2_000

# Nothing is looked up about a hidden player, or one with a member who is hidden by now, since the
# time it takes would reveal them. While a correction comes in parts, what it left out is shown to
# players whose part is in: they have its point too. Everything comes in one row, in arrays, and is
# put together afterward: a plan from when the tables were empty would join it badly.
READ_CHART: Final = f"""
WITH RECURSIVE live AS MATERIALIZED (
    SELECT builds.seq, builds.correcting FROM {{live}} AS builds
), {MEMBERS_SHOWN}, shown AS MATERIALIZED (
    SELECT public.player_id FROM public WHERE NOT EXISTS (
        SELECT FROM member
        WHERE member.player_id <> $1 AND NOT EXISTS (
            SELECT FROM {{visible}} AS seen
            WHERE seen.player_id = mahjic.survivor(member.player_id)
        )
    )
), point AS MATERIALIZED (
    SELECT c.fact_seq, c.round_no, c.on_date, c.change_centi, c.verified_change_centi,
        c.has_verified_moved, c.has_games_changed, c.rating_before, c.verified_rating_before
    FROM shown CROSS JOIN LATERAL (
        SELECT c.fact_seq, max(c.round_no) AS round_no, max(c.on_date) AS on_date,
            sum(c.change_centi)::bigint AS change_centi,
            sum(c.verified_change_centi)::bigint AS verified_change_centi,
            bool_or(c.verified_change_centi <> 0) AS has_verified_moved,
            bool_or(c.games_after <> c.games_before) AS has_games_changed,
            max(c.rating_before) AS rating_before,
            max(c.verified_rating_before) AS verified_rating_before
        FROM {{history}}.changes AS c WHERE c.player_id = shown.player_id
        GROUP BY c.fact_seq ORDER BY c.fact_seq DESC LIMIT {POINTS_MAX + 1}
    ) AS c
), newest AS MATERIALIZED (
    SELECT point.fact_seq, point.round_no, point.rating_before + point.change_centi AS rating_after,
        point.verified_rating_before + point.verified_change_centi AS verified_rating_after
    FROM point ORDER BY point.fact_seq DESC LIMIT 1
), told AS MATERIALIZED (
    SELECT live.seq + COALESCE(
        (SELECT (newest.fact_seq > live.seq AND newest.round_no = 0)::integer FROM newest), 0
    ) AS fact_seq
    FROM live
), session AS MATERIALIZED (
    SELECT r.fact_seq, r.session_id FROM {{history}}.rounds AS r
    WHERE r.fact_seq = ANY(ARRAY(SELECT point.fact_seq FROM point WHERE point.round_no > 0))
        AND r.round_no = 1
), ending AS MATERIALIZED (
    SELECT DISTINCT ON (e.session_id) e.session_id, e.cause FROM {{history}}.endings AS e
    WHERE e.session_id = ANY(ARRAY(SELECT session.session_id FROM session))
        AND e.fact_seq <= (SELECT told.fact_seq FROM told)
    ORDER BY e.session_id, e.fact_seq DESC
), correction AS MATERIALIZED (
    SELECT c.fact_seq, c.cause, c.from_seq FROM {{history}}.corrections AS c
    WHERE c.fact_seq = ANY(ARRAY(SELECT point.fact_seq FROM point WHERE point.round_no = 0))
), points AS MATERIALIZED (
    SELECT array_agg(p.fact_seq) AS fact_seqs, array_agg(p.on_date) AS dates,
        array_agg(p.change_centi) AS changes_centi,
        array_agg(p.verified_change_centi) AS verified_changes_centi,
        array_agg(p.has_verified_moved) AS verified_moves,
        array_agg(p.has_games_changed) AS games_changes
    FROM (SELECT point.* FROM point ORDER BY point.fact_seq DESC) AS p
), sessions AS MATERIALIZED (
    SELECT array_agg(session.fact_seq) AS session_facts,
        array_agg(session.session_id) AS session_ids
    FROM session
), endings AS MATERIALIZED (
    SELECT array_agg(ending.session_id) AS ended_ids, array_agg(ending.cause) AS ended_by
    FROM ending
), corrections AS MATERIALIZED (
    SELECT array_agg(correction.fact_seq) AS correction_facts,
        array_agg(correction.cause) AS causes, array_agg(correction.from_seq) AS from_seqs
    FROM correction
), best AS MATERIALIZED (
    SELECT peak.fact_seq, peak.rating_centi, reached.on_date
    FROM shown CROSS JOIN LATERAL (
        SELECT p.fact_seq, p.rating_centi FROM {{history}}.peaks AS p
        WHERE p.player_id = shown.player_id ORDER BY p.fact_seq DESC LIMIT 1
    ) AS peak CROSS JOIN LATERAL (
        SELECT c.on_date FROM {{history}}.changes AS c
        WHERE c.player_id = shown.player_id AND c.fact_seq = peak.fact_seq LIMIT 1
    ) AS reached
)
SELECT live.seq, live.correcting, shown.player_id, points.fact_seqs, points.dates,
    points.changes_centi, points.verified_changes_centi, points.verified_moves,
    points.games_changes, sessions.session_facts, sessions.session_ids, endings.ended_ids,
    endings.ended_by, corrections.correction_facts, corrections.causes, corrections.from_seqs,
    newest.rating_after, newest.verified_rating_after, round.rated,
    best.rating_centi AS best_centi, best.fact_seq AS best_fact_seq, best.on_date AS best_on,
    profile.sessions, profile.games, profile.mahjongs, profile.wall_games
FROM live
CROSS JOIN points CROSS JOIN sessions CROSS JOIN endings CROSS JOIN corrections
LEFT JOIN shown ON true
LEFT JOIN newest ON true
LEFT JOIN {{history}}.rounds AS round
    ON round.fact_seq = newest.fact_seq AND round.round_no = newest.round_no
LEFT JOIN best ON true
LEFT JOIN {{profiles}}.profiles AS profile ON profile.player_id = shown.player_id
"""


async def read_points(reader: ViewReader, player_id: str) -> Mapping[str, Any]:
    """Return the newest points of a public player's chart and one more, newest first.

    Raises NoPublicPlayer.
    """
    row = await reader.fetchrow(READ_CHART, player_id)
    if row["player_id"] is None:
        raise NoPublicPlayer
    return dict(row)
