"""All 400 rounds of tests/vectors/rating_history.json, through every process of Kafka mode."""

import secrets
from collections.abc import AsyncIterator

import httpx
import pytest

from shared.db.server.embedded import EmbeddedServer
from tests.chaos.site import VIEWS_SHOW_ALL
from tests.conftest import TEMPLATE, fresh_database
from tests.kafka.broker import Broker
from tests.log.deadlines import until
from tests.whole.kafka.kafka_site import a_kafka_site, environment_of
from tests.whole.kafka.one_address import one_address
from tests.whole.vectors import EveryNumberComesOut, Played


@pytest.fixture(scope="module")
async def played(postgres_server: EmbeddedServer, kafka_broker: Broker) -> AsyncIterator[Played]:
    """Run every process, let all steps happen in order, and wait for the views."""
    async with fresh_database(postgres_server, template=TEMPLATE) as database:
        environment = environment_of(database.dsn, kafka_broker, f"vectors-{secrets.token_hex(4)}")
        async with (
            a_kafka_site(environment) as site,
            one_address(site.url_for) as address,
            httpx.AsyncClient(base_url=address.url, timeout=60) as http,
        ):
            played = Played(http, site.keys["source"], site.keys["operator"])
            await played.take_all()
            await until(lambda: database.pool.fetchval(VIEWS_SHOW_ALL))
            yield played


class TestOverKafka(EveryNumberComesOut):
    pass
