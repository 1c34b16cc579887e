"""What stands for a game, in whatever order its entries came."""

from collections.abc import Sequence
from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.tables.books import read_book
from shared.tables.entries import Entry
from shared.tables.replay import TableReplay
from shared.tables.standing import NO_SEATS
from tests.tables.lists import a_game, a_setup, an_entry, an_undo, replayed


def test_a_game_that_was_entered_counts() -> None:
    state = replayed(a_game(1, winner=2)).round(1)
    (game,) = state.games
    assert game.status == "counts"
    assert game.outcome is not None
    assert game.outcome.winner == 2
    assert [(each.person, each.games, each.mahjongs) for each in state.totals] == [
        (1, 1, 0),
        (2, 1, 1),
        (3, 1, 0),
        (4, 1, 0),
    ]


def test_the_same_entered_on_two_phones_counts_once_and_says_so() -> None:
    state = replayed(a_game(1, winner=2), a_game(1001, winner=2, device=2)).round(1)
    (game,) = state.games
    assert (game.status, state.played) == ("counts", 1)
    assert [(each.count, each.phones) for each in game.answers] == [(2, 2)]


def test_different_entries_are_two_answers_until_somebody_decides() -> None:
    said = [a_game(1, winner=2), a_game(1001, winner=3, device=2)]
    state = replayed(*said).round(1)
    assert [each.status for each in state.games] == ["two_answers"]
    assert [each.about.which for each in state.questions] == [1]
    assert (state.played, state.is_whole) == (0, False)
    decided = replayed(*said, a_game(2, winner=3, replaces=[1, 1001])).round(1)
    assert [each.status for each in decided.games] == ["counts"]
    assert not decided.questions


def test_a_change_and_an_undo_made_at_once_are_two_answers() -> None:
    state = replayed(
        a_game(1, winner=2),
        a_game(2, winner=3, replaces=[1]),
        an_undo(1001, 1, device=2),
    ).round(1)
    (game,) = state.games
    assert game.status == "two_answers"
    assert [each.outcome is None for each in game.answers] == [False, True]


def test_what_was_taken_back_is_as_if_it_had_never_been_entered() -> None:
    state = replayed(a_game(1, winner=2), an_undo(2, 1)).round(1)
    assert [each.status for each in state.games] == ["taken_back"]
    assert (state.played, state.questions) == (0, ())
    assert all(each.games == 0 for each in state.totals)


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
def test_what_is_replaced_does_not_stand_even_if_it_comes_later(order: tuple[int, ...]) -> None:
    said = [
        a_game(1, winner=2),
        a_game(2, winner=3, replaces=[1]),
        a_game(3, winner=4, replaces=[2]),
    ]
    (game,) = replayed(*(said[each] for each in order)).round(1).games
    assert game.outcome is not None
    assert game.outcome.winner == 4


def test_entries_that_replace_each_other_end_nothing_but_themselves() -> None:
    state = replayed(
        a_game(1, winner=2, replaces=[2]),
        a_game(2, winner=3, replaces=[1]),
        a_game(3, winner=4, replaces=[3]),
        a_game(4, winner=1, game=2),
    ).round(1)
    assert [(each.status, each.outcome and each.outcome.winner) for each in state.games] == [
        ("counts", 4),
        ("counts", 1),
    ]


def test_an_entry_replaces_nothing_about_another_game() -> None:
    state = replayed(a_game(1, winner=2), a_game(2, winner=3, game=2, replaces=[1])).round(1)
    assert [each.status for each in state.games] == ["counts", "counts"]


def test_what_cannot_count_is_told_and_holds_up_nothing() -> None:
    table = replayed(
        a_game(1, winner=9),
        a_game(2, winner=1, round_number=7),
        a_game(3, winner=1, game=2),
        a_game(4, winner=9, game=2),
    )
    one, two = table.round(1).games
    assert (one.status, one.outcome) == ("not_counted", None)
    assert "doesn't sit here" in one.answers[0].why_not
    # Beside what can count, it is told and no more.
    assert (two.status, two.answer_count) == ("counts", 2)
    (stray,) = table.round(7).games
    assert (stray.status, stray.answers[0].why_not) == ("not_counted", NO_SEATS)
    assert not any(each.questions for each in table.rounds())


def test_a_removed_phone_counts_as_far_as_the_member_said() -> None:
    setup = a_setup(counts_to={2: 1001})
    table = replayed(
        a_game(1001, winner=2, device=2), a_game(1002, winner=2, game=2, device=2), setup=setup
    )
    assert [each.about.which for each in table.round(1).games] == [1]
    assert table.last_place == 2


def test_of_many_answers_ten_are_told_and_all_are_counted() -> None:
    setup = a_setup(seats={1: (1, 2)}, book=read_book({"name": "points"}))
    said = [a_game(each, winner=1, points=[[1, each], [2, -each]]) for each in range(1, 5_001)]
    (game,) = replayed(*said, setup=setup).round(1).games
    assert (game.status, game.answer_count, len(game.answers)) == ("two_answers", 5_000, 10)


def simply(entries: Sequence[Entry]) -> dict[tuple[int, int | str], set[str]]:
    """Return what stands for each game, by the definition and nothing else."""
    return {
        (one.about.round, one.about.which): {
            each.entry_id
            for each in entries
            if each.about == one.about
            and not any(
                each.entry_id in other.replaces
                for other in entries
                if other.about == one.about and other.entry_id != each.entry_id
            )
        }
        for one in entries
    }


ENTRIES = st.lists(
    st.tuples(
        st.integers(1, 3),
        st.integers(1, 3),
        st.none() | st.integers(1, 5),
        st.lists(st.integers(1, 12), max_size=4),
    ),
    max_size=12,
).map(
    lambda said: [
        an_entry(
            number,
            {"game": [round_number, game]},
            None if winner is None else {"winner": winner},
            device=number % 3 + 1,
            replaces=replaces,
        )
        for number, (round_number, game, winner, replaces) in enumerate(said, 1)
    ]
)


@given(ENTRIES, st.randoms(use_true_random=False))
def test_what_stands_is_what_no_entry_replaces(entries: list[Entry], lots: Random) -> None:
    expected = simply(entries)
    lots.shuffle(entries)
    setup = a_setup(seats={1: (1, 2, 3, 4), 2: (1, 2)})
    table = TableReplay(setup)
    for entry in entries:
        table.add(entry)
        table.rounds()  # Looking in between changes nothing.
    found = {
        (state.round, game.about.which): {
            entry.entry_id for answer in game.answers for entry in answer.entries
        }
        for state in table.rounds()
        for game in state.games
    }
    assert found == expected
    assert table.rounds() == TableReplay(setup, entries).rounds()


def test_an_entry_that_comes_twice_is_one() -> None:
    once = a_game(1, winner=2)
    table = replayed(once, once)
    assert [each.count for each in table.round(1).games[0].answers] == [1]
    assert table.last_place == 2
