"""A verdict of many parts is taken in by whole parts, and the builds say how far they are."""

import io
from collections.abc import Sequence

import asyncpg
import pytest

from services.projections.building.rebuild import build_missing_views
from shared.events.codec import encode_verdict
from shared.events.facts import PlayersMerged, PlayerVerified
from shared.events.verdicts import Answers, FactNoted, RatingsCorrected, VerdictEvent
from shared.feed.advancing import BATCH_BYTES_MAX, advance
from shared.feed.feed import Feed, read_live
from shared.feed.views import Build
from shared.http.logs import configure_logs
from shared.log.memory import MemoryVerdictLog, MemoryVerdictWriter
from tests.conftest import Database
from tests.feed.tally import Tally

LOG_ID = "log_of_a_test"
TIME = "2026-02-01T12:00:00.000000Z"


@pytest.fixture(autouse=True)
def quiet_log() -> None:
    configure_logs(stream=io.StringIO())


class Told:
    """A log of verdicts: `a` stands for one of a single part, a number for one of so many parts."""

    def __init__(self) -> None:
        self.log = MemoryVerdictLog(LOG_ID)
        self._writer: MemoryVerdictWriter | None = None
        self._fact_seq = 0

    async def tell(self, *verdicts: str | int, bytes_each: int = 0) -> None:
        self._writer = self._writer or await self.log.open_writer("test")
        for verdict in verdicts:
            self._fact_seq += 1
            parts = verdict if isinstance(verdict, int) else 1
            event = a_part(bytes_each) if isinstance(verdict, int) else a_note()
            await self._writer.append(
                [self._body(event, part, parts) for part in range(1, parts + 1)],
                fact_seq=self._fact_seq,
            )

    def _body(self, event: VerdictEvent, part: int, parts: int) -> bytes:
        answers = Answers(self._fact_seq, bytes(32), part, parts, "mahjic-elo/1", "test")
        return encode_verdict(event, answers, log_id=LOG_ID, time=TIME, subject="MJ-ADA")


def a_note() -> VerdictEvent:
    return FactNoted(PlayerVerified.TYPE, {"player_id": "MJ-ADA"})


def a_part(bytes_min: int) -> VerdictEvent:
    names = tuple(f"MJ-{number:05}" for number in range(bytes_min // 20))
    zeros = (0,) * len(names)
    return RatingsCorrected(PlayersMerged.TYPE, {}, None, 0, names, *[zeros] * 8)


async def built(pool: asyncpg.Pool, *views: Tally) -> None:
    await build_missing_views(views, pool=pool, log=MemoryVerdictLog(LOG_ID))


async def batches(pool: asyncpg.Pool, told: Told, tally: Tally, records_max: int) -> list[Build]:
    """Follow to the end, and return the build as it stood after each batch."""
    views = {tally.name: tally}
    stood: list[Build] = []
    while True:
        builds = await read_live(pool, views)
        done = await advance(pool, told.log, builds, views, records_max=records_max)
        if not done.entries:
            return stood
        (build,) = await read_live(pool, views)
        assert [build] == list(done.builds)
        stood.append(build)


def marks(stood: Sequence[Build]) -> list[tuple[int, int, tuple[int, int] | None]]:
    return [(each.position.seq, each.fact_seq, each.correcting) for each in stood]


async def test_between_the_parts_of_a_verdict_a_build_says_how_far_it_is(
    database: Database,
) -> None:
    told, tally = Told(), Tally()
    await built(database.pool, tally)
    await told.tell("a", 3, "a")
    stood = await batches(database.pool, told, tally, 1)
    assert marks(stood) == [
        (1, 1, None),
        (2, 1, (1, 3)),
        (3, 1, (2, 3)),
        (4, 2, None),
        (5, 3, None),
    ]


async def test_the_first_part_of_many_begins_a_batch_and_what_follows_goes_on_with_it(
    database: Database,
) -> None:
    told, tally = Told(), Tally()
    await built(database.pool, tally)
    await told.tell("a", "a", 3, "a", 2, 2, "a")
    stood = await batches(database.pool, told, tally, 100)
    assert marks(stood) == [(2, 2, None), (6, 4, None), (8, 5, None), (11, 7, None)]


async def test_a_batch_that_ends_between_parts_holds_parts_of_that_verdict_alone(
    database: Database,
) -> None:
    told = Told()
    for records_max in range(1, 8):
        tally = Tally(f"tally{records_max}")
        await built(database.pool, tally)
    await told.tell("a", 5, "a", 2, "a", "a", 4, 3)
    for records_max in range(1, 8):
        tally = Tally(f"tally{records_max}")
        stood = await batches(database.pool, told, tally, records_max)
        for build, batch in zip(stood, tally.batches, strict=True):
            if build.correcting is not None:
                assert {each.verdict.answers.fact_seq for each in batch.entries} == {
                    build.fact_seq + 1
                }
        assert stood[-1].fact_seq == 8


async def test_a_batch_of_large_records_is_bounded_by_their_bytes(database: Database) -> None:
    told, tally = Told(), Tally()
    await built(database.pool, tally)
    await told.tell("a", 9, bytes_each=200_000)
    await told.tell(2, bytes_each=BATCH_BYTES_MAX + 1)
    await batches(database.pool, told, tally, 500)
    sizes = [[len(each.record.body) for each in batch.entries] for batch in tally.batches]
    assert [len(each) for each in sizes][-2:] == [1, 1]  # One that is too large comes alone.
    assert all(sum(each) <= BATCH_BYTES_MAX for each in sizes[:-2])
    assert sum(map(len, sizes)) == 12
    assert len(sizes) < 12


async def test_the_mark_stays_when_only_people_change(database: Database) -> None:
    told, tally = Told(), Tally()
    await built(database.pool, tally)
    await told.tell(2)
    views = {tally.name: tally}
    builds = await read_live(database.pool, views)
    (build,) = (await advance(database.pool, told.log, builds, views, records_max=1)).builds
    await database.pool.execute("INSERT INTO mahjic.people_changes VALUES (1, 'MJ-ADA')")
    (after,) = (
        await advance(database.pool, told.log, [build], views, seq_max=build.position.seq)
    ).builds
    assert (after.people_seq, after.correcting) == (1, (1, 2))


async def test_a_feed_tells_a_fact_only_when_all_parts_of_its_verdict_are_in(
    database: Database,
) -> None:
    told, tally = Told(), Tally()
    await built(database.pool, tally)
    await told.tell("a", 2)
    feed = Feed(database.pool, told.log, [tally], records_max=1)
    seen = []
    while await feed.step():
        seen.append((feed.seq, feed.fact_seq))
    assert seen == [(1, 1), (2, 1), (3, 2)]
