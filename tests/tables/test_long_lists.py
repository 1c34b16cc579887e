"""A list twice as long takes at most twice the time, whatever stands in it."""

from collections.abc import Callable, Mapping

import pytest

from shared.tables.books import read_book
from shared.tables.entries import Entry
from shared.tables.replay import TableReplay
from tests.hostile.timing import growth_of
from tests.tables.lists import a_game, a_setup, an_entry, an_id

LENGTH_MAX = 16_000
PAYMENT = {"name": "american", "way": "payment"}

# By what is in them: the entry at a place of the list.
LISTS: Mapping[str, Callable[[int], Entry]] = {
    "different answers to one game": lambda at: a_game(
        at, 1 + at % 4, value=20 + at % 17 * 5, by=1 + (at + 1) % 4
    ),
    "the same answer to one game": lambda at: a_game(at, 1, value=25, by=2),
    "answers that can't count": lambda at: a_game(at, 1, value=21 + at % 900),
    "changes of changes": lambda at: a_game(
        at, 1, value=25, replaces=range(max(1, at - 64), max(1, at))
    ),
    "changes of what never comes": lambda at: a_game(
        at, 1, value=25, replaces=range(at * 64 + 10**6, at * 64 + 10**6 + 64)
    ),
    "penalties": lambda at: an_entry(at, {"penalty": [1, an_id(at)]}, {"person": 1, "points": -at}),
    "confirmations of many phones": lambda at: an_entry(
        at,
        {"right": 1},
        {"stands": [an_id(each) for each in range(60)], "for": [1]},
        device=1 + at % 40,
    ),
    "rounds without seats": lambda at: a_game(at, 1, round_number=2 + at % 59, game=1 + at % 40),
}


@pytest.mark.parametrize("kind", LISTS)
def test_twice_the_list_takes_at_most_twice_the_time(kind: str) -> None:
    setup = a_setup(book=read_book(PAYMENT))

    def work_of(length: int) -> Callable[[], object]:
        entries = [LISTS[kind](at) for at in range(1, length + 1)]
        return lambda: TableReplay(setup, entries).rounds()

    growth = growth_of(work_of, length_max=LENGTH_MAX)
    assert not growth.is_steep, growth


def test_one_more_entry_leaves_the_other_rounds_as_they_were_worked_out() -> None:
    setup = a_setup(seats={1: (1, 2, 3, 4), 2: (1, 2, 3, 4)})
    table = TableReplay(setup, [a_game(1, 1), a_game(2, 1, round_number=2)])
    first, second = table.rounds()
    table.add(a_game(3, 2, game=2, round_number=2))
    assert table.round(1) is first
    assert table.round(2) != second
