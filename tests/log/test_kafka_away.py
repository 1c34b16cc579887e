"""A cluster that goes away and comes back takes no reader with it."""

from shared.log.kafka import KafkaFactLog
from shared.log.kafka_copy import FactCopier
from shared.log.kafka_cursor import Cursor
from shared.log.kafka_topics import create_topics
from shared.log.port import LogAway, chained
from tests.kafka.broker import Broker
from tests.log.deadlines import deadline, until
from tests.log.on_kafka import a_cluster

# Longer than a consumer rests after a failed fetch, so it has failed and rests by then.
SILENCE_S = 0.5


async def test_a_reader_can_be_closed_while_its_cluster_is_away(
    own_broker: Broker, kafka_prefix: str
) -> None:
    cluster = a_cluster(own_broker.address, kafka_prefix)
    await create_topics(cluster)
    cursors = [await Cursor.open(cluster, cluster.facts_topic) for _ in range(3)]
    for cursor in cursors:
        cursor.go_to_offset(0)
        await cursor.fetch(1, SILENCE_S)
    await own_broker.kill()
    for cursor in cursors:
        await cursor.fetch(1, SILENCE_S)
        async with deadline():
            await cursor.close()


async def test_a_log_is_followed_again_when_its_cluster_is_back(
    own_broker: Broker, kafka_prefix: str
) -> None:
    cluster = a_cluster(own_broker.address, kafka_prefix)
    await create_topics(cluster)
    async with deadline(), KafkaFactLog(cluster, "a-log") as log:
        first, second = chained(await log.beginning(), [b"first", b"second"])
        async with FactCopier(cluster) as copier:
            await copier.append([first])
        assert (await log.tail()).seq == 1
        for _ in range(2):
            await own_broker.kill()
            await until(lambda: is_away(log))
            await own_broker.start()
        async with FactCopier(cluster) as copier:
            await copier.append([second])
        await until(lambda: has_come(log, 2))


async def is_away(log: KafkaFactLog) -> bool:
    try:
        await log.tail()
    except LogAway:
        return True
    return False


async def has_come(log: KafkaFactLog, seq: int) -> bool:
    try:
        return (await log.tail()).seq == seq
    except LogAway:
        return False
