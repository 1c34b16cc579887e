"""Answers to facts about the past: their parts, and what goes on while they are worked out."""

import asyncio
from collections.abc import Sequence

import pytest

from services.rater.answering import is_about_the_past, read_fact
from services.rater.correct import PART_PLAYERS_MAX
from shared.events.codec import decode_verdict
from shared.events.facts import (
    FactEvent,
    FormulaAdopted,
    FormulaAdoptedFromBeginning,
    PlayersMerged,
    SessionsVoided,
)
from shared.events.verdicts import FactRefused, RatingsCorrected
from shared.log.memory import MemoryFactLog, MemoryVerdictLog
from shared.log.port import Record
from shared.rating.registry import MAHJIC_ELO_2_SCALED, UnknownFormula
from shared.replay.adoptions import FormulaDiffers
from tests.log.adapters import LOG_ID, Logs, TheseLogs, new_memory_logs
from tests.log.deadlines import deadline
from tests.rater.running import (
    a_running_rater,
    all_bodies,
    canceled,
    error_of,
    start_rater,
    until_answered,
)
from tests.rater.stories import (
    ADOPTED,
    a_rater,
    a_round,
    a_session,
    answered,
    fact_bodies,
    fact_records,
    verdicts_on,
)

ADA, BO = "MJ-ADA", "MJ-BO"
SCALED = FormulaAdoptedFromBeginning(MAHJIC_ELO_2_SCALED.name, MAHJIC_ELO_2_SCALED.parameters)
TABLES = PART_PLAYERS_MAX // 4 + 10


def a_full_hall() -> list[FactEvent]:
    """Return sessions of four each, all different; the scaled formula moves every one of them."""
    return [
        a_session(
            a_round({f"MJ-{table:05}-{seat}": 2 ** (3 - seat) for seat in range(4)}),
            name=f"s-{table}",
        )
        for table in range(TABLES)
    ]


def corrected(events: Sequence[FactEvent]) -> list[RatingsCorrected]:
    """Return the parts of the answer to the last fact."""
    parts = [each for each in verdicts_on(events) if each.answers.fact_seq == len(events)]
    assert [(each.answers.part, each.answers.parts) for each in parts] == [
        (number, len(parts)) for number in range(1, len(parts) + 1)
    ]
    told = [each.event for each in parts]
    assert all(isinstance(each, RatingsCorrected) for each in told)
    return [each for each in told if isinstance(each, RatingsCorrected)]


# What it says.


def test_more_players_than_fit_into_a_part_are_told_in_several() -> None:
    first, second = corrected([ADOPTED, *a_full_hall(), SCALED])
    assert (first.fact_type, first.data) == (SCALED.TYPE, SCALED.to_json())
    assert (second.fact_type, second.data) == (SCALED.TYPE, {})
    assert first.moved == second.moved == 4 * TABLES
    assert (len(first.players), len(second.players)) == (PART_PLAYERS_MAX, 40)
    # Those who move most come first, and of them whoever appeared first on the log: the winners
    # and the last of each table go from 48 up or down to 16, the others from 16 to 16 / 3.
    changes = [*first.rating_change, *second.rating_change]
    assert changes == [-32_00, 32_00] * TABLES + [-10_67, 10_67] * TABLES
    assert first.players[:3] == ("MJ-00000-0", "MJ-00000-3", "MJ-00001-0")
    assert second.players[-1] == f"MJ-{TABLES - 1:05}-2"


def test_a_correction_that_moves_nobody_is_told_in_one_part() -> None:
    (part,) = corrected([ADOPTED, PlayersMerged(ADA, BO)])
    assert (part.fact_type, part.moved, part.players) == (PlayersMerged.TYPE, 0, ())
    assert part.data == {"player_id": ADA, "into": BO}


def test_a_correction_tells_the_formula_that_holds_after_it() -> None:
    *_, before, after = verdicts_on([ADOPTED, *a_full_hall()[:1], SCALED])
    assert (before.answers.formula, after.answers.formula) == (
        "mahjic-elo/1",
        "mahjic-elo/2-scaled",
    )


def test_a_refused_correction_sounds_the_alarm_and_changes_nothing() -> None:
    rater = a_rater()
    answered([ADOPTED, a_session(a_round({ADA: 1, BO: 0})), PlayersMerged(ADA, BO)], rater)
    assert rater.facts_refused == 1
    assert rater.state.standing(ADA).rating_centi == 1516_00
    (verdict,) = verdicts_on([ADOPTED, SessionsVoided(("s-9",), "other")])[1:]
    assert verdict.event == FactRefused("impossible_correction", "s-9")


@pytest.mark.parametrize(
    ("fact", "error"),
    [
        (FormulaAdoptedFromBeginning("mahjic-elo/99", {}), UnknownFormula),
        (FormulaAdoptedFromBeginning("mahjic-elo/1", {}), FormulaDiffers),
        (FormulaAdopted("mahjic-elo/1", {}), FormulaDiffers),
    ],
)
def test_a_formula_that_this_program_does_not_have_changes_nothing(
    fact: FactEvent, error: type[Exception]
) -> None:
    rater = a_rater()
    *before, record = fact_records([ADOPTED, *a_full_hall()[:1], fact])
    for each in before:
        rater.answer(each)
    place, standings = rater.position, rater.state.standings.numbers.copy()
    with pytest.raises(error):
        rater.answer(record)
    assert rater.position == place
    assert (rater.state.standings.numbers == standings).all()


# When it is written.


class WatchedLog(MemoryVerdictLog):
    """A log of verdicts that remembers each append: how many bodies, up to which fact."""

    def __init__(self, log_id: str) -> None:
        super().__init__(log_id)
        self.appends: list[tuple[int, int]] = []

    async def append_as(self, epoch: int, bodies: Sequence[bytes], fact_seq: int) -> list[Record]:
        self.appends.append((len(bodies), fact_seq))
        return await super().append_as(epoch, bodies, fact_seq)


async def test_what_stands_before_a_correction_is_written_first_and_its_parts_in_one_step() -> None:
    watched = WatchedLog(LOG_ID)
    logs = TheseLogs(MemoryFactLog(LOG_ID), watched, new_memory_logs().harm)
    sessions = a_full_hall()
    facts: list[FactEvent] = [ADOPTED, *sessions, SCALED, SessionsVoided(("s-0",), "other")]
    after = a_session(a_round({ADA: 1, BO: 0}))
    await logs.facts.append(fact_bodies([*facts, after]))
    async with a_running_rater(logs):
        await until_answered(logs, len(facts) + 2)
    *before, adopted, voided, last = watched.appends
    assert before[-1][1] == 1 + len(sessions)
    assert (adopted, voided, last) == ((2, len(facts) - 1), (1, len(facts)), (1, len(facts) + 1))


async def test_others_have_their_turns_while_the_history_is_replayed(logs: Logs) -> None:
    await logs.facts.append(fact_bodies([ADOPTED, *a_full_hall()]))
    async with deadline(), a_running_rater(logs):
        await until_answered(logs, 1 + TABLES)
        await logs.facts.append(fact_bodies([ADOPTED, *a_full_hall(), SCALED])[1 + TABLES :])
        turns = 0
        while (await logs.verdicts.tail()).seq < 3 + TABLES:
            turns += 1
            await asyncio.sleep(0)
    # In the thread of the loop there would be none at all.
    assert turns > 5
    assert await all_bodies(logs.verdicts) == answered([ADOPTED, *a_full_hall(), SCALED])


async def test_a_rater_stopped_within_a_correction_has_written_none_of_it(logs: Logs) -> None:
    facts = [ADOPTED, *a_full_hall(), SCALED]
    await logs.facts.append(fact_bodies(facts))
    rater = start_rater(logs)
    await until_answered(logs, 1 + TABLES)
    await asyncio.sleep(0)
    await canceled(rater)
    assert (await logs.verdicts.tail()).seq in {1 + TABLES, 3 + TABLES}
    async with a_running_rater(logs):
        await until_answered(logs, 3 + TABLES)
    assert await all_bodies(logs.verdicts) == answered(facts)


async def test_a_formula_that_is_unknown_stops_the_running_rater(memory_logs: Logs) -> None:
    unknown = FormulaAdoptedFromBeginning("mahjic-elo/99", {})
    await memory_logs.facts.append(fact_bodies([ADOPTED, unknown]))
    for _ in range(2):
        assert isinstance(await error_of(start_rater(memory_logs)), UnknownFormula)
        assert await all_bodies(memory_logs.verdicts) == answered([ADOPTED])


async def test_a_start_after_a_correction_finds_its_last_part(logs: Logs) -> None:
    facts = [ADOPTED, *a_full_hall(), SCALED]
    await logs.facts.append(fact_bodies(facts))
    for engine in ("one", "one", "another"):
        async with a_running_rater(logs, engine=engine):
            await until_answered(logs, 3 + TABLES)
    later = SessionsVoided(("s-1",), "not_played")
    await logs.facts.append(fact_bodies([*facts, later])[-1:])
    async with a_running_rater(logs, engine="another"):
        await until_answered(logs, 4 + TABLES)
    *_, last = await all_bodies(logs.verdicts)
    assert decode_verdict(last).event == verdicts_on([*facts, later])[-1].event


def test_only_facts_about_the_past_are_told_apart() -> None:
    records = fact_records([ADOPTED, *a_full_hall()[:1], SCALED, b"poison"])
    assert [is_about_the_past(read_fact(each)) for each in records] == [False, False, True, False]
