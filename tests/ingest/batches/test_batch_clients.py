"""Batches whose clients, or the database, do not do their part: over real connections."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from services.ingest.api import PATH
from services.role import build_app
from services.roles import SERVE
from shared.access.keys import list_keys, revoke_key
from tests.conftest import Database
from tests.http.serving import serving
from tests.ingest.answers import facts, problem
from tests.ingest.batches.sending import (
    BATCH,
    LINES,
    Client,
    Line,
    a_night,
    answers,
    body_of,
    codes,
    connected,
    lines_of,
    told,
    without_words,
)
from tests.ingest.office import facts_on
from tests.log.deadlines import deadline, until
from tests.log.postgres.broken_line import Loss, broken_line
from tests.service import FOUNDED, RunningService, bearer, running_service

# What no client sends in time, nor reads.
IDLE_S_MAX = 2.0
# More than a group of lines takes, its COMMIT among them.
MESSAGES = 20


@asynccontextmanager
async def client_of(service: RunningService) -> AsyncIterator[Client]:
    """Serve a service on a port, and connect to it."""
    async with (
        serving(build_app(service.service.with_figures_apart(), SERVE)) as server,
        deadline(),
        connected(server.port) as client,
    ):
        yield client


@asynccontextmanager
async def a_batch_begun(service: RunningService, **headers: str) -> AsyncIterator[Client]:
    """Begin a batch with a key of its own."""
    key = await service.source_key()
    async with client_of(service) as client:
        await client.begin(key, **headers)
        yield client


async def test_each_line_is_answered_while_the_next_one_is_not_sent_yet(
    service: RunningService,
) -> None:
    async with a_batch_begun(service) as client:
        for number in range(1, 4):
            client.send(a_night(number))
            assert told(await client.lines(1)) == [(number, 201)]
        client.end()
        assert await client.rest() == []


async def test_a_client_that_asks_whether_it_may_go_on_is_told_so_first(
    service: RunningService,
) -> None:
    key = await service.source_key()
    async with client_of(service) as client:
        body = body_of(a_night(1))
        fields = {"Host": "mahjic", "Content-Type": LINES, "Expect": "100-continue", **bearer(key)}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        head = f"POST {BATCH} HTTP/1.1\r\nContent-Length: {len(body)}\r\n{head}\r\n"
        client.writer.write(head.encode())
        assert await client.reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        assert (await client.reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
        client.writer.write(body)
        assert told(await client.rest()) == [(1, 201)]


async def test_a_batch_is_read_no_further_than_its_window(database: Database) -> None:
    async with running_service(database, is_rating=False, batch_window_lines=10) as service:
        key = await service.source_key()
        begun: list[int] = []

        async def body() -> AsyncIterator[bytes]:
            for number in range(50):
                begun.append(number)
                yield body_of(a_night(number))

        headers = {"Content-Type": LINES, "Prefer": "wait=30", **bearer(key)}
        sending = asyncio.create_task(service.client.post(BATCH, content=body(), headers=headers))

        async def ten_are_recorded() -> bool:
            return await facts(service) == 10

        await until(ten_are_recorded)
        # One more has been read, and waits for its place.
        assert len(begun) <= 12
        assert not sending.done()
        await service.start_rating()
        async with deadline():
            answer = await sending
        assert told(lines_of(answer.content)) == [(number, 201) for number in range(1, 51)]


async def test_a_client_that_is_silent_is_cut_off_and_what_it_sent_counts(
    database: Database,
) -> None:
    async with running_service(database, batch_idle_s_max=IDLE_S_MAX) as service:
        async with a_batch_begun(service) as client:
            client.send(a_night(1))
            client.send_bytes(b'{"half": ')
            assert told(await client.lines(1)) == [(1, 201)]
            with contextlib.suppress(ConnectionResetError):
                assert await client.reader.read() == b"", "An end would say that all is answered."
        assert await facts(service) == 1


async def test_a_client_whose_key_is_revoked_is_cut_off(database: Database) -> None:
    async with (
        running_service(database, batch_key_check_s=0.1) as service,
        a_batch_begun(service) as client,
    ):
        client.send(a_night(1))
        assert told(await client.lines(1)) == [(1, 201)]
        (row,) = await list_keys(service.pool)
        await revoke_key(service.pool, row.key_id, now=FOUNDED)
        with contextlib.suppress(ConnectionResetError):
            assert await client.reader.read() == b""


async def test_a_client_that_reads_nothing_is_cut_off_once_it_cannot_send_either(
    database: Database,
) -> None:
    async with running_service(
        database, batch_idle_s_max=IDLE_S_MAX, batch_spool_bytes_max=1 << 20
    ) as service:
        async with a_batch_begun(service) as client:
            # Its answers are longer than all that lies between it and the service.
            with pytest.raises(ConnectionError):
                await client.send_forever(body_of(*["x" * 1000] * 1000))
        answer = await service.client.get("/v1/formula")
        assert answer.status_code == 200


async def test_a_client_that_waits_for_ratings_is_not_idle(database: Database) -> None:
    async with (
        running_service(database, is_rating=False, batch_idle_s_max=IDLE_S_MAX) as service,
        # Longer than it could be silent.
        a_batch_begun(service, Prefer="wait=3") as client,
    ):
        client.send(a_night(1))
        assert told(await client.lines(1)) == [(1, 202)]
        client.end()
        assert await client.rest() == []


async def test_a_client_that_dies_leaves_what_was_answered_and_may_send_it_all_again(
    service: RunningService,
) -> None:
    key = await service.source_key()
    nights = [a_night(number) for number in range(300)]
    async with client_of(service) as client:
        await client.begin(key)
        client.send(*nights)
        seen = await client.lines(100)
    again = await answers(service, body_of(*nights), key)
    assert [each["status"] for each in again[: len(seen)]] == [200] * len(seen)
    for first, second in zip(seen, again, strict=False):
        assert without_words(second) == without_words(first)
        codes = [each["code"] for each in second["session"]["warnings"]]
        assert codes.count("already_recorded") == 1
    assert {each["status"] for each in again} <= {200, 201}
    assert await facts(service) == 300


async def test_a_file_that_is_sent_twice_at_once_is_recorded_once_in_its_order(
    service: RunningService,
) -> None:
    key = await service.source_key()
    body = body_of(*map(a_night, range(500)))
    both = await asyncio.gather(*(answers(service, body, key) for _ in range(2)))
    one, other = ([each["session"]["session_id"] for each in lines] for lines in both)
    assert one == other
    assert {each["status"] for lines in both for each in lines} == {200, 201}
    assert [fact.session_id for fact in await facts_on(service.pool)] == one


async def test_a_source_may_send_a_few_batches_at_once_and_others_have_places_too(
    database: Database,
) -> None:
    async with (
        running_service(database, batches_per_source_max=1, batches_max=2) as service,
        deadline(),
    ):
        keys = [await service.source_key(slug) for slug in ("a-club", "b-club", "c-club")]
        release = asyncio.Event()

        async def body(number: int) -> AsyncIterator[bytes]:
            yield body_of(a_night(number))
            await release.wait()

        async def post(number: int) -> httpx.Response:
            headers = {"Content-Type": LINES, **bearer(keys[number])}
            return await service.client.post(BATCH, content=body(number), headers=headers)

        running = [asyncio.create_task(post(number)) for number in (0, 1)]

        async def both_are_recorded() -> bool:
            return await facts(service) == 2

        await until(both_are_recorded)
        for number, whose in ((0, "this source"), (2, "all sources")):
            full = await post(number)
            assert whose in problem(full, 503, "too_many_batches")["detail"]
            assert int(full.headers["Retry-After"]) > 0
        release.set()
        assert {each.status_code for each in await asyncio.gather(*running)} == {200}
        assert (await post(2)).status_code == 200


def post_on_a_line(
    service: RunningService,
    key: str,
    before: list[Line],
    then: Callable[[], None],
    after: list[Line],
) -> "asyncio.Task[httpx.Response]":
    """Send lines, do something once they are recorded, and send the others."""

    async def body() -> AsyncIterator[bytes]:
        yield body_of(*before)

        async def are_recorded() -> bool:
            return await facts(service) == len(before)

        await until(are_recorded)
        then()
        for each in after:
            yield body_of(each)

    headers = {"Content-Type": LINES, "Prefer": "respond-async", **bearer(key)}
    return asyncio.create_task(service.client.post(BATCH, content=body(), headers=headers))


ALL_IS_LOST = [(0, Loss.REQUEST)] * 100_000


async def test_a_database_that_is_away_for_a_while_is_waited_for(
    database: Database, line_folder: Path
) -> None:
    nights = [a_night(number) for number in range(10)]
    async with (
        broken_line(database.dsn, line_folder) as (line, dsn),
        running_service(replace(database, dsn=dsn), is_rating=False) as service,
        deadline(),
    ):
        key = await service.source_key()
        sending = post_on_a_line(
            service, key, nights[:3], lambda: line.plan(*ALL_IS_LOST), nights[3:]
        )

        async def it_was_missed() -> bool:
            return line.losses >= 3

        await until(it_was_missed)
        line.plan()
        lines = lines_of((await sending).content)
    assert told(lines) == [(number, 202) for number in range(1, 11)]
    on_log = [fact.session_id for fact in await facts_on(database.pool)]
    assert on_log == [each["session"]["session_id"] for each in lines]


@pytest.mark.parametrize("loss", [Loss.REQUEST, Loss.ANSWER])
async def test_whatever_message_to_the_database_is_lost_each_line_is_recorded_once(
    database: Database, line_folder: Path, loss: Loss
) -> None:
    async with (
        broken_line(database.dsn, line_folder) as (line, dsn),
        running_service(replace(database, dsn=dsn), is_rating=False) as service,
        deadline(),
    ):
        key = await service.source_key()
        sessions: list[str] = []
        losses: list[int] = []
        for message in range(MESSAGES):
            lost_before = line.losses
            line.plan((message, loss))
            nights = [a_night(3 * message + each) for each in range(3)]
            lines = await answers(service, body_of(*nights), key, Prefer="respond-async")
            line.plan()
            assert told(lines) == [(1, 202), (2, 202), (3, 202)]
            sessions += (each["session"]["session_id"] for each in lines)
            losses.append(line.losses - lost_before)
    # Each message of a group was lost once, the one that commits too: some had as many no more.
    assert losses[:8] == [1] * 8
    assert 0 in losses
    assert [fact.session_id for fact in await facts_on(database.pool)] == sessions


async def test_lines_wait_for_views_that_are_far_behind_and_single_sessions_do_not(
    database: Database,
) -> None:
    async with running_service(database, is_rating=False, batch_ahead_facts_max=10) as service:
        key = await service.source_key()
        headway = service.service.recording.headway
        async with client_of(service) as client:
            await client.begin(key, Prefer="respond-async")
            client.send(*map(a_night, range(20)))
            assert told(await client.lines(20))[-1] == (20, 202)
            await headway.show({"board": 1})
            client.send(a_night(20))
            # Sent later, and recorded at once.
            alone = await service.client.post(
                PATH, json=a_night(21), headers={"Prefer": "respond-async", **bearer(key)}
            )
            assert alone.status_code == 202
            assert [fact.session_id for fact in await facts_on(service.pool)][20:] == [
                alone.json()["session_id"]
            ]
            await headway.show({"board": 15})
            assert told(await client.lines(1)) == [(21, 202)]
            client.end()
            assert await client.rest() == []


async def test_a_batch_ends_at_the_first_line_that_a_database_away_does_not_take(
    database: Database, line_folder: Path
) -> None:
    nights = [a_night(number) for number in range(10)]
    async with (
        broken_line(database.dsn, line_folder) as (line, dsn),
        running_service(
            replace(database, dsn=dsn), is_rating=False, database_wait_s_max=3.0
        ) as service,
        deadline(),
    ):
        key = await service.source_key()
        sending = post_on_a_line(
            service, key, nights[:3], lambda: line.plan(*ALL_IS_LOST), nights[3:]
        )
        lines = lines_of((await sending).content)
        assert told(lines) == [(1, 202), (2, 202), (3, 202), (4, 503)]
        assert codes(lines)[-1] == "database_unavailable"
        line.plan()
        again = await answers(service, body_of(*nights), key, Prefer="respond-async")
    # Nothing has overtaken the line that was not recorded.
    assert [each["replayed"] for each in again] == [*[True] * 3, *[False] * 7]
    on_log = [fact.session_id for fact in await facts_on(database.pool)]
    assert on_log == [each["session"]["session_id"] for each in again]


async def test_a_service_that_stops_answers_what_it_took_and_says_where_it_stopped(
    service: RunningService,
) -> None:
    async with a_batch_begun(service) as client:
        client.send(a_night(1), a_night(2))
        seen = await client.lines(1)
        service.service.process.stopping.set()
        while seen[-1]["status"] != 503:
            seen += await client.lines(1)
        client.end()
        assert await client.rest() == []
    assert told(seen) == [(1, 201), (2, 201), (3, 503)]
    assert codes(seen)[-1] == "batch_stopped"
