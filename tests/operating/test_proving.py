"""Whatever ingest goes by or the public is shown is held against the logs, and the last is told."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Mapping
from typing import Any

import asyncpg
import orjson
import pytest
from pydantic import SecretStr

from services.operating.kafka.moving import move_to_kafka
from services.operating.proofs.proven import read_proof
from services.operating.proofs.proving import prove
from services.operating.proofs.recorded import FOUND, ROWS_MAX, RecordHeld, hold_record
from services.projections.building.builds import live_build
from services.projections.views import all_views
from shared.settings import Settings
from tests.cli.running import Ended, end_of, start
from tests.conftest import Database
from tests.ingest.claims import a_round, a_session
from tests.log.deadlines import deadline
from tests.operating.conftest import SESSIONS, Site
from tests.projections.altering import (
    Table,
    addition_to,
    altered,
    change_of,
    removal_of,
    row_of,
    table_of,
    where,
    without_checks,
)
from tests.service import RunningService, bearer, running_service

# What no fact tells: what was meant by a request, when it came, by whom, and the prints of refs.
UNTOLD = {
    "submissions": {"allowed_duplicate", "submitted_at", "is_by_operator"},
    "seats": set(),
    "round_prints": {"ref_print"},
    "players": {"first_source"},
    "formulas": set(),
    "reseats": set(),
    "reseated_prints": set(),
}


def no_progress(_at_hand: str, _done: int, _total: int) -> None: ...


async def held(pool: asyncpg.Pool) -> RecordHeld:
    return await hold_record(pool, no_progress)


async def sent(service: RunningService, path: str, body: Any, key: str) -> Any:
    answer = await service.client.post(path, json=body, headers=bearer(key))
    assert answer.status_code in {200, 201}, answer.text
    return answer.json()


async def id_of(service: RunningService, name: str) -> str:
    """Return the id that was given first to an address."""
    found = await service.pool.fetchval(
        "SELECT player_id FROM mahjic.people WHERE email = $1", f"{name}@example.com"
    )
    assert isinstance(found, str)
    return found


async def play_everything(service: RunningService) -> None:
    """Play, correct, void, verify, merge and unmerge, as sources and the operator do."""
    source, operator = await service.source_key(), await service.operator_key()
    nights: list[str] = []
    for night in range(1, 9):
        ref = f"table {night}" if night % 2 else None
        rounds = [
            a_round({"ada": 2, "bo": 1, f"p{night}": 0}, ref=ref),
            a_round({"cy": 1, "dee": 0}),
        ]
        claim = a_session(*rounds, on=f"2026-01-{night:02}")
        nights.append((await sent(service, "/v1/sessions", claim, source))["session_id"])
    twin = a_session(a_round({"twin": 1, "bo": 0}), a_round({"other": 1, "dee": 0}))
    await sent(service, "/v1/sessions", twin, source)
    void, correct = (f"/v1/sessions/{nights[place]}" for place in (1, 3))
    await sent(service, f"{void}/void", {"reason": "not_played"}, source)
    instead = a_session(a_round({"ada": 0, "eve": 3}), on="2026-02-01")
    await sent(service, f"{correct}/corrections", {"reason": "wrong_players", **instead}, source)
    ids = {name: await id_of(service, name) for name in ("ada", "cy", "dee", "twin", "other")}
    for name, into in (("twin", "ada"), ("other", "cy")):
        path = f"/v1/admin/players/{ids[name]}"
        await sent(service, f"{path}/merge", {"into": ids[into]}, operator)
    await sent(service, f"{path}/unmerge", {}, operator)
    seats = {"sessions": [nights[5], nights[6]], "email": "karen@example.com"}
    await sent(service, f"/v1/admin/players/{ids['cy']}/reseat", seats, operator)
    for name in ("dee", "ada"):
        path = f"/v1/admin/players/{ids[name]}/verification"
        answer = await service.client.put(path, json={"verified": True}, headers=bearer(operator))
        assert answer.status_code == 200, answer.text


@pytest.fixture
async def service(database: Database) -> AsyncIterator[RunningService]:
    async with running_service(database) as service:
        await play_everything(service)
        yield service


async def tables_of(pool: asyncpg.Pool) -> dict[str, Table]:
    tables = {name: await table_of(pool, f"mahjic.{name}") for name in FOUND}
    for table in tables.values():
        await without_checks(pool, table)
    return tables


def named(found: RecordHeld) -> set[tuple[str, str, str | None]]:
    return {(each.table, told(each.row), each.column or each.what) for each in found.differences}


def told(row: Mapping[str, str]) -> str:
    return str(sorted(row.items()))


# Of all players only those are compared of whom a fact tells something: one who is verified.
WHO = {"players": "SELECT min(player_id) FROM mahjic.players WHERE is_verified"}


async def row_to_alter(pool: asyncpg.Pool, table: Table, name: str) -> dict[str, str]:
    if name in WHO:
        return {"player_id": await pool.fetchval(WHO[name])}
    return await row_of(pool, table)


async def test_every_column_that_a_fact_tells_is_held_against_it(service: RunningService) -> None:
    assert (await held(service.pool)).differences == ()
    expected = set()
    for name, table in (await tables_of(service.pool)).items():
        row = await row_to_alter(service.pool, table, name)
        compared = [column for column in table.others if column not in UNTOLD[name]]
        assert UNTOLD[name] <= set(table.others)
        for column in compared:
            await altered(service.pool, change_of(table, row, column))
            expected.add((f"mahjic.{name}", told(row), column))
    found = await held(service.pool)
    assert named(found) == expected
    assert {each.whole for each in found.differences} == {"What ingest goes by"}


async def test_every_row_that_was_deleted_is_missed(service: RunningService) -> None:
    expected = set()
    for name, table in (await tables_of(service.pool)).items():
        row = await row_to_alter(service.pool, table, name)
        await altered(service.pool, removal_of(table, row))
        expected.add((f"mahjic.{name}", told(row), "the row is missing"))
    assert named(await held(service.pool)) == expected


async def test_every_row_that_was_added_is_one_too_many(service: RunningService) -> None:
    for table in (await tables_of(service.pool)).values():
        await altered(service.pool, addition_to(table))
    found = await held(service.pool)
    assert {(each.table, each.what) for each in found.differences} == {
        (f"mahjic.{name}", "the row is one too many") for name in FOUND
    }


async def test_every_key_that_was_altered_is_a_row_too_few_and_one_too_many(
    service: RunningService,
) -> None:
    for name, table in (await tables_of(service.pool)).items():
        for column in table.key:
            row = await row_to_alter(service.pool, table, name)
            await altered(service.pool, change_of(table, row, column))
            # The print of a session is taken over those of the refs, which a lost row takes away.
            found = [
                each
                for each in (await held(service.pool)).differences
                if each.column != "content_print"
            ]
            lost, more = sorted(found, key=lambda each: each.what)
            assert (lost.what, more.what) == ("the row is missing", "the row is one too many")
            assert (lost.table, told(lost.row)) == (f"mahjic.{name}", told(row))
            undo = f"UPDATE {table.name} SET {column} = '{row[column]}' WHERE {where(more.row)}"
            await altered(service.pool, undo)
            assert (await held(service.pool)).differences == ()


async def test_a_merge_that_is_not_on_record_is_found(service: RunningService) -> None:
    await altered(
        service.pool,
        "UPDATE mahjic.players SET merged_into = NULL WHERE merged_into IS NOT NULL",
    )
    (found,) = (await held(service.pool)).differences
    assert (found.table, found.column, found.found) == ("mahjic.players", "merged_into", None)


async def test_no_more_differences_are_listed_than_anybody_reads(rated: Database) -> None:
    await rated.pool.execute("UPDATE mahjic.submissions SET place_seq = place_seq + 1")
    assert len((await held(rated.pool)).differences) == ROWS_MAX


# As an operator does it.


def settings_of(database: Database) -> Settings:
    return Settings(database_url=SecretStr(database.dsn))


async def proved(environment: dict[str, str], *arguments: str) -> Ended:
    return await end_of(await start(*arguments, **environment))


async def test_everything_passes_while_it_is_written(
    service: RunningService, database: Database
) -> None:
    source, operator = await service.source_key(), await service.operator_key()
    ada = await id_of(service, "ada")
    is_over = False

    async def write() -> None:
        for number in itertools.count():
            if is_over:
                return
            names = {f"new{number}": 1, f"p{number % 8 + 1}": 0}
            claim = a_session(a_round(names), a_round({"ada": 1, "bo": 0}), on="2026-02-02")
            answer = await sent(service, "/v1/sessions", {**claim, "allow_duplicate": True}, source)
            path = f"/v1/sessions/{answer['session_id']}"
            if number % 3 == 0:
                await sent(service, f"{path}/void", {"reason": "other"}, source)
            if number % 3 == 1:
                instead = {**a_session(a_round({"ada": 3, "cy": number % 9})), "reason": "other"}
                instead["allow_duplicate"] = True
                await sent(service, f"{path}/corrections", instead, source)
            if number % 4 == 2:
                who = await id_of(service, f"new{number}")
                merged = f"/v1/admin/players/{who}"
                await sent(service, f"{merged}/merge", {"into": ada}, operator)
                await sent(service, f"{merged}/unmerge", {}, operator)

    writing = asyncio.create_task(write())
    try:
        async with deadline():
            for _ in range(2):
                found = await prove(settings_of(database), no_progress)
                assert (found.differences, found.not_compared) == ([], [])
    finally:
        is_over = True
        await writing
    assert found.record is not None
    assert found.record.fact_seq > 20


async def test_what_was_found_is_told_by_the_command_and_by_status(rated: Database) -> None:
    environment = {"MAHJIC_DATABASE_URL": rated.dsn}
    assert await read_proof(rated.pool) is None
    assert ["verified", "never"] in [row[:2] for row in (await proved(environment, "status")).rows]
    ended = await proved(environment, "verify")
    assert (ended.exit_code, ended.stderr) == (0, "")
    for view in all_views():
        assert f"View {view.name}: " in ended.stdout
    last = await read_proof(rated.pool)
    assert last is not None
    assert (last.outcome, last.differences, last.verdict_seq) == ("held", 0, SESSIONS + 1)
    live = await live_build(rated.pool, "profiles")
    assert live is not None
    who = await rated.pool.fetchval(f"SELECT min(player_id) FROM {live.schema}.profiles")
    was = await rated.pool.fetchval(
        f"UPDATE {live.schema}.profiles SET rating_centi = 1 WHERE player_id = $1 "
        "RETURNING (SELECT rating_centi FROM mahjic.rater CROSS JOIN "
        f"{live.schema}.profiles AS old WHERE old.player_id = $1)",
        who,
    )
    session = await rated.pool.fetchval("SELECT min(session_id) FROM mahjic.submissions")
    await altered(
        rated.pool,
        f"UPDATE mahjic.submissions SET status = 'voided' WHERE session_id = '{session}'",
    )
    ended = await proved(environment, "verify")
    assert ended.exit_code == 1
    assert ended.stderr.splitlines() == [
        f"View profiles, table profiles, row player_id {who}: rating_centi is 1, not {was}.",
        (
            f"What ingest goes by, table mahjic.submissions, row session_id {session}: "
            "status is voided, not accepted."
        ),
    ]
    printed = orjson.loads((await proved(environment, "verify", "--json")).stdout)
    assert printed["outcome"] == "differed"
    assert printed["views"][0]["differences"][0]["column"] == "rating_centi"
    assert printed["record"]["differences"][0]["column"] == "status"
    status = await proved(environment, "status")
    assert status.exit_code == 1
    assert "found 2 differences" in status.stderr
    assert ["verified", "differed"] in [row[:2] for row in status.rows]


async def test_of_the_database_of_an_older_program_the_logs_are_proved(rated: Database) -> None:
    await rated.pool.execute("DROP TABLE mahjic.proofs")
    environment = {"MAHJIC_DATABASE_URL": rated.dsn}
    ended = await proved(environment, "verify")
    assert ended.exit_code == 1
    assert ended.stdout.startswith(f"Facts: {SESSIONS + 1} in an unbroken chain")
    assert ended.stderr.startswith("An older Mahjic wrote this database")
    assert "verified" in [row[0] for row in (await proved(environment, "status")).rows]


async def test_a_log_that_breaks_is_the_last_that_status_tells(rated: Database) -> None:
    await altered(rated.pool, "UPDATE mahjic.verdicts SET body = 'x' WHERE seq = 5")
    environment = {"MAHJIC_DATABASE_URL": rated.dsn}
    assert (await proved(environment, "verify")).stderr.startswith("history_split: ")
    status = await proved(environment, "status")
    assert "ended with `history_split`" in status.stderr


async def test_views_are_held_against_the_topic_on_kafka(site: Site) -> None:
    await move_to_kafka(site.settings, is_lost=False, progress=no_progress)
    found = await prove(site.settings, no_progress)
    assert found.outcome == "held"
    live = await live_build(site.pool, "history")
    assert live is not None
    changes = await table_of(site.pool, f"{live.schema}.changes")
    row = await row_of(site.pool, changes, 7)
    await altered(site.pool, change_of(changes, row, "change_centi"))
    # What the database says of the verdicts no longer means anything.
    await altered(site.pool, "UPDATE mahjic.verdicts SET body = 'x' WHERE seq = 5")
    (different,) = (await prove(site.settings, no_progress)).differences
    assert (dict(different.row), different.column) == (row, "change_centi")
