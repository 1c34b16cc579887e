"""A sandbox is emptied, and has the season of the demo in it if that is wished."""

from pathlib import Path

import httpx

from services.cli.demo.people import CLUB, LEAGUE, PLATFORM
from tests.log.deadlines import until
from tests.processes import mahjic, serving


async def test_a_sandbox_is_reset_with_a_season_of_made_up_people(folder: Path) -> None:
    environment = {"MAHJIC_DATA": str(folder)}
    async with serving(environment, "--sandbox"):
        await mahjic(environment, "source", "add", "old", "--name", "Old", "--type", "club")
        await mahjic(environment, "sandbox", "clock", "+3d")
    await mahjic(environment, "sandbox", "reset", "--yes", "--with-season")
    assert (await mahjic(environment, "sandbox", "clock")).endswith("as everywhere else.")
    listed = await mahjic(environment, "source", "list")
    sources = {line.split("\t")[0] for line in listed.splitlines()[1:]}
    assert sources == {CLUB, LEAGUE, PLATFORM}
    async with (
        serving(environment, "--sandbox") as served,
        httpx.AsyncClient(base_url=served.url, trust_env=False, timeout=60) as http,
    ):

        async def is_there() -> bool:
            board = await http.get("/v1/leaderboard")
            return board.status_code == 200 and len(board.json()["players"]) > 10

        await until(is_there)
