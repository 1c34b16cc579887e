"""The feed brings every record into every view once, whatever happens around it."""

import asyncio
import contextlib
import io
from collections.abc import AsyncIterator

import pytest

from services.projections.building.rebuild import build_missing_views
from shared.db.away import DATABASE_AWAY
from shared.events.codec import UnknownEventType
from shared.feed.advancing import Overtaken, advance
from shared.feed.feed import Feed, read_live
from shared.http.logs import configure_logs
from shared.log.memory import MemoryVerdictLog
from shared.log.port import HistorySplit, LogAway, LogGap, Position, Record
from tests.conftest import Database
from tests.feed.tally import Tally, until_it_shows
from tests.projections.season import LOG_ID, Season, mj

WAIT_S = 20.0


@pytest.fixture(autouse=True)
def quiet_log() -> None:
    configure_logs(stream=io.StringIO())


@pytest.fixture
async def season(database: Database) -> Season:
    return await Season(database.pool).open()


async def built(season: Season, *views: Tally) -> None:
    await build_missing_views(views, pool=season.pool, log=season.log)


async def seen(season: Season, name: str = "tally") -> list[int]:
    schema = await season.pool.fetchval(
        "SELECT live_schema FROM mahjic.views WHERE name = $1", name
    )
    return [row["seq"] for row in await season.pool.fetch(f"SELECT seq FROM {schema}.seen")]


async def people_seen(season: Season) -> dict[str, int]:
    schema = await season.pool.fetchval("SELECT live_schema FROM mahjic.views")
    rows = await season.pool.fetch(f"SELECT player_id, times FROM {schema}.people")
    return {row["player_id"]: row["times"] for row in rows}


async def verifications(season: Season, count: int) -> int:
    """Append that many records more, and return the number of the last."""
    last = 0
    for number in range(count):
        last = await season.verify(mj(number))
    return last


@contextlib.asynccontextmanager
async def running(feed: Feed) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.create_task(feed.run())
    try:
        yield task
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def test_every_record_comes_once_and_in_order(season: Season) -> None:
    tally = Tally()
    await built(season, tally)
    last = await verifications(season, 20)
    feed = Feed(season.pool, season.log, [tally], records_max=6)
    while await feed.step():
        pass
    fed = [entry.record.seq for batch in tally.batches for entry in batch.entries]
    assert fed == list(range(1, last + 1))
    assert (feed.seq, feed.fact_seq) == (last, last)


async def test_a_view_that_is_ahead_skips_what_it_has(season: Season) -> None:
    quick, slow = Tally("quick"), Tally("slow")
    await built(season, quick, slow)
    await verifications(season, 10)
    only_quick = Feed(season.pool, season.log, [quick], records_max=4)
    await only_quick.step()
    await only_quick.step()
    both = Feed(season.pool, season.log, [quick, slow], records_max=3)
    while await both.step():
        pass
    assert await seen(season, "quick") == await seen(season, "slow") == list(range(1, 12))


async def test_two_followers_apply_nothing_twice(season: Season) -> None:
    """A tally breaks on a record that comes twice, so that a double would be an error."""
    tally = Tally()
    await built(season, tally)
    feeds = [Feed(season.pool, season.log, [tally], records_max=3) for _ in range(3)]
    async with contextlib.AsyncExitStack() as stack:
        for feed in feeds:
            await stack.enter_async_context(running(feed))
        last = 0
        for _ in range(20):
            last = await verifications(season, 5)
            await asyncio.sleep(0)
        for feed in feeds:
            await until_it_shows(feed, last)
    assert await seen(season) == list(range(1, last + 1))


async def test_the_follower_that_comes_second_notices_and_writes_nothing(season: Season) -> None:
    tally = Tally()
    views = {tally.name: tally}
    await built(season, tally)
    await verifications(season, 5)
    builds = await read_live(season.pool, views)
    await advance(season.pool, season.log, builds, views, records_max=2)
    with pytest.raises(Overtaken):
        await advance(season.pool, season.log, builds, views, records_max=5)
    assert await seen(season) == [1, 2, 3]


async def test_a_batch_that_fails_leaves_neither_rows_nor_position(season: Season) -> None:
    class Broken(Tally):
        async def apply(self, *arguments: object) -> None:
            raise ZeroDivisionError

    tally, broken = Tally("a"), Broken("b")
    await built(season, tally)
    await build_missing_views([Tally("b")], pool=season.pool, log=season.log)
    await verifications(season, 5)
    with pytest.raises(ZeroDivisionError):
        await Feed(season.pool, season.log, [tally, broken]).step()
    assert await seen(season, "a") == [1]
    feed = Feed(season.pool, season.log, [tally, Tally("b")])
    while await feed.step():
        pass
    assert await seen(season, "a") == await seen(season, "b") == [1, 2, 3, 4, 5, 6]


async def test_people_who_change_are_told_to_the_views_once(season: Season) -> None:
    await season.player(1)
    tally = Tally()
    await built(season, tally)
    feed = Feed(season.pool, season.log, [tally])
    async with running(feed):
        await season.player(2)
        await season.change(mj(1), is_private=True)
        await _until_people_seen(season, {mj(1): 1, mj(2): 1})
        await season.erase(mj(2))
        await _until_people_seen(season, {mj(1): 1, mj(2): 2})


async def test_another_history_stops_the_feed_for_good(season: Season) -> None:
    tally = Tally()
    await built(season, tally)
    await verifications(season, 5)
    feed = Feed(season.pool, season.log, [tally])
    while await feed.step():
        pass
    restored = MemoryVerdictLog(LOG_ID)
    writer = await restored.open_writer("an older backup")
    await writer.append([b"{}"], fact_seq=1)
    with pytest.raises(HistorySplit):
        await Feed(season.pool, restored, [tally]).run()
    with pytest.raises(HistorySplit):
        await Feed(season.pool, MemoryVerdictLog("another log"), [tally]).run()
    assert await seen(season) == [1, 2, 3, 4, 5, 6]


async def test_a_gap_stops_the_feed_for_good(season: Season) -> None:
    class Torn(MemoryVerdictLog):
        async def read(self, after: Position, records_max: int) -> list[Record]:
            raise LogGap("Record 9 follows record 7.")

    tally = Tally()
    await built(season, tally)
    with pytest.raises(LogGap):
        await Feed(season.pool, Torn(LOG_ID), [tally]).run()


async def test_a_view_that_is_ahead_on_another_history_stops_the_feed(season: Season) -> None:
    quick, slow = Tally("quick"), Tally("slow")
    await built(season, quick, slow)
    await verifications(season, 5)
    await Feed(season.pool, season.log, [quick]).step()
    await season.pool.execute(
        "UPDATE mahjic.view_builds SET chain = $1 WHERE view = 'quick'", b"\1" * 32
    )
    with pytest.raises(HistorySplit):
        await Feed(season.pool, season.log, [quick, slow]).run()
    assert await seen(season, "slow") == [1]


async def test_a_verdict_of_a_newer_program_stops_the_feed(season: Season) -> None:
    tally = Tally()
    await built(season, tally)
    record = await season.log.last()
    assert record is not None
    writer = await season.log.open_writer("newer")
    await writer.append([record.body.replace(b"fact-noted.v1", b"fact-noted.v9")], fact_seq=2)
    with pytest.raises(UnknownEventType):
        await Feed(season.pool, season.log, [tally]).run()
    assert await seen(season) == [1]


async def test_the_feed_goes_on_after_the_log_was_away(season: Season) -> None:
    class Shaky(MemoryVerdictLog):
        away = 3

        async def read(self, after: Position, records_max: int) -> list[Record]:
            if self.away:
                self.away -= 1
                raise LogAway("Away for now.")
            return await season.log.read(after, records_max)

    tally = Tally()
    await built(season, tally)
    last = await verifications(season, 5)
    feed = Feed(season.pool, Shaky(LOG_ID), [tally])
    async with running(feed):
        await until_it_shows(feed, last)
    assert await seen(season) == list(range(1, last + 1))


async def test_the_feed_goes_on_when_its_connections_are_cut(season: Season) -> None:
    tally = Tally()
    await built(season, tally)
    feed = Feed(season.pool, season.log, [tally], records_max=2)
    async with running(feed):
        last = 0
        for _ in range(10):
            last = await verifications(season, 3)
            with contextlib.suppress(*DATABASE_AWAY):  # The one that asks for it is cut as well.
                await season.pool.fetch(
                    """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()"""
                )
        await until_it_shows(feed, last)
    assert await seen(season) == list(range(1, last + 1))


async def _until_people_seen(season: Season, expected: dict[str, int]) -> None:
    async with asyncio.timeout(WAIT_S):
        while await people_seen(season) != expected:
            await asyncio.sleep(0.02)
