"""Every role as a process of its own: a session goes in at one, and its ratings come out of all."""

import httpx
import pytest
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from prometheus_client.parser import text_string_to_metric_families

from shared.db.bell import Bell
from shared.log.kafka.copier import FactCopier
from shared.log.port import chained
from shared.log.postgres import PostgresFactLog
from tests.conftest import Database
from tests.ingest.batches.sending import BATCH, LINES, body_of, lines_of, told
from tests.ingest.recovery.test_recovery import put_back
from tests.kafka.broker import Broker
from tests.log.deadlines import until
from tests.log.on_kafka import a_cluster
from tests.processes import Served, mahjic, serving, start, start_serving
from tests.whole.kafka.kafka_site import ROLES, KafkaSite, a_kafka_site, environment_of
from tests.whole.operating.test_takeover import a_session

PLACES = {
    "ingest": "mahjic_log_fact_seq",
    "relay": "mahjic_relay_fact_seq",
    "rater": "mahjic_rater_fact_seq",
    "projections": "mahjic_views_fact_seq",
    "read": "mahjic_view_fact_seq",
    "site": "mahjic_view_fact_seq",
}
COUNT_VERDICTS = "SELECT count(*) FROM mahjic.verdicts"


@pytest.fixture
def environment(database: Database, kafka_broker: Broker, kafka_prefix: str) -> dict[str, str]:
    return environment_of(database.dsn, kafka_broker, kafka_prefix)


async def figures_of(served: Served) -> str:
    async with httpx.AsyncClient() as client:
        return (await client.get(f"{served.url}/metrics")).text


async def figure(site: KafkaSite, role: str, name: str) -> float | None:
    text = (await site.get(role, "/metrics")).text
    families = text_string_to_metric_families(text)
    values = {each.name: each.value for family in families for each in family.samples}
    return values.get(name)


async def until_rated(site: KafkaSite, player_id: str, rating: float) -> None:
    async def is_so() -> bool:
        answer = await site.get("read", f"/v1/players/{player_id}")
        return answer.status_code == 200 and answer.json()["rating"] == rating

    await until(is_so)


async def test_a_session_is_rated_while_its_source_waits_and_read_elsewhere(
    environment: dict[str, str],
) -> None:
    async with a_kafka_site(environment) as site:
        answer = await site.submit(a_session(1))
        assert answer.status_code == 201, answer.text
        rated = answer.json()
        assert rated["status"] == "rated"
        # At another process, whose views may be behind.
        path = f"/v1/sessions/{rated['session_id']}"
        read = (await site.get("read", path)).json()
        assert (read["status"], read["results"]) == ("rated", rated["results"])
        seats = rated["rounds"][0]["results"]
        for seat in seats:
            profile = f"/v1/players/{seat['player_id']}?min_seq={rated['seq']}"
            shown = (await site.get("read", profile)).json()
            assert (shown["rating"], shown["seq"]) == (seat["rating_after"], rated["seq"])
        for seat in seats:
            await until_rated(site, seat["player_id"], seat["rating_after"])
        for role, name in PLACES.items():
            # The formula is fact 1, and the session fact 2.
            await until_figure(site, role, name, 2)
        await assert_each_says_what_it_is(site)
        await assert_methods_are_those_of_all(site)
        await assert_batches_are_taken_too(site)
        await assert_views_are_rebuilt_where_kafka_is_named(environment)
        # Every process is there, and shows it.
        await mahjic(environment, "status")
        assert await figure(site, "read", "mahjic_view_is_kept") == 1
        assert await site.served["projections"].stop() == 0
        await until_figure(site, "read", "mahjic_view_is_kept", 0)
        for role, served in site.served.items():
            assert await served.stop() == 0, role


async def assert_each_says_what_it_is(site: KafkaSite) -> None:
    for role in ROLES:
        assert (await site.get(role, "/readyz")).status_code == 200
        is_documented = role in ("ingest", "read", "site")
        document = await site.get(role, "/openapi.json")
        assert document.status_code == (200 if is_documented else 404)
    # Whoever is asked describes the whole service, which is one behind its address.
    assert {"/v1/sessions", "/v1/leaderboard"} <= set(
        (await site.get("read", "/openapi.json")).json()["paths"]
    )


async def assert_batches_are_taken_too(site: KafkaSite) -> None:
    """Assert that each line of a batch is answered as the session alone was, with its ratings."""
    again, new = a_session(1), a_session(2)
    async with site.client("ingest", "source") as client:
        answer = await client.post(
            BATCH, content=body_of(again, new, "{"), headers={"Content-Type": LINES}
        )
    lines = lines_of(answer.content)
    assert told(lines) == [(1, 200), (2, 201), (3, 400)]
    assert [each["session"]["status"] for each in lines[:2]] == ["rated", "rated"]


async def assert_views_are_rebuilt_where_kafka_is_named(environment: dict[str, str]) -> None:
    rebuilt = await mahjic(environment, "views", "rebuild", "history")
    assert "Rebuilt the view history" in rebuilt
    nowhere = {"MAHJIC_DATABASE_URL": environment["MAHJIC_DATABASE_URL"]}
    refused = await start(nowhere, "views", "rebuild", "history")
    assert await refused.ended() == 2
    assert "kafka_not_named" in refused.log


async def assert_methods_are_those_of_all(site: KafkaSite) -> None:
    """Assert that a wrong method is told as such, also where another process has the right one."""
    for role, method, path, allowed in [
        ("ingest", "DELETE", "/v1/leaderboard", "GET, HEAD"),
        ("read", "GET", "/v1/sheets", "POST"),
        ("ingest", "PATCH", "/v1/sessions", "GET, HEAD, POST"),
    ]:
        async with site.client(role, "source") as client:
            answer = await client.request(method, path)
        assert (answer.status_code, answer.headers.get("allow")) == (405, allowed), (role, path)
    assert (await site.get("read", "/v1/nothing")).status_code == 404


async def until_figure(site: KafkaSite, role: str, name: str, value: float) -> None:
    async def is_so() -> bool:
        return await figure(site, role, name) == value

    await until(is_so)


async def test_a_process_on_kafka_refuses_a_database_whose_logs_are_tables(
    environment: dict[str, str],
) -> None:
    all_refused = [await start(environment, role, "--port", "0") for role in ROLES]
    for refused in all_refused:
        assert await refused.ended() == 2, refused.log
        assert "kafka_not_initialised" in refused.log
        assert "mahjic kafka init" in refused.log


async def test_what_serves_alone_refuses_a_database_whose_logs_are_on_kafka(
    environment: dict[str, str],
) -> None:
    await mahjic(environment, "kafka", "init")
    refused = await start(environment, "serve", "--port", "0")
    assert await refused.ended() == 2, refused.log
    assert "logs_on_kafka" in refused.log
    assert all(f"`mahjic {role}`" in refused.log for role in ROLES)


async def test_what_serves_alone_while_the_logs_move_ends_and_writes_no_verdict_more(
    environment: dict[str, str], database: Database
) -> None:
    async with serving(environment) as served:
        await mahjic(environment, "kafka", "init")
        verdicts = await database.pool.fetchval(COUNT_VERDICTS)
        assert await served.ended() == 3
        assert "writer_replaced" in served.log
        again = await start(environment, "serve", "--port", "0")
        assert await again.ended() == 2
        assert await database.pool.fetchval(COUNT_VERDICTS) == verdicts


@pytest.mark.parametrize(
    ("role", "place", "code"),
    [
        ("rater", "cluster_id = 'another'", "wrong_cluster"),
        ("read", "cluster_id = 'another'", "wrong_cluster"),
        ("site", "cluster_id = 'another'", "wrong_cluster"),
        ("ingest", "prefix = 'another'", "wrong_prefix"),
        ("projections", "is_moved = false", "kafka_move_unfinished"),
    ],
)
async def test_a_process_refuses_topics_that_are_not_those_of_its_database(
    environment: dict[str, str], database: Database, role: str, place: str, code: str
) -> None:
    await mahjic(environment, "kafka", "init")
    await database.pool.execute(f"UPDATE mahjic.kafka SET {place}")
    refused = await start(environment, role, "--port", "0")
    assert await refused.ended() == 2, refused.log
    assert code in refused.log


@pytest.mark.parametrize("role", ["relay", "rater"])
async def test_whoever_writes_to_topics_refuses_those_that_would_lose_records(
    environment: dict[str, str], role: str
) -> None:
    await mahjic(environment, "kafka", "init")
    address, prefix = environment["MAHJIC_KAFKA_SERVERS"], environment["MAHJIC_KAFKA_PREFIX"]
    forgetful = {"retention.ms": "60000"}
    async with a_cluster(address, prefix).admin() as admin:
        await admin.alter_configs(
            [ConfigResource(ConfigResourceType.TOPIC, f"{prefix}.verdicts", forgetful)]
        )
    refused = await start(environment, role, "--port", "0")
    assert await refused.ended() == 2, refused.log
    assert "topic_unsafe" in refused.log
    assert "retention.ms is 60000, and must be -1" in refused.log


async def test_of_two_relays_one_works_and_the_other_takes_over(
    environment: dict[str, str],
) -> None:
    async with a_kafka_site(environment) as site, serving(environment, command="relay") as second:
        assert (await site.submit(a_session(1))).status_code == 201
        assert second.log.count("stands_by") == 1
        # It is not there to be compared with the end of the log.
        assert "mahjic_relay_fact_seq" not in await figures_of(second)
        first = site.served["relay"]
        await first.kill()
        assert (await site.submit(a_session(2))).status_code == 201
        assert "relay_started" in second.log
        assert "mahjic_relay_fact_seq" in await figures_of(second)
        assert second.log.count("stands_by") == 1
        assert await second.stop() == 0


async def test_a_relay_that_stands_by_stops_when_it_is_told_to(
    environment: dict[str, str],
) -> None:
    await mahjic(environment, "kafka", "init")
    async with serving(environment, command="relay"):
        second = await start_serving(environment, command="relay")
        await until(lambda: says(second, "stands_by"))
        assert await second.stop() == 0


async def test_ingest_and_relay_do_not_serve_a_database_put_back_behind_kafka(
    environment: dict[str, str], database: Database
) -> None:
    async with a_kafka_site(environment) as site:
        for number in (1, 2):
            assert (await site.submit(a_session(number))).status_code == 201
        await put_back(database.pool, 2)
        # The relay reads on from the fact that it holds, ingest looks at what it has seen.
        for role in ("ingest", "relay"):
            assert await site.served[role].ended() == 1, site.served[role].log
            assert "history_split" in site.served[role].log
    for role in ("ingest", "relay"):
        refused = await start(environment, role, "--port", "0")
        assert await refused.ended() == 1, refused.log
        assert "history_split" in refused.log
        assert f"{environment['MAHJIC_KAFKA_PREFIX']}.facts ends at record 3" in refused.log
        assert "the table mahjic.facts ends at record 2" in refused.log
        assert "docs/operations.md" in refused.log


async def test_an_ingest_that_saw_nothing_of_lost_facts_ends_once_the_topic_tells_of_them(
    environment: dict[str, str], database: Database
) -> None:
    """Another one wrote them, the relay copied them, and a fail-over lost them."""
    async with a_kafka_site(environment, roles=["ingest"]) as site:
        cluster = a_cluster(environment["MAHJIC_KAFKA_SERVERS"], environment["MAHJIC_KAFKA_PREFIX"])
        end = await PostgresFactLog(database.pool, Bell()).tail()
        async with FactCopier(cluster) as copier:
            await copier.append(chained(end, [b"a fact that was lost"]))
        assert await site.served["ingest"].ended() == 1
        assert "history_split" in site.served["ingest"].log


async def says(served: Served, words: str) -> bool:
    return words in served.log
