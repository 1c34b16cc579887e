"""`mahjic site` lets people in as `mahjic ingest` takes sessions: after the same checks."""

from functools import partial
from typing import Final

import pytest

from shared.db.bell import Bell
from shared.log.kafka.copier import FactCopier
from shared.log.port import chained
from shared.log.postgres import PostgresFactLog
from tests.conftest import Database
from tests.db.own_server import free_port
from tests.ingest.recovery.test_recovery import put_back
from tests.kafka.broker import Broker
from tests.log.deadlines import until
from tests.log.on_kafka import a_cluster
from tests.processes import mahjic, serving, start
from tests.whole.kafka.kafka_site import a_kafka_site, environment_of
from tests.whole.operating.test_takeover import a_session
from tests.whole.web_visitor import WebVisitor, a_visitor

ADDRESS: Final = "p1@example.com"
OTHER: Final = "alice@example.org"
PLAYER_OF: Final = "SELECT player_id FROM mahjic.people WHERE email = $1"


@pytest.fixture
def environment(database: Database, kafka_broker: Broker, kafka_prefix: str) -> dict[str, str]:
    return environment_of(database.dsn, kafka_broker, kafka_prefix)


async def is_open(visitor: WebVisitor) -> bool:
    answer = await visitor.get("/login")
    assert answer.status_code in {200, 503}, answer.text
    return answer.status_code == 200


async def test_people_log_in_at_one_process_and_change_what_all_of_them_know(
    environment: dict[str, str], database: Database
) -> None:
    async with (
        a_kafka_site(environment) as site,
        a_visitor(site.served["site"], database.pool) as visitor,
    ):
        rated = (await site.submit(a_session(1))).json()
        await until(partial(is_open, visitor))
        address = await database.pool.fetchval("SELECT min(email) FROM mahjic.people")
        before = await database.pool.fetchval(PLAYER_OF, address)
        await visitor.log_in(OTHER)
        await visitor.add(address)
        form = {"email": address, "sure": "yes"}
        assert (await visitor.send("/account/addresses/remove", form)).status_code == 303
        assert await database.pool.fetchval(PLAYER_OF, address) is None
        # The next session that names the address is somebody else's.
        again = (await site.submit(a_session(1) | {"session_date": "2026-02-01"})).json()
        assert again["status"] == rated["status"] == "rated"
        assert await database.pool.fetchval(PLAYER_OF, address) not in {None, before}
        assert await site.served["site"].stop() == 0


async def test_a_player_is_claimed_named_and_hidden_and_every_process_knows(
    environment: dict[str, str], database: Database
) -> None:
    async with (
        a_kafka_site(environment) as site,
        a_visitor(site.served["site"], database.pool) as visitor,
    ):
        rated = (await site.submit(a_session(1))).json()
        await until(partial(is_open, visitor))
        player = await database.pool.fetchval(PLAYER_OF, "p1-1@example.com")
        profile = f"/v1/players/{player}"
        await visitor.log_in("p1-1@example.com")
        chosen = {"name": "Adelaide", "region": "west", "seen": "visible", "mail": "nothing"}
        welcomed = await visitor.send("/me/welcome", chosen)
        assert (welcomed.status_code, welcomed.headers["location"]) == (303, "/me")
        shown = await site.get("read", f"{profile}?min_seq={rated['seq']}")
        assert (shown.status_code, shown.json()["name"]) == (200, "Adelaide")
        assert "Adelaide" in (await visitor.get(f"/players/{player}")).text
        hidden = await visitor.send("/me/settings", {**chosen, "seen": "private"})
        assert hidden.status_code == 303, hidden.text
        # At once, and in every process.
        assert (await site.get("read", profile)).status_code == 404
        assert (await visitor.get(f"/players/{player}")).status_code == 404
        assert player in (await visitor.get("/me")).text
        # Somebody who has not played yet gets an id, by which they are known when they do.
        async with a_visitor(site.served["site"], database.pool) as newcomer:
            await newcomer.log_in("p2-1@example.com")
            await newcomer.send("/me/welcome", {**chosen, "name": "Bertha"})
            claimed = await database.pool.fetchval(PLAYER_OF, "p2-1@example.com")
        played = (await site.submit(a_session(2))).json()
        assert claimed in {each["player_id"] for each in played["rounds"][0]["results"]}


async def test_a_site_whose_database_was_put_back_ends_and_changes_nothing(
    environment: dict[str, str], database: Database
) -> None:
    async with a_kafka_site(environment) as site:
        served = site.served["site"]
        async with a_visitor(served, database.pool) as visitor:
            for number in (1, 2):
                assert (await site.submit(a_session(number))).status_code == 201
            await until(partial(is_open, visitor))
            await put_back(database.pool, 2)
            assert await served.ended() == 1, served.log
        assert "history_split" in served.log
    # One that starts there lets nobody in, and ends as soon as it has looked.
    again = await start(environment, "site", "--port", "0")
    assert await again.ended() == 1, again.log
    assert "history_split" in again.log
    assert "people_can_log_in" not in again.log


async def test_a_site_that_saw_nothing_of_lost_facts_ends_once_the_topic_tells_of_them(
    environment: dict[str, str], database: Database
) -> None:
    async with a_kafka_site(environment, roles=["site"]) as site:
        served = site.served["site"]
        async with a_visitor(served, database.pool) as visitor:
            await until(partial(is_open, visitor))
        end = await PostgresFactLog(database.pool, Bell()).tail()
        cluster = a_cluster(environment["MAHJIC_KAFKA_SERVERS"], environment["MAHJIC_KAFKA_PREFIX"])
        async with FactCopier(cluster) as copier:
            await copier.append(chained(end, [b"a fact that was lost"]))
        assert await served.ended() == 1
        assert "history_split" in served.log


async def test_a_site_shows_its_pages_and_lets_nobody_in_while_kafka_was_not_seen(
    environment: dict[str, str], database: Database
) -> None:
    await mahjic(environment, "kafka", "init")
    nowhere = {**environment, "MAHJIC_KAFKA_SERVERS": f"127.0.0.1:{free_port()}"}
    async with (
        serving(nowhere, command="site") as served,
        a_visitor(served, database.pool) as visitor,
    ):
        assert (await visitor.get("/readyz")).status_code == 200
        assert (await visitor.get("/about")).status_code == 200
        await assert_closed(visitor)
        assert await served.stop() == 0


async def assert_closed(visitor: WebVisitor) -> None:
    """Assert that everything of people who log in says in words to come later, as a page."""
    for answer in [
        await visitor.get("/login"),
        await visitor.get("/account"),
        await visitor.send("/login", {"email": ADDRESS}),
        await visitor.send("/login/code", {"code": "7K3Q-9XZM"}),
        await visitor.get("/login/link/" + "a" * 43),
        await visitor.send("/account/addresses/remove", {"email": ADDRESS, "sure": "yes"}),
    ]:
        assert answer.status_code == 503, answer.request.url
        assert "You can’t log in at the moment" in answer.text
        assert int(answer.headers["Retry-After"]) > 0
