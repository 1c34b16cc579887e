"""What holds for every round, whoever plays it."""

from collections.abc import Callable
from operator import add, mul, sub

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.rating import kernel_loop
from shared.rating.expected import expected_table
from shared.rating.formula import Seat, rate_round
from shared.rating.parameters import Parameters
from shared.rating.registry import MAHJIC_ELO_1, MAHJIC_ELO_2_SCALED
from tests.rating import rounds
from tests.rating.rounds import POINTS_CENTI_MAX, a_seat, changes, seats, tables

booleans = st.booleans()


class Int64(int):
    """A whole number that refuses to leave 64 bits, whatever is added, subtracted or multiplied."""

    def __new__(cls, number: int) -> "Int64":
        if not -(2**63) <= int(number) < 2**63:
            raise OverflowError(f"{int(number)} does not fit into 64 bits.")
        return super().__new__(cls, number)

    def __add__(self, other: int) -> "Int64":
        return self._kept(add, self, other)

    def __radd__(self, other: int) -> "Int64":
        return self._kept(add, other, self)

    def __sub__(self, other: int) -> "Int64":
        return self._kept(sub, self, other)

    def __rsub__(self, other: int) -> "Int64":
        return self._kept(sub, other, self)

    def __mul__(self, other: int) -> "Int64":
        return self._kept(mul, self, other)

    def __rmul__(self, other: int) -> "Int64":
        return self._kept(mul, other, self)

    @staticmethod
    def _kept(operation: Callable[[int, int], int], left: int, right: int) -> "Int64":
        return Int64(operation(int(left), int(right)))


@given(tables.flatmap(lambda t: st.tuples(st.just(t), st.permutations(range(len(t))))), booleans)
def test_the_order_of_the_seats_never_matters(
    table_and_order: tuple[list[Seat], list[int]], points_count: bool
) -> None:
    table, order = table_and_order
    in_order = changes(table, points_count=points_count)
    in_other_order = changes([table[place] for place in order], points_count=points_count)
    assert in_other_order == tuple(in_order[place] for place in order)


@given(seats, st.lists(rounds.games, min_size=2, max_size=4), booleans)
def test_equals_who_tie_move_nobody(seat: Seat, games: list[int], points_count: bool) -> None:
    table = [seat._replace(games=games_of_one) for games_of_one in games]
    assert changes(table, points_count=points_count) == (0,) * len(table)


@given(seats, st.integers(2, 4), booleans)
def test_one_seat_object_used_for_everybody_is_no_special_case(
    seat: Seat, players: int, points_count: bool
) -> None:
    assert changes([seat] * players, points_count=points_count) == (0,) * players


@given(seats, seats, booleans)
def test_two_players_of_one_k_win_what_the_other_loses(
    one: Seat, other: Seat, points_count: bool
) -> None:
    won, lost = changes([one, other._replace(games=one.games)], points_count=points_count)
    assert won == -lost


@given(tables, rounds.games, booleans)
def test_a_table_of_one_k_wins_and_loses_the_same_but_for_rounding(
    table: list[Seat], games: int, points_count: bool
) -> None:
    table = [seat._replace(games=games) for seat in table]
    rounded_centi = changes(table, points_count=points_count)
    # Each of n roundings is off by at most half a centi, and the sum is whole.
    assert abs(sum(rounded_centi)) <= len(table) // 2
    exact_nano = [
        MAHJIC_ELO_1.explain_seat(table, place, points_count=points_count).sum_nano
        for place in range(len(table))
    ]
    assert sum(exact_nano) == 0


@given(tables, st.integers(-100_000, 100_000), booleans)
def test_only_differences_of_ratings_matter(
    table: list[Seat], shift_centi: int, points_count: bool
) -> None:
    shifted = [seat._replace(rating_centi=seat.rating_centi + shift_centi) for seat in table]
    assert changes(shifted, points_count=points_count) == changes(table, points_count=points_count)


@given(tables, st.integers(1, 100), booleans)
def test_winning_more_never_gains_less_and_never_helps_the_others(
    table: list[Seat], more: int, points_count: bool
) -> None:
    me, *others = table
    before = changes(table, points_count=points_count)
    after = changes([me._replace(mahjongs=me.mahjongs + more), *others], points_count=points_count)
    assert after[0] >= before[0]
    assert all(b <= a for a, b in zip(before[1:], after[1:], strict=True))


@given(tables, st.integers(1, 1_000_000))
def test_more_points_never_gain_less_and_never_help_the_others(
    table: list[Seat], more_centi: int
) -> None:
    me, *others = table
    richer = me._replace(points_centi=me.points_centi + more_centi)
    before = changes(table, points_count=True)
    after = changes([richer, *others], points_count=True)
    assert after[0] >= before[0]
    assert all(b <= a for a, b in zip(before[1:], after[1:], strict=True))


@given(tables, st.integers(1, 1_000_000), booleans)
def test_the_same_result_from_a_higher_rating_never_gains_more(
    table: list[Seat], higher_centi: int, points_count: bool
) -> None:
    me, *others = table
    stronger = me._replace(rating_centi=me.rating_centi + higher_centi)
    before = changes(table, points_count=points_count)
    assert changes([stronger, *others], points_count=points_count)[0] <= before[0]


@given(tables)
def test_nobody_moves_further_than_k_and_the_bonus_of_each_opponent(table: list[Seat]) -> None:
    at_stake_centi = (32 + 5) * 100 * (len(table) - 1)
    assert all(abs(change) <= at_stake_centi for change in changes(table, points_count=True))


# The largest of each limit that a parameter file may reach.
LARGEST = Parameters(
    scale_centi=1_000,
    k_bands=((0, Int64(1_000)), (10**9, Int64(1_000))),
    points_per_bonus_point=1,
    bonus_max_nano=Int64(10**12),
    is_scaled=True,
)
extremes = st.lists(
    st.builds(
        Seat,
        st.sampled_from((-(2**61), -1, 0, 150_000, 2**61)).map(Int64),
        st.sampled_from((0, 2**62)).map(Int64),
        st.sampled_from((0, 200)).map(Int64),
        st.sampled_from((-POINTS_CENTI_MAX, 0, POINTS_CENTI_MAX)).map(Int64),
    ),
    min_size=2,
    max_size=4,
)


def plain(table: list[Seat]) -> list[Seat]:
    return [
        Seat(int(seat.rating_centi), int(seat.games), int(seat.mahjongs), int(seat.points_centi))
        for seat in table
    ]


@given(extremes, st.sampled_from((MAHJIC_ELO_1.rules, MAHJIC_ELO_2_SCALED.rules, LARGEST)))
def test_the_extremes_of_a_claim_stay_in_64_bits(table: list[Seat], rules: Parameters) -> None:
    in_64_bits = rate_round(rules, table, points_count=True)
    assert in_64_bits == rate_round(rules, plain(table), points_count=True)


@given(extremes, st.sampled_from((MAHJIC_ELO_1.rules, MAHJIC_ELO_2_SCALED.rules, LARGEST)))
def test_the_loop_of_the_kernel_stays_in_64_bits(table: list[Seat], rules: Parameters) -> None:
    # A dictionary by row and place stands for the two dimensions of the array.
    cells: dict[tuple[int, int], int] = {}
    for place, seat in enumerate(table):
        cells[kernel_loop.OWN_RATING, place] = seat.rating_centi
        cells[kernel_loop.OWN_GAMES, place] = seat.games
        cells[kernel_loop.MAHJONGS, place] = seat.mahjongs
        cells[kernel_loop.POINTS, place] = seat.points_centi
    columns = kernel_loop.RuleColumns(
        expected_nano=expected_table(rules.scale_centi),
        k_games_min=[games_min for games_min, _ in rules.k_bands],
        k=[Int64(k) for _, k in rules.k_bands],
        bonus_nano_per_centi=Int64(rules.bonus_nano_per_centi),
        bonus_max_nano=Int64(rules.bonus_max_nano),
        is_scaled=rules.is_scaled,
    )
    kernel_loop.rate_table(cells, len(table), points_count=1, rules=columns)
    rated = tuple(cells[kernel_loop.CHANGE, place] for place in range(len(table)))
    assert rated == rate_round(rules, plain(table), points_count=True)
    assert all(abs(change) <= 600_000 for change in rated)  # 10^12 rounds stay below 2^61.


def test_the_number_that_watches_64_bits_would_notice() -> None:
    with pytest.raises(OverflowError):
        changes([a_seat(points_centi=Int64(2**50)), a_seat()], points_count=True)
