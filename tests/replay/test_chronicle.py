"""The chronicle and the replay, held against full replays by hand, as of every fact."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.events.facts import FactEvent
from shared.rating.columns import Standings
from shared.replay.chronicle import Chronicle
from shared.replay.files import Columns
from shared.replay.possible import ImpossibleFact
from shared.replay.replay import Checkpoint, Replay, rate_as_of
from tests.corrections.histories import STEP_BYTES, a_long_history, facts_of
from tests.log.chances import seeded_chance
from tests.replay_by_hand.replay import Answer, Standing, replay

step = st.binary(min_size=STEP_BYTES, max_size=STEP_BYTES)
short_histories = st.integers(0, 25).flatmap(
    lambda steps_min: st.lists(step, min_size=steps_min, max_size=steps_min + 10).map(facts_of)
)


def taken_in(facts: Sequence[FactEvent]) -> tuple[Chronicle, dict[int, str]]:
    """Return a chronicle of facts, and why some were not taken in."""
    chronicle, refused = Chronicle(Columns()), dict[int, str]()
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
