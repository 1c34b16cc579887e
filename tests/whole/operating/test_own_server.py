"""The whole service on the operator's own PostgreSQL, the oldest that is at hand."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.db.own_server import OWN_SERVERS, an_own_server, needs_an_own_server
from tests.folders import open_folder
from tests.processes import mahjic, serving
from tests.whole.operating.test_takeover import a_session


@pytest.fixture
def place() -> Iterator[Path]:
    folder = open_folder()
    yield folder
    shutil.rmtree(folder)


@needs_an_own_server
async def test_a_session_goes_all_the_way_on_a_server_of_the_operators_own(place: Path) -> None:
    with an_own_server(place, OWN_SERVERS[0]) as url:
        environment = {"MAHJIC_DATABASE_URL": url}
        async with serving(environment) as served:
            await mahjic(environment, "source", "add", "a", "--name", "A", "--type", "club")
            key = await mahjic(environment, "key", "create", "a")
            operator = await mahjic(environment, "key", "create", "--operator")
            async with httpx.AsyncClient(base_url=served.url, timeout=60) as client:
                source = {"Authorization": f"Bearer {key}"}
                first = await client.post("/v1/sessions", json=a_session(1), headers=source)
                assert first.status_code == 201
                ids = [each["player_id"] for each in first.json()["results"]]
                for player_id in ids:
                    verified = await client.put(
                        f"/v1/admin/players/{player_id}/verification",
                        json={"verified": True},
                        headers={"Authorization": f"Bearer {operator}"},
                    )
                    assert verified.status_code == 200
                again = a_session(1) | {"session_date": "2026-02-01"}
                second = await client.post("/v1/sessions", json=again, headers=source)
                changes = [each["verified_rating_change"] for each in second.json()["results"]]
                assert changes == [-16.0, 16.0]
        for view in ("profiles", "history", "leaderboards", "sessions", "sources"):
            await mahjic(environment, "views", "rebuild", view)
        await mahjic(environment, "backup", str(place / "saved"))
        assert (place / "saved").stat().st_size > 0
