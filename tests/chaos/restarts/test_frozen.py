"""A PostgreSQL that takes connections and answers nothing: told in time, and no reason to stay."""

import asyncio
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import psutil  # type: ignore[import-untyped]

from shared.db.server.embedded import embedded_server
from tests.chaos.claims import errands
from tests.chaos.site import a_place
from tests.chaos.system import postgres_in, stopped
from tests.log.chances import seeded_chance
from tests.processes import mahjic, start_serving

WAIT_S = 1
# Far more than the wait above, and less than a question to a database may take.
PATIENCE_S = 20.0


async def test_a_frozen_database_is_told_in_time_and_does_not_hold_up_the_stop() -> None:
    claim = next(errands(seeded_chance())).claim
    with a_place() as place:
        folder = place / "data"
        async with embedded_server(folder, role="join") as server:
            environment = {
                "MAHJIC_DATABASE_URL": server.dsn,
                "MAHJIC_DATABASE_WAIT_S_MAX": str(WAIT_S),
                "MAHJIC_GRACE_S": "1",
            }
            served = await start_serving(environment)
            await mahjic(environment, "source", "add", "a-club", "--name", "A", "--type", "club")
            key = await mahjic(environment, "key", "create", "a-club")
            headers = {"Authorization": f"Bearer {key}"}
            async with httpx.AsyncClient(base_url=served.url, timeout=PATIENCE_S) as client:
                sent = await client.post("/v1/sessions", json=claim, headers=headers)
                assert sent.status_code == 201
                with frozen(folder):
                    answers = await asyncio.gather(
                        client.post("/v1/sessions", json=claim, headers=headers),
                        client.get("/readyz"),
                        client.get("/readyz"),
                    )
                    assert [answer.status_code for answer in answers] == [503, 503, 503]
                    began_s = time.monotonic()
                    served.process.send_signal(signal.SIGTERM)
                    assert await served.ended() == 0, served.log
                    assert time.monotonic() - began_s < PATIENCE_S


@contextmanager
def frozen(folder: Path) -> Iterator[None]:
    """Keep every process of the PostgreSQL in a folder from running while the context is open."""
    with ExitStack() as stack:
        processes: list[psutil.Process] = postgres_in(folder)
        assert processes
        for process in processes:
            stack.enter_context(stopped(process))
        yield
