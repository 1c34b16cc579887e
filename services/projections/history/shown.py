"""Shows a change, and the reason for it, with the opponents as anyone may see them. Pure."""

from services.projections.answering.names import Names, Opponent
from services.projections.history.answers import (
    Change,
    ChangedRound,
    Correction,
    Merged,
    PairLine,
    PoolChange,
    PoolReason,
    RoundNumbers,
    WhichChange,
    WhichRound,
    Why,
)
from services.projections.history.entries import (
    ChangePlace,
    CorrectionEntry,
    HistoryEntry,
    Pool,
    ReplayedNumbers,
    ReplayedRound,
    RoundEntry,
    ToldSession,
)
from shared.answers import points
from shared.events.verdicts import RatedRound
from shared.rating.expected import WIN_NANO
from shared.rating.explain import ExplainedPair as ExplainedLine
from shared.rating.formula import Seat
from shared.rating.registry import formula_named


def players_in(entry: HistoryEntry) -> tuple[str, ...]:
    """Return the players whose names an entry shows."""
    return entry.rated.players if isinstance(entry, RoundEntry) else entry.players


def shown_change(entry: HistoryEntry, player_id: str, names: Names) -> Change | Correction:
    """Return one entry of `player_id`'s history. The player who moved may be a merged one."""
    if isinstance(entry, CorrectionEntry):
        return shown_correction(entry, player_id, names)
    return shown_round(entry, player_id, names)


def shown_round(entry: RoundEntry, player_id: str, names: Names) -> Change:
    """Return a round as it was rated and published, with the opponents as they are shown now."""
    rated = entry.rated
    return {
        "type": "round",
        **_whose(entry.place, player_id),
        **_round(entry),
        "wall_games": rated.wall_games,
        "mahjic": shown_pool(entry.mahjic),
        "verified": shown_pool(entry.verified),
        "opponents": [
            {**names.shown(opponent), "rating_before": points(rated.rating_before[place])}
            for place, opponent in enumerate(rated.players)
            if place != entry.seat
        ],
    }


def shown_correction(entry: CorrectionEntry, player_id: str, names: Names) -> Correction:
    """Return what a correction did to the player, and what it was about."""
    return {
        "type": "correction",
        **_whose(entry.place, player_id),
        "corrected_on": entry.on_date,
        "cause": entry.cause,
        "reason": entry.reason,
        "sessions": entry.sessions,
        "sessions_count": entry.sessions_count,
        "replaced_by": entry.replaced_by,
        "merged": _merged(entry, names),
        "formula": entry.formula,
        "mahjic": shown_pool(entry.mahjic),
        "verified": shown_pool(entry.verified),
    }


def shown_reason(entry: RoundEntry, player_id: str, names: Names, *, seq: int) -> Why:
    """Return why a round moved the player, in both pools, in the numbers as published."""
    rated, seat = entry.rated, entry.seat
    everyone = list(range(len(rated.players)))
    verified = [place for place in everyone if rated.is_verified[place]]
    counted = rated.verified_games_after[seat] > rated.verified_games_before[seat]
    return {
        "type": "round",
        **_whose(entry.place, player_id),
        "player_id": player_id,
        **_round(entry),
        "corrections": [
            {
                "fact_seq": each.fact_seq,
                "cause": each.cause,
                "reason": each.reason,
                "replaced_by": each.replaced_by,
            }
            for each in entry.endings
        ],
        "formula": entry.formula,
        "mahjic": _reason(
            entry, everyone, rated.rating_before, rated.games_before, names, counted=True
        ),
        "verified": _reason(
            entry,
            verified,
            rated.verified_rating_before,
            rated.verified_games_before,
            names,
            counted=counted,
        ),
        "seq": seq,
    }


def shown_changed_round(changed: ReplayedRound, session: ToldSession) -> ChangedRound:
    """Return one of the player's rounds that a correction gave different numbers."""
    return {
        "session_id": session.session_id,
        "source": {"slug": session.source, "name": session.source_name},
        "session_date": session.session_date,
        "game_type": session.game_type,
        "round_number": changed.round_no,
        "before": _numbers(changed.before),
        "after": _numbers(changed.after),
    }


def shown_pool(pool: Pool) -> PoolChange:
    """Return what a change did in one pool."""
    return {
        "rating_before": points(pool.rating_before),
        "rating_change": points(pool.rating_change),
        "rating_after": points(pool.rating_before + pool.rating_change),
        "games_before": pool.games_before,
        "games_after": pool.games_after,
    }


def _numbers(numbers: ReplayedNumbers | None) -> RoundNumbers | None:
    if numbers is None:
        return None
    return {"mahjic": shown_pool(numbers.mahjic), "verified": shown_pool(numbers.verified)}


def _merged(entry: CorrectionEntry, names: Names) -> Merged | None:
    if not entry.players:
        return None
    player, into = entry.players
    return {"player": names.shown(player), "into": names.shown(into)}


def _whose(place: ChangePlace, player_id: str) -> WhichChange:
    """Return the id of a change, its fact, and the player moved if it is a different one."""
    is_other = place.player_id != player_id
    return {
        "change_id": place.change_id,
        "fact_seq": place.fact_seq,
        "played_as": place.player_id if is_other else None,
    }


def _round(entry: RoundEntry) -> WhichRound:
    rated, seat = entry.rated, entry.seat
    return {
        "session_id": entry.session_id,
        "source": {"slug": entry.source, "name": entry.source_name},
        "session_date": entry.session_date,
        "game_type": entry.game_type,
        "round_number": entry.place.round_no,
        "games_played": rated.games_played,
        "mahjongs": rated.mahjongs[seat],
        "points": None if rated.points_centi is None else points(rated.points_centi[seat]),
        "voided": entry.is_voided,
        "superseded_by": entry.superseded_by,
    }


def _reason(
    entry: RoundEntry,
    pool: list[int],
    ratings_centi: tuple[int, ...],
    games: tuple[int, ...],
    names: Names,
    *,
    counted: bool,
) -> PoolReason:
    """Explain the change by the seats of the round that make up the pool."""
    before, games_before = ratings_centi[entry.seat], games[entry.seat]
    if not counted:
        return _uncounted(before, games_before)
    seats = [_seat(entry.rated, place, ratings_centi[place], games[place]) for place in pool]
    explained = formula_named(entry.formula).explain_seat(
        seats, pool.index(entry.seat), points_count=entry.rated.points_centi is not None
    )
    return {
        "counted": True,
        "rating_before": points(before),
        "games_before": games_before,
        "lines": [
            _line(line, names.shown(entry.rated.players[pool[line.other_place]]))
            for line in explained.lines
        ],
        "sum_nano": explained.sum_nano,
        "divided_by": explained.divided_by,
        "rounding_nano": explained.rounding_nano,
        "rating_change": points(explained.change_centi),
        "rating_after": points(before + explained.change_centi),
    }


def _uncounted(rating_centi: int, games: int) -> PoolReason:
    return {
        "counted": False,
        "rating_before": points(rating_centi),
        "games_before": games,
        "lines": [],
        "sum_nano": 0,
        "divided_by": 1,
        "rounding_nano": 0,
        "rating_change": 0.0,
        "rating_after": points(rating_centi),
    }


def _seat(rated: RatedRound, place: int, rating_centi: int, games: int) -> Seat:
    points_centi = 0 if rated.points_centi is None else rated.points_centi[place]
    return Seat(rating_centi, games, rated.mahjongs[place], points_centi)


def _line(line: ExplainedLine, opponent: Opponent) -> PairLine:
    return {
        **opponent,
        "rating_before": points(line.other_rating_centi),
        "expected": line.expected_nano / WIN_NANO,
        "actual": line.actual_nano / WIN_NANO,
        "k": line.k,
        "points_bonus": line.points_bonus_nano / WIN_NANO,
        "pair_gain": points(line.pair_gain_centi),
        "pair_gain_nano": line.pair_gain_nano,
    }
