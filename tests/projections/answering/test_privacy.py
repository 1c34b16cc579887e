"""No public answer shows anything of a private, anonymous or erased player; a walk tries all."""

import json
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

import httpx
import jsonschema
import orjson

from tests.projections.answering.hidden import a_season_of_hidden
from tests.projections.conftest import World

# What each parameter of a public route is tried with; a route with another one fails the walk.
VALUES: dict[str, tuple[str, ...]] = {
    "region": ("west", "midwest"),
    "source": ("club", "league"),
    "from": ("2026-01-01",),
    "to": ("2026-12-31",),
    "limit": ("1", "3"),
    "offset": ("1",),
    "min_games": ("0",),
    "active_within_days": ("365",),
    "cursor": (),
    "min_seq": ("1",),
    "q": ("nick", "offered", "ada", "private", "address", "MJ-0", "AN-0", "example"),
}


class Walk:
    """All addresses of the public routes, for some players and changes."""

    def __init__(self, document: dict[str, Any], people: list[str], changes: list[str]) -> None:
        self._document = document
        self._values = VALUES | {"player_id": tuple(people), "change_id": tuple(changes)}

    def addresses(self) -> Iterator[tuple[str, str]]:
        """Yield each address with the path of its route."""
        for path, operations in self._document["paths"].items():
            operation = operations.get("get")
            if operation is None or "security" in operation or path in _NOT_OF_PLAYERS:
                continue
            for address in self._filled(path, operation.get("parameters", [])):
                yield path, address

    def _filled(self, path: str, parameters: list[dict[str, Any]]) -> Iterator[str]:
        addresses = [path]
        for parameter in parameters:
            name = parameter["name"]
            values = [quote(value) for value in self._values[name]]
            if parameter["in"] == "path":
                addresses = [a.replace(f"{{{name}}}", v) for a in addresses for v in values]
            else:
                joined = [
                    f"{a}{'&' if '?' in a else '?'}{name}={v}" for a in addresses for v in values
                ]
                addresses = joined if parameter["required"] else addresses + joined
        return iter(addresses)

    def check_schema(self, path: str, body: object) -> None:
        """Hold an answer against the OpenAPI document."""
        response = self._document["paths"][path]["get"]["responses"]["200"]
        schema = response["content"]["application/json"]["schema"]
        jsonschema.validate(body, schema | {"components": self._document["components"]})


# For the operator; and with people that are made up.
_NOT_OF_PLAYERS = {
    "/healthz",
    "/readyz",
    "/metrics",
    "/v1/sheets/template.csv",
    "/v1/sheets/template.xlsx",
}


def assert_tells_of_none(
    hidden: Iterable[str], address: str, answer: httpx.Response, moment: str
) -> None:
    """Check an answer to the public, which is kept by caches if it is one."""
    assert answer.status_code in {200, 404}, (address, answer.text)
    asked = address.partition("?")[0].split("/")
    for each in hidden:
        assert each not in answer.text, (moment, address)
        if each in asked or any(part.startswith(f"{each}.") for part in asked):
            assert answer.status_code == 404, (moment, address)
    for word in ("example.com", "nickname-", "Offered", "Private", "Erased", "Turned"):
        assert word not in answer.text.replace("a private player", ""), (moment, address)
    if answer.status_code == 200:
        assert "ETag" in answer.headers
        assert answer.headers["Cache-Control"].startswith("public")


async def test_no_public_answer_tells_of_a_hidden_player(world: World) -> None:
    season = world.season
    await season.source("club", region="west")
    await season.source("league", kind="league")
    played = await a_season_of_hidden(season)
    ada, bo, hidden = played.ada, played.bo, played.hidden
    await world.follow()
    # What the hidden ones stand at now is theirs alone. Two of them were public until here.
    visible = [(await world.get(f"/v1/players/{each}")) for each in (played.erased, played.turned)]
    await played.hide()

    document = json.loads(orjson.dumps(world.app.openapi()))
    for moment in ("at once", "after the views have followed"):
        walk = Walk(document, [ada, bo, *hidden], played.changes)
        routes, answered = set(), set()
        for path, address in walk.addresses():
            routes.add(path)
            answer = await world.client.get(address)
            assert_tells_of_none(hidden, address, answer, moment)
            if answer.status_code == 200:
                answered.add(path)
                walk.check_schema(path, answer.json())
        assert routes == answered, "Every route must have shown something."
        assert len(routes) == 10
        await world.follow()
    board = await world.get("/v1/leaderboard", min_games=0)
    assert [row["player_id"] for row in board["players"]] in ([ada, bo], [bo, ada])
    assert [row["place"] for row in board["players"]] in ([1, 2], [1, 1])
    assert all(profile["global_rank"] is not None for profile in visible)
