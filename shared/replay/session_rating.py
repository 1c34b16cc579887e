"""Rates the rounds of one session, from where everybody stands before it, in both pools.

Pure. The rater says by it what counts, and a dry run what would.
"""

from collections.abc import Callable, Sequence
from itertools import compress
from operator import mul
from typing import Final, NamedTuple

from shared.events.facts import PlayedRound, SessionSubmitted
from shared.events.verdicts import RatedRound, SessionRated
from shared.ids import BOB
from shared.rating.formula import Seat
from shared.rating.formulas import START_CENTI, Formula

# Where points do not count, everybody has none.
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

    `standing` tells how somebody stands before the session, and `read_as` as whom some play.
    """
    points_count = session.game_type != "social"
    standings: dict[str, Standing] = {}
    rounds: list[RatedRound] = []
    for played in session.rounds:
        if rounds:
            standings |= _after(rounds[-1])
        players = read_as(played.players)
        for player_id in players:
            if player_id not in standings:
                standings[player_id] = standing(player_id)
        rounds.append(_rate_round(played, players, standings, formula, points_count))
    return verdict_on(session, rounds)


def verdict_on(session: SessionSubmitted, rounds: Sequence[RatedRound]) -> SessionRated:
    """Return the verdict that tells a session's rounds as they were rated."""
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
    standings: dict[str, Standing],
    formula: Formula,
    points_count: bool,
) -> RatedRound:
    """Rate one round in both pools, everybody as they stood before it."""
    ratings, games, verified_ratings, verified_games, is_verified = zip(
        *[standings[player_id] for player_id in players], strict=True
    )
    points = played.points_centi if points_count else None
    is_person = tuple([player_id != BOB for player_id in players])
    is_in_pool = is_verified if sum(is_verified) >= 2 else (False,) * len(players)
    everybody = _seated(ratings, games, played, points)
    changes = formula.rate_round(everybody, points_count=points_count)
    verified_changes: tuple[int, ...] = (0,) * len(players)
    if any(is_in_pool):
        verified = _seated(verified_ratings, verified_games, played, points)
        moved = formula.rate_round([*compress(verified, is_in_pool)], points_count=points_count)
        verified_changes = _spread(moved, is_in_pool)
    return RatedRound(
        games_played=played.games_played,
        wall_games=played.wall_games,
        players=players,
        mahjongs=played.mahjongs,
        points_centi=points,
        rating_before=ratings,
        rating_change=changes if all(is_person) else tuple(map(mul, changes, is_person)),
        games_before=games,
        games_after=_played(games, played.games_played, is_person),
        is_verified=tuple(map(int, is_verified)),
        verified_rating_before=verified_ratings,
        verified_rating_change=verified_changes,
        verified_games_before=verified_games,
        verified_games_after=_played(verified_games, played.games_played, is_in_pool),
        played_as=None if players == played.players else played.players,
    )


def _seated(
    ratings: Sequence[int],
    games: Sequence[int],
    played: PlayedRound,
    points: Sequence[int] | None,
) -> list[Seat]:
    """Return everybody at the table, by the numbers of one pool."""
    return [*map(Seat, ratings, games, played.mahjongs, points or NO_POINTS)]


def _spread(changes: Sequence[int], counts: Sequence[bool]) -> tuple[int, ...]:
    """Return for each seat its change if it counts, else 0."""
    left = iter(changes)
    return tuple([next(left) if each else 0 for each in counts])


def _played(games: Sequence[int], more: int, counts: Sequence[bool]) -> tuple[int, ...]:
    """Return the games after a round, of the seats that count and of the others."""
    if all(counts):
        return tuple([before + more for before in games])
    return tuple([before + more * each for before, each in zip(games, counts, strict=True)])


def _after(rated: RatedRound) -> dict[str, Standing]:
    """Return how everybody at a table stands after the round."""
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
