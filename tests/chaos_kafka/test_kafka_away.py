"""Kafka or PostgreSQL away under load: what is answered stays true, and all goes on afterward."""

import asyncio
import os
import shutil
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path

import httpx

from tests.chaos.accounts import assert_settled
from tests.chaos.claims import Errand, errands
from tests.chaos.clients import AT_ONCE, Crowd, a_crowd
from tests.chaos.restarts.away import (
    SOON,
    a_small_disk,
    filled,
    postgres_away_from,
    until_told_to_come_again,
)
from tests.chaos.site import a_place
from tests.chaos_kafka.site import KafkaSite, a_kafka_site
from tests.kafka.broker import Broker
from tests.kafka.fixtures import not_tried
from tests.kafka.tools import KafkaMissing
from tests.log.chances import seeded_chance
from tests.log.deadlines import until

ERRANDS = 40
AWAY_S = float(os.environ.get("MAHJIC_CHAOS_AWAY_S") or 20)
# Nobody's ratings come while Kafka is away, so nobody needs to wait for them.
IMPATIENT = {"MAHJIC_WAIT_S_DEFAULT": "0.5", "MAHJIC_WAIT_S_MAX": "1"}
# A process that writes to Kafka leaves when it can't, and may find the same again once.
RESTARTS_MAX = 2
ANSWER_S_MAX = 15.0
# Kafka's own files take little, but it wants room for its next ones.
DISK_MIB = 120


async def test_while_kafka_is_away_sessions_are_accepted_and_they_are_rated_when_it_is_back(
    own_broker: Broker,
) -> None:
    supply = errands(seeded_chance())
    with a_place() as place:
        async with a_kafka_site(place, own_broker, **IMPATIENT) as site, a_crowd(site) as crowd:
            await crowd.send_all(islice(supply, ERRANDS))
            await own_broker.kill()
            before = len(crowd.answers)
            await send_for(AWAY_S, crowd, supply)
            assert_accepted_unrated(crowd, before)
            assert await status_of(site, "ingest 1", "/readyz") == 200
            await until(lambda: is_unready(site, "rater"))
            await own_broker.start()
            await crowd.send_all(islice(supply, ERRANDS))
            await assert_nothing_was_lost(site, crowd)
            assert_few_restarts(site)


async def test_while_the_disk_of_kafka_is_full_sessions_are_accepted_and_rated_afterward() -> None:
    supply = errands(seeded_chance())
    with a_place() as place, a_small_disk(DISK_MIB) as disk:
        async with (
            a_broker_on(disk) as broker,
            a_kafka_site(place, broker, **IMPATIENT) as site,
            a_crowd(site) as crowd,
        ):
            await crowd.send_all(islice(supply, ERRANDS))
            with filled(disk):
                await crowd.send_all(islice(supply, ERRANDS))
                await until(lambda: has_stopped(broker))
                before = len(crowd.answers)
                await crowd.send_all(islice(supply, ERRANDS))
                assert_accepted_unrated(crowd, before)
            await broker.start()
            await assert_nothing_was_lost(site, crowd)


async def test_while_postgres_is_away_nothing_is_half_done_and_all_goes_on_afterward(
    own_broker: Broker,
) -> None:
    supply = errands(seeded_chance())
    with a_place() as place:
        async with a_kafka_site(place, own_broker, **SOON) as site, a_crowd(site) as crowd:
            await crowd.send_all(islice(supply, ERRANDS))
            async with postgres_away_from(site):
                working = asyncio.create_task(crowd.send_all(islice(supply, ERRANDS)))
                await until_told_to_come_again(crowd)
                for response in crowd.unavailable:
                    assert response.elapsed.total_seconds() < ANSWER_S_MAX
                for name in site.processes:
                    assert await status_of(site, name, "/healthz") == 200, name
                    assert await status_of(site, name, "/readyz") == 503, name
            await working
            await assert_nothing_was_lost(site, crowd)
            assert {name: each.ends for name, each in site.processes.items() if each.ends} == {}


async def send_for(wanted_s: float, crowd: Crowd, supply: Iterator[Errand]) -> None:
    """Send errands, a few at a time, for so long."""
    end_s = time.monotonic() + wanted_s
    while time.monotonic() < end_s:
        await crowd.send_all(islice(supply, AT_ONCE))


def assert_accepted_unrated(crowd: Crowd, before: int) -> None:
    """Check that everybody after the first ones was told that the session is on record."""
    assert crowd.unavailable == []
    assert len(crowd.answers) > before
    for answer in crowd.answers[before:]:
        is_rival = answer.status == 409 and answer.body["code"] == "duplicate_session"
        assert answer.status == 202 or (is_rival and answer.errand.rival), answer


def assert_few_restarts(site: KafkaSite) -> None:
    """Check that only who writes to Kafka has left, hardly more than once."""
    for name, process in site.processes.items():
        assert len(process.ends) <= (RESTARTS_MAX if name in {"relay", "rater"} else 0), name
        assert {end.reason for end in process.ends} <= {"log_writer_lost"}, process.ends


async def assert_nothing_was_lost(site: KafkaSite, crowd: Crowd) -> None:
    """Settle all accounts once the views show all facts."""
    await site.settled()
    site.assert_alive()
    assert_settled(crowd.answers, await site.logs())


async def status_of(site: KafkaSite, name: str, path: str) -> int:
    """Ask one of the processes."""
    async with httpx.AsyncClient(timeout=ANSWER_S_MAX) as http:
        return (await http.get(site.processes[name].url + path)).status_code


async def is_unready(site: KafkaSite, name: str) -> bool:
    """Return whether a process says that it cannot work, which it cannot say while it restarts."""
    try:
        return await status_of(site, name, "/readyz") == 503
    except httpx.TransportError:
        return False


async def has_stopped(broker: Broker) -> bool:
    return not broker.node.is_running


@asynccontextmanager
async def a_broker_on(disk: Path) -> AsyncIterator[Broker]:
    """Run a broker whose data are on a disk."""
    folder = disk / "kafka"
    folder.mkdir()
    try:
        async with Broker(folder, heap_mb=256) as broker:
            yield broker
    except KafkaMissing as missing:
        not_tried(missing)
    finally:
        shutil.rmtree(folder)
