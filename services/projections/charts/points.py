"""Works out a rating chart from the changes of a player, newest first. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from math import inf
from typing import Any, Final

import orjson

from services.projections.answering.correcting import shown_correcting
from services.projections.charts.answers import (
    BestRating,
    PlayerRecord,
    RatingChart,
    RatingPoint,
)
from services.projections.history.corrected import Cause, EndingCause
from shared.answers import points
from shared.events.verdicts import RatedRound
from shared.rating.registry import START_CENTI

# Columns of the points, one array each.
_COLUMNS: Final = (
    "fact_seqs",
    "dates",
    "changes_centi",
    "verified_changes_centi",
    "verified_moves",
    "games_changes",
)


@dataclass(frozen=True, slots=True)
class _Around:
    """What is known of the facts behind the points: by fact, and endings by session."""

    session_ids: Mapping[int, str]
    endings: Mapping[str, EndingCause]
    causes: Mapping[int, Cause]
    from_seqs: Mapping[int, int]


def shown_chart(row: Mapping[str, Any], player_id: str, points_max: int) -> RatingChart:
    """Return the chart that a row of the query stands for, with at most so many points."""
    facts, moves, verified_moves = (
        (row[name] or ())[:points_max]
        for name in ("fact_seqs", "changes_centi", "verified_changes_centi")
    )
    rating_centi, verified_centi = _newest_centi(row, player_id)
    newest_first = _points(row, _around(row), rating_centi, verified_centi)
    return {
        "player_id": player_id,
        "seq": row["seq"],
        "correcting": shown_correcting(row["correcting"]),
        "record": _record(row),
        "points_max": points_max,
        "is_whole": len(row["fact_seqs"] or ()) <= points_max,
        "rating_before": points(rating_centi - sum(moves)),
        "verified_rating_before": points(verified_centi - sum(verified_moves)),
        "points": list(islice(newest_first, len(facts)))[::-1],
    }


def _around(row: Mapping[str, Any]) -> _Around:
    def by(key: str, value: str) -> dict[Any, Any]:
        return dict(zip(row[key] or (), row[value] or (), strict=True))

    return _Around(
        by("session_facts", "session_ids"),
        by("ended_ids", "ended_by"),
        by("correction_facts", "causes"),
        by("correction_facts", "from_seqs"),
    )


def _newest_centi(row: Mapping[str, Any], player_id: str) -> tuple[int, int]:
    """Return the ratings in both pools after the newest point."""
    if not row["fact_seqs"]:
        return START_CENTI, START_CENTI
    if row["rated"] is None:  # The numbers of a correction stand in its change.
        return row["rating_after"], row["verified_rating_after"]
    rated = RatedRound.from_json(orjson.loads(row["rated"]))
    seat = rated.players.index(player_id)
    return (
        rated.rating_before[seat] + rated.rating_change[seat],
        rated.verified_rating_before[seat] + rated.verified_rating_change[seat],
    )


def _points(
    row: Mapping[str, Any], around: _Around, rating_centi: int, verified_centi: int
) -> Iterator[RatingPoint]:
    """Yield the points, newest first, from the ratings after the newest one."""
    # Every point from here on was made untrue by a correction that comes after it.
    untrue_from: float = inf
    for (
        fact_seq,
        on_date,
        change_centi,
        verified_change_centi,
        verified_moved,
        games_changed,
    ) in zip(*(row[name] or () for name in _COLUMNS), strict=True):
        session_id = around.session_ids.get(fact_seq)
        cause = around.causes.get(fact_seq)
        yield {
            "type": "session" if cause is None else "correction",
            "fact_seq": fact_seq,
            "on_date": on_date,
            "session_id": session_id,
            "cause": cause,
            "rating": points(rating_centi),
            "verified_rating": points(verified_centi),
            "verified_moved": verified_moved,
            "ended": None if session_id is None else around.endings.get(session_id),
            "superseded": fact_seq >= untrue_from,
        }
        rating_centi -= change_centi
        verified_centi -= verified_change_centi
        if cause is not None and (change_centi or games_changed):
            untrue_from = min(untrue_from, around.from_seqs[fact_seq])


def _record(row: Mapping[str, Any]) -> PlayerRecord:
    """Return the record. Who has never been named by a verdict has no row, and zeros."""
    return {
        "sessions": row["sessions"] or 0,
        "games": row["games"] or 0,
        "mahjongs": row["mahjongs"] or 0,
        "wall_games": row["wall_games"] or 0,
        "best": _best(row),
    }


def _best(row: Mapping[str, Any]) -> BestRating | None:
    if row["best_centi"] is None:
        return None
    return {
        "rating": points(row["best_centi"]),
        "fact_seq": row["best_fact_seq"],
        "on_date": row["best_on"],
    }
