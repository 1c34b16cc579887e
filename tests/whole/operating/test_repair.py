"""A log that was damaged is found, and repaired by the steps of docs/operations.md."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from shared.db.pool import open_pool
from shared.db.server.embedded import embedded_server
from tests.chaos.accounts import assert_each_fact_has_its_verdict, assert_rated_by_the_rules
from tests.chaos.by_hand import read_logs, replayed
from tests.chaos.place import SOURCES
from tests.chaos.site import Site, a_place, a_site
from tests.log.adapters import PostgresHarm
from tests.processes import mahjic, start_serving
from tests.whole.operating.test_takeover import a_session

SESSIONS_SAVED, SESSIONS = 4, 6
# To all sessions sent again after a repair: those in the backup are on record already.
ANSWERS = [200] * SESSIONS_SAVED + [201] * (SESSIONS - SESSIONS_SAVED)

Harm = Callable[[PostgresHarm], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Saved:
    """A site with sessions on record, the first of them in a backup."""

    site: Site
    backup: Path

    async def submit(self, number: int) -> int:
        """Submit a session, and return the status of the answer."""
        key = {"Authorization": f"Bearer {self.site.keys[SOURCES[0]]}"}
        async with httpx.AsyncClient(base_url=self.site.url, timeout=60) as http:
            answer = await http.post("/v1/sessions", json=a_session(number), headers=key)
            return answer.status_code

    async def stop_and_harm(self, harm: Harm) -> None:
        """Stop the service, and do what no program of ours does."""
        await self.site.served.stop()
        async with (
            embedded_server(self.site.folder, role="join") as server,
            await open_pool(server.dsn, application_name="tests", size_max=1) as pool,
        ):
            await harm(PostgresHarm(pool))

    async def repair(self) -> list[int]:
        """Repair as the page says, and return how each session was answered that came again."""
        environment = self.site.environment
        copy = self.backup.with_name("as-it-is")
        await mahjic(environment, "backup", str(copy), "--overwrite")
        await mahjic(environment, "restore", str(self.backup), "--replace")
        await self.site.start()
        await mahjic(environment, "views", "rebuild", "history")
        return [await self.submit(number) for number in range(SESSIONS)]

    async def assert_whole(self) -> None:
        """Check both chains and every number, from the bytes on the logs alone."""
        async with self.site.database() as pool:
            logs = await read_logs(pool)
        assert len(logs.session_facts) == SESSIONS
        assert_each_fact_has_its_verdict(logs)
        assert_rated_by_the_rules(logs, replayed(logs.facts))


@pytest.fixture(scope="module")
async def saved() -> AsyncIterator[Saved]:
    with a_place() as place:
        async with a_site(place / "data") as site:
            saved = Saved(site, place / "saved")
            for number in range(SESSIONS):
                assert await saved.submit(number) == 201
                if number == SESSIONS_SAVED - 1:
                    await mahjic(site.environment, "backup", str(saved.backup))
            yield saved


async def test_an_altered_fact_ends_the_next_start_and_is_repaired(saved: Saved) -> None:
    await saved.stop_and_harm(lambda harm: harm.alter("facts", 3, b"a better result"))
    refusing = await start_serving(saved.site.environment)
    assert await refusing.ended() == 1
    assert "history_split: The chain of record 3 does not fit." in refusing.log
    assert "docs/operations.md" in refusing.log
    assert await saved.repair() == ANSWERS
    await saved.assert_whole()


async def test_a_lost_verdict_ends_a_rebuild_and_is_repaired(saved: Saved) -> None:
    await saved.stop_and_harm(lambda harm: harm.remove("verdicts", 3))
    refusing = await saved.site.run("views", "rebuild", "history")
    said, _ = await refusing.communicate()
    assert refusing.returncode == 1
    assert "log_gap: Record 4 follows record 2." in said.decode()
    assert await saved.repair() == ANSWERS
    await saved.assert_whole()
