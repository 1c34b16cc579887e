"""Every command on the pages for developers works as it stands, in a shell, on a real service."""

import itertools
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest

from services.ingest.people.disputes import dispute
from services.site.words.interface.reading import TAGS
from services.transparency.beginning import init_public_logs
from shared.access.keys import KeyKind, create_key
from shared.access.sources import SourceDetails, add_source
from tests.conftest import Database
from tests.kafka.broker import free_ports
from tests.log.deadlines import until
from tests.processes import serving
from tests.service import UNLIMITED, bearer
from tests.site.serving import name_of_site
from tests.site.words.html import ReadPage
from tests.site.words.ten_minutes import follow_ten_minutes, run_in_shell

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")

# Only a request that hangs takes longer, however busy the machine is.
DEADLINE_S = 60
# Not the source of the examples: whoever follows the pages has a source of their own.
SOURCE = "tuesday-club"
# The dispute that the example of an answer answers.
DISPUTE_OF_THE_EXAMPLE = 3
# Whose key the operations of a tag need.
KINDS: dict[str, KeyKind] = {"operator": "operator", "audit": "auditor"}
SHEET = """Mahjic Score Sheet
Session Date,2026-02-{day:02}
Game Type,Social
ROUND 1 | Games Played: 4 | Wall Games: 1
Player,Mahjongs
{first},2
{second},1
"""


@dataclass
class Reader:
    """Someone with a shell who follows the pages; what they do is recorded before each command."""

    url: str
    folder: Path
    keys: dict[str, str]
    client: httpx.AsyncClient
    pool: asyncpg.Pool
    numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    async def page(self, path: str) -> ReadPage:
        """Return a page of the service."""
        answer = await self.client.get(path)
        assert answer.status_code == 200, answer.text
        return ReadPage(answer.text)

    async def shows_its_views(self) -> bool:
        """Return whether the views of the service are there: a new one builds them first."""
        return (await self.client.get("/v1/formula")).status_code == 200

    async def run(self, command: str, variables: dict[str, str]) -> tuple[int, str]:
        """Run a command in a shell; return the status that curl saw, and what it wrote."""
        return await run_in_shell(self.folder, command, variables)

    async def variables(self, kind: str) -> dict[str, str]:
        """Record new nights, and return what somebody knows who sent them."""
        night, other = await self._night(), await self._night()
        player, second = night["results"][0]["player_id"], other["results"][0]["player_id"]
        await self._take_back_what_the_pages_sent()
        return {
            "MAHJIC_KEY": self.keys[kind],
            "SESSION_ID": night["session_id"],
            "PLAYER_ID": player,
            "OTHER_PLAYER_ID": second,
            "CHANGE_ID": f"{player}.{night['seq']}.1",
            "SOURCE": SOURCE,
            "FACT_SEQ": str(night["seq"]),
        }

    async def is_signed(self, variables: dict[str, str]) -> bool:
        """Return whether the public logs have what somebody knows who sent the nights."""
        for name in ("facts", "verdicts"):
            answer = await self.client.get(f"/log/{name}/checkpoint")
            is_there = answer.status_code == 200
            if not is_there or int(answer.text.splitlines()[1]) < int(variables["FACT_SEQ"]):
                return False
        return True

    async def disputes(self, variables: dict[str, str]) -> None:
        """Have a player say that they did not play a session, under the number of the example."""
        async with self.pool.acquire() as connection, connection.transaction():
            await connection.execute(
                "SELECT setval(pg_get_serial_sequence('mahjic.disputes', 'number'), $1, false)",
                DISPUTE_OF_THE_EXAMPLE,
            )
            told = await dispute(
                connection,
                variables["PLAYER_ID"],
                variables["SESSION_ID"],
                "I was out of town.",
                now=datetime.now(UTC),
            )
            assert told.number == DISPUTE_OF_THE_EXAMPLE

    async def _night(self) -> dict[str, Any]:
        """Record a night of two people whom nobody has met; wait until it is shown."""
        number = next(self.numbers)
        players = [
            {"email": f"{who}{number}@example.com", "games_played": 3, "mahjongs": won}
            for who, won in (("ada", 2), ("bo", 1))
        ]
        rounds = [{"players": players, "wall_games": 0}]
        claim = {"session_date": "2026-01-15", "game_type": "social", "rounds": rounds}
        answer = await self.post("/v1/sessions", claim, "source")
        assert answer.status_code == 201, answer.text
        night: dict[str, Any] = answer.json()
        player = night["results"][0]["player_id"]
        shown = await self.client.get(f"/v1/players/{player}?min_seq={night['seq']}")
        assert shown.status_code == 200, shown.text
        sheet = SHEET.format(
            day=number % 28 + 1, first=f"cy{number}@example.com", second=f"di{number}@example.com"
        )
        (self.folder / "night.csv").write_text(sheet)
        return night

    async def _take_back_what_the_pages_sent(self) -> None:
        """Void the nights of the examples, so that another example can send the same again."""
        headers = bearer(self.keys["source"])
        listed = await self.client.get("/v1/sessions?from=2026-01-31&limit=200", headers=headers)
        ids = [each["session_id"] for each in listed.json()["sessions"] if each["counts"]]
        if ids:
            body = {"session_ids": ids, "reason": "test_entry"}
            answer = await self.post("/v1/admin/sessions/void", body, "operator")
            assert answer.status_code in {200, 201}, answer.text

    async def post(self, path: str, body: dict[str, Any], kind: str) -> httpx.Response:
        return await self.client.post(path, json=body, headers=bearer(self.keys[kind]))


@pytest.fixture
async def reader(database: Database, tmp_path: Path) -> AsyncIterator[Reader]:
    """Return a reader of a real service, with a key of each kind."""
    now = datetime.now(UTC)
    (port,) = free_ports(1)
    public_url = f"http://localhost:{port}"
    init_public_logs(tmp_path / "transparency", public_url)
    environment = {
        "MAHJIC_PUBLIC_URL": public_url,
        "MAHJIC_TRANSPARENCY": str(tmp_path / "transparency"),
        "MAHJIC_DATABASE_URL": database.dsn,
        "MAHJIC_PUBLIC_LIMIT_PER_MINUTE": str(UNLIMITED),
        "MAHJIC_SOURCE_LIMIT_PER_MINUTE": str(UNLIMITED),
    }
    async with serving(environment, "--port", str(port)) as served:
        details = SourceDetails("Tuesday Club", "club", "midwest")
        await add_source(database.pool, SOURCE, details, now=now)
        owners: dict[KeyKind, str | None] = {"source": SOURCE, "operator": None, "auditor": None}
        keys: dict[str, str] = {}
        for kind, source in owners.items():
            _, keys[kind] = await create_key(database.pool, kind, source, now=now)
        async with httpx.AsyncClient(
            base_url=name_of_site(served.url),
            trust_env=False,
            timeout=DEADLINE_S,
        ) as client:
            reader = Reader(served.url, tmp_path, keys, client, database.pool)
            await until(reader.shows_its_views)
            yield reader


async def test_every_example_works_as_it_stands(reader: Reader) -> None:
    tried = 0
    for tag in TAGS:
        kind = KINDS.get(tag, "source")
        page = await reader.page(f"/developers/{tag}")
        for command in page.code:
            if not command.startswith("curl "):
                assert command.startswith("export "), command
                continue
            variables = await reader.variables(kind)
            if command.partition('"')[2].partition('"')[0].endswith("/unmerge"):
                merge = f"/v1/admin/players/{variables['PLAYER_ID']}/merge"
                await reader.post(merge, {"into": variables["OTHER_PLAYER_ID"]}, "operator")
            if "/proof" in command:
                await until(partial(reader.is_signed, variables))
            if '"number"' in command:
                await reader.disputes(variables)
            status, out = await reader.run(command, variables)
            assert 200 <= status < 300, (command, status, out)
            tried += 1
    document = (await reader.client.get("/openapi.json")).json()
    assert tried == sum(len(operations) for operations in document["paths"].values())


async def test_the_ten_minutes_lead_from_the_key_to_a_rating_and_back(reader: Reader) -> None:
    page = await reader.page("/developers")
    await follow_ten_minutes(page, reader.folder, reader.keys["source"])
