"""A database put back, or a topic lost: a loud stop, and a repair that loses nothing."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
from aiokafka import TopicPartition
from aiokafka.admin import RecordsToDelete

from shared.access.keys import create_key
from shared.db.pool import open_pool
from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.records import record_of
from shared.log.postgres import append_facts, lock_head
from tests.chaos.accounts import assert_each_fact_has_its_verdict, assert_rated_by_the_rules
from tests.chaos.by_hand import Line, Logs, replayed
from tests.cli.running import Ended, end_of, start
from tests.ingest.claims import Claim, a_round, a_session
from tests.log.deadlines import until
from tests.log.on_kafka import messages_of
from tests.operating.conftest import SESSIONS, Site, a_claim
from tests.processes import Served, mahjic, start_serving
from tests.service import FOUNDED, bearer

COMMANDS = ("ingest", "relay", "rater", "projections", "read")
SAVED, LATE = 3, 6
OF_A_STRANGER = a_session(
    a_round({"p0@example.com": 1, "stranger@example.com": 0}), on="2025-12-01"
)


@dataclass
class OnKafka:
    """An installation on Kafka whose processes are started and stopped together."""

    site: Site
    key: str
    operator_key: str
    running: dict[str, Served] = field(default_factory=dict)

    async def start(self, *names: str) -> None:
        started = await asyncio.gather(
            *(start_serving(self.site.environment, command=name) for name in names)
        )
        self.running |= dict(zip(names, started, strict=True))

    async def stop(self) -> None:
        codes = await asyncio.gather(*(each.stop() for each in self.running.values()))
        said = {name: each.log for name, each in self.running.items()}
        assert set(codes) <= {0}, said
        self.running = {}

    async def submit(self, claim: Claim) -> httpx.Response:
        return await self.ask("POST", "/v1/sessions", self.key, claim)

    async def ask(self, method: str, path: str, key: str, content: object) -> httpx.Response:
        url = self.running["ingest"].url
        async with httpx.AsyncClient(base_url=url, timeout=60) as http:
            return await http.request(method, path, json=content, headers=bearer(key))

    async def run(self, *arguments: str) -> Ended:
        return await end_of(await start(*arguments, **self.site.environment))

    async def logs(self) -> Logs:
        """Return the facts of the table, and the verdicts of the topic."""
        cluster = KafkaCluster(self.site.settings)
        messages = await messages_of(cluster, cluster.verdicts_topic)
        verdicts = [
            Line(record.seq, record.chain, record.body, json.loads(record.body))
            for record in map(record_of, messages)
        ]
        async with a_pool(self.site) as pool:
            facts = await pool.fetch("SELECT seq, chain, body FROM mahjic.facts ORDER BY seq")
            log_id = await pool.fetchval("SELECT log_id FROM mahjic.head")
        lines = [Line(seq, chain, body, json.loads(body)) for seq, chain, body in facts]
        return Logs(log_id, lines, verdicts)


@asynccontextmanager
async def a_pool(site: Site) -> AsyncIterator[asyncpg.Pool]:
    """Give connections that are closed again: a restore wants the database for itself."""
    pool = await open_pool(site.database.dsn, application_name="tests", size_max=2)
    async with pool:
        yield pool


@pytest.fixture
async def on_kafka(site: Site) -> AsyncIterator[OnKafka]:
    """Return an installation that has moved to Kafka and runs."""
    _, key = await create_key(site.pool, "source", "a-club", now=FOUNDED)
    _, operator_key = await create_key(site.pool, "operator", None, now=FOUNDED)
    await site.pool.close()
    await mahjic(site.environment, "kafka", "init")
    installation = OnKafka(site, key, operator_key)
    await installation.start(*COMMANDS)
    try:
        yield installation
    finally:
        await asyncio.gather(*(each.kill() for each in installation.running.values()))


async def test_facts_that_only_kafka_holds_are_brought_back(
    on_kafka: OnKafka, tmp_path: Path
) -> None:
    saved = [await on_kafka.submit(a_claim(SESSIONS + n)) for n in range(SAVED)]
    assert [answer.status_code for answer in saved] == [201] * SAVED
    await mahjic(on_kafka.site.environment, "backup", str(tmp_path / "saved"))
    claims = [a_claim(SESSIONS + SAVED + number) for number in range(LATE)]
    late = [await on_kafka.submit(claim) for claim in (*claims, OF_A_STRANGER)]
    assert [answer.status_code for answer in late] == [201] * (LATE + 1)
    player = late[0].json()["results"][0]["mahjic_id"]
    path = f"/v1/admin/players/{player}/verification"
    verified = await on_kafka.ask("PUT", path, on_kafka.operator_key, {"verified": True})
    assert verified.status_code < 300, verified.text
    before = await settled(on_kafka)
    await on_kafka.stop()
    await mahjic(on_kafka.site.environment, "restore", str(tmp_path / "saved"), "--replace")
    for command in ("ingest", "relay"):
        refused = await on_kafka.run(command, "--port", "0")
        assert refused.exit_code == 1
        assert "history_split" in refused.stderr
    shown = await on_kafka.run("status")
    assert shown.exit_code == 1
    assert "mahjic kafka recover" in shown.stderr
    await recovered(on_kafka)
    await on_kafka.start(*COMMANDS)
    again = [await on_kafka.submit(claim) for claim in claims]
    assert [(answer.status_code, answer.json()["session_id"]) for answer in again] == [
        (200, answer.json()["session_id"]) for answer in late[:LATE]
    ]
    assert (await on_kafka.submit(a_claim(SESSIONS + 100))).status_code == 201
    logs = await settled(on_kafka)
    assert list(logs.facts)[: len(before.facts)] == list(before.facts)
    assert list(logs.verdicts)[: len(before.verdicts)] == list(before.verdicts)
    assert_each_fact_has_its_verdict(logs)
    assert_rated_by_the_rules(logs, replayed(logs.facts))
    shown = await on_kafka.run("status")
    assert shown.exit_code == 0, shown
    rebuilt = await on_kafka.run("views", "rebuild", "history")
    assert "Every row is as it was before." in rebuilt.stderr
    async with a_pool(on_kafka.site) as pool:
        query = "SELECT is_verified FROM mahjic.players WHERE player_id = $1"
        assert await pool.fetchval(query, player) is True
    await on_kafka.stop()


async def recovered(on_kafka: OnKafka) -> None:
    """Carry the recovery out, once its plan was only shown."""
    asked = await on_kafka.run("kafka", "recover")
    assert (asked.exit_code, asked.stdout) == (1, "")
    assert f"{LATE + 2} facts would be copied" in asked.stderr
    done = await on_kafka.run("kafka", "recover", "--yes")
    assert done.exit_code == 0, done.stderr
    assert done.stdout == (
        f"Copied {LATE + 2} facts, including {LATE + 1} sessions; "
        "the details of 1 player are gone.\n"
    )
    assert "1 session with them" in done.stderr
    nothing = await on_kafka.run("kafka", "recover", "--yes")
    assert (nothing.exit_code, nothing.stdout.startswith("There is nothing to copy")) == (
        0,
        True,
    )


async def settled(on_kafka: OnKafka) -> Logs:
    """Return both logs once every fact has its verdict, and every view has come to the end."""

    async def is_settled() -> bool:
        logs = await on_kafka.logs()
        async with a_pool(on_kafka.site) as pool:
            seq = await pool.fetchval("SELECT min(seq) FROM mahjic.view_builds")
        is_rated = logs.verdicts[-1].data["fact_seq"] == logs.facts[-1].seq
        return is_rated and bool(seq == logs.verdicts[-1].seq)

    await until(is_settled)
    return await on_kafka.logs()


async def test_a_database_that_was_put_back_and_written_on_is_not_mixed_with_kafka(
    on_kafka: OnKafka, tmp_path: Path
) -> None:
    await mahjic(on_kafka.site.environment, "backup", str(tmp_path / "saved"))
    assert (await on_kafka.submit(a_claim(SESSIONS + 1))).status_code == 201
    await settled(on_kafka)
    await on_kafka.stop()
    await mahjic(on_kafka.site.environment, "restore", str(tmp_path / "saved"), "--replace")
    async with a_pool(on_kafka.site) as pool:
        await written_by_hand(pool)
    refused = await on_kafka.run("kafka", "recover", "--yes")
    assert refused.exit_code == 1
    assert refused.stderr.startswith("history_split: ")
    assert "restore the backup again" in refused.stderr
    shown = await on_kafka.run("status", "--json")
    told: Mapping[str, Any] = json.loads(shown.stdout)
    assert not told["is_well"]
    assert any("differ after it" in trouble for trouble in told["troubles"])
    await mahjic(on_kafka.site.environment, "restore", str(tmp_path / "saved"), "--replace")
    assert (await on_kafka.run("kafka", "recover", "--yes")).exit_code == 0


async def written_by_hand(pool: asyncpg.Pool) -> None:
    """Write a fact as an ingest would that forgot to look at Kafka."""
    async with pool.acquire() as connection, connection.transaction():
        await append_facts(connection, await lock_head(connection), [b'{"another":"fact"}'])


async def test_topics_with_a_hole_are_left_for_new_ones_and_every_verdict_comes_back(
    on_kafka: OnKafka, kafka_prefix: str
) -> None:
    submitted = [await on_kafka.submit(a_claim(SESSIONS + number)) for number in range(LATE)]
    assert [answer.status_code for answer in submitted] == [201] * LATE
    before = await settled(on_kafka)
    await on_kafka.stop()
    await delete_first_verdicts(KafkaCluster(on_kafka.site.settings))
    shown = await on_kafka.run("status")
    assert shown.exit_code == 1
    assert "log_gap" in shown.stderr
    refused = await on_kafka.run("rater", "--port", "0")
    assert refused.exit_code == 1
    assert "log_gap" in refused.stderr
    fresh = on_kafka.site.settings.model_copy(update={"kafka_prefix": f"{kafka_prefix}-2"})
    on_kafka.site = replace(on_kafka.site, settings=fresh)
    assert (await on_kafka.run("kafka", "init")).stderr.startswith("wrong_prefix: ")
    assert (await on_kafka.run("kafka", "init", "--lost")).exit_code == 0
    await on_kafka.start("relay", "rater")

    async def is_rated() -> bool:
        told = json.loads((await on_kafka.run("status", "--json")).stdout)
        return bool(told["rater"]["behind"] == 0)

    await until(is_rated)
    await on_kafka.start("ingest", "projections", "read")
    assert (await on_kafka.submit(a_claim(SESSIONS + LATE))).status_code == 201
    logs = await settled(on_kafka)
    assert list(logs.facts)[: len(before.facts)] == list(before.facts)
    assert list(logs.verdicts)[: len(before.verdicts)] == list(before.verdicts)
    await on_kafka.stop()


async def delete_first_verdicts(cluster: KafkaCluster) -> None:
    """Do what a wrong retention would do."""
    async with cluster.admin() as admin:
        place = TopicPartition(cluster.verdicts_topic, 0)
        await admin.delete_records({place: RecordsToDelete(before_offset=5)})


async def test_a_copy_that_names_abandoned_topics_is_brought_on_from_the_new_ones(
    on_kafka: OnKafka, kafka_prefix: str, tmp_path: Path
) -> None:
    await mahjic(on_kafka.site.environment, "backup", str(tmp_path / "saved"))
    await on_kafka.stop()
    fresh = on_kafka.site.settings.model_copy(update={"kafka_prefix": f"{kafka_prefix}-2"})
    on_kafka.site = replace(on_kafka.site, settings=fresh)
    assert (await on_kafka.run("kafka", "init", "--lost")).exit_code == 0
    await on_kafka.start(*COMMANDS)
    assert (await on_kafka.submit(a_claim(SESSIONS))).status_code == 201
    before = await settled(on_kafka)
    await on_kafka.stop()
    await mahjic(on_kafka.site.environment, "restore", str(tmp_path / "saved"), "--replace")
    refused = await on_kafka.run("ingest", "--port", "0")
    assert refused.exit_code == 2
    assert "unless this database was restored from a copy" in refused.stderr
    done = await on_kafka.run("kafka", "recover", "--yes")
    assert (done.exit_code, done.stdout.partition(",")[0]) == (0, "Copied 1 fact")
    moved = await on_kafka.run("kafka", "init", "--lost")
    assert moved.exit_code == 0, moved.stderr
    await on_kafka.start(*COMMANDS)
    assert (await on_kafka.submit(a_claim(SESSIONS))).status_code == 200
    assert await settled(on_kafka) == before
    await on_kafka.stop()
