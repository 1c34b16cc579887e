"""The place of the follower: nobody is written to twice, whatever happens to it."""

import asyncio
import io
import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from prometheus_client import CollectorRegistry

from services.invitations.following import follow_on
from services.invitations.place import begin_again, read_followed
from services.invitations.running import run_invitations
from shared.feed import followers
from shared.http.logs import configure_logs
from shared.log.port import HistorySplit, Log, LogGap, Position, Record
from shared.mail.outbox import MailOutbox
from tests.invitations.town import Town
from tests.log.deadlines import until

HOUR = timedelta(hours=1)
EVERYBODY = ["ada", "bo", "cleo", "drew", "eve", "finn"]


@asynccontextmanager
async def in_a_process(town: Town, log: Log | None = None) -> AsyncIterator[CollectorRegistry]:
    """Run the part as a process does."""
    registry = CollectorRegistry()
    part = run_invitations(
        town.room, log or town.service.service.logs.verdicts, town.nights, registry
    )
    task = asyncio.create_task(part)
    try:
        yield registry
        assert not task.done(), "A part never ends by itself."
    finally:
        task.cancel()
        await asyncio.wait([task])


async def three_nights(town: Town) -> None:
    await town.night("ada", "bo")
    await town.night("cleo", "drew")
    await town.night("eve", "finn")


async def until_invited(town: Town, who: list[str]) -> None:
    async def they_are() -> bool:
        return sorted(letter.who for letter in await town.letters()) == sorted(who)

    await until(they_are)


async def test_the_part_of_a_process_writes_by_itself_what_is_due(town: Town) -> None:
    await three_nights(town)
    town.clock.wind(HOUR)
    async with in_a_process(town) as registry:
        await until_invited(town, EVERYBODY)
        assert registry.get_sample_value("mahjic_letters_total", {"kind": "rated"}) == 6
        place = await read_followed(town.pool)
        assert registry.get_sample_value("mahjic_invitations_fact_seq") == place.fact_seq
        await town.night("gus", "hal")
        town.clock.wind(HOUR)
        await until_invited(town, [*EVERYBODY, "gus", "hal"])


async def test_two_processes_and_all_verdicts_again_write_each_letter_once(town: Town) -> None:
    await three_nights(town)
    town.clock.wind(HOUR)
    async with in_a_process(town), in_a_process(town), in_a_process(town):
        await until_invited(town, EVERYBODY)
    await begin_again(town.pool)
    await town.follow()
    assert await town.pool.fetchval("SELECT count(*) FROM mahjic.awaited_invitations") == 6
    await town.write_due()
    assert sorted(letter.who for letter in await town.letters()) == EVERYBODY


async def test_what_is_noted_and_the_place_are_one(town: Town) -> None:
    await three_nights(town)
    before = await read_followed(town.pool)

    class Broken:
        """Breaks when the place is about to be locked, after everything was read."""

        beginning = town.service.service.logs.verdicts.beginning

        async def read(self, after: Position, records_max: int) -> list[Record]:
            records = await town.service.service.logs.verdicts.read(after, records_max)
            await begin_again(town.pool)
            await town.pool.execute("UPDATE mahjic.invitations_place SET fact_seq = 77")
            return records

    assert await follow_on(town.room, Broken()) > 0  # type: ignore[arg-type]
    assert not await town.pool.fetchval("SELECT count(*) FROM mahjic.awaited_invitations")
    assert (await read_followed(town.pool)).position == before.position


async def test_a_log_that_was_written_anew_is_looked_at_from_the_beginning(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(followers, "STAND_STILL_S", 0.01)
    await three_nights(town)
    assert sorted(await town.invited()) == EVERYBODY
    await town.pool.execute("UPDATE mahjic.invitations_place SET chain = $1", bytes(32))
    with pytest.raises(HistorySplit):
        await follow_on(town.room, town.service.service.logs.verdicts)
    await town.night("gus", "hal")
    town.clock.wind(HOUR)
    async with in_a_process(town):
        await until_invited(town, [*EVERYBODY, "gus", "hal"])


@pytest.mark.parametrize("error", [LogGap("A record is missing."), ZeroDivisionError()])
async def test_a_log_with_a_gap_is_told_and_stops_nothing_else(
    town: Town, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(followers, "STAND_STILL_S", 0.01)
    lines = io.StringIO()
    configure_logs(stream=lines)
    failures = itertools.count()

    class Gapped:
        """A log in which a record is missing, until somebody puts it back."""

        beginning = town.service.service.logs.verdicts.beginning
        wait_beyond = town.service.service.logs.verdicts.wait_beyond

        async def read(self, after: Position, records_max: int) -> list[Record]:
            if next(failures) < 3:
                raise error
            return await town.service.service.logs.verdicts.read(after, records_max)

    await town.night("ada", "bo")
    town.clock.wind(HOUR)
    if isinstance(error, ZeroDivisionError):
        with pytest.raises(ZeroDivisionError):
            await run_invitations(town.room, Gapped(), town.nights, CollectorRegistry())  # type: ignore[arg-type]
        return
    async with in_a_process(town, Gapped()):  # type: ignore[arg-type]
        await until_invited(town, ["ada", "bo"])
    told = [json.loads(line) for line in lines.getvalue().splitlines()]
    stood = [line for line in told if line["event"] == "invitations_stand_still"]
    assert len(stood) == 3
    assert all("@" not in json.dumps(line) for line in told)


async def test_without_a_key_nobody_is_invited_and_the_place_stays(town: Town) -> None:
    await three_nights(town)
    town.clock.wind(HOUR)
    lines = io.StringIO()
    configure_logs(stream=lines)
    outbox = MailOutbox(None, town.clock.now)
    room = town.room
    blind = type(room)(room.pool, outbox, room.site_url, room.per_hour)
    log = town.service.service.logs.verdicts
    task = asyncio.create_task(run_invitations(blind, log, town.nights, CollectorRegistry()))

    async def it_says_so() -> bool:
        return "nobody_is_invited" in lines.getvalue()

    await until(it_says_so)
    task.cancel()
    await asyncio.wait([task])
    assert (await read_followed(town.pool)).position is None
    async with in_a_process(town):
        await until_invited(town, EVERYBODY)


async def test_what_is_older_than_any_mail_is_not_even_decoded(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    await three_nights(town)
    await town.night("gus", "hal")
    town.clock.wind(timedelta(days=31))
    monkeypatch.setattr("shared.feed.followers.decode_verdict", lambda _: 1 / 0)
    await town.follow()
    end = await town.service.service.logs.verdicts.tail()
    place = await read_followed(town.pool)
    assert place.position == end
    assert place.fact_seq == await town.pool.fetchval("SELECT fact_seq FROM mahjic.head")
