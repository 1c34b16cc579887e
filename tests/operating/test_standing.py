"""What `mahjic status` tells is so, and nobody notices that it looked."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from services.ingest.record.known.refusals import tell_refusals
from services.operating.kafka.moving import move_to_kafka
from services.projections.building.keeping import look_at_kept, show_keeping
from services.projections.views import all_views
from shared.log.port import Record, WriterReplaced
from shared.log.postgres import append_facts, lock_head
from shared.log.right import take_right
from tests.cli.running import Ended, end_of, start
from tests.conftest import Database
from tests.feed.tally import Tally
from tests.kafka.broker import Broker
from tests.log.deadlines import until
from tests.operating.conftest import SESSIONS, Site, play
from tests.service import RunningService, running_service

COLUMNS = ["part", "state", "seq", "fact_seq", "behind", "value"]
PEOPLE_CHANGED = """
WITH counted AS (UPDATE mahjic.head SET people_seq = people_seq + 1 RETURNING people_seq)
INSERT INTO mahjic.people_changes (seq, player_id) SELECT people_seq, 'MJ-00000000' FROM counted
"""


async def status(environment: dict[str, str], *arguments: str) -> Ended:
    return await end_of(await start("status", *arguments, **environment))


def by_part(ended: Ended) -> dict[str, dict[str, str]]:
    """Return the rows of the table by their first column."""
    head, *rows = ended.rows
    assert head == COLUMNS
    return {row[0]: dict(zip(head, row, strict=True)) for row in rows}


@pytest.fixture
async def service(database: Database) -> AsyncIterator[RunningService]:
    async with running_service(database) as running:
        await play(running, range(3))
        yield running


async def everything(service: RunningService) -> list[Any]:
    """Return all rows that a look could change, and every lock that is held."""
    tables = ("head", "rater", "view_builds", "views", "kafka", "facts", "verdicts")
    rows = [await service.pool.fetch(f"SELECT * FROM mahjic.{table}") for table in tables]
    return [*rows, await service.pool.fetch("SELECT * FROM pg_locks WHERE locktype = 'advisory'")]


async def test_a_service_that_has_caught_up_is_well(
    service: RunningService, database: Database
) -> None:
    before = await everything(service)
    ended = await status({"MAHJIC_DATABASE_URL": database.dsn})
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert await everything(service) == before
    rows = by_part(ended)
    facts = await service.pool.fetchval("SELECT max(seq) FROM mahjic.facts")
    chain = await service.pool.fetchval("SELECT chain FROM mahjic.verdicts ORDER BY seq DESC")
    assert rows["mode"]["state"] == "embedded"
    assert rows["facts table"]["seq"] == str(facts)
    assert rows["verdicts table"]["value"] == chain.hex()
    rater = rows["rater"]
    assert (rater["state"], rater["fact_seq"], rater["behind"]) == ("running", str(facts), "0")
    assert rater["value"] == "epoch 1, held by a test"
    assert (rows["history"]["state"], rows["history"]["behind"]) == ("ok", "0")
    assert rows["verdicts table"]["state"] == "ok"
    assert "relay" not in rows
    assert "facts topic" not in rows


async def test_what_is_behind_is_told_in_facts_and_people(
    service: RunningService, database: Database
) -> None:
    await service.stop()
    async with service.pool.acquire() as connection, connection.transaction():
        await append_facts(connection, await lock_head(connection), [b"one", b"two"])
    await service.pool.execute(PEOPLE_CHANGED)
    ended = await status({"MAHJIC_DATABASE_URL": database.dsn})
    rows = by_part(ended)
    assert (rows["rater"]["state"], rows["rater"]["behind"]) == ("nobody", "2")
    assert (rows["sessions"]["state"], rows["sessions"]["behind"]) == ("nobody", "2")
    assert rows["sessions"]["value"].endswith("1 people to go")
    assert rows["people"]["behind"] == "1"
    assert ended.exit_code == 1
    assert "No one is rating" in ended.stderr
    assert "No one is keeping the view sessions up to date. Start `mahjic serve`." in ended.stderr


async def test_a_view_that_nobody_keeps_is_named_though_the_others_are_kept(
    service: RunningService, database: Database
) -> None:
    await service.stop_part("sign of keeping")
    kept = [view for view in all_views() if view.name != "history"]
    # Of another version than the one that is read, which is none of its business.
    other = Tally("history", version=0)
    service.run("sign of keeping", show_keeping(service.pool, [*kept, other]))

    async def others_are_kept() -> bool:
        stand = await look_at_kept(service.pool, all_views())
        return sum(bool(view.is_kept) for view in stand) == len(kept)

    await until(others_are_kept)
    ended = await status({"MAHJIC_DATABASE_URL": database.dsn}, "--json")
    told = json.loads(ended.stdout)
    assert told["troubles"] == [
        "No one is keeping the view history up to date. Start `mahjic serve`."
    ]
    assert {view["name"] for view in told["views"] if not view["is_kept"]} == {"history"}
    assert ended.exit_code == 1


async def test_as_json_it_tells_the_same(service: RunningService, database: Database) -> None:
    ended = await status({"MAHJIC_DATABASE_URL": database.dsn}, "--json")
    told = json.loads(ended.stdout)
    assert (told["is_well"], told["mode"], told["troubles"]) == (True, "embedded", [])
    assert told["rater"]["is_alive"] is True
    views = {view["name"]: view for view in told["views"]}
    assert views["history"]["fact_seq"] == told["logs"][0]["seq"]
    assert views["history"]["people_behind"] == 0


async def test_who_was_refused_for_what_others_hold_is_told_for_a_day(
    service: RunningService, database: Database
) -> None:
    environment = {
        "MAHJIC_DATABASE_URL": database.dsn,
        "MAHJIC_FOREIGN_REFUSALS_PER_DAY": "7",
    }
    assert not any(part.startswith("source ") for part in by_part(await status(environment)))
    await service.pool.execute(
        """INSERT INTO mahjic.foreign_refusals (source, hour, refusals) VALUES
        ('a-club', now() - interval '2 hours', 3), ('a-club', now() - interval '1 hour', 3),
        ('b-club', now() - interval '1 hour', 7), ('c-club', now() - interval '25 hours', 9)"""
    )
    ended = await status(environment)
    rows = by_part(ended)
    assert ended.exit_code == 0
    told = {part: (row["state"], row["value"]) for part, row in rows.items() if "source " in part}
    assert told == {
        "source a-club": ("ok", "6 refused in 24 h because of what others have on record"),
        "source b-club": (
            "at the limit",
            "7 refused in 24 h because of what others have on record",
        ),
    }
    shown = json.loads((await status(environment, "--json")).stdout)
    assert shown["foreign_refusals"] == [
        {"source": "a-club", "refusals": 6, "may_ask": True},
        {"source": "b-club", "refusals": 7, "may_ask": False},
    ]


async def test_the_figure_of_refusals_names_sources_and_numbers_alone(
    service: RunningService,
) -> None:
    told: list[dict[str, int]] = []
    await service.pool.execute(
        """INSERT INTO mahjic.foreign_refusals (source, hour, refusals) VALUES
        ('a-club', now(), 3), ('a-club', now() - interval '91 days', 9)"""
    )
    telling = asyncio.create_task(tell_refusals(service.pool, lambda each: told.append({**each})))

    async def is_swept() -> bool:
        count = await service.pool.fetchval("SELECT count(*) FROM mahjic.foreign_refusals")
        return bool(told) and count == 1

    await until(is_swept)
    telling.cancel()
    assert told[0] == {"a-club": 3}


async def test_who_displaced_whom_is_told(service: RunningService, database: Database) -> None:
    async def nothing(_connection: object) -> None: ...

    right, _ = await take_right(service.pool, "another", nothing)
    ended = await status({"MAHJIC_DATABASE_URL": database.dsn})
    assert by_part(ended)["rater"]["value"] == "epoch 2, held by another, taken from a test"
    await right.close()
    await until(lambda: service.has_ended("rater"))
    with pytest.raises(WriterReplaced):
        await service.stop()


async def test_a_rater_that_has_the_right_and_does_not_begin_is_told(
    service: RunningService, database: Database
) -> None:
    async def nothing(_connection: object) -> None: ...

    await service.stop()
    right, _ = await take_right(service.pool, "a hung one", nothing)
    ended = await status({"MAHJIC_DATABASE_URL": database.dsn})
    assert by_part(ended)["rater"]["state"] == "starting"
    assert ended.exit_code == 1
    assert "a hung one has the right to rate but has not started" in ended.stderr
    await right.show_begun()
    ended = await status({"MAHJIC_DATABASE_URL": database.dsn})
    assert by_part(ended)["rater"]["state"] == "running"
    assert "has not started" not in ended.stderr
    # A connection that was cut shows both again.
    await right.drop_connection()
    await right.confirm()
    assert by_part(await status({"MAHJIC_DATABASE_URL": database.dsn}))["rater"]["state"] == (
        "running"
    )
    await right.close()


async def test_a_view_that_stands_on_what_the_log_lost_is_told(
    service: RunningService, database: Database
) -> None:
    await service.stop()
    await service.pool.execute(
        "UPDATE mahjic.view_builds SET chain = sha256('x') WHERE view = 'history'"
    )
    ended = await status({"MAHJIC_DATABASE_URL": database.dsn})
    assert ended.exit_code == 1
    assert "history_split: The view history has reached verdict 4" in ended.stderr


async def test_a_place_without_mahjic_is_left_without(database: Database, tmp_path: Path) -> None:
    ended = await status({"MAHJIC_DATABASE_URL": database.dsn})
    assert (ended.exit_code, ended.stderr.split(":")[0]) == (1, "nothing_there")
    assert await database.pool.fetchval("SELECT count(*) FROM mahjic.head") == 0
    ended = await status({"MAHJIC_DATA": str(tmp_path / "data")})
    assert (ended.exit_code, ended.stderr.split(":")[0]) == (1, "nothing_there")
    assert not (tmp_path / "data").exists()


# On Kafka.


async def move(site: Site) -> None:
    await move_to_kafka(site.settings, is_lost=False, progress=lambda *_: None)


async def test_on_kafka_topics_relay_and_rater_are_told(site: Site) -> None:
    await move(site)
    async with site.pool.acquire() as connection, connection.transaction():
        await append_facts(connection, await lock_head(connection), [b"one", b"two", b"three"])
    ended = await status(site.environment)
    rows = by_part(ended)
    facts: list[Record] = await site.table("facts")
    assert rows["mode"]["state"] == "kafka"
    assert rows["facts table"]["seq"] == str(len(facts))
    assert rows["facts topic"]["seq"] == str(len(facts) - 3)
    assert rows["verdicts topic"]["seq"] == str(SESSIONS + 1)
    assert (rows["relay"]["state"], rows["relay"]["behind"]) == ("nobody", "3")
    assert rows["rater"]["state"] == "nobody"
    assert (rows["rater"]["fact_seq"], rows["rater"]["behind"]) == (str(SESSIONS + 1), "3")
    assert ended.exit_code == 1
    assert "mahjic relay" in ended.stderr
    assert rows["verdicts table"]["state"] == "moved"
    assert rows["facts table"]["state"] == "ok"
    assert rows["sessions"]["state"] == "nobody"
    assert (
        "No one is keeping the view sessions up to date. Start `mahjic projections sessions`."
        in ended.stderr
    )


async def test_a_cluster_that_is_away_is_told_in_the_table(site: Site, own_broker: Broker) -> None:
    assert own_broker.address != site.settings.kafka_servers
    await move(site)
    await own_broker.kill()
    ended = await status({**site.environment, "MAHJIC_KAFKA_SERVERS": own_broker.address})
    rows = by_part(ended)
    assert ended.exit_code == 1
    assert "log_away: " in ended.stderr
    assert (rows["facts topic"]["state"], rows["facts topic"]["seq"]) == ("away", "-")
    assert rows["rater"]["fact_seq"] == "-"
    assert rows["facts table"]["seq"] == str(SESSIONS + 1)


async def test_on_kafka_without_its_address_the_rest_is_told(site: Site) -> None:
    await move(site)
    ended = await status({"MAHJIC_DATABASE_URL": site.database.dsn})
    assert by_part(ended)["history"]["fact_seq"] == str(SESSIONS + 1)
    assert "kafka_not_named: " in ended.stderr
