"""The chronicle and the replay, held against full replays by hand, as of every fact."""

from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.events.facts import (
    FactEvent,
    FormulaAdoptedFromBeginning,
    PlayersMerged,
    PlayersUnmerged,
    SessionCorrected,
    SessionsVoided,
)
from shared.rating.columns import Standings
from shared.replay.chronicle import Chronicle
from shared.replay.files import FolderColumns, StoredColumns
from shared.replay.possible import ImpossibleFact
from shared.replay.replay import Checkpoint, Replay, rate_as_of
from tests.corrections.histories import STEP_BYTES, a_long_history, facts_of
from tests.log.chances import seeded_chance
from tests.rater.stories import ADOPTED, a_round, a_session
from tests.replay_by_hand.replay import Answer, Standing, replay

step = st.binary(min_size=STEP_BYTES, max_size=STEP_BYTES)
short_histories = st.integers(0, 25).flatmap(
    lambda steps_min: st.lists(step, min_size=steps_min, max_size=steps_min + 10).map(facts_of)
)


def taken_in(
    facts: Sequence[FactEvent], columns: StoredColumns | None = None
) -> tuple[Chronicle, dict[int, str]]:
    """Return a chronicle of facts, and why some were not taken in."""
    chronicle, refused = Chronicle(columns or StoredColumns()), dict[int, str]()
    for seq, fact in enumerate(facts, start=1):
        try:
            chronicle.take_in(seq, fact)
        except ImpossibleFact as error:
            refused[seq] = error.reason
    return chronicle, refused


def by_hand(facts: Sequence[FactEvent]) -> list[Answer]:
    return replay(enumerate(facts, start=1))


def as_told(chronicle: Chronicle, standings: Standings) -> dict[str, Standing]:
    """Return the standings by player id, of all who ever appear."""
    ids = chronicle.player_ids(np.arange(chronicle.players))
    return {each: Standing(*row) for each, row in zip(ids, standings.numbers.tolist(), strict=True)}


def known_so_far(told: dict[str, Standing], answer: Answer) -> dict[str, Standing]:
    """Return the standings of those who appear until a fact; the others are newcomers then."""
    assert {told[each] for each in told if each not in answer.standings} <= {Standing()}
    return {each: told[each] for each in answer.standings}


@settings(max_examples=60, deadline=None)
@given(short_histories)
def test_the_ratings_as_of_every_fact_are_those_of_a_full_replay(
    history: list[FactEvent],
) -> None:
    chronicle, refused = taken_in(history)
    answers = by_hand(history)
    assert refused == {each.seq: each.refused for each in answers if each.refused is not None}
    everybody = chronicle.player_ids(np.arange(chronicle.players))
    assert everybody == list(answers[-1].standings)
    for answer in answers:
        told = as_told(chronicle, rate_as_of(chronicle, answer.seq))
        assert known_so_far(told, answer) == answer.standings


@settings(max_examples=60, deadline=None)
@given(short_histories)
def test_nothing_before_the_first_place_of_a_fact_is_touched(history: list[FactEvent]) -> None:
    chronicle, refused = taken_in(history)
    for seq in range(2, len(history) + 1):
        place = chronicle.first_place(seq) if seq not in refused else seq
        before, after = (Replay(chronicle, as_of) for as_of in (seq - 1, seq))
        before.run_to(place)
        after.run_to(place)
        assert (before.standings.numbers == after.standings.numbers).all()
        # So a checkpoint at the place from before the fact does for the history after it.
        start = Checkpoint(place, before.standings)
        told = rate_as_of(chronicle, seq, start)
        assert (told.numbers == rate_as_of(chronicle, seq).numbers).all()


def test_a_long_history_comes_to_the_same_from_any_checkpoint() -> None:
    chance = seeded_chance()
    history = a_long_history(chance, 300)
    chronicle, _ = taken_in(history)
    expected = by_hand(history)[-1].standings
    for _ in range(20):
        halfway = Replay(chronicle, len(history))
        halfway.run_to(chance.randrange(len(history) + 2))
        told = rate_as_of(chronicle, len(history), halfway.checkpoint())
        assert as_told(chronicle, told) == expected


def test_a_chronicle_goes_on_from_its_files_as_if_it_had_never_stopped(tmp_path: Path) -> None:
    history = a_long_history(seeded_chance(), 200)
    whole, refused = taken_in(history)
    columns = FolderColumns(tmp_path, {})
    taken_in(history[:120], columns)
    assert columns.rows  # All that was appended is in the files now.
    chronicle = Chronicle(FolderColumns(tmp_path, columns.counts))
    refused_later = {}
    for seq, fact in enumerate(history[120:], start=121):
        try:
            chronicle.take_in(seq, fact)
        except ImpossibleFact as error:
            refused_later[seq] = error.reason
    assert refused_later == {seq: reason for seq, reason in refused.items() if seq > 120}
    for as_of in (100, 150, 200):
        ours, theirs = (rate_as_of(each, as_of) for each in (chronicle, whole))
        assert as_told(chronicle, ours) == as_told(whole, theirs)


@settings(max_examples=200, deadline=None)
@given(short_histories, st.lists(st.integers(1, 8), min_size=1))
def test_facts_taken_in_together_leave_what_one_after_the_other_does(
    history: list[FactEvent], sizes: list[int]
) -> None:
    columns, together = StoredColumns(), StoredColumns()
    _, refused = taken_in(history, columns)
    chronicle, refused_together = Chronicle(together), dict[int, str]()
    facts = iter(enumerate(history, start=1))
    for size in cycle(sizes):
        turn = [*islice(facts, size)]
        if not turn:
            break
        refused_together |= chronicle.take_in_all(turn, together_min=2)
    assert refused_together == refused
    assert_same_rows(together, columns)


def assert_same_rows(columns: StoredColumns, others: StoredColumns) -> None:
    assert columns.counts == others.counts
    for name, rows in columns.rows.items():
        assert (rows == others.rows[name]).all(), name


A, B, C = "MJ-0000001Y", "MJ-ABCDEFGG", "MJ-CLEO"
STORY: list[FactEvent] = [
    ADOPTED,
    a_session(a_round({A: 1, B: 0}), name="s-1"),
    a_session(a_round({B: 1, C: 0}), a_round({C: 1, B: 0, "BOB": 0}), name="s-2"),
]


def people(chronicle: Chronicle, seq: int) -> set[str]:
    return set(chronicle.player_ids(chronicle.session_players(seq)))


def test_a_fact_about_the_past_speaks_of_those_seated_in_its_sessions() -> None:
    other = a_session(a_round({A: 1, "MJ-NEW": 0}), name="s-3")
    chronicle, refused = taken_in(
        [
            *STORY,
            SessionsVoided(("s-1", "s-2"), "not_played"),
            SessionsVoided(("s-1",), "not_played"),
            SessionCorrected("s-2", "wrong_players", other),
            PlayersMerged("MJ-NEW", B),
            PlayersUnmerged("MJ-NEW", B),
            FormulaAdoptedFromBeginning(ADOPTED.formula, ADOPTED.parameters),
        ]
    )
    assert refused == {}
    assert [people(chronicle, seq) for seq in range(4, 10)] == [
        {A, B, C, "BOB"},
        {A, B},
        {A, B, C, "BOB", "MJ-NEW"},
        {"MJ-NEW", B},
        {"MJ-NEW", B},
        set(),
    ]
    # What was voided before, or is not played by anybody, touches nothing.
    assert [chronicle.first_place(seq) for seq in range(4, 10)] == [2, 5, 3, 3, 3, 0]


def test_ten_thousand_sessions_are_found_among_more_by_their_ids() -> None:
    sessions = [a_session(a_round({A: 1, B: 0}), name=f"s-{number}") for number in range(12_000)]
    wanted = tuple(f"s-{number}" for number in range(1_000, 11_000))
    chronicle, refused = taken_in(
        [
            ADOPTED,
            *sessions,
            SessionsVoided((*wanted[:-1], "s-unknown"), "test_entry"),
            SessionsVoided(wanted, "test_entry"),
        ]
    )
    assert refused == {12_002: "impossible_correction"}
    names = chronicle.history(12_003).sessions.place - 2
    assert names.tolist() == [*range(1_000), *range(11_000, 12_000)]


def test_whoever_is_told_between_two_stretches_may_leave_and_go_on_from_a_checkpoint() -> None:
    history = a_long_history(seeded_chance(), 100)
    chronicle, _ = taken_in(history)
    replay = Replay(chronicle, len(history))
    for stretch in replay.stretches(len(history) + 1, is_recorded=True):
        assert stretch.record is not None
        places = replay.history.sessions.place[stretch.session_from : stretch.session_to]
        assert replay.place == places[-1] + 1
        told = rate_as_of(chronicle, len(history), replay.checkpoint())
        assert as_told(chronicle, told) == by_hand(history)[-1].standings
        break


def test_a_replay_can_be_stopped_every_so_many_rounds_however_long_sessions_are() -> None:
    played = a_round({"MJ-ADA": 1, "MJ-BO": 0})
    long_sessions = [a_session(*[played] * 100, name=f"s-{number}") for number in range(600)]
    chronicle, _ = taken_in([ADOPTED, *long_sessions])
    replay = Replay(chronicle, 601)
    told = [(each.session_from, each.session_to) for each in replay.stretches(602)]
    assert told == [(0, 250), (250, 500), (500, 600)]
    assert as_told(chronicle, replay.standings)["MJ-ADA"].games == 60_000
    endless = a_session(*[played] * 30_000, name="endless")
    chronicle, _ = taken_in([ADOPTED, endless, *long_sessions[:2]])
    told = [(each.session_from, each.session_to) for each in Replay(chronicle, 4).stretches(5)]
    assert told == [(0, 1), (1, 3)]
