"""On Kafka too: no record, header, log or figure of any process tells who somebody is."""

import asyncio

import httpx
from aiokafka import TopicPartition

from tests.chaos.site import VIEWS_SHOW_ALL
from tests.chaos_kafka.topics import a_consumer
from tests.conftest import Database
from tests.db.rows import text_by_table
from tests.kafka.broker import Broker
from tests.log.deadlines import deadline, until
from tests.whole.kafka.kafka_site import KafkaSite, a_kafka_site, environment_of
from tests.whole.kafka.one_address import one_address
from tests.whole.test_no_personal_data import (
    ADDRESSES,
    HIDDEN_ADDRESS,
    NAMES,
    NICKNAME,
    send_everything,
    traces_in,
)

TOPICS = ("facts", "verdicts")


async def test_nothing_but_the_tables_of_people_tells_who_somebody_is(
    database: Database, kafka_broker: Broker, kafka_prefix: str
) -> None:
    environment = environment_of(database.dsn, kafka_broker, kafka_prefix)
    async with a_kafka_site(environment) as site:
        async with one_address(site.url_for) as address:
            ids = await asyncio.to_thread(send_everything, address.url, site.keys)
            await until(lambda: database.pool.fetchval(VIEWS_SHOW_ALL))
            await ask_as_auditor(site)
        figures = {name: (await site.get(name, "/metrics")).text for name in site.served}
    tables = await text_by_table(database.dsn)
    assert set(traces_in(tables["mahjic.people"])) >= {NICKNAME, HIDDEN_ADDRESS}
    # What sources call people stands beside, and is erased with them.
    assert set(traces_in(tables["mahjic.acquaintances"])) >= set(NAMES)
    holders = {name for name, text in tables.items() if traces_in(text)}
    assert holders == {"mahjic.people", "mahjic.acquaintances"}

    logs = {name: served.log for name, served in site.served.items()}
    logs["the broker"] = kafka_broker.node.log_tail
    topics = {name: await read_raw(kafka_broker, f"{kafka_prefix}.{name}") for name in TOPICS}
    for texts in (figures, logs, topics, tables):
        assert [name for name, text in texts.items() if "mjk_" in text] == []
    for texts in (figures, logs, topics):
        assert [name for name, text in texts.items() if traces_in(text)] == []
    # What was searched is what it seems to be:
    played = [player_id for person, player_id in ids.items() if person != ADDRESSES[2]]
    assert len(played) == 4
    assert all(player_id in text for player_id in played for text in topics.values())
    assert '"route":"/v1/sessions"' in logs["ingest"]
    assert '"route":"/v1/log/facts"' in logs["read"]
    assert all("mahjic_" in text for text in figures.values())


async def ask_as_auditor(site: KafkaSite) -> None:
    """Read the logs as they are read by auditors, which is logged too."""
    async with site.client("read", "auditor") as client:
        for name in TOPICS:
            answer: httpx.Response = await client.get(f"/v1/log/{name}")
            assert answer.status_code == 200
            assert traces_in(answer.text) == []


async def read_raw(broker: Broker, topic: str) -> str:
    """Return keys, values and headers of a topic as text, also what was never committed."""
    place = TopicPartition(topic, 0)
    parts: list[bytes] = []
    async with deadline(), a_consumer(broker.address, "read_uncommitted") as consumer:
        consumer.assign([place])
        await consumer.seek_to_beginning(place)
        end = (await consumer.end_offsets([place]))[place]
        while await consumer.position(place) < end:
            for message in (await consumer.getmany(place, timeout_ms=200)).get(place, ()):
                parts += [message.key or b"", message.value]
                parts += [
                    part for name, value in message.headers for part in (name.encode(), value)
                ]
    return b"\n".join(parts).decode(errors="replace")
