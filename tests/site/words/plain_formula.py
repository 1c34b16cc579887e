"""The formula of docs/rating.md once more, in decimal numbers, as somebody would rebuild it."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal, localcontext

NANO = Decimal("0.000000001")


@dataclass(frozen=True)
class PlainRules:
    """The parameters, as people say them."""

    scale: Decimal = Decimal(400)
    k_bands: Sequence[tuple[int, int]] = ((0, 32), (30, 24), (101, 16))
    points_per_point: Decimal = Decimal(50)
    points_max: Decimal = Decimal(5)
    is_averaged: bool = False


@dataclass(frozen=True)
class PlainSeat:
    """Someone at a table."""

    rating: Decimal
    games: int
    won: int
    points: Decimal


def expected(rules: PlainRules, ahead: Decimal) -> Decimal:
    """Return the expected score of who is ahead by so much."""
    if ahead < 0:
        return 1 - expected(rules, -ahead)
    with localcontext(prec=60):
        score = 1 / (1 + Decimal(10) ** (-ahead / rules.scale))
        return score.quantize(NANO, ROUND_HALF_EVEN)


def gain(rules: PlainRules, seat: PlainSeat, other: PlainSeat) -> Decimal:
    """Return what a league night is worth to a player, against one other."""
    k = [k for games, k in rules.k_bands if seat.games >= games][-1]
    actual = Decimal("0.5") if seat.won == other.won else Decimal(seat.won > other.won)
    bonus = (seat.points - other.points) / rules.points_per_point
    bonus = max(-rules.points_max, min(rules.points_max, bonus))
    return k * (actual - expected(rules, seat.rating - other.rating)) + bonus


def change(rules: PlainRules, seats: Sequence[PlainSeat], place: int) -> Decimal:
    """Return what the rating of one player changes by."""
    seat = seats[place]
    others = [each for at, each in enumerate(seats) if at != place]
    with localcontext(prec=60):
        total = sum((gain(rules, seat, each) for each in others), Decimal(0))
        if rules.is_averaged:
            total /= len(others)
        return total.quantize(Decimal("0.01"), ROUND_HALF_EVEN)
