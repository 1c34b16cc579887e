"""What is foreseen of a change is what the history with that change gives, by full replays."""

from collections.abc import Sequence

import pytest

from services.foresight.changes import ForeseenChange, foresee_change
from services.foresight.season import TooLongToTryError
from shared.answers.effects import CHANGES_SHOWN_MAX
from shared.events.facts import FactEvent
from shared.replay.chronicle import FactAboutThePast
from tests.corrections.histories import a_long_history
from tests.corrections.stories import ADA, ADA_2, BO, beats, told_by_hand, voided
from tests.log.adapters import new_memory_logs
from tests.log.chances import seeded_chance
from tests.rater.stories import ADOPTED, fact_bodies
from tests.replay_by_hand.replay import Standing

# Of all facts about the past in a history by chance, so many are foreseen.
FORESEEN_MAX = 25


def no_progress(_at_hand: str, _done: int, _total: int) -> None: ...


async def foreseen(facts: Sequence[FactEvent], change: FactAboutThePast) -> ForeseenChange:
    logs = new_memory_logs()
    await logs.facts.append(fact_bodies(facts))
    return await foresee_change(logs.facts, change, no_progress, rounds_max=1_000_000)


async def check(facts: Sequence[FactEvent], change: FactAboutThePast) -> bool:
    """Hold what is foreseen against the replay by hand; return whether the change is possible."""
    seq = len(facts) + 1
    told = await told_by_hand([*facts, change])
    found = await foreseen(facts, change)
    assert found.as_of == seq - 1
    if seq in told.refused:
        assert found.effect is None
        return False
    moves = told.moves[seq]
    assert found.effect is not None
    assert found.effect["players_moved"] == len(moves)
    assert len(found.effect["changes"]) == min(len(moves), CHANGES_SHOWN_MAX)
    for each in found.effect["changes"]:
        before, after = moves[each["player_id"]]
        assert (
            Standing(
                round(100 * each["rating_before"]),
                each["games_before"],
                round(100 * each["verified_rating_before"]),
                each["verified_games_before"],
            )
            == before
        )
        assert (
            Standing(
                round(100 * each["rating_after"]),
                each["games_after"],
                round(100 * each["verified_rating_after"]),
                each["verified_games_after"],
            )
            == after
        )
    return True


async def test_whatever_is_changed_it_is_foreseen_as_it_comes() -> None:
    chance = seeded_chance()
    facts = a_long_history(chance, 150)
    changes = [
        (number, each) for number, each in enumerate(facts) if isinstance(each, FactAboutThePast)
    ]
    for number, change in chance.sample(changes, min(FORESEEN_MAX, len(changes))):
        await check(facts[:number], change)


async def test_a_void_is_foreseen_and_one_of_nothing_is_not_possible() -> None:
    facts: list[FactEvent] = [ADOPTED, beats(ADA, BO, "s-1"), beats(ADA, ADA_2, "s-2")]
    assert await check(facts, voided("s-1"))
    assert await check(facts, voided("s-1", "s-2"))
    assert not await check(facts, voided("s-3"))


async def test_nothing_is_changed_by_looking() -> None:
    logs = new_memory_logs()
    facts: list[FactEvent] = [ADOPTED, beats(ADA, BO, "s-1")]
    await logs.facts.append(fact_bodies(facts))
    end = await logs.facts.tail()
    for _ in range(2):
        found = await foresee_change(logs.facts, voided("s-1"), no_progress, rounds_max=1)
        assert found.effect is not None
        assert found.effect["players_moved"] == 2
    assert await logs.facts.tail() == end


async def test_a_record_that_is_too_long_is_not_held() -> None:
    logs = new_memory_logs()
    facts: list[FactEvent] = [ADOPTED, *(beats(ADA, BO, f"s-{n}") for n in range(3))]
    await logs.facts.append(fact_bodies(facts))
    with pytest.raises(TooLongToTryError):
        await foresee_change(logs.facts, voided("s-1"), no_progress, rounds_max=2)
