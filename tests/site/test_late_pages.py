"""The processes that show pages look whether these are late, and the pages say so."""

import asyncio

import httpx
import pytest

from services.role import Role, build_app
from services.roles import SERVE, SITE
from services.site.kit.lateness import LATE_S
from tests.conftest import Database
from tests.log.deadlines import until
from tests.service import running_service
from tests.site.serving import HTML

LATE = "Some new results aren’t counted here yet."


@pytest.mark.parametrize("role", [SERVE, SITE], ids=lambda role: role.name)
async def test_pages_of_a_process_say_that_they_are_late(database: Database, role: Role) -> None:
    async with running_service(database) as running:
        service = running.service
        lateness = service.process.lateness
        transport = httpx.ASGITransport(build_app(service.with_figures_apart(), role))
        async with httpx.AsyncClient(
            transport=transport, base_url="http://mahjic.test", headers=HTML
        ) as browser:
            first = await browser.get("/leaderboard")
            assert (first.status_code, LATE in first.text) == (200, False)
            # Somebody looked a minute ago, and a fact was on record that no view shows now.
            lateness.look(0, 1_000, asyncio.get_running_loop().time() - LATE_S - 1)
            running.run("lateness", role.parts["lateness of pages"](service, 0))

            async def is_late() -> bool:
                return lateness.is_late

            await until(is_late)
            held = {"If-None-Match": first.headers["etag"]}
            again = await browser.get("/leaderboard", headers=held)
            assert (again.status_code, LATE in again.text) == (200, True)
            await running.stop_part("lateness")
