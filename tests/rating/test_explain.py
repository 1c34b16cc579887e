"""The reasons given for a change add up to it, and docs/rating.md shows them as they are."""

import re
from decimal import Decimal
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from shared.rating.formula import Seat
from shared.rating.parameters import Parameters, read_parameters
from shared.rating.registry import MAHJIC_ELO_1, MAHJIC_ELO_2_SCALED, formula_of
from tests.rating.rounds import a_seat, changes, rules, tables

PAGE = Path(__file__).parents[2] / "docs" / "rating.md"
NAMES = ("Alice", "Bea", "Carol", "Dave")
EXAMPLE = (
    a_seat(160_000, mahjongs=2),
    a_seat(155_000, mahjongs=2),
    a_seat(150_000, mahjongs=1),
    a_seat(145_000, mahjongs=0),
)


@given(tables, st.booleans(), rules)
def test_the_lines_add_up_to_the_change(
    table: list[Seat], points_count: bool, parameters: Parameters
) -> None:
    formula = formula_of(parameters, "made-up/1")
    rated = formula.rate_round(table, points_count=points_count)
    for place, seat in enumerate(table):
        why = formula.explain_seat(table, place, points_count=points_count)
        others = [other for other in range(len(table)) if other != place]
        assert [line.other_place for line in why.lines] == others
        for line in why.lines:
            other = table[line.other_place]
            assert line.rating_centi == seat.rating_centi
            assert line.other_rating_centi == other.rating_centi
            surprise_nano = line.actual_nano - line.expected_nano
            assert line.pair_gain_nano == line.k * surprise_nano + line.points_bonus_nano
            assert abs(line.pair_gain_centi * 10_000_000 - line.pair_gain_nano) <= 5_000_000
        assert sum(line.pair_gain_nano for line in why.lines) == why.sum_nano
        assert why.divided_by == (len(others) if parameters.is_scaled else 1)
        assert why.sum_nano + why.rounding_nano == why.change_centi * 10_000_000 * why.divided_by
        assert abs(why.rounding_nano) <= 5_000_000 * why.divided_by
        assert why.change_centi == rated[place]


def test_the_scaled_formula_shows_by_how_many_opponents_it_divides() -> None:
    why = MAHJIC_ELO_2_SCALED.explain_seat(EXAMPLE, 0, points_count=False)
    # 18.722780160 / 3 = 6.24092672, and 3 * 6.24 lies 0.002780160 below the sum.
    assert (why.sum_nano, why.divided_by, why.change_centi) == (18_722_780_160, 3, 624)
    assert why.rounding_nano == -2_780_160


def test_a_league_round_names_the_points_bonus_and_a_social_one_has_none() -> None:
    table = [a_seat(mahjongs=2, points_centi=12_500), a_seat(games=30, points_centi=-5_000)]
    league = MAHJIC_ELO_1.explain_seat(table, 0, points_count=True)
    social = MAHJIC_ELO_1.explain_seat(table, 0, points_count=False)
    assert league.lines[0].points_bonus_nano == 3_500_000_000  # 175 points / 50.
    assert social.lines[0].points_bonus_nano == 0
    assert (league.change_centi, social.change_centi) == (1_950, 1_600)
    assert (league.lines[0].k, league.lines[0].actual_nano) == (32, 1_000_000_000)


def test_the_example_of_the_page_gives_the_changes_of_the_specification() -> None:
    assert changes(EXAMPLE) == (1_872, 2_752, -1_152, -3_472)


def test_every_line_of_the_example_on_the_page_is_what_the_formula_says() -> None:
    computed = [
        (
            NAMES[place],
            NAMES[line.other_place],
            Decimal(line.rating_centi) / 100,
            Decimal(line.other_rating_centi) / 100,
            Decimal(line.expected_nano) / 10**9,
            Decimal(line.actual_nano) / 10**9,
            Decimal(line.k),
            Decimal(line.pair_gain_nano) / 10**9,
        )
        for place in range(4)
        for line in MAHJIC_ELO_1.explain_seat(EXAMPLE, place, points_count=False).lines
    ]
    assert [(row[0], row[1], *map(Decimal, row[2:])) for row in rows_of_the_page(8)] == computed


def test_the_sums_of_the_example_on_the_page_are_what_the_formula_says() -> None:
    reasons = [MAHJIC_ELO_1.explain_seat(EXAMPLE, place, points_count=False) for place in range(4)]
    computed = [
        (
            NAMES[place],
            Decimal(why.sum_nano) / 10**9,
            Decimal(why.change_centi) / 100,
            Decimal(EXAMPLE[place].rating_centi + why.change_centi) / 100,
        )
        for place, why in enumerate(reasons)
    ]
    assert [(row[0], *map(Decimal, row[1:])) for row in rows_of_the_page(4)] == computed


def test_the_scaled_sums_on_the_page_are_what_the_formula_says() -> None:
    rows = {row[0]: [Decimal(cell) for cell in row[1:]] for row in rows_of_the_page(5)}
    assert list(rows) == list(NAMES)
    for place, name in enumerate(NAMES):
        why = MAHJIC_ELO_2_SCALED.explain_seat(EXAMPLE, place, points_count=False)
        total, divided_by, quotient, change = rows[name]
        assert total * 10**9 == why.sum_nano
        assert divided_by == why.divided_by
        assert abs(quotient * divided_by - total) < Decimal("2e-9")  # It is rounded to be read.
        assert change * 100 == why.change_centi


def test_the_parameter_file_on_the_page_is_read() -> None:
    (file,) = re.findall(r"^```json\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert read_parameters(file) == Parameters(
        35_000, ((0, 40), (50, 20)), 25, 2_500_000_000, is_scaled=True
    )


def rows_of_the_page(columns: int) -> list[list[str]]:
    """Return the table rows of the page that begin with a player of the example."""
    lines = re.findall(rf"^\| (?:{'|'.join(NAMES)}) \|.*\|$", PAGE.read_text(), re.MULTILINE)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in rows if len(row) == columns]
