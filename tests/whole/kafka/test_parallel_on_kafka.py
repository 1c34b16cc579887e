"""The same rounds, sent at once to two processes that ingest, are recorded and rated once each."""

import secrets
from collections.abc import AsyncIterator

import pytest

from shared.db.server.embedded import EmbeddedServer
from tests.chaos.accounts import assert_each_fact_has_its_verdict, assert_rated_by_the_rules
from tests.chaos.by_hand import Logs, read_log_id, read_table, replayed
from tests.chaos.site import VIEWS_SHOW_ALL
from tests.chaos_kafka.topics import once, read_topic
from tests.conftest import TEMPLATE, Database, fresh_database
from tests.kafka.broker import Broker
from tests.log.deadlines import until
from tests.whole.crowds import Crowded, EachRoundCountsOnce, send_crowd
from tests.whole.kafka.kafka_site import ROLES, a_kafka_site, environment_of

COPIES = 4
INGESTS = ("ingest", "ingest-2")


@pytest.fixture(scope="module")
async def crowded(postgres_server: EmbeddedServer, kafka_broker: Broker) -> AsyncIterator[Crowded]:
    """Send two copies of all rounds to each process, and return the answers and the logs."""
    async with fresh_database(postgres_server, template=TEMPLATE) as database:
        prefix = f"parallel-{secrets.token_hex(4)}"
        environment = environment_of(database.dsn, kafka_broker, prefix)
        async with a_kafka_site(environment, roles=(*ROLES, "ingest-2")) as site:
            urls = [site.served[name].url for name in INGESTS]
            rounds = await send_crowd(urls, site.key, copies=COPIES)
            await until(lambda: database.pool.fetchval(VIEWS_SHOW_ALL))
        yield Crowded(rounds, await read_logs(database, kafka_broker, prefix))


async def read_logs(database: Database, broker: Broker, prefix: str) -> Logs:
    """Return the facts of the table, which the topic must hold too, and the verdicts."""
    facts = await read_table(database.pool, "facts")
    assert once(await read_topic(broker.address, f"{prefix}.facts")) == facts
    verdicts = await read_topic(broker.address, f"{prefix}.verdicts")
    return Logs(await read_log_id(database.pool), facts, verdicts)


class TestOfTwoThatIngest(EachRoundCountsOnce):
    def test_each_round_is_rated_once_by_the_rules(self, crowded: Crowded) -> None:
        assert_each_fact_has_its_verdict(crowded.logs)
        assert_rated_by_the_rules(crowded.logs, replayed(crowded.logs.facts))
