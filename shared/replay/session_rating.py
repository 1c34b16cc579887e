"""Rates the rounds of one session, from everyone's standing before it, in both pools.

Pure. The rater uses it for what counts, and a dry run for what would count.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from shared.events.facts import PlayedRound, SessionSubmitted
from shared.events.verdicts import RatedRound, SessionRated
from shared.ids import BOB
from shared.rating.formula import Seat
from shared.rating.registry import START_CENTI, Formula

# Where points do not count, everyone has none.
NO_POINTS: Final = (0, 0, 0, 0)


class Standing(NamedTuple):
    """One player's place in both pools. Ratings in centi."""

    rating_centi: int
    games: int
    verified_rating_centi: int
    verified_games: int
    is_verified: bool


NEWCOMER: Final = Standing(START_CENTI, 0, START_CENTI, 0, is_verified=False)


def rate_session(
    session: SessionSubmitted,
    formula: Formula,
    standing: Callable[[str], Standing],
    read_as: Callable[[tuple[str, ...]], tuple[str, ...]],
) -> SessionRated:
    """Rate the rounds in the order given; the second sees the result of the first.

    `standing` gives a player's standing before the session, `read_as` which player an id counts as.
    """
    points_count = session.game_type != "social"
    moved: dict[str, Standing] = {}
    rounds: list[RatedRound] = []
    for played in session.rounds:
        if rounds:
            moved |= _after(rounds[-1])
        players = read_as(played.players)
        before = [moved.get(player_id) or standing(player_id) for player_id in players]
        rounds.append(_rate_round(played, players, before, formula, points_count))
    return verdict_on(session, rounds)


def verdict_on(session: SessionSubmitted, rounds: Sequence[RatedRound]) -> SessionRated:
    """Return the verdict with a session's rounds as they were rated."""
    return SessionRated(
        session_id=session.session_id,
        source=session.source,
        session_date=session.session_date,
        game_type=session.game_type,
        rounds=tuple(rounds),
        new_players=session.new_players,
    )


def _rate_round(
    played: PlayedRound,
    players: tuple[str, ...],
    before: Sequence[Standing],
    formula: Formula,
    points_count: bool,
) -> RatedRound:
    """Rate one round in both pools, from everyone's standing before it.

    Everyone at the table is compared with each other, and the verified again among themselves, by
    their standings in the verified pool. Bob is compared, but never moves.
    """
    ratings, games, verified_ratings, verified_games, is_verified = zip(*before, strict=True)
    points = played.points_centi if points_count else None
    seats = range(len(players))
    verified = [seat for seat in seats if is_verified[seat]]
    rate = partial(_rate_pool, played, points, formula)
    changes, games_after = rate(seats, ratings=ratings, games=games)
    verified_changes, verified_games_after = rate(
        verified, ratings=verified_ratings, games=verified_games
    )
    if BOB in players:
        bob = players.index(BOB)
        changes[bob], games_after[bob] = 0, games[bob]
    return RatedRound(
        games_played=played.games_played,
        wall_games=played.wall_games,
        players=players,
        mahjongs=played.mahjongs,
        points_centi=points,
        rating_before=ratings,
        rating_change=tuple(changes),
        games_before=games,
        games_after=tuple(games_after),
        is_verified=tuple(map(int, is_verified)),
        verified_rating_before=verified_ratings,
        verified_rating_change=tuple(verified_changes),
        verified_games_before=verified_games,
        verified_games_after=tuple(verified_games_after),
        played_as=None if players == played.players else played.players,
    )


def _rate_pool(
    played: PlayedRound,
    points_centi: Sequence[int] | None,
    formula: Formula,
    seats: Sequence[int],
    *,
    ratings: Sequence[int],
    games: Sequence[int],
) -> tuple[list[int], list[int]]:
    """Compare those in `seats` by one pool; return each seat's change, and the games afterward.

    All others stay as they are, and a player with no one to compare with does not move.
    """
    changes, games_after = [0] * len(ratings), [*games]
    if len(seats) >= 2:
        points = points_centi or NO_POINTS
        table = [Seat(ratings[s], games[s], played.mahjongs[s], points[s]) for s in seats]
        moved = formula.rate_round(table, points_count=points_centi is not None)
        for seat, change in zip(seats, moved, strict=True):
            changes[seat] = change
            games_after[seat] += played.games_played
    return changes, games_after


def _after(rated: RatedRound) -> dict[str, Standing]:
    """Return the standing of everyone at a table after the round."""
    return {
        player_id: Standing(rating + change, games, verified + verified_change, among, bool(is_one))
        for player_id, rating, change, games, verified, verified_change, among, is_one in zip(
            rated.players,
            rated.rating_before,
            rated.rating_change,
            rated.games_after,
            rated.verified_rating_before,
            rated.verified_rating_change,
            rated.verified_games_after,
            rated.is_verified,
            strict=True,
        )
    }
