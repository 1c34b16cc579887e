"""Whoever expects a verdict gets it when it comes, also when it came a moment ago."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from services.ingest.waiting import RECENT_RECORDS, Verdicts
from shared.events.codec import encode_verdict
from shared.events.verdicts import Answers, FactRefused
from shared.ids import session_id
from shared.log.memory import MemoryVerdictLog, MemoryVerdictWriter
from shared.log.port import LogAway, Position, Record
from shared.log.until_there import until_there
from tests.log.deadlines import deadline

LOG_ID = "log_of_a_test"


def session(number: int) -> str:
    return session_id(1_770_000_000_000, number)


@dataclass
class Line:
    """A log of verdicts whose every second look finds it away, and which tells how far it read."""

    log: MemoryVerdictLog
    looks: int = 0
    seen: asyncio.Condition = field(default_factory=asyncio.Condition)
    seen_seq: int = -1

    async def beginning(self) -> Position:
        return await self.log.beginning()

    async def tail(self) -> Position:
        self._be_away_every_second_time()
        return await self.log.tail()

    async def last(self) -> Record | None:
        return await self.log.last()

    async def at(self, seq: int) -> Position | None:
        return await self.log.at(seq)

    async def read(self, after: Position, records_max: int) -> list[Record]:
        self._be_away_every_second_time()
        async with self.seen:
            self.seen_seq = after.seq
            self.seen.notify_all()
        return await self.log.read(after, records_max)

    async def wait_beyond(self, seq: int, wait_s: float) -> None:
        await self.log.wait_beyond(seq, wait_s)

    async def open_writer(self, holder: str) -> MemoryVerdictWriter:
        return await self.log.open_writer(holder)

    def _be_away_every_second_time(self) -> None:
        self.looks += 1
        if self.looks % 2:
            raise LogAway("The log of this test is away.")


@dataclass
class Desk:
    """Somebody who waits, and the rater that writes."""

    line: Line
    writer: MemoryVerdictWriter
    verdicts: Verdicts
    written: int = 0

    async def judge(self, *numbers: int) -> None:
        """Write a verdict on each session."""
        bodies = []
        for number in numbers:
            self.written += 1
            answers = Answers(self.written, b"\0" * 32, 1, 1, "mahjic-elo/1", "engine")
            bodies.append(
                encode_verdict(
                    FactRefused(f"reason {number}", session(number)),
                    answers,
                    log_id=LOG_ID,
                    time="2026-02-01T12:00:00.000000Z",
                    subject=session(number),
                )
            )
        await self.writer.append(bodies, fact_seq=self.written)

    async def followed(self) -> None:
        """Wait until all that was written is handed out."""
        async with deadline(), self.line.seen:
            await self.line.seen.wait_for(lambda: self.line.seen_seq == self.written)


@asynccontextmanager
async def a_desk(*, already: int = 0, not_yet_followed: Sequence[int] = ()) -> AsyncIterator[Desk]:
    """Follow a log that has some verdicts already, or gets some just before it is followed."""
    log = MemoryVerdictLog(LOG_ID)
    line = Line(log)
    desk = Desk(line, await log.open_writer("a test"), Verdicts(line))
    if already:
        await desk.judge(*range(10_000, 10_000 + already))
    await until_there(desk.verdicts.find_end)
    if not_yet_followed:
        await desk.judge(*not_yet_followed)
    following = asyncio.create_task(desk.verdicts.follow())
    try:
        await desk.followed()
        yield desk
    finally:
        following.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await following


def soon() -> float:
    """Return a time at which a test would have failed anyway."""
    return asyncio.get_running_loop().time() + 60


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_a_verdict_is_given_to_everybody_who_expects_it_and_to_nobody_else() -> None:
    async with a_desk() as desk:
        with (
            desk.verdicts.expect(session(1)) as one,
            desk.verdicts.expect(session(1)) as same,
            desk.verdicts.expect(session(2)) as other,
        ):
            waiting = [asyncio.create_task(each.by(soon())) for each in (one, same)]
            await desk.judge(3, 1)
            for each in waiting:
                assert await each == FactRefused("reason 1", session(1))
            await desk.followed()
            assert await other.by(now()) is None


async def test_a_verdict_that_came_before_it_was_expected_is_given_at_once() -> None:
    async with a_desk() as desk:
        await desk.judge(1)
        await desk.followed()
        with desk.verdicts.expect(session(1)) as expected:
            assert await expected.by(now()) == FactRefused("reason 1", session(1))


async def test_the_latest_verdicts_are_kept_and_older_ones_are_left_to_the_views() -> None:
    async with a_desk() as desk:
        await desk.judge(*range(RECENT_RECORDS + 1))
        await desk.followed()
        with desk.verdicts.expect(session(0)) as forgotten:
            assert await forgotten.by(now()) is None
        with desk.verdicts.expect(session(1)) as oldest:
            assert await oldest.by(now()) == FactRefused("reason 1", session(1))


async def test_a_verdict_that_comes_before_the_log_is_followed_is_given_too() -> None:
    async with a_desk(not_yet_followed=[1]) as desk:
        with desk.verdicts.expect(session(1)) as expected:
            assert await expected.by(now()) == FactRefused("reason 1", session(1))


async def test_only_what_comes_from_now_on_is_followed() -> None:
    async with a_desk(already=3) as desk:
        with desk.verdicts.expect(session(10_000)) as earlier:
            assert await earlier.by(now()) is None
        with desk.verdicts.expect(session(1)) as expected:
            await desk.judge(1)
            assert await expected.by(soon()) == FactRefused("reason 1", session(1))


async def test_somebody_who_gave_up_is_not_in_the_way_of_others() -> None:
    async with a_desk() as desk:
        with desk.verdicts.expect(session(1)) as impatient:
            assert await impatient.by(now()) is None
        with desk.verdicts.expect(session(1)) as patient:
            with desk.verdicts.expect(session(1)):
                pass
            await desk.judge(1)
            assert await patient.by(soon()) == FactRefused("reason 1", session(1))
