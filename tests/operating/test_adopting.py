"""Formulas are adopted by command at a service that runs, both ways and back, and all is proved."""

from collections.abc import Mapping
from typing import Any

import httpx
import orjson

from shared.rating.registry import MAHJIC_ELO_1, MAHJIC_ELO_2_SCALED
from tests.cli.running import Ended, end_of, start
from tests.conftest import Database
from tests.ingest.claims import a_round, a_session
from tests.log.deadlines import until
from tests.operating.conftest import SHOWN
from tests.processes import mahjic, serving
from tests.service import bearer

Numbers = dict[str, tuple[float, int]]

# Without a limit of requests in the way.
LIMITS = {"MAHJIC_PUBLIC_LIMIT_PER_MINUTE": "1000000"}


class Site:
    """A service that runs on a database, and its operator."""

    def __init__(self, database: Database, client: httpx.AsyncClient, operator_key: str) -> None:
        self._database = database
        self.client = client
        self._environment = {
            "MAHJIC_DATABASE_URL": database.dsn,
            "MAHJIC_URL": str(client.base_url),
            "MAHJIC_KEY": operator_key,
        }

    async def run(self, *arguments: str) -> Ended:
        """Run a command as the operator; it succeeds."""
        ended = await end_of(await start(*arguments, **self._environment))
        assert ended.exit_code == 0, ended.stderr
        return ended

    async def adopt(self, name: str, since: str) -> Mapping[str, Any]:
        """Adopt a formula, and return the answer."""
        adopted = await self.run("formula", "adopt", name, "--since", since, "--yes", "--json")
        answer: dict[str, Any] = orjson.loads(adopted.stdout)
        return answer

    async def numbers(self) -> Numbers:
        """Return everybody's rating and games, once all facts are shown."""
        await until(lambda: self._database.pool.fetchval(SHOWN))
        players = await self._database.pool.fetch("SELECT player_id FROM mahjic.players")
        answers = [await self.client.get(f"/v1/players/{each['player_id']}") for each in players]
        profiles = [each.json() for each in answers if each.status_code == 200]
        assert len(profiles) > 10
        return {each["player_id"]: (each["rating"], each["games"]) for each in profiles}

    async def follow_to_the_facts(self, player_id: str, entries: list[dict[str, Any]]) -> None:
        """Go from the history of a player to the facts, as an auditor does who has no database."""
        answer = await self.client.get(f"/v1/players/{player_id}/history", params={"limit": 5})
        by_id = {each["change_id"]: each for each in entries}
        for change in answer.json()["changes"]:
            path = f"/v1/players/{player_id}/changes/{change['change_id']}"
            assert (await self.client.get(path)).json()["fact_seq"] == change["fact_seq"]
            line = await self.client.get(
                "/v1/log/facts",
                params={"from": change["fact_seq"], "limit": 1},
                headers=bearer(self._environment["MAHJIC_KEY"]),
            )
            assert line.headers["Mahjic-Chain-After"] == by_id[change["change_id"]]["fact_chain"]
            fact = line.json()
            if change["type"] == "round":
                assert fact["subject"] == change["session_id"]
            else:
                assert fact["data"]["formula"] == change["formula"]

    async def gain_of_a_winner(self, day: str, source_key: str) -> float:
        """Let three newcomers play, of whom one beats both others; return what that one gains."""
        claim = a_session(a_round({f"{who}-{day}": int(who == "a") for who in "abc"}), on=day)
        answer = await self.client.post("/v1/sessions", json=claim, headers=bearer(source_key))
        assert answer.status_code == 201, answer.text
        gain: float = answer.json()["results"][0]["rating_change"]
        return gain


async def adopt_as_tried(site: Site, before: Numbers) -> None:
    """Adopt the other formula from the beginning, which brings what was shown of it before."""
    tried = orjson.loads((await site.run("formula", "try", SCALED, "--json")).stdout)

    shown = await site.run("formula", "adopt", SCALED, "--since", "beginning", "--yes")

    assert "log_loss" in shown.stdout
    after = await site.numbers()
    moved = {each for each, numbers in before.items() if numbers != after[each]}
    assert f"\n{tried['mahjic']['moved']} moved; " in shown.stderr
    assert tried["mahjic"]["moved"] >= len(moved) > 0
    for mover in tried["movers"]:
        if mover["player_id"] in after:  # Private players are shown to the operator alone.
            assert after[mover["player_id"]][0] == mover["rating_tried"] / 100
    again = await site.adopt(SCALED, "beginning")
    assert f"adopted by fact {again['fact_seq']}" in shown.stderr


async def audit(site: Site, player_id: str, stands: tuple[float, int]) -> None:
    """Audit a player, whose numbers stand, and follow each change to its fact."""
    audited = orjson.loads((await site.run("audit", player_id, "--json")).stdout)
    now = audited["now"][player_id]
    assert (now["rating_centi"] / 100, now["games"]) == stands
    await site.follow_to_the_facts(player_id, audited["entries"])
    causes = [each["what"] for each in audited["entries"] if each["round_no"] is None]
    assert causes == [f"from the beginning {SCALED}", f"from the beginning {ELO_1}"]


async def test_a_formula_is_adopted_and_left_again_and_every_number_is_proved(
    rated: Database,
) -> None:
    settings = {"MAHJIC_DATABASE_URL": rated.dsn} | LIMITS
    operator_key = await mahjic(settings, "key", "create", "--operator")
    source_key = await mahjic(settings, "key", "create", "a-club")
    async with (
        serving(settings) as served,
        httpx.AsyncClient(base_url=served.url, timeout=60) as client,
    ):
        site = Site(rated, client, operator_key)
        before = await site.numbers()
        await adopt_as_tried(site, before)
        await site.adopt(ELO_1, "beginning")
        assert await site.numbers() == before

        # One win of 16.00 against each, and by the other formula half of them.
        for formula, day, gain in ((SCALED, "2025-01-16", 16.0), (ELO_1, "2025-01-31", 32.0)):
            held = await site.numbers()
            adopted = await site.adopt(formula, "now")
            assert adopted["since"] == "now"
            assert await site.numbers() == held
            assert await site.gain_of_a_winner(day, source_key) == gain

        named = {"formula": ELO_1, "since": "now", "proposal": "0001"}
        answer = await client.post("/v1/admin/formulas", json=named, headers=bearer(operator_key))
        assert (answer.status_code, answer.json()["proposal"]) == (201, "0001")
        assert (await site.numbers()).keys() >= before.keys()
        assert (await client.get("/v1/formula")).json()["proposal"] == "0001"

        for command in ("replay", "verify"):
            assert "newer facts" not in (await site.run(command)).stdout
        for player_id in list(before)[:2]:
            await audit(site, player_id, before[player_id])


SCALED, ELO_1 = MAHJIC_ELO_2_SCALED.name, MAHJIC_ELO_1.name
