"""Two of what may work only once, by mistake or as a stand-by: one works, and nothing is lost."""

from collections.abc import Sequence

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from services.projections.views import all_views
from tests.chaos.site import VIEWS_SHOW_ALL
from tests.chaos_kafka.topics import read_topic
from tests.conftest import Database
from tests.kafka.broker import Broker
from tests.log.deadlines import until
from tests.log.on_kafka import a_cluster
from tests.processes import Served, serving, start
from tests.whole.kafka.kafka_site import ROLES, KafkaSite, a_kafka_site, environment_of
from tests.whole.operating.test_takeover import a_session


@pytest.fixture
def environment(database: Database, kafka_broker: Broker, kafka_prefix: str) -> dict[str, str]:
    return environment_of(database.dsn, kafka_broker, kafka_prefix)


async def test_a_second_rater_takes_over_and_the_first_leaves_for_good(
    environment: dict[str, str],
) -> None:
    one, two = ({**environment, "MAHJIC_INSTANCE": name} for name in ("one", "two"))
    async with a_kafka_site(one) as site:
        assert (await site.submit(a_session(1))).status_code == 201
        async with serving(two, command="rater") as second:
            assert await site.served["rater"].ended() == 3
            assert "writer_replaced" in site.served["rater"].log
            assert (await site.submit(a_session(2))).status_code == 201
            # What a supervisor would do, again and again:
            for _ in range(2):
                again = await start(one, "rater", "--port", "0")
                assert await again.ended() == 3
                assert "rating_taken_over" in again.log
            assert (await site.submit(a_session(3))).status_code == 201
            assert await second.stop() == 0
        # The second is gone; now the first may, and must, take over.
        async with serving(one, command="rater"):
            assert (await site.submit(a_session(4))).status_code == 201
    topic = f"{environment['MAHJIC_KAFKA_PREFIX']}.verdicts"
    verdicts = await read_topic(environment["MAHJIC_KAFKA_SERVERS"], topic)
    assert [verdict.data["fact_seq"] for verdict in verdicts] == [1, 2, 3, 4, 5]


async def test_of_two_that_keep_the_views_one_works_and_the_other_goes_on_when_it_is_killed(
    environment: dict[str, str], database: Database
) -> None:
    async with a_kafka_site(environment) as site:
        answers = [await site.submit(a_session(1))]
        await until(lambda: database.pool.fetchval(VIEWS_SHOW_ALL))
        async with serving(environment, command="projections") as second:
            both = [site.served["projections"], second]
            # Whoever comes or goes has the group choose anew who works.
            await until(lambda: is_settled(environment, len(both)))
            before = [await deliveries(each) for each in both]
            answers.append(await site.submit(a_session(2)))
            await until(lambda: database.pool.fetchval(VIEWS_SHOW_ALL))
            (works,) = [
                each
                for each, count in zip(both, before, strict=True)
                if await deliveries(each) > count
            ]
            await works.kill()
            answers.append(await site.submit(a_session(3)))
            await until(lambda: database.pool.fetchval(VIEWS_SHOW_ALL))
            await assert_shown_once(site, answers)


async def test_views_can_be_shared_out_between_processes(
    environment: dict[str, str], database: Database
) -> None:
    first, *others = [view.name for view in all_views()]
    roles = [role for role in ROLES if role != "projections"]
    async with (
        a_kafka_site(environment, roles=roles) as site,
        serving(environment, first, command="projections"),
    ):
        answers = [await site.submit(a_session(1))]
        async with serving(environment, *others, command="projections"):
            answers.append(await site.submit(a_session(2)))
            await until(lambda: database.pool.fetchval(VIEWS_SHOW_ALL))
            await assert_shown_once(site, answers)


async def is_settled(environment: dict[str, str], members: int) -> bool:
    """Tell whether the group of the views is complete and agreed."""
    prefix = environment["MAHJIC_KAFKA_PREFIX"]
    async with a_cluster(environment["MAHJIC_KAFKA_SERVERS"], prefix).admin() as admin:
        (described,) = await admin.describe_consumer_groups([f"{prefix}.projections"])
    ((_error, _group, state, _type, _protocol, present, *_),) = described.groups
    return state == "Stable" and len(present) == members


async def deliveries(served: Served) -> float:
    """Return how many deliveries of verdicts a process has been given."""
    async with httpx.AsyncClient(base_url=served.url, timeout=60) as client:
        text = (await client.get("/metrics")).text
    return sum(
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == "faststream_received_messages_total"
    )


async def assert_shown_once(site: KafkaSite, answers: Sequence[httpx.Response]) -> None:
    """Check that everybody stands where the one session of theirs was answered to leave them."""
    for answer in answers:
        assert answer.status_code == 201, answer.text
        for result in answer.json()["results"]:
            path = f"/v1/players/{result['player_id']}"
            profile = (await site.get("read", path)).json()
            assert (profile["rating"], profile["sessions"]) == (result["rating_after"], 1)
            (change,) = (await site.get("read", f"{path}/history")).json()["changes"]
            assert change["mahjic"]["rating_after"] == result["rating_after"]
