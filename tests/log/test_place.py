"""Where the logs are is said in the database, and whoever looks elsewhere is refused."""

import pytest

from shared.log.place import (
    KafkaMoveUnfinished,
    KafkaNotInitialized,
    LogsOnKafka,
    WrongCluster,
    WrongPrefix,
    check_cluster,
    check_in_tables,
    check_on_kafka,
)
from tests.conftest import Database
from tests.log.adapters import Logs

MOVE = "INSERT INTO mahjic.kafka (cluster_id, prefix, is_moved) VALUES ('one', 'mahjic', $1)"


async def test_logs_are_tables_until_they_move(database: Database) -> None:
    await check_in_tables(database.pool)
    with pytest.raises(KafkaNotInitialized) as refused:
        await check_on_kafka(database.pool, "mahjic")
    assert refused.value.exit_code == 2


@pytest.mark.parametrize("is_moved", [False, True])
async def test_from_the_beginning_of_the_move_on_the_tables_are_no_logs(
    database: Database, is_moved: bool
) -> None:
    await database.pool.execute(MOVE, is_moved)
    with pytest.raises(LogsOnKafka) as refused:
        await check_in_tables(database.pool)
    assert refused.value.exit_code == 2


async def test_topics_are_the_logs_at_the_end_of_the_move(database: Database) -> None:
    await database.pool.execute(MOVE, False)
    with pytest.raises(KafkaMoveUnfinished):
        await check_on_kafka(database.pool, "mahjic")
    await database.pool.execute("UPDATE mahjic.kafka SET is_moved = true")
    place = await check_on_kafka(database.pool, "mahjic")
    assert (place.cluster_id, place.prefix) == ("one", "mahjic")
    with pytest.raises(WrongPrefix):
        await check_on_kafka(database.pool, "other")
    check_cluster(place, "one")
    with pytest.raises(WrongCluster):
        check_cluster(place, "two")


async def test_nobody_becomes_the_writer_of_a_table_whose_log_has_moved(
    postgres_logs: Logs, database: Database
) -> None:
    writer = await postgres_logs.verdicts.open_writer("one")
    await writer.append([b"verdict"], fact_seq=1)
    await database.pool.execute(MOVE, False)
    with pytest.raises(LogsOnKafka):
        await postgres_logs.verdicts.open_writer("two")
    # The refused one has displaced nobody.
    await writer.confirm()
    await writer.close()
