"""A rater killed at any instant of a long correction on Kafka writes the very same bytes."""

from pathlib import Path

import pytest

from tests.conftest import Database
from tests.kafka.broker import Broker
from tests.log.chances import seeded_chance
from tests.log.on_kafka import KafkaLogs
from tests.rater.killed.killing import KILLED_S_MAX, a_site, assert_same_bytes_after_kills

pytestmark = pytest.mark.timeout(KILLED_S_MAX)


async def test_killed_at_every_instant_of_a_correction_on_kafka(
    kafka_logs: KafkaLogs,
    kafka_broker: Broker,
    kafka_prefix: str,
    database: Database,
    tmp_path: Path,
) -> None:
    chance = seeded_chance()
    arguments = ("kafka", f"{kafka_broker.address}/{kafka_prefix}", database.dsn)
    await assert_same_bytes_after_kills(a_site(kafka_logs, tmp_path, arguments, chance), chance)
