"""Lines of batches wait for views that are behind, as long as those move at all."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from services.ingest.record.headway import AWAY_S, Headway
from services.ingest.record.waterline import Waterline
from services.projections.views import all_views
from services.roles import INGEST, SERVE
from tests.conftest import Database
from tests.ingest.batches.sending import a_night
from tests.log.deadlines import deadline
from tests.service import bearer, running_service


class Log(Waterline):
    """A log that is as long as a test says."""

    end = 0

    @property
    def seq(self) -> int:
        return self.end


class Clock:
    """A clock that a test moves."""

    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


async def a_headway(end: int, **shown: int) -> tuple[Headway, Clock]:
    log, clock = Log(), Clock()
    log.end = end
    headway = Headway(log, facts_max=100, clock=clock)
    await headway.show(shown)
    return headway, clock


async def has_room(headway: Headway) -> bool:
    waiting = asyncio.create_task(headway.room())
    await asyncio.wait([waiting], timeout=0)
    is_there = waiting.done()
    waiting.cancel()
    return is_there


async def test_there_is_room_up_to_the_limit_and_none_beyond() -> None:
    for end, is_there in ((1_100, True), (1_101, False)):
        headway, _ = await a_headway(end, board=1_000, history=1_099)
        assert await has_room(headway) is is_there


async def test_nobody_waits_where_nobody_shows() -> None:
    headway, _ = await a_headway(1_101)
    assert await has_room(headway)


async def test_a_view_that_nobody_keeps_any_more_is_forgotten() -> None:
    headway, _ = await a_headway(1_101, board=1_000, history=1_050)
    await headway.show({"history": 1_050})
    assert await has_room(headway)


async def test_a_view_that_stands_still_is_not_waited_for_and_the_others_are() -> None:
    headway, clock = await a_headway(1_102, board=0, history=1_000)
    clock.now_s += AWAY_S
    assert not await has_room(headway)
    await headway.show({"board": 0, "history": 1_001})
    clock.now_s += 0.1
    assert not await has_room(headway)
    clock.now_s += AWAY_S
    assert await has_room(headway)
    await headway.show({"board": 0, "history": 1_001})
    assert await has_room(headway)
    # Once it moves it is waited for again.
    await headway.show({"board": 1, "history": 1_001})
    assert not await has_room(headway)


async def test_whoever_waits_goes_on_once_the_views_have_come_nearer_or_stand_still() -> None:
    log, clock = Log(), Clock()
    headway = Headway(log, facts_max=100, clock=clock)
    await headway.show({"board": 1})
    log.end = 500
    async with deadline():
        waiting = asyncio.create_task(headway.room())
        await headway.show({"board": 399})
        assert not waiting.done()
        await headway.show({"board": 400})
        await waiting
        log.end = 600
        waiting = asyncio.create_task(headway.room())
        clock.now_s += AWAY_S + 1
        await headway.show({"board": 400})
        await waiting


async def test_a_line_goes_on_in_the_end_so_that_its_client_hears_something() -> None:
    log = Log()
    headway = Headway(log, facts_max=100, hold_s_max=0.05)
    await headway.show({"board": 1})
    log.end = 500
    async with deadline():
        await headway.room()


class Heard(Headway):
    """A headway that remembers what it was shown last."""

    places: Mapping[str, int] = {}

    async def show(self, places: Mapping[str, int]) -> None:
        self.places = dict(places)
        await super().show(places)


async def test_whoever_takes_batches_is_told_how_far_every_view_is(database: Database) -> None:
    pace = SERVE.parts["pace of batches"]
    assert INGEST.parts["pace of batches"] is pace
    async with running_service(database) as service, deadline():
        heard = Heard(service.service.recording.waterline, facts_max=1)
        recording = replace(service.service.recording, headway=heard)
        watched = replace(service.service, recording=recording)
        service.run("pace of batches", pace(watched, 0))
        key = await service.source_key()
        answer = await service.client.post("/v1/sessions", json=a_night(1), headers=bearer(key))
        assert answer.status_code == 201
        # The formula is fact 1, and the session fact 2.
        while heard.places != {view.name: 2 for view in all_views()}:
            await asyncio.sleep(0.01)
