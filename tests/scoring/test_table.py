"""The numbers of the table: exact, with at most four decimals, halves to the even neighbor."""

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shared.scoring.games import Game, ScoredGames
from shared.scoring.table import short_decimal, table_of, table_tsv


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("0", "0"),
        ("5", "5"),
        ("-5", "-5"),
        ("100", "100"),
        ("1/2", "0.5"),
        ("-1/2", "-0.5"),
        ("2/3", "0.6667"),
        ("1/32", "0.0312"),  # 0.03125
        ("3/32", "0.0938"),  # 0.09375
        ("-1/32", "-0.0312"),
        ("0.00005", "0"),
        ("-0.00005", "0"),
        ("0.00015", "0.0002"),
        ("0.99995", "1"),
        ("12345678901234567890.12344", "12345678901234567890.1234"),
    ],
)
def test_a_number_is_written_short(number: str, text: str) -> None:
    assert short_decimal(Fraction(number)) == text


def test_no_number_is_nan() -> None:
    assert short_decimal(None) == "nan"


@given(st.integers(-(10**9), 10**9), st.integers(1, 10**5))
@example(1, 20000)
@example(-3, 20000)
@example(5, 16)
def test_rounding_is_that_of_a_division_by_hand(numerator: int, denominator: int) -> None:
    """The quotient to 60 digits is exact enough to tell a half from its neighbors."""
    quotient = Context(prec=60).divide(Decimal(numerator), Decimal(denominator))
    rounded = quotient.quantize(Decimal("0.0001"), ROUND_HALF_EVEN)
    told = short_decimal(Fraction(numerator, denominator))
    assert Decimal(told) == rounded
    assert told == "0" or not told.endswith(("0", ".")) or "." not in told
    assert told.startswith("-") == (rounded < 0)


def test_players_of_the_same_average_come_by_name() -> None:
    def game(*names: str) -> Game:
        points = dict.fromkeys(names, Fraction(0))
        return Game(names, None, None, points)

    games = (game("z", "a", "Z", "é"), game("z", "a", "Z", "b"))
    rows = table_of(ScoredGames(("z", "a", "Z", "é", "b"), games))
    assert [row.name for row in rows] == ["Z", "a", "b", "z", "é", "*"]


def test_the_order_is_by_the_exact_average_and_not_by_what_is_written() -> None:
    points = {"a": Fraction(1, 10**6), "b": Fraction(2, 10**6), "c": -Fraction(3, 10**6)}
    rows = table_of(ScoredGames(("a", "b", "c"), (Game(("a", "b", "c"), None, None, points),)))
    assert [row.name for row in rows] == ["b", "a", "c", "*"]
    assert table_tsv(rows[:1]).splitlines()[1] == "b\t1\t0\t0\t0\t0"
