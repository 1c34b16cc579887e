"""Profile, history and board, read under load: each shows what held at the fact that it names."""

import asyncio
import contextlib
import itertools
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

import httpx

from tests.chaos.by_hand import Logs, Replay, read_logs
from tests.conftest import Database
from tests.log.chances import seeded_chance
from tests.log.deadlines import deadline
from tests.service import RunningService, bearer, running_service

PEOPLE = tuple(f"player{number}@example.com" for number in range(5))
# How many moments of a board that moves must have been seen, or nothing is shown.
MOMENTS_MIN = 15
FIRST_DATE = date(1950, 1, 1)
Standings = dict[str, dict[str, Any]]


@dataclass
class Reader:
    """Somebody who reads everything about players again and again, and keeps what was shown."""

    client: httpx.AsyncClient
    ids: list[str]
    profiles: list[dict[str, Any]] = field(default_factory=list)
    histories: list[dict[str, Any]] = field(default_factory=list)
    boards: list[dict[str, Any]] = field(default_factory=list)

    async def read_forever(self, chance: random.Random) -> None:
        while True:
            player = f"/v1/players/{chance.choice(self.ids)}"
            self.profiles.append(await self.read(player))
            self.histories.append(await self.read(f"{player}/history?limit=1"))
            self.boards.append(await self.read("/v1/leaderboard?min_games=0"))

    @property
    def moments(self) -> int:
        """How many different facts the boards stood on."""
        return len({board["seq"] for board in self.boards})

    async def read(self, path: str) -> dict[str, Any]:
        response = await self.client.get(path)
        assert response.status_code == 200, response.text
        shown: dict[str, Any] = json.loads(response.text, parse_float=Fraction)
        return shown


async def test_whatever_is_read_under_load_is_what_held_at_the_fact_it_names(
    database: Database,
) -> None:
    chance = seeded_chance()
    async with running_service(database) as service:
        reader = Reader(service.client, await verified_players(service))
        reading = asyncio.create_task(reader.read_forever(chance))
        await submit_until(service, chance, lambda: reading.done() or reader.moments >= MOMENTS_MIN)
        reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await reading  # Raises what ended it before.
        held = standings_by_seq(await read_logs(service.pool), reader.ids)
    assert min(map(len, (reader.profiles, reader.histories))) >= MOMENTS_MIN
    for profile in reader.profiles:
        assert profile.items() >= held[profile["seq"]][profile["player_id"]].items()
    for page in reader.histories:
        standing = held[page["seq"]][page["player_id"]]
        for change in page["changes"]:
            assert change["mahjic"]["rating_after"] == standing["rating"]
            assert change["mahjic"]["games_after"] == standing["games"]
            assert change["verified"]["rating_after"] == standing["verified_rating"]
            assert change["verified"]["games_after"] == standing["verified_games"]
    for board in reader.boards:
        assert [
            (row["player_id"], row["verified_rating"], row["verified_games"])
            for row in board["players"]
        ] == board_by_hand(held[board["seq"]])


async def verified_players(service: RunningService) -> list[str]:
    """Register the people and verify them, and wait until all of them are on the board."""
    operator = bearer(await service.operator_key())
    ids = []
    for email in PEOPLE:
        path = "/v1/admin/players"
        registered = await service.client.post(path, json={"email": email}, headers=operator)
        ids.append(registered.json()["player_id"])
        verified = await service.client.put(
            f"{path}/{ids[-1]}/verification", json={"verified": True}, headers=operator
        )
        assert verified.status_code == 200
    async with asyncio.timeout(30):
        board = "/v1/leaderboard?min_games=0"
        while len((await service.client.get(board)).json()["players"]) < len(ids):
            await asyncio.sleep(0.01)
    return ids


async def submit_until(
    service: RunningService, chance: random.Random, is_enough: Callable[[], bool]
) -> None:
    """Submit sessions, a few at a time, each on a day of its own, until it is enough."""
    key = await service.source_key()
    numbers = itertools.count()

    async def submit_one_after_the_other() -> None:
        while not is_enough():
            answer = await service.submit(a_session(next(numbers), chance), key)
            assert answer.status_code == 201, answer.text

    async with deadline(), asyncio.TaskGroup() as group:
        for _ in range(4):
            group.create_task(submit_one_after_the_other())


def a_session(number: int, chance: random.Random) -> dict[str, Any]:
    people = chance.sample(PEOPLE, 3)
    mahjongs = [chance.randint(0, 3) for _ in people]
    players = [
        {"email": person, "games_played": sum(mahjongs) + 1, "mahjongs": won}
        for person, won in zip(people, mahjongs, strict=True)
    ]
    return {
        "session_date": str(FIRST_DATE + timedelta(days=number)),
        "game_type": "social",
        "rounds": [{"players": players, "wall_games": 1}],
    }


def standings_by_seq(logs: Logs, ids: list[str]) -> dict[int, Standings]:
    """Return where everybody stood after each fact, worked out by hand."""
    replay, held = Replay(), {}
    for fact in logs.facts:
        replay.take(fact)
        held[fact.seq] = {player_id: replay.standing(player_id) for player_id in ids}
    return held


def board_by_hand(standings: Standings) -> list[tuple[str, Fraction, int]]:
    rows = [
        (player_id, each["verified_rating"], each["verified_games"])
        for player_id, each in standings.items()
        if each["is_verified"]
    ]
    return sorted(rows, key=lambda row: (-row[1], row[0]))
