"""What holds for every round, whoever plays it."""

from collections.abc import Callable
from dataclasses import replace
from operator import add, mul, sub

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.rating.formula import Seat
from shared.rating.formulas import MAHJIC_ELO_1
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
    table = [replace(seat, games=games_of_one) for games_of_one in games]
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
    won, lost = changes([one, replace(other, games=one.games)], points_count=points_count)
    assert won == -lost


@given(tables, rounds.games, booleans)
def test_a_table_of_one_k_wins_and_loses_the_same_but_for_rounding(
    table: list[Seat], games: int, points_count: bool
) -> None:
    table = [replace(seat, games=games) for seat in table]
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
    shifted = [replace(seat, rating_centi=seat.rating_centi + shift_centi) for seat in table]
    assert changes(shifted, points_count=points_count) == changes(table, points_count=points_count)


@given(tables, st.integers(1, 100), booleans)
def test_winning_more_never_gains_less_and_never_helps_the_others(
    table: list[Seat], more: int, points_count: bool
) -> None:
    me, *others = table
    before = changes(table, points_count=points_count)
    after = changes([replace(me, mahjongs=me.mahjongs + more), *others], points_count=points_count)
    assert after[0] >= before[0]
    assert all(b <= a for a, b in zip(before[1:], after[1:], strict=True))


@given(tables, st.integers(1, 1_000_000))
def test_more_points_never_gain_less_and_never_help_the_others(
    table: list[Seat], more_centi: int
) -> None:
    me, *others = table
    richer = replace(me, points_centi=me.points_centi + more_centi)
    before = changes(table, points_count=True)
    after = changes([richer, *others], points_count=True)
    assert after[0] >= before[0]
    assert all(b <= a for a, b in zip(before[1:], after[1:], strict=True))


@given(tables, st.integers(1, 1_000_000), booleans)
def test_the_same_result_from_a_higher_rating_never_gains_more(
    table: list[Seat], higher_centi: int, points_count: bool
) -> None:
    me, *others = table
    stronger = replace(me, rating_centi=me.rating_centi + higher_centi)
    before = changes(table, points_count=points_count)
    assert changes([stronger, *others], points_count=points_count)[0] <= before[0]


@given(tables)
def test_nobody_moves_further_than_k_and_the_bonus_of_each_opponent(table: list[Seat]) -> None:
    at_stake_centi = (32 + 5) * 100 * (len(table) - 1)
    assert all(abs(change) <= at_stake_centi for change in changes(table, points_count=True))


@given(
    st.lists(
        st.builds(
            Seat,
            st.sampled_from((-(2**61), -1, 0, 150_000, 2**61)).map(Int64),
            st.sampled_from((0, 2**62)).map(Int64),
            st.sampled_from((0, 200)).map(Int64),
            st.sampled_from((-POINTS_CENTI_MAX, 0, POINTS_CENTI_MAX)).map(Int64),
        ),
        min_size=2,
        max_size=4,
    ),
)
def test_the_extremes_of_a_claim_stay_in_64_bits(table: list[Seat]) -> None:
    as_plain_numbers = [
        Seat(int(seat.rating_centi), int(seat.games), int(seat.mahjongs), int(seat.points_centi))
        for seat in table
    ]
    assert changes(table, points_count=True) == changes(as_plain_numbers, points_count=True)


def test_the_number_that_watches_64_bits_would_notice() -> None:
    with pytest.raises(OverflowError):
        changes([a_seat(points_centi=Int64(2**50)), a_seat()], points_count=True)
