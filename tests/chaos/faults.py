"""The faults: each breaks something at once, and lets the site come back as an operator would."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

import asyncpg

from services.projections.views import all_views
from shared.db.server.embedded import embedded_server
from tests.chaos.clients import Crowd
from tests.chaos.place import Place
from tests.chaos.site import Site
from tests.chaos.system import children_of, gone, kill, stopped
from tests.log.deadlines import LOOK_S, deadline

F = TypeVar("F")
Fault = Callable[[Site, Crowd, random.Random], Awaitable[None]]


async def the_service_is_killed(site: Site, _crowd: Crowd, _chances: random.Random) -> None:
    await site.kill()
    await site.start()


async def postgres_is_killed(site: Place, _crowd: Crowd, _chances: random.Random) -> None:
    postmaster = await site.living_postmaster()
    kill(postmaster)
    await gone(postmaster)
    site.assert_alive()


async def a_process_of_postgres_is_killed(
    site: Place, _crowd: Crowd, chances: random.Random
) -> None:
    children = children_of(await site.living_postmaster())
    if children:
        kill(chances.choice(children))
    site.assert_alive()


async def the_clients_hang_up(_site: Place, crowd: Crowd, _chances: random.Random) -> None:
    crowd.hang_up()


async def the_power_fails(site: Site, crowd: Crowd, _chances: random.Random) -> None:
    postmaster = await site.living_postmaster()
    children = children_of(postmaster)
    for process in (postmaster, *children):
        kill(process)
    crowd.hang_up()
    await site.kill()
    await site.start()


async def the_service_is_killed_while_it_starts(
    site: Site, _crowd: Crowd, chances: random.Random
) -> None:
    await site.kill()
    starting = await site.run("serve", "--port", "0")
    await asyncio.sleep(chances.uniform(0, 1.2 * site.start_s))
    starting.kill()
    await starting.communicate()
    await site.start()


async def postgres_is_killed_while_the_service_starts(
    site: Site, _crowd: Crowd, chances: random.Random
) -> None:
    await site.kill()
    starting = asyncio.create_task(site.start())
    await asyncio.sleep(chances.uniform(0, 1.2 * site.start_s))
    postmaster = site.postmaster()
    if postmaster is not None:
        kill(postmaster)
    try:
        await starting
    except AssertionError:
        # It may end with an error before it is ready; a supervisor then starts it again.
        await site.start()


async def a_rebuild_is_killed_midway(site: Site, _crowd: Crowd, chances: random.Random) -> None:
    view = chances.choice([view.name for view in all_views()])
    rebuild = await site.run("views", "rebuild", view)
    async with embedded_server(site.folder, role="join") as server:
        connection = await asyncpg.connect(server.dsn)
        async with deadline():
            while rebuild.returncode is None and not await connection.fetchval(IS_BUILT, view):
                await asyncio.sleep(LOOK_S)
        await connection.close()
    await asyncio.sleep(chances.uniform(0, 0.5))
    if rebuild.returncode is None:
        rebuild.kill()
    await rebuild.communicate()


IS_BUILT = "SELECT count(*) > 1 FROM mahjic.view_builds WHERE view = $1"


async def the_service_is_paused(site: Site, _crowd: Crowd, chances: random.Random) -> None:
    with stopped(site.service()):
        await asyncio.sleep(chances.uniform(0, site.pause_s_max))


async def postgres_is_paused(site: Place, _crowd: Crowd, chances: random.Random) -> None:
    with stopped(await site.living_postmaster()):
        await asyncio.sleep(chances.uniform(0, site.pause_s_max))


async def a_process_of_postgres_is_paused(
    site: Place, _crowd: Crowd, chances: random.Random
) -> None:
    children = children_of(await site.living_postmaster())
    if children:
        with stopped(chances.choice(children)):
            await asyncio.sleep(chances.uniform(0, site.pause_s_max))


async def a_second_service_is_started(site: Site, _crowd: Crowd, _chances: random.Random) -> None:
    second = await site.run("serve", "--port", "0")
    told, _ = await second.communicate()
    assert second.returncode not in {0, None}
    assert "data_folder_in_use" in told.decode(), told.decode()
    site.assert_alive()


KILLS: tuple[Fault, ...] = (
    *(the_service_is_killed,) * 3,
    *(postgres_is_killed,) * 3,
    *(a_process_of_postgres_is_killed,) * 4,
    *(the_clients_hang_up,) * 4,
    the_power_fails,
    the_service_is_killed_while_it_starts,
    postgres_is_killed_while_the_service_starts,
    a_rebuild_is_killed_midway,
)
DISTURBANCES: tuple[Fault, ...] = (
    the_service_is_paused,
    postgres_is_paused,
    a_process_of_postgres_is_paused,
    a_second_service_is_started,
)
KILLS_PER_DISTURBANCE = 5


def planned(kills: int, chances: random.Random) -> Iterator[Fault]:
    """Yield so many kills, each kind in its share and in any order, with disturbances between."""
    disturbances = shuffled(DISTURBANCES, chances)
    for number, fault in zip(range(kills), shuffled(KILLS, chances), strict=False):
        yield fault
        if number % KILLS_PER_DISTURBANCE == KILLS_PER_DISTURBANCE - 1:
            yield next(disturbances)


def shuffled(faults: tuple[F, ...], chances: random.Random) -> Iterator[F]:
    """Yield faults forever, each kind in its share, in any order."""
    while True:
        yield from chances.sample(faults, len(faults))
