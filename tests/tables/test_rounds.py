"""What a round comes to: points under each rule book, penalties, and who said that it is right."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.tables.books import read_book
from shared.tables.entries import Entry
from shared.tables.rounds import RoundState
from tests.tables.lists import a_game, a_setup, an_entry, an_id, an_undo, replayed

PAYMENT = {"name": "american", "way": "payment"}
TOURNAMENT = {"name": "american", "way": "tournament"}
HONG_KONG = {"name": "hong-kong"}
PENALTY = {"penalty": [1, an_id(77)]}


def points(state: RoundState) -> list[int | None]:
    return [each.points_centi for each in state.totals]


# By hand, from docs/scoring.md.
@pytest.mark.parametrize(
    ("book", "said", "expected"),
    [
        # 25 off a discard: the discarder pays 50, the others 25.
        (PAYMENT, {"winner": 1, "value": 25, "by": 2}, [100, -50, -25, -25]),
        # Self-picked without jokers: all pay double, and that twice.
        (PAYMENT, {"winner": 1, "value": 25, "no_jokers": True}, [300, -100, -100, -100]),
        (
            PAYMENT,
            {"winner": 1, "value": 50, "no_jokers": True, "singles": True},
            [300, -100, -100, -100],
        ),
        (PAYMENT, {"winner": 3, "value": 30, "by": 4, "misnamed": True}, [0, 0, 120, -120]),
        (PAYMENT, {"winner": None}, [0, 0, 0, 0]),
        (TOURNAMENT, {"winner": 1, "value": 25, "by": 2, "exposures": 3}, [25, -25, 0, 0]),
        (TOURNAMENT, {"winner": 1, "value": 25, "no_jokers": True}, [55, 0, 0, 0]),
        (TOURNAMENT, {"winner": None, "dead": [3]}, [10, 10, 0, 10]),
        # Three faan are 8 portions: the discarder loses 2 of them.
        (HONG_KONG, {"winner": 2, "faan": 3, "by": 1}, [-16, 16, 0, 0]),
        (HONG_KONG, {"winner": 2, "faan": 3}, [-8, 24, -8, -8]),
        ({"name": "banker"}, {"winner": 1, "banker": 1, "by": 2}, [8, -8, 0, 0]),
        (
            {"name": "points"},
            {"winner": 4, "points": [[1, -800], [2, 0], [3, -450], [4, 1250]]},
            [-8, 0, -4.5, 12.5],
        ),
    ],
    ids=str,
)
def test_a_game_brings_what_the_rule_book_says(
    book: dict[str, Any], said: dict[str, Any], expected: list[float]
) -> None:
    setup = a_setup(book=read_book(book))
    state = replayed(a_game(1, **said), setup=setup).round(1)
    assert points(state) == [int(each * 100) for each in expected]
    assert state.wall_games == (said["winner"] is None)


@pytest.mark.parametrize(
    ("book", "said", "why"),
    [
        (PAYMENT, {"winner": 1}, "the value of the hand"),
        (PAYMENT, {"winner": 1, "value": 23}, "No hand on the card is worth 23"),
        (PAYMENT, {"winner": 1, "value": 25, "by": 1}, "no one wins off their own discard"),
        (PAYMENT, {"winner": 1, "value": 25, "exposures": 9}, "at most 4 exposures"),
        (PAYMENT, {"winner": 1, "value": 25, "dead": [1]}, "dead hand"),
        (HONG_KONG, {"winner": 1, "faan": 14}, "at most 13 faan"),
        (HONG_KONG, {"winner": 1, "faan": 3, "by": 1}, "The winner pays nobody"),
        (HONG_KONG, {"winner": 1, "faan": 3, "false_win": 2}, "one or the other"),
        ({"name": "banker"}, {"winner": 1}, "who was banker"),
        ({"name": "points"}, {"winner": 1}, "the points of everybody"),
        ({"name": "points"}, {"winner": 1, "points": [[1, 5], [9, -5]]}, "of nobody else"),
    ],
    ids=str,
)
def test_what_a_rule_book_does_not_allow_is_told_and_does_not_count(
    book: dict[str, Any], said: dict[str, Any], why: str
) -> None:
    state = replayed(a_game(1, **said), setup=a_setup(book=read_book(book))).round(1)
    (game,) = state.games
    assert (game.status, state.played) == ("not_counted", 0)
    assert why in game.answers[0].why_not


@pytest.mark.parametrize("book", [PAYMENT, HONG_KONG, {"name": "banker"}], ids=str)
@given(said=st.data())
def test_what_is_paid_sums_to_zero(book: dict[str, Any], said: st.DataObject) -> None:
    games = said.draw(
        st.lists(
            st.fixed_dictionaries(
                {
                    "winner": st.none() | st.integers(1, 4),
                    "value": st.sampled_from(range(20, 101, 5)),
                    "faan": st.integers(0, 13),
                    "banker": st.integers(1, 4),
                },
                optional={"by": st.integers(1, 4), "no_jokers": st.booleans()},
            ),
            max_size=8,
        )
    )
    entries = [
        an_entry(number, {"game": [1, number]}, each) for number, each in enumerate(games, 1)
    ]
    state = replayed(*entries, setup=a_setup(book=read_book(book))).round(1)
    assert sum(each or 0 for each in points(state)) == 0


def a_penalty(number: int, person: int, hundredths: int, which: int = 77) -> Entry:
    about = {"penalty": [1, an_id(which)]}
    return an_entry(number, about, {"person": person, "points": hundredths})


def test_penalties_count_in_points_and_not_as_games() -> None:
    setup = a_setup(book=read_book(TOURNAMENT))
    state = replayed(a_game(1, winner=1, value=25), a_penalty(2, 3, -2500), setup=setup).round(1)
    assert points(state) == [3500, 0, -2500, 0]
    assert (state.played, [each.status for each in state.penalties]) == (1, ["counts"])


@pytest.mark.parametrize(
    ("book", "person"), [({"name": "who"}, 1), (TOURNAMENT, 9)], ids=["no points", "a stranger"]
)
def test_a_penalty_that_fits_nobody_does_not_count(book: dict[str, Any], person: int) -> None:
    setup = a_setup(book=read_book(book))
    state = replayed(a_game(1, 1, value=25), a_penalty(2, person, -2500), setup=setup).round(1)
    assert [each.status for each in state.penalties] == ["not_counted"]


def test_a_round_has_room_for_twenty_penalties_and_what_was_taken_back_takes_none() -> None:
    setup = a_setup(book=read_book(TOURNAMENT))
    gone = [
        a_penalty(1, 1, -100, which=500),
        an_entry(2, {"penalty": [1, an_id(500)]}, None, replaces=[1]),
    ]
    many = [a_penalty(each, 1, -100, which=each) for each in range(3, 24)]
    state = replayed(*gone, *many, setup=setup).round(1)
    statuses = [each.status for each in state.penalties]
    assert statuses == ["taken_back", *["counts"] * 20, "not_counted"]
    assert points(state)[0] == -2000


def a_right(number: int, stands: list[str], people: list[int], *, device: int = 1) -> Entry:
    return an_entry(number, {"right": 1}, {"stands": stands, "for": people}, device=device)


def test_who_confirms_names_what_stands_and_it_lapses_with_something_else() -> None:
    said = [a_game(1, winner=2), a_game(2, winner=None, game=2)]
    right = a_right(3, list(replayed(*said).round(1).stands), [1, 2, 9])
    assert replayed(*said, right).round(1).confirmed == (1, 2)
    more = a_right(1001, [an_id(1), an_id(2)], [4], device=2)
    assert replayed(*said, right, more).round(1).confirmed == (1, 2, 4)
    third = a_game(4, winner=1, game=3)
    assert replayed(*said, right, more, third).round(1).confirmed == ()
    undone = an_undo(5, 4, game=3)
    assert replayed(*said, right, more, third, undone).round(1).confirmed == (1, 2, 4)
    changed = a_game(6, winner=3, replaces=[1])
    assert replayed(*said, right, changed).round(1).confirmed == ()


def test_the_same_said_again_leaves_a_confirmation_and_a_question_does_not() -> None:
    said = [a_game(1, winner=2), a_right(2, [an_id(1)], [1])]
    assert replayed(*said, a_game(1001, winner=2, device=2)).round(1).confirmed == (1,)
    assert replayed(*said, a_game(1001, winner=3, device=2)).round(1).confirmed == ()


@pytest.mark.parametrize("stands", [[], [an_id(99)], [an_id(1), an_id(99)], [an_id(2)]], ids=str)
def test_who_names_something_else_confirms_nothing(stands: list[str]) -> None:
    said = [a_game(1, winner=2), a_game(2, winner=2, round_number=2)]
    setup = a_setup(seats={1: (1, 2, 3, 4), 2: (1, 2, 3, 4)})
    assert replayed(*said, a_right(3, stands, [1]), setup=setup).round(1).confirmed == ()


def test_the_last_confirmation_of_a_phone_is_the_one_that_holds() -> None:
    said = [a_game(1, winner=2), a_right(2, [an_id(1)], [1, 2])]
    taken_back = an_entry(3, {"right": 1}, None, replaces=[2])
    assert replayed(*said, taken_back).round(1).confirmed == ()


def test_a_round_is_whole_once_every_planned_game_is_accounted_for() -> None:
    setup = a_setup(games=2)
    said = [a_game(1, winner=2), a_game(2, winner=None, game=2)]
    assert not replayed(said[0], setup=setup).round(1).is_whole
    state = replayed(*said, setup=setup).round(1)
    assert (state.is_whole, state.wall_games) == (True, 1)


def test_seats_that_are_set_later_make_what_was_entered_count() -> None:
    table = replayed(a_game(1, winner=2), setup=a_setup(seats={}))
    assert table.round(1).played == 0
    table.with_setup(a_setup())
    assert table.round(1).played == 1
