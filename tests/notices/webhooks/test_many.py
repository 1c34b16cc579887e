"""100 servers, most of them dead, slow or forbidden: the others get everything meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import pytest
from prometheus_client import CollectorRegistry

from services.notices.webhooks import posting
from services.notices.webhooks.endpoints import add_endpoint, new_endpoint_id
from services.notices.webhooks.lanes import run_webhooks
from services.telling import webhooks_of
from shared.access.sources import SourceDetails, add_source
from shared.notices.writing import NOTICES_CHANNEL, Notice, write_notices
from tests.log.deadlines import deadline
from tests.notices.town import NoticeTown
from tests.notices.webhooks.forbidden import FORBIDDEN_ADDRESSES
from tests.notices.webhooks.internet import PUBLIC, MadeUpInternet, made_up_internet
from tests.notices.webhooks.receiver import Receiver, Request, a_receiver, says
from tests.service import FOUNDED, RunningService

GOOD, SLOW, DEAD, ELSEWHERE, TURNING = 28, 2, 2, 3, 3
CLUBS = 20
EVENTS = 12


@pytest.fixture
def internet() -> Iterator[MadeUpInternet]:
    with made_up_internet() as internet:
        yield internet


@pytest.fixture
async def server(internet: MadeUpInternet) -> AsyncIterator[Receiver]:
    """Run what answers for all names: some take their time, and some lead elsewhere."""
    async with a_receiver(ssl=internet.server_context("*.club.example")) as server:
        for number in range(SLOW):
            server.answers[f"/slow-{number}"] = _never
        for number in range(ELSEWHERE):
            led = says(307, location=f"https://good-0.club.example:{server.port}/led")
            server.answers[f"/elsewhere-{number}"] = led
        yield server


async def _never(_request: Request, _writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


def named(internet: MadeUpInternet, server: Receiver) -> list[str]:
    """Return 100 addresses, whose names are known."""
    urls = []
    for kind, count in (("good", GOOD), ("slow", SLOW), ("elsewhere", ELSEWHERE)):
        for number in range(count):
            host = f"{kind}-{number}.club.example"
            internet.name(host, [PUBLIC])
            urls.append(f"https://{host}:{server.port}/{kind}-{number}")
    for number in range(TURNING):
        host = f"turning-{number}.club.example"
        internet.name(host, [PUBLIC], [FORBIDDEN_ADDRESSES[number]])
        urls.append(f"https://{host}:{server.port}/turning-{number}")
    for number, address in enumerate(FORBIDDEN_ADDRESSES):
        host = f"forbidden-{number}.club.example"
        internet.name(host, [address])
        urls.append(f"https://{host}:{server.port}/forbidden-{number}")
    internet.refusing.add("9.9.9.9")
    for number in range(DEAD):
        internet.name(f"dead-{number}.club.example", ["9.9.9.9"])
        urls.append(f"https://dead-{number}.club.example:{server.port}/dead-{number}")
    return urls


async def test_those_who_answer_get_everything_while_the_others_hold_nobody_up(
    town: NoticeTown,
    internet: MadeUpInternet,
    server: Receiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    running = town.service
    # Whoever is slow is slow for as long as the test lasts.
    monkeypatch.setattr(posting, "TRY_S_MAX", 3_600.0)
    urls = named(internet, server)
    assert len(urls) == 100
    assert len(FORBIDDEN_ADDRESSES) + TURNING >= 64
    await name_all(running, urls)
    process = running.service.process
    room = replace(webhooks_of(process), post=internet.post())
    running.run("webhooks", run_webhooks(room, process.bell, CollectorRegistry()))
    for number in range(EVENTS):
        await tell_all(running, number)
    async with deadline():
        for number in range(GOOD):
            await server.until_there(EVENTS, f"/good-{number}")
    for number in range(GOOD):
        told = sorted(each.event["number"] for each in server.at(f"/good-{number}"))
        assert sorted(set(told)) == list(range(1, EVENTS + 1))
    assert {each.path.partition("-")[0] for each in server.requests} == {
        *("/good", "/slow", "/elsewhere", "/turning")
    }
    assert set(internet.connected) == {PUBLIC, "9.9.9.9"}
    for number in range(TURNING):
        assert len(server.at(f"/turning-{number}")) == 1
    await running.stop_part("webhooks")


async def name_all(running: RunningService, urls: list[str]) -> None:
    """Have 20 clubs name five addresses each."""
    for number in range(CLUBS):
        slug = f"club-{number}"
        await add_source(running.pool, slug, SourceDetails(slug, "club", None), now=FOUNDED)
        for url in urls[number::CLUBS]:
            async with running.pool.acquire() as connection, connection.transaction():
                await add_endpoint(connection, slug, new_endpoint_id(), url, now=FOUNDED)


async def tell_all(running: RunningService, number: int) -> None:
    """Tell all clubs something."""
    at = running.service.process.outbox.now()
    notices = [Notice(f"club-{each}", "test", f"test {number}", at, {}) for each in range(CLUBS)]
    async with running.pool.acquire() as connection, connection.transaction():
        await write_notices(connection, notices)


async def test_where_a_backup_is_tried_nobody_gets_anything(town: NoticeTown) -> None:
    running, registry = town.service, CollectorRegistry()
    running.run("webhooks", run_webhooks(None, running.service.process.bell, registry))
    async with a_receiver() as server:
        await name_all(running, [server.url()] * CLUBS)
        await tell_all(running, 1)
        await running.service.process.bell.wait_beyond(NOTICES_CHANNEL, 0, 5)
        assert await running.pool.fetchval("SELECT count(*) FROM mahjic.webhook_deliveries") == 0
    await running.stop_part("webhooks")
    assert registry.get_sample_value("mahjic_webhooks_late_seconds") is None
