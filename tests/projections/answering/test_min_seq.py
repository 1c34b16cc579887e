"""Whoever asks for a page that shows a fact is never shown an older one, nor kept for long."""

import asyncio
import urllib.parse
from collections.abc import Coroutine
from typing import Any

import asyncpg
import httpx
import pytest

from services.projections.answering.arriving import WAITERS_MAX, Arrivals, BeyondLog, ViewBehind
from services.projections.profiles.project import ProfilesView
from services.projections.sessions.project import SessionsView
from shared.db.bell import Bell, listening
from shared.feed.feed import Feed
from shared.feed.views import VIEWS_CHANNEL
from tests.conftest import Database
from tests.log.deadlines import deadline, until
from tests.projections.conftest import CLUB, World
from tests.projections.season import Round, mj
from tests.projections.test_sessions import submitted

FAR_S = 3600.0
PATHS = (
    "/v1/players/search?q=ada",
    "/v1/players/{ada}",
    "/v1/players/{ada}/history",
    "/v1/players/{ada}/changes/{ada}.{fact}.1",
    "/v1/formula",
    "/v1/leaderboard",
    "/v1/leaderboard/west",
    "/v1/sources/club/leaderboard",
    "/v1/sources",
    "/v1/sources/club",
    "/v1/sessions",
    "/v1/sessions/{session}",
)


async def a_night(world: World) -> dict[str, Any]:
    """Play a night that no view shows yet."""
    club = await world.season.source("club", region="west")
    ada = await world.season.player(1, source=club, name="Ada")
    bo = await world.season.player(2, source=club, name="Bo")
    session, fact = await world.season.play(club, Round({ada: 3, bo: 1}))
    await submitted(world, session, fact)
    return {"ada": ada, "session": session, "fact": fact}


async def waited_for(world: World, asking: Coroutine[Any, Any, httpx.Response]) -> httpx.Response:
    """Ask, let the views follow once the answer waits for them, and return it."""
    answer = asyncio.ensure_future(asking)

    async def is_waiting() -> bool:
        return bool(world.reader.waiting) or answer.done()

    await until(is_waiting)
    assert not answer.done(), "It did not wait."
    await world.follow()
    async with deadline():
        return await answer


def test_every_read_that_says_what_it_stands_on_takes_a_fact_that_it_must_show(
    world: World,
) -> None:
    document = world.app.openapi()
    models = document["components"]["schemas"]
    taking = set()
    for path, methods in document["paths"].items():
        said = methods.get("get", {})
        content = said.get("responses", {}).get("200", {}).get("content", {})
        model = content.get("application/json", {}).get("schema", {}).get("$ref", "")
        parts = models.get(model.rpartition("/")[2], {})
        parts = [
            parts,
            *(models[each["$ref"].rpartition("/")[2]] for each in parts.get("oneOf", ())),
        ]
        stands_on = any("seq" in each.get("properties", {}) for each in parts)
        takes = "min_seq" in {each["name"] for each in said.get("parameters", ())}
        assert takes == stands_on, path
        taking |= {path} if takes else set()
    assert len(taking) == len(PATHS)


@pytest.mark.parametrize("path", PATHS)
async def test_a_page_waits_for_the_fact_that_it_is_asked_for(world: World, path: str) -> None:
    night = await a_night(world)
    fact = night["fact"]
    place, _, query = path.format(**night).partition("?")
    asked = {"min_seq": fact, **dict(urllib.parse.parse_qsl(query))}
    answer = await waited_for(world, world.ask(place, asked, CLUB))
    assert answer.status_code == 200, answer.text
    assert answer.json()["seq"] == fact
    later = await world.ask(place, asked, CLUB)
    assert later.json() == answer.json()
    if tag := later.headers.get("ETag"):
        held = await world.ask(place, asked, {**CLUB, "If-None-Match": tag})
        assert held.status_code == 304


async def test_a_page_of_two_views_waits_for_both(world: World) -> None:
    night = await a_night(world)
    profiles = Feed(world.pool, world.season.log, [ProfilesView()])
    while await profiles.step():
        pass
    asking = world.ask(f"/v1/players/{night['ada']}", {"min_seq": night["fact"]})
    answer = await waited_for(world, asking)
    assert (answer.json()["seq"], answer.json()["games"]) == (night["fact"], 4)


async def test_a_list_goes_on_from_its_cursor_whatever_fact_is_asked_for(world: World) -> None:
    night = await a_night(world)
    _, last = await world.season.play("club", Round({mj(1): 1, mj(2): 0}))
    path = f"/v1/players/{night['ada']}/history"
    first = (await waited_for(world, world.ask(path, {"limit": 1, "min_seq": last}))).json()
    cursor = first["next_cursor"]
    second = await world.get(path, limit=1, min_seq=night["fact"], cursor=cursor)
    pages = [each["fact_seq"] for page in (first, second) for each in page["changes"]]
    assert pages == [last, night["fact"]]


async def test_what_does_not_come_in_time_is_view_behind(world: World) -> None:
    night = await a_night(world)
    answer = await world.ask(f"/v1/players/{night['ada']}", {"min_seq": night["fact"]})
    assert (answer.status_code, answer.json()["code"]) == (503, "view_behind")
    assert answer.headers["Retry-After"] == "1"
    assert answer.headers["Cache-Control"] == "no-store"
    assert not world.reader.waiting


@pytest.mark.parametrize(
    "min_seq",
    [
        "-1",
        "1.0",
        "1e3",
        "1_0",
        " 1",
        "+1",
        "seven",
        "",
        "\uff11",
        "9223372036854775808",
        "9" * 5000,
    ],
)
async def test_what_is_no_place_on_a_log_is_refused(world: World, min_seq: str) -> None:
    await a_night(world)
    for path in ("/v1/players/" + mj(1), "/v1/leaderboard", "/v1/sources"):
        answer = await world.ask(path, {"min_seq": min_seq})
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_parameter")


async def test_a_fact_beyond_the_end_of_the_log_is_not_waited_for(world: World) -> None:
    await founded(world, fact_seq=7)
    arrivals = Arrivals(world.pool, Bell())
    at_s = asyncio.get_running_loop().time() + FAR_S
    for seq in (8, (1 << 63) - 1):
        with pytest.raises(BeyondLog):
            async with deadline():
                await arrivals.until(["profiles"], seq, at_s)
    answer = await world.ask("/v1/leaderboard", {"min_seq": 8})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_parameter")
    assert answer.json()["errors"][0]["pointer"] == "/query/min_seq"


async def test_many_who_wait_are_looked_for_together_and_no_more_than_may(world: World) -> None:
    """The database is asked as often for a thousand as for one."""
    night = await a_night(world)
    await founded(world, fact_seq=night["fact"])
    pool = CountingPool(world.pool)
    arrivals = Arrivals(pool, Bell())  # type: ignore[arg-type]
    at_s = asyncio.get_running_loop().time() + FAR_S
    waits = [
        asyncio.create_task(arrivals.until(["sessions", "profiles"], night["fact"], at_s))
        for _ in range(WAITERS_MAX)
    ]

    async def are_waiting() -> bool:
        return arrivals.waiting == WAITERS_MAX and pool.looks > 1

    await until(are_waiting)
    with pytest.raises(ViewBehind):
        await arrivals.until(["sessions"], night["fact"], at_s)
    looks = pool.looks
    await world.follow()
    async with deadline():
        await asyncio.gather(*waits)
    assert pool.looks - looks < WAITERS_MAX / 10
    assert not arrivals.waiting


async def test_a_view_that_moves_rings(world: World, database: Database) -> None:
    await a_night(world)
    bell = Bell()
    async with listening(database.pool, bell, (VIEWS_CHANNEL,)), deadline():
        ringing = asyncio.create_task(bell.wait_beyond(VIEWS_CHANNEL, 0, FAR_S))
        feed = Feed(world.pool, world.season.log, [SessionsView()], records_max=1)

        async def has_rung() -> bool:
            # The first steps may be before it listens.
            if not await feed.step():
                await world.season.play("club", Round({mj(1): 1, mj(2): 0}))
            return ringing.done()

        await until(has_rung)


class CountingPool:
    """A pool that counts the looks."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool
        self.looks = 0

    async def fetch(self, query: str) -> list[asyncpg.Record]:
        self.looks += 1
        return await self._pool.fetch(query)


async def founded(world: World, *, fact_seq: int) -> None:
    """Let the log of the database end at a fact, as ingest would."""
    await world.pool.execute(
        """INSERT INTO mahjic.head (log_id, fact_seq, fact_chain, people_seq)
        VALUES ('log', $1, decode(repeat('00', 32), 'hex'), 0)""",
        fact_seq,
    )
