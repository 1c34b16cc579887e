"""Whoever expects a verdict gets it when it comes, also when it came a moment ago."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from services.ingest.waiting import RECENT_CHANGES, RECENT_RECORDS, Verdicts
from shared.events.codec import encode_verdict
from shared.events.verdicts import (
    Answers,
    FactNoted,
    FactRefused,
    RatingsCorrected,
    SessionRated,
    VerdictEvent,
)
from shared.ids import session_id
from shared.log.memory import MemoryVerdictLog, MemoryVerdictWriter
from shared.log.port import LogAway, Position, Record
from shared.log.until_there import until_there
from tests.log.deadlines import deadline

LOG_ID = "log_of_a_test"


def session(number: int) -> str:
    return session_id(1_770_000_000_000, number)


def verdict(
    event: VerdictEvent, fact_seq: int, *, subject: str, part: int = 1, parts: int = 1
) -> bytes:
    """Return the bytes of a verdict, as the rater writes them."""
    return encode_verdict(
        event,
        Answers(fact_seq, b"\0" * 32, part, parts, "mahjic-elo/2-scaled", "0" * 64),
        log_id="0192f0c1-7f3b-7f3b-8f3b-0192f0c17f3b",
        time="2026-02-01T12:00:00.000000Z",
        subject=subject,
    )


def a_change(fact_type: str, *players: str, session_id: str | None = None) -> RatingsCorrected:
    """Return one part of a verdict on the past."""
    rated = session_id and SessionRated(session_id, "a-club", "2026-01-31", "social", (), ())
    data = {"session_ids": [session(1)] * 50}
    columns = [tuple(0 for _ in players)] * 8
    return RatingsCorrected(fact_type, data, rated or None, 2, players, *columns)


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
            refused = FactRefused(f"reason {number}", session(number))
            bodies.append(verdict(refused, self.written, subject=session(number)))
        await self.writer.append(bodies, fact_seq=self.written)

    async def tell(self, *parts: VerdictEvent, subject: str) -> int:
        """Write a verdict in parts on the next fact, and return the place of that."""
        fact_seq = self.written + 1
        self.written += len(parts)
        await self.writer.append(
            [
                verdict(event, fact_seq, subject=subject, part=part, parts=len(parts))
                for part, event in enumerate(parts, start=1)
            ],
            fact_seq=fact_seq,
        )
        return fact_seq

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


async def test_whoever_waits_for_a_fact_gets_the_first_part_of_its_verdict() -> None:
    first, second = (a_change("players-merged.v1", f"MJ-{part}") for part in (1, 2))
    async with a_desk() as desk:
        with desk.verdicts.expect(1) as early:
            fact_seq = await desk.tell(first, second, subject="MJ-1")
            assert await early.by(soon()) == first
        await desk.followed()
        with desk.verdicts.expect(fact_seq) as late:
            assert await late.by(now()) == first


async def test_the_void_of_a_session_is_not_the_verdict_on_the_session() -> None:
    voided = a_change("sessions-voided.v1", "MJ-1")
    async with a_desk() as desk:
        with desk.verdicts.expect(session(1)) as on_session:
            fact_seq = await desk.tell(voided, subject=session(1))
            await desk.followed()
            assert await on_session.by(now()) is None
            with desk.verdicts.expect(fact_seq) as on_fact:
                assert await on_fact.by(now()) == voided
            await desk.judge(1)
            assert await on_session.by(soon()) == FactRefused("reason 1", session(1))


async def test_a_session_that_takes_the_place_of_another_is_found_by_both() -> None:
    corrected = a_change("session-corrected.v1", "MJ-1", session_id=session(2))
    async with a_desk() as desk:
        fact_seq = await desk.tell(corrected, subject=session(2))
        await desk.followed()
        for topic in (session(2), fact_seq):
            with desk.verdicts.expect(topic) as expected:
                assert await expected.by(now()) == corrected


async def test_a_fact_that_moved_nobody_and_one_that_was_refused_are_told_too() -> None:
    noted = FactNoted("formula-adopted.v1", {"formula": "mahjic-elo/1"})
    refused = FactRefused("impossible_correction", None)
    async with a_desk() as desk:
        for event in (noted, refused):
            fact_seq = await desk.tell(event, subject="mahjic-elo/1")
            await desk.followed()
            with desk.verdicts.expect(fact_seq) as expected:
                assert await expected.by(now()) == event


async def test_the_first_verdict_about_a_session_is_its_verdict_whatever_is_said_later() -> None:
    rated = SessionRated(session(1), "a-club", "2026-01-31", "social", (), ())
    refused = FactRefused("the session was rated before", session(1))
    async with a_desk() as desk:
        await desk.tell(rated, subject=session(1))
        fact_seq = await desk.tell(refused, subject=session(1))
        await desk.followed()
        with desk.verdicts.expect(session(1)) as on_session:
            assert await on_session.by(now()) == rated
        with desk.verdicts.expect(fact_seq) as on_fact:
            assert await on_fact.by(now()) == refused


async def test_only_a_few_changes_are_kept_and_they_push_no_session_out() -> None:
    async with a_desk() as desk:
        await desk.judge(1)
        first = desk.written + 1
        for _ in range(RECENT_CHANGES + 1):
            await desk.tell(a_change("formula-adopted.v2", "MJ-1"), subject="mahjic-elo/1")
        await desk.followed()
        with desk.verdicts.expect(first) as forgotten:
            assert await forgotten.by(now()) is None
        with desk.verdicts.expect(first + 1) as kept, desk.verdicts.expect(session(1)) as rated:
            assert await kept.by(now()) is not None
            assert await rated.by(now()) is not None
