"""The list of a table comes out as a second, simple implementation says, whatever is in it."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.tables.books import read_book
from shared.tables.entries import Entry
from shared.tables.replay import TableReplay, TableSetup
from shared.tables.rounds import RoundState, SubjectState
from tests.tables.counting import calls_of
from tests.tables.lists import a_game, a_setup, an_entry, an_id
from tests.tables.model import ModelTable, model_of

SEATS: dict[int, tuple[int, ...]] = {1: (1, 2, 3), 2: (2, 4)}
OTHER_SEATS: dict[int, tuple[int, ...]] = {1: (1, 2, 3), 2: (2, 4, 5), 9: (1, 2)}
WHO = read_book({"name": "who"})
POINTS = read_book({"name": "points"})


@st.composite
def entries_of(draw: st.DrawFn) -> list[Entry]:
    """Draw a list: changes, undos, cycles, strangers, rounds without seats, and repeats."""
    numbers = draw(st.lists(st.integers(1, 14), max_size=14))
    return [_drawn(draw, number) for number in numbers]


def _drawn(draw: st.DrawFn, number: int) -> Entry:
    round_number = draw(st.sampled_from((1, 1, 1, 2, 9)))
    kind = draw(st.sampled_from(("game", "game", "game", "penalty", "right")))
    about: dict[str, Any] = {"game": [round_number, draw(st.integers(1, 2))]}
    people = draw(st.sampled_from(((1, 2, 3), (1, 2, 3), (2, 4))))
    content: dict[str, Any] = {
        "winner": draw(st.none() | st.integers(1, 4)),
        "points": [[each, draw(st.integers(-1, 1))] for each in people],
    }
    if kind == "penalty":
        about = {"penalty": [round_number, an_id(draw(st.integers(1, 2)))]}
        content = {"person": draw(st.integers(1, 4)), "points": draw(st.integers(-2, 0))}
    elif kind == "right":
        about = {"right": round_number}
        stands = draw(st.lists(st.integers(1, 14), max_size=3, unique=True))
        content = {"stands": [an_id(each) for each in stands], "for": [draw(st.integers(1, 4))]}
    replaces = draw(st.lists(st.integers(1, 14), max_size=3))
    content_or_undo = draw(st.sampled_from((content, content, content, None)))
    return an_entry(number, about, content_or_undo, device=number % 3 + 1, replaces=replaces)


def told_of(state: SubjectState) -> tuple[str, frozenset[frozenset[str]]]:
    """Return the status of a subject and who says the same, as the model has it."""
    # What can't count is one answer in the model, whatever the reasons.
    unable = [entry.entry_id for each in state.answers if each.why_not for entry in each.entries]
    able = [
        frozenset(entry.entry_id for entry in each.entries)
        for each in state.answers
        if not each.why_not
    ]
    return state.status, frozenset([*able, *([frozenset(unable)] if unable else [])])


def check_round(state: RoundState, entries: Sequence[Entry], setup: TableSetup) -> None:
    """Compare a round with what the model says of it."""
    table = ModelTable(state.people, setup.book == WHO, setup.counts_to)
    expected = model_of(entries, state.round, table)
    found = {each.about: told_of(each) for each in (*state.games, *state.penalties)}
    assert found == {about: (each.status, each.said) for about, each in expected.subjects.items()}
    totals = [(each.person, each.games, each.mahjongs, each.points_centi) for each in state.totals]
    assert totals == expected.totals
    assert state.confirmed == tuple(expected.confirmed)


@pytest.mark.parametrize("book", [WHO, POINTS], ids=["who", "points"])
@given(entries=entries_of(), counts_to=st.sampled_from(({}, {2: 5})))
def test_every_list_comes_out_as_in_the_model(
    book: Any, entries: list[Entry], counts_to: dict[int, int]
) -> None:
    setup = TableSetup(book, 2, SEATS, counts_to)
    for state in TableReplay(setup, entries).rounds():
        check_round(state, entries, setup)


@given(entries=entries_of(), at=st.integers(0, 14))
def test_two_that_have_seen_the_same_agree_whenever_they_looked_and_got_the_seats(
    entries: list[Entry], at: int
) -> None:
    setup = TableSetup(POINTS, 2, OTHER_SEATS)
    one, other = TableReplay(setup, entries), TableReplay(TableSetup(WHO, 1, SEATS))
    for place, entry in enumerate(entries):
        if place == at:
            other.with_setup(setup)
        other.add(entry)
        other.rounds()
    other.with_setup(setup)
    assert other.rounds() == one.rounds()
    assert other.last_place == one.last_place == len(entries)


@given(entries=entries_of(), lots=st.randoms(use_true_random=False))
def test_the_order_in_which_entries_came_changes_no_score(
    entries: list[Entry], lots: Random
) -> None:
    # By id, since of two entries with the same id the first is taken.
    games = list({each.entry_id: each for each in entries if each.about.kind == "game"}.values())
    shuffled = list(games)
    lots.shuffle(shuffled)
    setup = TableSetup(POINTS, 2, SEATS)
    found = [
        [(each.round, each.totals, [told_of(game) for game in each.games]) for each in table]
        for table in (
            TableReplay(setup, games).rounds(),
            TableReplay(setup, shuffled).rounds(),
        )
    ]
    assert found[0] == found[1]


def test_a_flood_of_penalties_asks_about_twenty_and_looks_at_a_hundred() -> None:
    setup = a_setup(book=POINTS)
    flood = [
        an_entry(2 * which + at, {"penalty": [1, an_id(which)]}, {"person": 1, "points": -at})
        for which in range(1, 131)
        for at in (0, 1)
    ]
    state = TableReplay(setup, flood).round(1)
    assert (len(state.questions), len(state.penalties), state.penalties_left_out) == (20, 100, 30)
    expected = model_of(flood, 1, ModelTable(state.people, is_who=False, counts_to={}))
    statuses = {each.about: each.status for each in state.penalties}
    assert statuses == {about: each.status for about, each in expected.subjects.items()}
    last = state.penalties[-1]
    assert ([each.count for each in last.answers], last.answer_count) == ([1, 1], 2)


def test_an_answer_that_stood_first_comes_first_and_one_that_came_back_comes_last() -> None:
    said = [a_game(1, 2), a_game(2, 3, device=2), a_game(3, 2, device=3, replaces=[1])]
    (game,) = TableReplay(a_setup(), said).round(1).games
    assert [each.outcome and each.outcome.winner for each in game.answers] == [3, 2]
    kept = [*said[:2], a_game(4, 2, device=3), a_game(5, 4, replaces=[1])]
    (game,) = TableReplay(a_setup(), kept).round(1).games
    assert [each.outcome and each.outcome.winner for each in game.answers] == [2, 3, 4]


@pytest.mark.parametrize(
    "entry_at",
    [
        lambda at: a_game(at, 1, points=[[1, at], [2, -at], [3, 0], [4, 0]]),
        lambda at: a_game(at, 1 + at % 4, points=[[1, 0], [2, 0], [3, 0], [4, 0]]),
        lambda at: a_game(at, 9 if at > 1 else 1, points=[[1, at], [2, 0], [3, 0], [4, 0]]),
        lambda at: a_game(at, 1, replaces=[at - 1] if at > 1 else []),
        lambda at: an_entry(at, {"penalty": [1, an_id(at)]}, {"person": 1, "points": -at}),
        lambda at: an_entry(at, {"penalty": [1, an_id(at % 9)]}, {"person": 1, "points": -at}),
    ],
    ids=["all differ", "four answers", "strangers", "chain", "penalties", "nine penalties"],
)
def test_looking_after_every_entry_takes_time_in_proportion(
    entry_at: Callable[[int], Entry],
) -> None:
    def work_of(length: int) -> Callable[[], object]:
        entries = [entry_at(at) for at in range(1, length + 1)]
        table = TableReplay(a_setup(book=POINTS))

        def look_after_each() -> None:
            for entry in entries:
                table.add(entry)
                table.rounds()

        return look_after_each

    once, twice = calls_of(work_of(500)), calls_of(work_of(1_000))
    assert twice <= 2.3 * once, (once, twice)
