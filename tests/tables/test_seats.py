"""Who sits where next: by rotation, which is data, and by lot without meeting again."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.tables.seats import CannotSeat, Rotation, Seats, drawn, rotated
from tests.tables.counting import calls_of

FOUR = {1: (1, 2, 3, 4), 2: (5, 6, 7, 8), 3: (9, 10, 11, 12), 4: (13, 14, 15, 16)}


def everybody(seats: Seats) -> list[int]:
    return sorted(person for group in seats.values() for person in group)


def met_again(rounds: list[Seats]) -> int:
    """Count pairs of the last round that met before, one by one."""
    *before, last = rounds
    return sum(
        set(pair) <= set(group)
        for people in last.values()
        for pair in combinations(people, 2)
        for each in before
        for group in each.values()
    )


def test_one_seat_stays_and_the_others_move_up_and_down() -> None:
    # By hand: the second seat goes one table on, the third one back, the fourth two on.
    assert rotated(FOUR, Rotation((0, 1, -1, 2))) == {
        1: (1, 14, 7, 12),
        2: (5, 2, 11, 16),
        3: (9, 6, 15, 4),
        4: (13, 10, 3, 8),
    }


def test_nobody_meets_again_by_rotation_at_four_tables_twice() -> None:
    second = rotated(FOUR, Rotation())
    third = rotated(second, Rotation())
    assert met_again([FOUR, second]) == 0
    assert everybody(third) == list(range(1, 17))


def test_a_table_of_three_rotates_with_an_empty_chair() -> None:
    seats = rotated({1: (1, 2, 3, 4), 2: (5, 6, 7)}, Rotation((0, 1, 1, 1)))
    assert seats == {1: (1, 6, 7), 2: (5, 2, 3, 4)}


def test_a_rotation_that_leaves_somebody_alone_is_refused() -> None:
    with pytest.raises(CannotSeat, match="Table 1 would be left with 1"):
        rotated({1: (1, 2, 3), 2: (4,)}, Rotation((0, 1, 1, 1)))


@pytest.mark.parametrize("moves", [(), (0, 1), (0, 1, -1, 2, 0), (0, 1, -1, 3)], ids=str)
def test_a_rotation_has_a_move_for_each_seat(moves: tuple[int, ...]) -> None:
    with pytest.raises(CannotSeat, match="A rotation has 4 moves, each from -2 to 2"):
        Rotation(moves)


@given(st.integers(2, 40), st.integers(0, 2**64), st.integers(1, 6))
def test_everybody_gets_one_seat_and_no_table_one_person(
    people: int, seed: int, rounds: int
) -> None:
    met: list[Seats] = []
    for number in range(rounds):
        seats = drawn(range(1, people + 1), range(1, 21), met, seed + number)
        assert everybody(seats) == list(range(1, people + 1))
        assert all(2 <= len(group) <= 4 for group in seats.values())
        met.append(seats)


def test_sixteen_people_meet_nobody_again_in_three_rounds() -> None:
    met: list[Seats] = [FOUR]
    for seed in (1, 2):
        met.append(drawn(range(1, 17), (1, 2, 3, 4), met, seed))
        assert met_again(met) == 0


@pytest.mark.parametrize("people", [8, 16, 60, 64, 160, 200])
def test_a_draw_is_bounded_work_however_often_everybody_met(people: int) -> None:
    everyone, tables = range(1, people + 1), range(1, people // 4 + 1)
    met: list[Seats] = [drawn(everyone, tables, [], seed) for seed in range(20)]
    # Some 10 milliseconds: a call takes a tenth of a microsecond.
    assert calls_of(lambda: drawn(everyone, tables, met, 1)) < 120_000


def test_the_same_seed_draws_the_same() -> None:
    people = range(1, 17)
    assert drawn(people, (1, 2, 3, 4), [], 5) == drawn(people, (1, 2, 3, 4), [], 5)
    assert drawn(people, (1, 2, 3, 4), [], 5) != drawn(people, (1, 2, 3, 4), [], 6)


@pytest.mark.parametrize(("people", "tables"), [(1, 3), (9, 2), (4, 0)], ids=str)
def test_too_many_or_too_few_people_are_refused(people: int, tables: int) -> None:
    with pytest.raises(CannotSeat, match=f"{people} people can't sit at {tables} tables"):
        drawn(range(1, people + 1), range(1, tables + 1), [], 1)
