"""How one round moves the ratings of the people at the table, in the service's own numbers.

Ratings, changes and points are whole hundredths of a point (centi), and everything between them is
in whole billionths (nano), so that every machine gets the same result to the last digit. The steps
are those of Mahjic's page "How the rating works".
"""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from mahjic_client.expected import WIN_NANO, expected_nano

GameType = Literal["social", "league", "tournament"]
GAME_TYPES: Final = ("social", "league", "tournament")

START_CENTI: Final = 150_000
NANO_PER_CENTI: Final = 10_000_000
BONUS_NANO_PER_CENTI: Final = NANO_PER_CENTI // 50  # A lead of 50 points is worth one.
BONUS_MAX_NANO: Final = 5_000_000_000

MAHJIC_ELO_1: Final = "mahjic-elo/1"
MAHJIC_ELO_2_SCALED: Final = "mahjic-elo/2-scaled"
FORMULAS: Final = (MAHJIC_ELO_1, MAHJIC_ELO_2_SCALED)

SEATS: Final = range(2, 4 + 1)


class Seat(NamedTuple):
    """One person at the table: rating and games before the round, then the result.

    Points are left out in social games, where they do not count.
    """

    rating_centi: int
    games: int
    mahjongs: int
    points_centi: int = 0


def rate(
    seats: Sequence[Seat], game_type: GameType, *, formula: str = MAHJIC_ELO_1
) -> tuple[int, ...]:
    """Return each seat's rating change in hundredths of a point, in the order given.

    Everyone is compared with everyone else as they stood before the round. Points count in leagues
    and tournaments. Raises ValueError for an unknown game type, formula or number of seats.
    """
    if game_type not in GAME_TYPES:
        raise ValueError(f"Unknown game type {game_type!r}. Use one of {', '.join(GAME_TYPES)}.")
    if formula not in FORMULAS:
        raise ValueError(f"Unknown formula {formula!r}. Use one of these: {', '.join(FORMULAS)}.")
    if len(seats) not in SEATS:
        raise ValueError(f"A round has 2 to 4 players, and here are {len(seats)}.")
    divided_by = len(seats) - 1 if formula == MAHJIC_ELO_2_SCALED else 1
    points_count = game_type != "social"
    return tuple(
        _nearest_centi(_gain_nano(place, seats, points_count), divided_by)
        for place in range(len(seats))
    )


def k_factor(games: int) -> int:
    """Return how far one comparison can move a player with this many games before the round."""
    if games < 30:
        return 32
    return 24 if games <= 100 else 16


def _gain_nano(place: int, seats: Sequence[Seat], points_count: bool) -> int:
    """Return the sum of what the seat gains from each of its opponents."""
    seat = seats[place]
    opponents = [other for at, other in enumerate(seats) if at != place]
    surprise_nano = sum(
        _actual_nano(seat, other) - expected_nano(seat.rating_centi - other.rating_centi)
        for other in opponents
    )
    gain_nano = k_factor(seat.games) * surprise_nano
    return gain_nano + sum(_bonus_nano(seat, each) for each in opponents if points_count)


def _actual_nano(seat: Seat, other: Seat) -> int:
    """Return one win for more mahjongs than the opponent, half a win for as many, or nothing."""
    if seat.mahjongs == other.mahjongs:
        return WIN_NANO // 2
    return WIN_NANO if seat.mahjongs > other.mahjongs else 0


def _bonus_nano(seat: Seat, other: Seat) -> int:
    """Return a fiftieth of the lead in points, at most 5 either way."""
    bonus_nano = (seat.points_centi - other.points_centi) * BONUS_NANO_PER_CENTI
    return max(-BONUS_MAX_NANO, min(BONUS_MAX_NANO, bonus_nano))


def _nearest_centi(sum_nano: int, divided_by: int) -> int:
    """Return the hundredths nearest to the quotient; between two, the even one."""
    nano = NANO_PER_CENTI * divided_by
    centi, rest_nano = divmod(sum_nano, nano)
    return centi + (2 * rest_nano > nano or (2 * rest_nano == nano and centi % 2 == 1))
