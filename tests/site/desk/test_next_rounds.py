"""Where people sit in the next round of a night: nobody is lost, and the best are split up."""

from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.site.desk.night.moving import MOVES, Move, last_sitting, move_on, without_table
from services.site.desk.night.typed import TABLES_MAX, TypedNight, TypedSeat, TypedTable
from tests.site.desk.test_night_core import FULL, night, table


def halls() -> st.SearchStrategy[TypedNight]:
    """Nights of one sitting with one to five tables of different people; seats may be empty."""

    def hall(rows: list[list[tuple[bool, int]]]) -> TypedNight:
        tables = [
            TypedTable(
                1,
                "4",
                "",
                tuple(
                    TypedSeat(f"P{number}-{place}" if is_there else "", str(won), str(-won))
                    for place, (is_there, won) in enumerate(row)
                ),
            )
            for number, row in enumerate(rows)
        ]
        return night(*tables)

    seat = st.tuples(st.booleans(), st.integers(0, 4))
    return st.lists(st.lists(seat, min_size=4, max_size=4), min_size=1, max_size=5).map(hall)


def people(tables: Iterable[TypedTable]) -> Counter[str]:
    return Counter(seat.who for each in tables for seat in each.seats if seat.who)


@given(halls(), st.sampled_from(MOVES))
def test_nobody_is_lost_and_nobody_is_there_twice(hall: TypedNight, move: Move) -> None:
    after = move_on(hall, move)
    new = after.tables[len(hall.tables) :]
    assert after.tables[: len(hall.tables)] == hall.tables
    if move == "table":
        assert [(each.sitting, each.is_empty) for each in new] == [(1, True)]
        return
    assert people(new) == people(hall.tables)
    assert len(new) == len(hall.tables)
    assert {each.sitting for each in new} == {2}
    assert all(not (seat.won or seat.points) for each in new for seat in each.seats)
    assert list(last_sitting(after)) == list(new)


@given(halls())
def test_the_best_of_a_table_are_split_up(hall: TypedNight) -> None:
    after = move_on(hall, "split")
    count = len(hall.tables)
    if count < 2:
        return
    for before in hall.tables:
        ranked = sorted(
            (seat for seat in before.seats if seat.who), key=lambda seat: -int(seat.won)
        )
        if len(ranked) < 2:
            continue
        at = {seat.who: n for n, each in enumerate(after.tables[count:]) for seat in each.seats}
        best = [each for each in ranked if each.won == ranked[0].won]
        if len(best) <= 2:
            # Whoever is second, after the points of equal ones, sits elsewhere.
            assert at[ranked[0].who] != at[ranked[1].who]


@pytest.mark.parametrize(
    ("move", "tables", "seated"),
    [
        ("same", ["ABCD"], ["ABCD"]),
        ("rotate", ["ABCD"], ["DABC"]),
        ("rotate", ["ABC "], ["CAB "]),
        ("rotate", ["ABCD", "EFGH"], ["AFCH", "EBGD"]),
        ("rotate", ["ABCD", "EFGH", "IJKL"], ["AJGD", "EBKH", "IFCL"]),
        # The games won are 1, 3, 0, 2 in each table.
        ("split", ["ABCD"], ["BDAC"]),
        ("split", ["ABCD", "EFGH"], ["BHAG", "FDEC"]),
    ],
)
def test_where_people_sit_next(move: Move, tables: list[str], seated: list[str]) -> None:
    won = ("1", "3", "0", "2")
    rows = [
        table(*[(who.strip(), number, "") for who, number in zip(each, won, strict=True)])
        for each in tables
    ]
    after = move_on(night(*rows), move)
    new = after.tables[len(rows) :]
    assert ["".join(seat.who or " " for seat in each.seats) for each in new] == seated


def test_a_night_has_an_end() -> None:
    hall = night(*[FULL] * TABLES_MAX)
    assert all(move_on(hall, each) == hall for each in MOVES)
    assert without_table(night(FULL), 0).tables == (TypedTable(),)
    assert without_table(night(FULL, TypedTable(2)), 0).tables == (TypedTable(2),)
