"""The kernel gives every number that formula.py gives, compiled and as plain Python."""

import json
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.rating import expected, formula, kernel, kernel_loop, parameters
from shared.rating.columns import Events, RatingRecord, Sessions, Standings
from shared.rating.kernel import PLAIN, Loop, apply_events, compiled_loop
from shared.rating.parameters import Parameters
from shared.rating.registry import MAHJIC_ELO_1, MAHJIC_ELO_2_SCALED, START_CENTI
from tests.rating import rounds as drawn
from tests.rating.columns_by_hand import (
    BOB,
    Played,
    Session,
    Step,
    Told,
    Verification,
    replayed,
    standings_of,
    told,
)

HISTORY = Path(__file__).parents[1] / "vectors" / "rating_history.json"
PLAYERS = 7  # Bob among them.
NEWCOMER = [150_000, 0, 150_000, 0]
FAR_CENTI = 2**60  # Farther than a million million rounds could carry anybody.
LOOPS: dict[str, Callable[[], Loop]] = {"plain": lambda: PLAIN, "compiled": compiled_loop}

by_each_loop = pytest.mark.parametrize("way", LOOPS)


@st.composite
def everybody(draw: st.DrawFn) -> tuple[list[int], list[list[int]]]:
    """Draw who plays as whom, and where everybody stands: anywhere that 64 bits allow."""
    survivor = [BOB]
    for player in range(1, PLAYERS):
        roots = [root for root in range(1, player) if survivor[root] == root]
        survivor.append(draw(st.sampled_from([player, player, *roots])))
    ratings = st.one_of(
        st.just(START_CENTI), drawn.ratings_centi, st.integers(-FAR_CENTI, FAR_CENTI)
    )
    pool = st.tuples(ratings, drawn.games)
    numbers = [[*draw(pool), *draw(pool)] for _ in range(PLAYERS - 1)]
    return survivor, [NEWCOMER, *numbers]


@st.composite
def rounds_of(draw: st.DrawFn, survivor: list[int]) -> Played:
    """Draw a round that can be: nobody sits twice at a table, under whatever id."""
    people = sorted(set(survivor))
    seats = draw(st.lists(st.sampled_from(people), min_size=2, max_size=4, unique=True))
    players = tuple(
        draw(st.sampled_from([id_ for id_ in range(PLAYERS) if survivor[id_] == person]))
        for person in seats
    )
    mahjongs = tuple(draw(st.sampled_from((0, 1, 2, 50))) for _ in seats)
    steps_centi = st.integers(-8, 8).map(lambda quarters: quarters * 25)  # Full of exact halves.
    points = st.tuples(*[st.one_of(steps_centi, drawn.points_centi) for _ in seats])
    return Played(players, mahjongs, draw(st.none() | points), draw(st.integers(1, 200)))


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[int], list[list[int]], list[Step]]:
    """Draw people, merged or not, then sessions and verifications in any order."""
    survivor, numbers = draw(everybody())
    sessions = st.lists(rounds_of(survivor), min_size=1, max_size=3).map(tuple).map(Session)
    verifications = st.builds(Verification, st.integers(1, PLAYERS - 1), st.booleans())
    steps = draw(st.lists(st.one_of(sessions, verifications, verifications), max_size=14))
    return survivor, numbers, steps


@by_each_loop
@given(histories(), drawn.rules, st.lists(st.integers(1, 3), min_size=14, max_size=14), st.data())
@settings(max_examples=200, deadline=None)
def test_a_history_comes_out_as_one_round_after_the_other(
    way: str,
    history: tuple[list[int], list[list[int]], list[Step]],
    rules: Parameters,
    gaps: list[int],
    data: st.DataObject,
) -> None:
    survivor, numbers, steps = history
    columns = told(steps, accumulate(gaps[: len(steps)]))
    people, rows = replayed(steps, survivor, numbers, rules)
    standings = standings_of(numbers)
    half_way = data.draw(st.integers(0, len(columns.sessions.place)))
    rate_in_two_calls(
        columns, survivor, standings, rules=rules, half_way=half_way, loop=LOOPS[way]()
    )
    assert standings.numbers.tolist() == [person.numbers for person in people]
    assert standings.is_verified.tolist() == [person.is_verified for person in people]
    assert recorded(columns) == rows


def rate_in_two_calls(
    columns: Told,
    survivor: list[int],
    standings: Standings,
    *,
    rules: Parameters,
    half_way: int,
    loop: Loop,
) -> None:
    """Rate up to a session and then the rest, as a caller does at a checkpoint; then the events."""
    who = np.array(survivor, np.int32)
    ends = columns.sessions.round_to - columns.sessions.round_from
    rows = int(ends[:half_way].sum())
    event = 0
    for session_from, session_to, record in (
        (0, half_way, part_of(columns.record, slice(0, rows))),
        (half_way, len(ends), part_of(columns.record, slice(rows, None))),
    ):
        event = kernel.rate(
            columns.rounds,
            columns.sessions,
            columns.events,
            standings,
            rules,
            session_from=session_from,
            session_to=session_to,
            event_from=event,
            survivor=who,
            record=record,
            loop=loop,
        )
    last = apply_events(columns.events, event, 2**62, who, standings)
    assert last == len(columns.events.place)


def part_of(record: RatingRecord, rows: slice) -> RatingRecord:
    return RatingRecord(record.numbers[rows], record.is_verified[rows])


def recorded(columns: Told) -> list[list[list[int]]]:
    """Return the record as `replayed` gives it; rows of the record are in the order of rating."""
    seats = [
        int(columns.rounds.seats[row])
        for at in range(len(columns.sessions.place))
        for row in range(columns.sessions.round_from[at], columns.sessions.round_to[at])
    ]
    record = columns.record
    numbers = (
        *(record.rating_before, record.games_before, record.rating_change, record.games_after),
        *(record.verified_rating_before, record.verified_games_before),
        *(record.verified_rating_change, record.verified_games_after, record.is_verified),
    )
    return [
        [[int(column[row, seat]) for column in numbers] for seat in range(count)]
        for row, count in enumerate(seats)
    ]


def rate_all(columns: Told, people: int, loop: Loop, rules: Parameters) -> Standings:
    standings = Standings.of_newcomers(people)
    kernel.rate(
        columns.rounds,
        columns.sessions,
        columns.events,
        standings,
        rules,
        session_from=0,
        session_to=len(columns.sessions.place),
        event_from=0,
        survivor=np.arange(people, dtype=np.int32),
        record=columns.record,
        loop=loop,
    )
    return standings


@by_each_loop
def test_the_kernel_gives_every_number_of_the_four_hundred_rounds(way: str) -> None:
    known = json.loads(HISTORY.read_text())["steps"]
    index = {"BOB": BOB}
    steps = [step_of(each, index) for each in known]
    columns = told(steps, range(1, len(steps) + 1))
    rate_all(columns, len(index), LOOPS[way](), MAHJIC_ELO_1.rules)
    expected = [
        [
            [
                *(seat["rating_before"], seat["rating_change"], seat["games_total"]),
                *(seat["verified_rating_before"], seat["verified_rating_change"]),
                seat["verified_games_total"],
            ]
            for seat in each["expect"]
        ]
        for each in known
        if each["op"] == "round"
    ]
    assert len(expected) == 400
    wanted = [0, 2, 3, 4, 6, 7]
    assert [[[seat[at] for at in wanted] for seat in row] for row in recorded(columns)] == expected


def step_of(known: dict[str, Any], index: dict[str, int]) -> Step:
    if known["op"] != "round":
        player = index.setdefault(known["player"], len(index))
        return Verification(player, known["op"] == "verify")
    seats = known["players"]
    counts = known["game_type"] != "social"
    return Session(
        (
            Played(
                tuple(index.setdefault(seat["player"], len(index)) for seat in seats),
                tuple(seat["mahjongs"] for seat in seats),
                tuple(seat["points_centi"] for seat in seats) if counts else None,
                known["games_played"],
            ),
        )
    )


LEAGUE_NIGHT = Played((1, 2, 3, 4), (2, 2, 1, 0), None, 6)


@by_each_loop
@pytest.mark.parametrize(
    ("points_centi", "rules", "changes"),
    [
        (25, MAHJIC_ELO_1.rules, [0, 2, 0, 0]),  # 0.015 goes up to 0.02, -0.005 goes up to 0.00.
        (75, MAHJIC_ELO_1.rules, [-2, 4, -2, -2]),  # 0.045 goes down to 0.04, -0.015 to -0.02.
        (25, MAHJIC_ELO_2_SCALED.rules, [0, 0, 0, 0]),  # 0.015 / 3 goes down to 0.00.
        (75, MAHJIC_ELO_2_SCALED.rules, [0, 2, 0, 0]),  # 0.045 / 3 goes up to 0.02.
        (100_000_000, MAHJIC_ELO_1.rules, [-500, 1_500, -500, -500]),
        (-100_000_000, MAHJIC_ELO_1.rules, [500, -1_500, 500, 500]),
    ],
)
def test_the_kernel_rounds_exact_halves_to_even(
    way: str, points_centi: int, rules: Parameters, changes: list[int]
) -> None:
    played = Played((1, 2, 3, 4), (0, 0, 0, 0), (0, points_centi, 0, 0), 1)
    columns = told([Session((played,))], [1])
    rate_all(columns, 5, LOOPS[way](), rules)
    assert columns.record.rating_change.tolist() == [changes]


@by_each_loop
def test_an_event_acts_on_sessions_of_later_places_only(way: str) -> None:
    session = Session((Played((1, 2), (1, 0), None, 1),))
    steps: list[Step] = [session, Verification(1, True), Verification(2, True), session]
    for places, counted in (((1, 2, 3, 4), [0, 1]), ((5, 2, 5, 6), [0, 1]), ((3, 1, 2, 4), [1, 1])):
        columns = told(steps, places)
        rate_all(columns, 3, LOOPS[way](), MAHJIC_ELO_1.rules)
        assert columns.record.verified_games_after[:, 0].tolist() == list(accumulate(counted))


@by_each_loop
def test_a_survivor_is_verified_as_long_as_any_of_its_ids_is(way: str) -> None:
    session = Session((Played((1, 3), (1, 0), None, 1),))
    steps: list[Step] = [
        Verification(3, True),
        *(Verification(1, True), Verification(2, True), session),
        *(Verification(1, False), session),
        *(Verification(2, False), session),
    ]
    columns = told(steps, range(1, 9))
    standings = Standings.of_newcomers(4)
    rate_in_two_calls(
        columns, [0, 2, 2, 3], standings, rules=MAHJIC_ELO_1.rules, half_way=1, loop=LOOPS[way]()
    )
    assert columns.record.is_verified[:, :2].tolist() == [[1, 1], [1, 1], [0, 1]]
    assert standings.numbers[1].tolist() == NEWCOMER  # A merged id stands as if it never played.
    assert standings.games.tolist() == [0, 0, 3, 3]
    assert standings.verified_games.tolist() == [0, 0, 2, 2]


def test_regrouping_counts_the_verified_ids_of_each_survivor() -> None:
    standings = Standings.of_newcomers(5)
    standings.is_verified[:] = [0, 1, 1, 0, 1]
    standings.regroup(np.array([0, 2, 2, 2, 4], np.int32))
    assert standings.verified_members.tolist() == [0, 0, 2, 0, 1]


def test_grown_standings_end_with_newcomers_and_share_no_memory() -> None:
    standings = Standings.of_newcomers(2)
    standings.numbers[1] = [151_234, 7, 149_000, 3]
    grown = standings.grown(4)
    assert grown.numbers.tolist() == [NEWCOMER, [151_234, 7, 149_000, 3], NEWCOMER, NEWCOMER]
    grown.numbers[1] = 0
    standings.copy().numbers[1] = 0
    assert standings.numbers[1].tolist() == [151_234, 7, 149_000, 3]


@by_each_loop
def test_columns_that_are_mapped_from_files_are_rated_as_those_in_memory(
    way: str, tmp_path: Path
) -> None:
    columns = told([Session((LEAGUE_NIGHT,))], [1])
    in_memory = rate_all(columns, 5, LOOPS[way](), MAHJIC_ELO_1.rules)
    players = np.memmap(tmp_path / "players", np.int32, "w+", shape=(1, 4))
    players[:] = columns.rounds.players
    mapped = np.memmap(tmp_path / "players", np.int32, "r", shape=(1, 4))
    columns.rounds = kernel.Rounds(
        mapped, *(getattr(columns.rounds, name) for name in columns.rounds.__slots__[1:])
    )
    assert rate_all(columns, 5, LOOPS[way](), MAHJIC_ELO_1.rules).numbers.tolist() == (
        in_memory.numbers.tolist()
    )
    assert in_memory.rating_centi.tolist() == [150_000, 154_800 - 1_600, 153_200, 148_400, 145_200]


def test_all_kinds_of_memory_need_one_compilation_only() -> None:
    loop = compiled_loop()
    columns = told([Session((LEAGUE_NIGHT,))], [1])
    for each in (*vars_of(columns.rounds), *vars_of(columns.sessions)):
        each.flags.writeable = False
    rate_all(columns, 5, loop, MAHJIC_ELO_1.rules)
    rate_all(columns, 5, loop, MAHJIC_ELO_2_SCALED.rules)
    assert len(loop.replay.signatures) == 1  # type: ignore[attr-defined]


def vars_of(columns: Any) -> list[np.ndarray[Any, Any]]:
    return [getattr(columns, name) for name in columns.__slots__]


def test_the_loop_has_the_constants_of_the_formula() -> None:
    assert kernel_loop.WIN_NANO == expected.WIN_NANO
    assert kernel_loop.TIE_NANO == formula.TIE_NANO
    assert kernel_loop.NANO_PER_CENTI == parameters.NANO_PER_CENTI


def test_a_caller_who_mixes_up_columns_is_stopped() -> None:
    columns = told([Session((LEAGUE_NIGHT,))], [1])
    columns.record = RatingRecord.of_rounds(0)
    with pytest.raises(AssertionError, match="record"):
        rate_all(columns, 5, PLAIN, MAHJIC_ELO_1.rules)
    columns.sessions, columns.events = Sessions.of_rows(1), Events.of_rows(0)
    with pytest.raises(AssertionError, match="sessions"):
        kernel.rate(
            columns.rounds,
            columns.sessions,
            columns.events,
            Standings.of_newcomers(5),
            MAHJIC_ELO_1.rules,
            session_from=0,
            session_to=2,
            event_from=0,
            survivor=np.arange(5, dtype=np.int32),
        )
