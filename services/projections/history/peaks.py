"""Keeps each player's peaks: the points of their chart that were above all before them.

The last peak is the player's best rating. A correction takes away the peaks that it made untrue
(docs/decisions/0031-what-a-best-rating-is.md), so those before them count again.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, TypeAlias

from services.projections.common.verdicts import seated_players
from services.projections.history.corrected import event_of
from shared.events.codec import Verdict
from shared.events.verdicts import RatingsCorrected, SessionRated
from shared.feed.views import Connection

# The snapshot of one statement does not see its own rows: so of several points of a player, each
# must be above the one before.
WRITE_PEAKS: Final = """
INSERT INTO {schema}.peaks (player_id, rating_centi, fact_seq)
SELECT n.player_id, n.rating_centi, n.fact_seq
FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS n (player_id, rating_centi, fact_seq)
WHERE COALESCE((
    SELECT p.rating_centi FROM {schema}.peaks AS p
    WHERE p.player_id = n.player_id ORDER BY p.fact_seq DESC LIMIT 1
), n.rating_centi - 1) < n.rating_centi
"""
REMOVE_PEAKS: Final = """
DELETE FROM {schema}.peaks AS p USING unnest($1::text[]) AS n (player_id)
WHERE p.player_id = n.player_id AND p.fact_seq >= (
    SELECT c.from_seq FROM {schema}.corrections AS c WHERE c.fact_seq = $2
)
"""
# The peaks by definition, from all changes, against those that are kept. $1 is the rating at which
# everyone begins. The window functions go through the changes in the order of their key.
COUNT_WRONG_PEAKS: Final = """
WITH point AS (
    SELECT c.player_id, c.fact_seq,
        $1 + sum(sum(c.change_centi)) OVER (
            PARTITION BY c.player_id ORDER BY c.fact_seq
        ) AS rating_centi,
        bool_or(c.round_no > 0 OR c.games_after > 0) AS has_games,
        min(CASE
            WHEN c.round_no = 0 AND (c.change_centi <> 0 OR c.games_after <> c.games_before)
            THEN (SELECT k.from_seq FROM {schema}.corrections AS k WHERE k.fact_seq = c.fact_seq)
        END) AS from_seq
    FROM {schema}.changes AS c GROUP BY c.player_id, c.fact_seq
), later AS (
    SELECT player_id, fact_seq, rating_centi, has_games, min(from_seq) OVER (
        PARTITION BY player_id ORDER BY fact_seq
        ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING
    ) AS untrue_from
    FROM point
), standing AS (
    SELECT player_id, fact_seq, rating_centi, max(rating_centi) OVER (
        PARTITION BY player_id ORDER BY fact_seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS best_before
    FROM later WHERE has_games AND (untrue_from IS NULL OR untrue_from > fact_seq)
), peak AS (
    SELECT player_id, fact_seq, rating_centi FROM standing
    WHERE best_before IS NULL OR rating_centi > best_before
)
SELECT count(*) FROM peak FULL JOIN {schema}.peaks AS kept
    ON kept.player_id = peak.player_id AND kept.fact_seq = peak.fact_seq
WHERE kept.rating_centi IS DISTINCT FROM peak.rating_centi
"""

# A player, the rating after a fact, and that fact.
Point: TypeAlias = tuple[str, int, int]


async def take_in_sessions(
    connection: Connection, schema: str, verdicts: Sequence[Verdict]
) -> None:
    """Add the peaks that sessions make, between two corrections."""
    await _add(connection, schema, rising_points(session_points(verdicts)))


async def take_in_correction(connection: Connection, schema: str, verdict: Verdict) -> None:
    """Take away the peaks that a part of a correction made untrue, and add those it makes."""
    moved = moved_points(verdict)
    if moved:
        query = REMOVE_PEAKS.format(schema=schema)
        await _run(connection, query, list(moved), verdict.answers.fact_seq)
    await _add(connection, schema, [point for point in moved.values() if point is not None])


async def _add(connection: Connection, schema: str, points: Sequence[Point]) -> None:
    """Add those of the points that are above what their players have reached."""
    if points:
        columns = [list(column) for column in zip(*points, strict=True)]
        await _run(connection, WRITE_PEAKS.format(schema=schema), *columns)


async def _run(connection: Connection, query: str, *arguments: object) -> None:
    """Run a statement by a plan of its own.

    A plan that was made while the table was small, and is kept while it grows, goes through the
    whole table for each player.
    """
    statement = await connection.prepare(query)
    await statement.fetch(*arguments)


def runs_between_corrections(verdicts: Sequence[Verdict]) -> Iterator[Sequence[Verdict]]:
    """Cut a batch into parts of corrections, one each, and what lies between them. Pure."""
    for is_correction, run in groupby(verdicts, lambda each: type(each.event) is RatingsCorrected):
        if is_correction:
            yield from ([each] for each in run)
        else:
            yield list(run)


def session_points(verdicts: Sequence[Verdict]) -> list[Point]:
    """Return where each session leaves each of its players, in the order of the log. Pure."""
    points: list[Point] = []
    for verdict in verdicts:
        session, fact_seq = verdict.event, verdict.answers.fact_seq
        if not isinstance(session, SessionRated):
            continue
        ratings: dict[str, int] = {}
        table: tuple[str, ...] = ()
        for rated in reversed(session.rounds):
            if rated.players == table:  # Usually the same people play the next round.
                continue
            table = rated.players
            for seat, player_id in seated_players(rated):
                rating_centi = rated.rating_before[seat] + rated.rating_change[seat]
                ratings.setdefault(player_id, rating_centi)
        points += [(player_id, rating, fact_seq) for player_id, rating in ratings.items()]
    return points


def rising_points(points: Sequence[Point]) -> list[Point]:
    """Return those points that are above all earlier ones of the same player. Pure."""
    highest: dict[str, int] = {}
    rising = []
    for point in points:
        player_id, rating_centi, _ = point
        if player_id not in highest or rating_centi > highest[player_id]:
            highest[player_id] = rating_centi
            rising.append(point)
    return rising


def moved_points(verdict: Verdict) -> dict[str, Point | None]:
    """Return where a part of a correction leaves each player that it moved in the mahjic pool.

    It is None for those whom it leaves without games. Pure.
    """
    event, fact_seq = event_of(verdict), verdict.answers.fact_seq
    numbers = zip(
        event.players,
        event.rating_before,
        event.rating_change,
        event.games_before,
        event.games_after,
        strict=True,
    )
    return {
        player_id: (player_id, before + change, fact_seq) if games_after else None
        for player_id, before, change, games_before, games_after in numbers
        if change or games_before != games_after
    }
