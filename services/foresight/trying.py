"""Tries a formula on the whole history, next to those adopted: who would move, and which one
predicts better.

Nothing is changed: the facts are read, and rated in memory.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from services.foresight.forecasts import Forecasts, pairs_of
from services.foresight.season import Season
from services.rater.threads import in_a_thread
from shared.ids import BOB
from shared.rating.columns import Sessions, Standings
from shared.rating.registry import Formula
from shared.replay.replay import Replay, Stretch

# What the leaderboards use by default.
BOARD_GAMES_MIN: Final = 10
LISTED_MAX: Final = 10
TOPS: Final = (10, 100, 1000)

Centi: TypeAlias = NDArray[np.int64]
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Periods:
    """The forecasts of all rounds, of those before a date, and of those since."""

    all: Forecasts
    before: Forecasts
    since: Forecasts


@dataclass(frozen=True, slots=True)
class Moves:
    """How far a formula moves the players of one pool. Whole centi, without a sign.

    `by` holds every move with its sign, in no order.
    """

    players: int
    moved: int
    mean: float
    median: int
    most_of_90: int
    most_of_99: int
    most: int
    by: Centi


@dataclass(frozen=True, slots=True)
class Mover:
    """One player under both: ratings in centi, and places on the board; None if not on it."""

    player_id: str
    rating_now: int
    rating_tried: int
    place_now: int | None
    place_tried: int | None


@dataclass(frozen=True, slots=True)
class TrialBoard:
    """The leaderboard of everyone Verified, private or not, by verified rating, under both.

    `staying` says how many of the first 10, 100 ... are among them under both; `correlation` is
    Spearman's over all places (1 when none changes).
    """

    members: int
    staying: tuple[tuple[int, int], ...]
    correlation: float | None
    most_places: int
    top: tuple[Mover, ...]


@dataclass(frozen=True, slots=True)
class FormulaTrial:
    """What a trial found, next to what applies now. Ratings in centi."""

    formula: str
    now: str
    as_of: int
    rounds: int
    since: date | None
    forecasts_now: Periods
    forecasts_tried: Periods
    mahjic: Moves
    verified: Moves
    board: TrialBoard
    movers: tuple[Mover, ...]


async def try_formula(
    season: Season, formula: Formula, since: date | None, progress: Progress
) -> FormulaTrial:
    """Rate a season by the adopted formulas and by another, and compare the two."""
    now, forecasts_now = await in_a_thread(partial(rated, season, None, since, progress))
    tried, forecasts_tried = await in_a_thread(partial(rated, season, formula, since, progress))
    held = season.chronicle.formula
    assert held is not None, "The first record of every log adopts a formula."
    board, places = _board(season, now, tried)
    played = np.flatnonzero(now.games > 0)
    by_move = np.argsort(-np.abs(tried.rating_centi - now.rating_centi)[played], kind="stable")
    return FormulaTrial(
        formula=formula.name,
        now=held.name,
        as_of=season.as_of,
        rounds=season.rounds,
        since=since,
        forecasts_now=forecasts_now,
        forecasts_tried=forecasts_tried,
        mahjic=moves_of(now.rating_centi, tried.rating_centi, now.games),
        verified=moves_of(
            now.verified_rating_centi, tried.verified_rating_centi, now.verified_games
        ),
        board=board,
        movers=tuple(
            _mover(season, index, now.rating_centi, tried.rating_centi, places)
            for index in played[by_move[:LISTED_MAX]].tolist()
        ),
    )


def rated(
    season: Season,
    formula: Formula | None,
    since: date | None,
    progress: Progress,
    check_stopped: Callable[[], None],
) -> tuple[Standings, Periods]:
    """Rate a season by a formula, or, without one, by those adopted; return everyone's standing
    after it, and how well it was predicted.

    `check_stopped` is called now and then, and may raise.
    """
    replay = Replay(season.chronicle, season.as_of, formula=formula)
    title = "as adopted" if formula is None else formula.name
    sessions = len(replay.history.sessions.place)
    periods = Periods(Forecasts(), Forecasts(), Forecasts())
    since_day = date.min.toordinal() if since is None else since.toordinal()
    for stretch in replay.stretches(season.as_of + 1, is_recorded=True):
        assert stretch.record is not None
        rows = rows_of(stretch, replay.history.sessions)
        expected, actual, where = pairs_of(
            replay.history.rounds, rows, stretch.record.rating_before, stretch.formula.rules
        )
        is_since = season.days[where] >= since_day
        periods.all.add(expected, actual)
        periods.since.add(expected[is_since], actual[is_since])
        periods.before.add(expected[~is_since], actual[~is_since])
        progress(title, stretch.session_to, sessions)
        check_stopped()
    return replay.standings, periods


def rows_of(stretch: Stretch, sessions: Sessions) -> NDArray[np.int64]:
    """Return the rows of the rounds of a stretch, in the order of rating."""
    rated = slice(stretch.session_from, stretch.session_to)
    begins = sessions.round_from[rated]
    lengths = sessions.round_to[rated] - begins
    ends = lengths.cumsum()
    rows: NDArray[np.int64] = np.arange(ends[-1]) + np.repeat(begins - (ends - lengths), lengths)
    return rows


def moves_of(now: Centi, tried: Centi, games: Centi) -> Moves:
    """Return how far those who have played any games are moved."""
    by = (tried - now)[games > 0]
    far = np.sort(np.abs(by))
    if not len(far):
        return Moves(0, 0, 0.0, 0, 0, 0, 0, by)
    median, most_of_90, most_of_99 = (int(far[(len(far) - 1) * of // 100]) for of in (50, 90, 99))
    return Moves(
        players=len(far),
        moved=int((far > 0).sum()),
        mean=float(far.mean()),
        median=median,
        most_of_90=most_of_90,
        most_of_99=most_of_99,
        most=int(far[-1]),
        by=by,
    )


Places: TypeAlias = tuple[dict[int, int], dict[int, int]]


def _board(season: Season, now: Standings, tried: Standings) -> tuple[TrialBoard, Places]:
    """Return the board under both, and the place of each member, by index."""
    is_member = (now.verified_members > 0) & (now.verified_games >= BOARD_GAMES_MIN)
    members = np.flatnonzero(is_member)
    orders = [_in_order(season, members, each.verified_rating_centi) for each in (now, tried)]
    places = tuple(_places(order, each) for order, each in zip(orders, (now, tried), strict=True))
    assert len(places) == 2
    top_now, top_tried = (order.tolist() for order in orders)
    by_now = np.array([places[0][index] for index in members.tolist()], np.float64)
    by_tried = np.array([places[1][index] for index in members.tolist()], np.float64)
    listed = dict.fromkeys([*top_now[:LISTED_MAX], *top_tried[:LISTED_MAX]])
    verified = now.verified_rating_centi, tried.verified_rating_centi
    board = TrialBoard(
        members=len(members),
        staying=tuple(
            (top, len(set(top_now[:top]) & set(top_tried[:top])))
            for top in TOPS
            if top <= len(members)
        ),
        correlation=_correlation(by_now, by_tried),
        most_places=int(np.abs(by_now - by_tried).max(initial=0)),
        top=tuple(_mover(season, index, *verified, places) for index in listed),
    )
    return board, places


def _in_order(season: Season, members: NDArray[np.int64], rating: Centi) -> NDArray[np.int64]:
    """Return the members from the highest rating down, equal ones by id."""
    by_id = np.argsort(np.array(season.chronicle.player_ids(members), np.str_), kind="stable")
    members = members[by_id]
    return members[np.argsort(-rating[members], kind="stable")]


def _places(order: NDArray[np.int64], standings: Standings) -> dict[int, int]:
    """Return everyone's place; equal ratings share one (1, 2, 2, 4)."""
    rating = standings.verified_rating_centi[order]
    first = np.searchsorted(-rating, -rating, side="left") + 1
    return dict(zip(order.tolist(), first.tolist(), strict=True))


def _correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float | None:
    if len(one) < 2 or not one.std() or not other.std():
        return None
    return float(np.corrcoef(one, other)[0, 1])


def _mover(season: Season, index: int, now: Centi, tried: Centi, places: Places) -> Mover:
    player_id = season.chronicle.player_id(index)
    assert player_id != BOB, "Bob never moves."
    place_now, place_tried = (each.get(index) for each in places)
    return Mover(player_id, int(now[index]), int(tried[index]), place_now, place_tried)
