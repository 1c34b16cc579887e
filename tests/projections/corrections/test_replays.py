"""The rounds behind a correction are found beside the requests, within bounds, and not twice."""

import asyncio
import json
from collections.abc import Sequence

import pytest

from services.projections.history import replays
from services.projections.history.entries import ReplayedRound
from services.projections.history.replays import BeingComputed, Replays
from shared.errors import LogUnavailable
from shared.events.codec import UnknownEventType
from shared.events.facts import FactEvent, FormulaAdopted, SessionsVoided
from shared.log.memory import MemoryFactLog
from shared.log.port import HistorySplit, LogAway, Position, Record
from shared.rating.registry import UnknownFormula
from tests.corrections.seasons import a_season
from tests.log.adapters import LOG_ID
from tests.log.deadlines import deadline
from tests.projections.patience import patient_replays
from tests.rater.stories import ADOPTED, a_round, a_session, fact_bodies

SEED = 7
ROUNDS = 600
# The session that is voided, and a player who sat in it.
FIRST = a_season(SEED, rounds=1, players=9)[0]
SOMEBODY = FIRST.rounds[0].players[0]
VOID_SEQ = ROUNDS + 2


class RecordedLog(MemoryFactLog):
    """A log of facts that counts the reads, and is away or another one when a test says so."""

    def __init__(self, events: Sequence[FactEvent | bytes]) -> None:
        super().__init__(LOG_ID)
        self.events = events
        self.reads = 0
        self.fault: Exception | None = None

    async def filled(self) -> "RecordedLog":
        await self.append(fact_bodies(self.events))
        return self

    async def read(self, after: Position, records_max: int) -> list[Record]:
        self.reads += 1
        if self.fault is not None:
            raise self.fault
        return await super().read(after, records_max)


async def a_voided_season() -> RecordedLog:
    season = a_season(SEED, rounds=ROUNDS, players=9)
    void = SessionsVoided((FIRST.session_id,), "not_played")
    return await RecordedLog([ADOPTED, *season, void]).filled()


async def until_found(found: Replays, who: str, seq: int) -> Sequence[ReplayedRound] | None:
    """Ask again and again, as a client does."""
    async with deadline():
        while True:
            try:
                return await found.changed_rounds(who, seq)
            except BeingComputed:
                await asyncio.sleep(0.01)


async def test_whoever_asks_too_early_is_told_to_come_again_and_the_work_goes_on() -> None:
    log = await a_voided_season()
    found = Replays(log, rounds_max=ROUNDS, wait_s_max=0)
    with pytest.raises(BeingComputed) as refused:
        await found.changed_rounds(SOMEBODY, VOID_SEQ)
    assert (refused.value.status, refused.value.headers["Retry-After"]) == (503, "2")
    changed = await until_found(found, SOMEBODY, VOID_SEQ)
    assert changed is not None
    assert (changed[0].fact_seq, changed[0].round_no, changed[0].after) == (2, 1, None)
    # Everybody plays with everybody, so nearly all that came after has other numbers.
    assert len(changed) > ROUNDS / 4
    reads = log.reads
    assert await found.changed_rounds(SOMEBODY, VOID_SEQ) is changed
    assert log.reads == reads


async def test_other_requests_are_answered_while_a_history_is_replayed() -> None:
    log = await a_voided_season()
    found = patient_replays(log, rounds_max=ROUNDS)
    ticks = 0
    task = asyncio.create_task(found.changed_rounds(SOMEBODY, VOID_SEQ))
    while not task.done():
        await asyncio.sleep(0.001)
        ticks += 1
    assert await task
    # A replay of 600 rounds in plain Python takes some tens of milliseconds.
    assert ticks > 5


async def test_many_who_ask_the_same_at_once_are_answered_by_one_replay() -> None:
    log = await a_voided_season()
    found = patient_replays(log, rounds_max=ROUNDS)
    answers = await asyncio.gather(
        *(found.changed_rounds(SOMEBODY, VOID_SEQ) for _ in range(3 * replays.ASKED_MAX))
    )
    assert all(each is answers[0] for each in answers)


async def test_more_questions_than_can_wait_are_put_off() -> None:
    log = await a_voided_season()
    found = patient_replays(log, rounds_max=ROUNDS)
    seqs = range(VOID_SEQ - replays.ASKED_MAX, VOID_SEQ + 1)
    answers = await asyncio.gather(
        *(found.changed_rounds(SOMEBODY, seq) for seq in seqs), return_exceptions=True
    )
    assert [type(each) for each in answers if isinstance(each, Exception)] == [BeingComputed]


async def test_a_history_of_too_many_rounds_is_thrown_away_and_never_read_again() -> None:
    log = await a_voided_season()
    found = patient_replays(log, rounds_max=ROUNDS - 1)
    assert await found.changed_rounds(SOMEBODY, VOID_SEQ) is None
    reads = log.reads
    assert await found.changed_rounds(SOMEBODY, VOID_SEQ) is None
    assert log.reads == reads
    assert (
        await patient_replays(log, rounds_max=ROUNDS).changed_rounds(SOMEBODY, VOID_SEQ) is not None
    )


FROM_TOMORROW = json.dumps({"type": "session-imagined.v9", "data": {}}).encode()


@pytest.mark.parametrize(
    ("newer", "error"),
    [(FormulaAdopted("mahjic-elo/99", {}), UnknownFormula), (FROM_TOMORROW, UnknownEventType)],
)
async def test_a_fact_of_a_newer_program_stops_only_those_who_ask_beyond_it(
    newer: FactEvent | bytes, error: type[Exception]
) -> None:
    log = await a_voided_season()
    expected = await patient_replays(log, rounds_max=ROUNDS).changed_rounds(SOMEBODY, VOID_SEQ)
    behind = await RecordedLog([*log.events, newer, *log.events[1:30]]).filled()
    found = patient_replays(behind, rounds_max=ROUNDS)
    for _ in range(2):
        with pytest.raises(error):
            await found.changed_rounds(SOMEBODY, VOID_SEQ + 5)
        # What was taken in of the page before the error is not taken in once more.
        assert await found.changed_rounds(SOMEBODY, VOID_SEQ) == expected


async def test_a_log_that_is_away_is_told_so_and_read_once_it_is_back() -> None:
    log = await a_voided_season()
    found = patient_replays(log, rounds_max=ROUNDS)
    log.fault = LogAway("It is away.")
    with pytest.raises(LogUnavailable):
        await found.changed_rounds(SOMEBODY, VOID_SEQ)
    log.fault = None
    assert await found.changed_rounds(SOMEBODY, VOID_SEQ)


async def test_a_log_that_was_put_back_is_read_from_its_beginning() -> None:
    log = await a_voided_season()
    found = patient_replays(log, rounds_max=2 * ROUNDS)
    assert await found.changed_rounds(SOMEBODY, VOID_SEQ)
    other: list[FactEvent] = [ADOPTED, FIRST, SessionsVoided((FIRST.session_id,), "other")]
    log.fault = HistorySplit("It tells another history.")
    with pytest.raises(HistorySplit):
        await found.changed_rounds(SOMEBODY, VOID_SEQ + 1)
    put_back = await RecordedLog(other).filled()
    log.fault = None
    log._records = put_back._records
    changed = await found.changed_rounds(SOMEBODY, 3)
    assert changed is not None
    assert len(changed) == 1


async def test_a_fact_that_cannot_be_read_or_be_counts_for_nothing() -> None:
    winner, loser = "MJ-A", "MJ-B"
    impossible = a_session(a_round({winner: 3, loser: -2}), name="s-impossible")
    session = a_session(a_round({winner: 1, loser: 0}), name="s-1")
    unknown = SessionsVoided(("s-nobody-knows",), "other")
    void = SessionsVoided(("s-1",), "other")
    log = await RecordedLog([ADOPTED, b"{}", impossible, unknown, session, void]).filled()
    changed = await patient_replays(log, rounds_max=9).changed_rounds(loser, 6)
    assert changed is not None
    ((only),) = changed
    assert (only.fact_seq, only.round_no, only.after) == (5, 1, None)
    assert only.before is not None
    assert only.before.mahjic.rating_change == -1600
    assert await patient_replays(log, rounds_max=9).changed_rounds("MJ-NOBODY", 6) == ()


async def test_a_replay_in_short_stretches_finds_the_same() -> None:
    log = await a_voided_season()
    whole = await patient_replays(log, rounds_max=ROUNDS).changed_rounds(SOMEBODY, VOID_SEQ)
    for recorded_max in (1, 7, ROUNDS):
        found = patient_replays(log, rounds_max=ROUNDS, recorded_max=recorded_max)
        assert await found.changed_rounds(SOMEBODY, VOID_SEQ) == whole


async def test_only_the_last_answers_are_kept() -> None:
    log = await a_voided_season()
    found = patient_replays(log, rounds_max=ROUNDS, answers_max=2)
    first = await found.changed_rounds(SOMEBODY, VOID_SEQ)
    others = [each for each in FIRST.rounds[0].players if each != SOMEBODY]
    for each in others[:2]:
        await found.changed_rounds(each, VOID_SEQ)
    again = await found.changed_rounds(SOMEBODY, VOID_SEQ)
    assert again == first
    assert again is not first
    assert await found.changed_rounds(SOMEBODY, VOID_SEQ) is again
