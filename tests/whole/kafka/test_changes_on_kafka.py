"""With the logs on Kafka, too, the past is changed at ingest and read everywhere else."""

from typing import Any

import pytest

from tests.conftest import Database
from tests.ingest.claims import a_round, a_session
from tests.kafka.broker import Broker
from tests.log.deadlines import until
from tests.whole.kafka.kafka_site import KafkaSite, a_kafka_site, environment_of


@pytest.fixture
def environment(database: Database, kafka_broker: Broker, kafka_prefix: str) -> dict[str, str]:
    return environment_of(database.dsn, kafka_broker, kafka_prefix)


async def change(
    site: KafkaSite, path: str, body: dict[str, Any], *, key: str = "operator", status: int = 201
) -> dict[str, Any]:
    """Ask ingest for a change, and return its answer."""
    async with site.client("ingest", key) as client:
        answer = await client.post(path, json=body)
    assert answer.status_code == status, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def until_rated(site: KafkaSite, ratings: dict[str, float]) -> None:
    """Wait until the profiles show these ratings."""

    async def is_so() -> bool:
        answers = {each: await site.get("read", f"/v1/players/{each}") for each in ratings}
        return all(
            answer.status_code == 200 and answer.json()["rating"] == ratings[each]
            for each, answer in answers.items()
        )

    await until(is_so)


async def test_sessions_are_corrected_and_voided_and_players_merged(
    environment: dict[str, str],
) -> None:
    async with a_kafka_site(environment) as site:
        first = (await site.submit(a_session(a_round(ada=3, bo=1)))).json()
        ada, bo = (each["player_id"] for each in first["results"])
        path = f"/v1/sessions/{first['session_id']}"
        right = a_session(a_round(ada=1, bo=3))
        corrected = await change(site, f"{path}/corrections", right, key="source")
        assert [each["rating_after"] for each in corrected["results"]] == [1484, 1516]
        assert corrected["effect"]["players_moved"] == 2
        await until_rated(site, {ada: 1484, bo: 1516})
        again = await change(site, f"{path}/corrections", right, key="source", status=200)
        (warning,) = again.pop("warnings")
        assert warning["code"] == "already_recorded"
        assert again == {name: corrected[name] for name in corrected if name != "warnings"}

        twin = (await site.submit(a_session(a_round(twin=3, cy=1)))).json()["results"][0]
        merged = await change(site, f"/v1/admin/players/{twin['player_id']}/merge", {"into": ada})
        assert merged["effect"]["players_moved"] == 3
        undone = await change(site, f"/v1/admin/players/{twin['player_id']}/unmerge", {})
        assert undone["effect"]["players_moved"] == 3
        await change(site, "/v1/admin/formulas", {"formula": "mahjic-elo/1", "since": "beginning"})

        session_ids = [corrected["session_id"]]
        body = {"session_ids": session_ids, "reason": "test_entry"}
        voided = await change(site, "/v1/admin/sessions/void", body)
        assert voided["effect"]["players_moved"] == 2
        await until_rated(site, {ada: 1500, bo: 1500, twin["player_id"]: 1516})
        shown = (await site.get("read", f"/v1/sessions/{session_ids[0]}")).json()
        assert (shown["status"], shown["corrects"]) == ("voided", first["session_id"])
        assert shown["ended"]["effect"] == voided["effect"]
        async with site.client("read", "source") as client:
            wrong = await client.put(f"{path}/void")
        assert (wrong.status_code, wrong.headers["allow"]) == (405, "POST")
