"""The logs of an embedded installation move to Kafka byte for byte, whatever happens meanwhile."""

import asyncio
import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from aiokafka.admin import NewTopic
from pydantic import SecretStr

from services.operating.kafka.moving import HOLDER, MovedLogs, MoveOvertaken, move_to_kafka
from services.operating.kafka.needed import KafkaNeedsServer, KafkaNotNamed
from services.operating.kafka.recovering import open_recovery
from shared.access.keys import create_key
from shared.db.server.embedded import EmbeddedServer
from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.copier import FactCopier
from shared.log.kafka.logs import KafkaVerdictLog
from shared.log.kafka.records import record_of
from shared.log.kafka.topics import ClusterRefused, TopicUnsafe, create_topics, safe_settings
from shared.log.place import WrongCluster, WrongPrefix, read_place
from shared.log.port import HistorySplit, Position, Record, chained
from shared.log.right import READ_EPOCH
from shared.settings import Settings
from tests.cli.running import start
from tests.conftest import fresh_database
from tests.log.deadlines import deadline, until
from tests.log.on_kafka import messages_of
from tests.operating.conftest import SESSIONS, Site, a_claim
from tests.operating.test_copying import a_verdict
from tests.processes import Served, start_serving
from tests.service import FOUNDED, bearer


def silence(_at_hand: str, _done: int, _total: int) -> None:
    """Nobody watches."""


async def move(site: Site, *, is_lost: bool = False) -> MovedLogs:
    return await move_to_kafka(site.settings, is_lost=is_lost, progress=silence)


async def on_topic(site: Site, log: str) -> list[Record]:
    """Return the records of a topic in the order of their seq, each once."""
    cluster = KafkaCluster(site.settings)
    messages = await messages_of(cluster, f"{cluster.prefix}.{log}")
    records = {record.seq: record for record in map(record_of, messages)}
    assert len({record_of(m) for m in messages}) == len(records), "A repeat is the same record."
    return [records[seq] for seq in sorted(records)]


async def assert_moved(site: Site) -> None:
    """Check that every record came over, and the verdicts exactly once."""
    for log in ("facts", "verdicts"):
        assert await on_topic(site, log) == await site.table(log)
    cluster = KafkaCluster(site.settings)
    verdicts = await messages_of(cluster, cluster.verdicts_topic)
    assert len(verdicts) == len(await site.table("verdicts"))
    place = await read_place(site.pool)
    assert place is not None
    assert (place.prefix, place.is_moved) == (site.settings.kafka_prefix, True)


async def test_every_record_comes_over_byte_for_byte(site: Site) -> None:
    told: list[tuple[str, int, int]] = []
    moved = await move_to_kafka(
        site.settings, is_lost=False, progress=lambda *each: told.append(each)
    )
    await assert_moved(site)
    facts, verdicts = await site.table("facts"), await site.table("verdicts")
    assert (moved.facts.seq, moved.facts.chain) == (facts[-1].seq, facts[-1].chain)
    assert (moved.verdicts.seq, moved.verdicts.chain) == (verdicts[-1].seq, verdicts[-1].chain)
    assert not moved.was_moved
    assert told[-1] == ("verdicts", len(verdicts), len(verdicts))
    assert ("facts", len(facts), len(facts)) in told


async def test_a_second_move_only_checks_and_takes_the_rating_from_nobody(site: Site) -> None:
    first = await move(site)
    rater = await site.pool.fetchrow("SELECT * FROM mahjic.rater")
    again = await move(site)
    assert again == MovedLogs(first.facts, first.verdicts, was_moved=True)
    assert await site.pool.fetchrow("SELECT * FROM mahjic.rater") == rater
    await assert_moved(site)


async def test_a_move_that_is_killed_again_and_again_comes_to_its_end(site: Site) -> None:
    cluster = KafkaCluster(site.settings)

    async def row_is_there() -> bool:
        return await read_place(site.pool) is not None

    async def some_facts() -> bool:
        return bool(await messages_of(cluster, cluster.facts_topic))

    async def some_verdicts() -> bool:
        return bool(await messages_of(cluster, cluster.verdicts_topic))

    for is_time in (row_is_there, some_facts, some_verdicts):
        moving = await start("kafka", "init", **site.environment)
        until_then = asyncio.create_task(until(is_time))
        ended = asyncio.create_task(moving.wait())
        await asyncio.wait({until_then, ended}, return_when=asyncio.FIRST_COMPLETED)
        until_then.cancel()
        if moving.returncode is None:
            moving.kill()
        await ended
    await move(site)
    await assert_moved(site)


async def test_facts_that_come_meanwhile_are_kept_and_the_service_leaves(site: Site) -> None:
    before = await site.pool.fetchval(READ_EPOCH)

    async def is_rating() -> bool:
        return bool(await site.pool.fetchval(READ_EPOCH) > before)

    serving = await start_serving(site.environment)
    try:
        await until(is_rating)
        async with deadline():
            accepted = asyncio.create_task(_submit_until_it_ends(site, serving))
            moved = await move(site)
            assert await serving.ended() == 3
        submitted = await accepted
    finally:
        await serving.kill()
    facts, verdicts = await site.table("facts"), await site.table("verdicts")
    bodies = b"\n".join(record.body for record in facts)
    assert submitted
    assert all(session.encode() in bodies for session in submitted)
    assert await on_topic(site, "verdicts") == verdicts
    assert moved.verdicts.seq == verdicts[-1].seq
    assert await on_topic(site, "facts") == facts[: moved.facts.seq]
    refused = await start("serve", "--port", "0", **site.environment)
    _, told = await refused.communicate()
    assert (refused.returncode, "logs_on_kafka: " in told.decode()) == (2, True)


async def _submit_until_it_ends(site: Site, serving: Served) -> list[str]:
    """Submit sessions one by one, and return the ids of those that were accepted."""
    _, key = await create_key(site.pool, "source", "a-club", now=FOUNDED)
    accepted: list[str] = []
    async with httpx.AsyncClient(base_url=serving.url, timeout=60) as http:
        for number in range(SESSIONS, 5 * SESSIONS):
            try:
                answer = await http.post("/v1/sessions", json=a_claim(number), headers=bearer(key))
            except httpx.TransportError:
                break
            if answer.status_code in (201, 202):
                accepted.append(answer.json()["session_id"])
    return accepted


async def test_three_copies_are_asked_for_unless_the_setting_says_otherwise(site: Site) -> None:
    assert Settings.model_fields["kafka_replication"].default == 3
    three = replace(site, settings=site.settings.model_copy(update={"kafka_replication": 3}))
    with pytest.raises(ClusterRefused, match="MAHJIC_KAFKA_REPLICATION"):
        await move(three)
    await assert_untouched(site)


async def test_a_topic_that_would_lose_records_is_refused(site: Site) -> None:
    cluster = KafkaCluster(site.settings)
    async with cluster.admin() as admin:
        week = {**safe_settings(1), "retention.ms": "604800000"}
        await admin.create_topics([NewTopic(cluster.facts_topic, 1, 1, topic_configs=week)])
    with pytest.raises(TopicUnsafe, match=r"retention\.ms"):
        await move(site)
    await assert_untouched(site)


async def test_topics_with_another_history_are_refused(site: Site) -> None:
    cluster = KafkaCluster(site.settings)
    await create_topics(cluster)
    facts = await site.table("facts")
    held = Position("log", facts[9].seq, facts[9].chain)
    async with FactCopier(cluster) as copier:
        await copier.append([*facts[:10], *chained(held, [b"another fact"])])
    with pytest.raises(HistorySplit, match="the same up to record 10"):
        await move(site)
    await assert_untouched(site)


async def test_a_copy_from_before_the_move_is_recovered_and_moves_again(
    site: Site, postgres_server: EmbeddedServer, rated_template: str
) -> None:
    first = await move(site)
    cluster = KafkaCluster(site.settings)
    async with FactCopier(cluster) as copier:
        await copier.append(chained(first.facts, [b"a fact", b"another one"]))
    async with KafkaVerdictLog(cluster, first.verdicts.log_id, site.pool) as verdicts:
        writer = await verdicts.open_writer("a rater")
        await writer.append([a_verdict(first.facts.seq + 1, 1, 1)], fact_seq=first.facts.seq + 1)
        await writer.close()
    async with fresh_database(postgres_server, template=rated_template) as older:
        settings = site.settings.model_copy(update={"database_url": SecretStr(older.dsn)})
        put_back = Site(older, settings)
        with pytest.raises(HistorySplit, match="mahjic kafka recover"):
            await move(put_back)
        await assert_untouched(put_back)
        async with open_recovery(settings) as recovery:
            done = await recovery.carry_out(
                await recovery.plan(), lambda _done, _all: None, now=datetime.now(UTC)
            )
        assert done.facts == 2
        moved = await move(put_back)
        assert await on_topic(put_back, "facts") == await put_back.table("facts")
        assert (moved.facts.seq, moved.verdicts.seq) == (
            first.facts.seq + 2,
            first.verdicts.seq + 1,
        )


async def test_only_the_operators_word_leads_to_another_cluster_or_other_topics(
    site: Site, kafka_prefix: str
) -> None:
    await move(site)
    other = site.settings.model_copy(update={"kafka_prefix": f"{kafka_prefix}-2"})
    with pytest.raises(WrongPrefix):
        await move(replace(site, settings=other))
    await site.pool.execute("UPDATE mahjic.kafka SET cluster_id = 'a-lost-cluster'")
    with pytest.raises(WrongCluster):
        await move(site)
    assert not (await move(site, is_lost=True)).was_moved
    await assert_moved(site)
    await move(replace(site, settings=other), is_lost=True)
    await assert_moved(replace(site, settings=other))


async def test_of_two_who_move_the_logs_to_different_topics_at_once_only_one_does(
    site: Site, kafka_prefix: str
) -> None:
    other = replace(site, settings=in_other_topics(site, kafka_prefix))
    ends = await asyncio.gather(move(site), move(other), return_exceptions=True)
    moved = [
        each for each, end in zip((site, other), ends, strict=True) if isinstance(end, MovedLogs)
    ]
    refused = [end for end in ends if not isinstance(end, MovedLogs)]
    assert [type(end) for end in refused] == [MoveOvertaken]
    await assert_moved(*moved)


async def test_a_move_that_another_one_overtook_does_not_say_that_it_is_done(
    site: Site, kafka_prefix: str
) -> None:
    other = replace(site, settings=in_other_topics(site, kafka_prefix))

    def overtake(_at_hand: str, done: int, total: int) -> None:
        if done == total and not overtaking.ident:
            overtaking.start()
            overtaking.join()

    overtaking = threading.Thread(target=lambda: asyncio.run(move(other, is_lost=True)))
    with pytest.raises(MoveOvertaken):
        await move_to_kafka(site.settings, is_lost=False, progress=overtake)
    await assert_moved(other)


def in_other_topics(site: Site, kafka_prefix: str) -> Settings:
    return site.settings.model_copy(update={"kafka_prefix": f"{kafka_prefix}-2"})


async def test_a_lost_topic_is_told_and_filled_again(site: Site) -> None:
    await move(site)
    cluster = KafkaCluster(site.settings)
    async with cluster.admin() as admin:
        await admin.delete_topics([cluster.verdicts_topic])
    with pytest.raises(TopicUnsafe, match="does not exist"):
        await move(site)
    await move(site, is_lost=True)
    await assert_moved(site)


async def test_kafka_mode_needs_a_server_of_ones_own_and_the_name_of_a_cluster(
    site: Site, tmp_path: Path
) -> None:
    embedded = site.settings.model_copy(update={"database_url": None, "data": tmp_path / "data"})
    with pytest.raises(KafkaNeedsServer, match="mahjic backup"):
        await move(replace(site, settings=embedded))
    assert not (tmp_path / "data").exists()
    nowhere = site.settings.model_copy(update={"kafka_servers": None})
    with pytest.raises(KafkaNotNamed):
        await move(replace(site, settings=nowhere))
    await assert_untouched(site)


async def assert_untouched(site: Site) -> None:
    """Check that the service in this database goes on as if nobody had asked for a move."""
    assert await read_place(site.pool) is None
    assert await site.pool.fetchval("SELECT holder FROM mahjic.rater") != HOLDER
