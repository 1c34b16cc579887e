"""The leaderboard page and a player's page, against the same data as JSON from the same service.

The JSON holds all that the page reads, by the same queries. Both sides are asked as browsers ask,
so the service compresses its pages, and sends JSON as it is.
"""

import gzip
import json
import random
import re
from typing import Final

import httpx

from bench.results import Row, compared
from bench.running import a_server, check_statuses, load
from bench.shown.board import address_of, made_up

# As many as a regular plays in two years.
NIGHTS: Final = 200
SEED: Final = 14
RATIO_MIN: Final = 0.5
# What a first view may take over the wire without fonts (in bytes).
FIRST_VIEW_BYTES_MAX: Final = 60_000
_FILES: Final = re.compile(r'<(?:link rel="stylesheet" href|script type="module" src)="([^"]+)"')


async def measure(players: int, *, rounds: int, seconds: float) -> list[Row]:
    """Return the rows about the pages, on a board of so many players."""
    async with a_server("--players", str(players)) as (port, key):
        regulars = [player for player, _ in made_up(players)[:4]]
        await _play(port, key, regulars)
        pairs = {
            "leaderboard page": ("/leaderboard", "/bench/json/leaderboard"),
            "player page": (f"/players/{regulars[0]}", f"/bench/json/players/{regulars[0]}"),
        }
        rows = []
        for name, (page, as_json) in pairs.items():
            own, other = [], []
            for _ in range(rounds):
                own.append(await load(port, page, seconds=seconds, connections=16))
                other.append(await load(port, as_json, seconds=seconds, connections=16))
            check_statuses(own + other, {"200"})
            rows.append(
                compared(
                    f"{name}, {players:,} players, pages/s",
                    [each["per_s"] for each in own],
                    "the same data as JSON",
                    [each["per_s"] for each in other],
                    ratio_min=RATIO_MIN,
                )
            )
            rows.append(await _first_view(port, name, page))
    return rows


async def _play(port: int, key: str, people: list[str]) -> None:
    """Let four players meet on many nights, and wait until pages show the last one."""
    chance = random.Random(SEED)
    base_url = f"http://127.0.0.1:{port}"
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/x-ndjson"}
    lines = [json.dumps(_a_night(chance, people, night)) for night in range(NIGHTS)]
    async with httpx.AsyncClient(base_url=base_url, headers=headers, timeout=120) as client:
        answer = await client.post("/v1/sessions/batch", content="\n".join(lines).encode())
        told = [json.loads(line) for line in answer.text.splitlines()]
        assert {each["status"] for each in told} == {201}, told[0]
        seq = max(each["session"]["seq"] for each in told)
        shown = await client.get(f"/v1/players/{people[0]}", params={"min_seq": seq})
        assert shown.status_code == 200, shown.text


def _a_night(chance: random.Random, people: list[str], night: int) -> dict[str, object]:
    won = [chance.randint(0, 3) for _ in people]
    wall_games = chance.randint(1, 3)
    games = sum(won) + wall_games
    players = [
        {"email": address_of(player), "games_played": games, "mahjongs": mahjongs}
        for player, mahjongs in zip(people, won, strict=True)
    ]
    return {
        "session_date": f"{2024 + night // 100}-{1 + night % 12:02}-{1 + night % 28:02}",
        "game_type": "social",
        "rounds": [{"players": players, "wall_games": wall_games}],
        "allow_duplicate": True,
    }


async def _first_view(port: int, name: str, path: str) -> Row:
    """Return how many bytes a first view takes: the page, its styles and its scripts."""
    # Whoever asks at the bare address is sent to this name.
    headers = {"Host": f"localhost:{port}"}
    address = f"http://127.0.0.1:{port}"
    async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as client:
        page = (await client.get(path)).raise_for_status().text
        files = [
            (await client.get(file)).raise_for_status().content for file in _FILES.findall(page)
        ]
    assert files, "A page has a style sheet."
    sent = sum(len(gzip.compress(each)) for each in (page.encode(), *files))
    return Row(
        f"- bytes of a first view of the {name}",
        f"{sent:,}",
        f"{FIRST_VIEW_BYTES_MAX:,} over the wire, without fonts",
        FIRST_VIEW_BYTES_MAX / sent,
        1.0,
    )
