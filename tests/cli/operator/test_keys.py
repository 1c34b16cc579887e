"""The commands on keys: shown once, never listed, and revoked at once."""

import pytest

from shared.access.lookups import KeyLookups
from shared.ids import is_api_key
from tests.cli.running import end_of, mahjic, start
from tests.conftest import Database


async def test_a_key_stands_alone_on_stdout_and_nowhere_else(database: Database) -> None:
    settings = {"MAHJIC_DATABASE_URL": database.dsn}
    await end_of(
        await start("source", "add", "bam", "--name", "BAM", "--type", "platform", **settings)
    )

    created = await end_of(await start("key", "create", "bam", **settings))
    listed = await end_of(await start("key", "list", **settings))

    key = created.stdout.removesuffix("\n")
    assert is_api_key(key)
    assert key not in created.stderr
    assert key not in listed.stdout + listed.stderr
    stored = await database.pool.fetchval("SELECT encode(key_hash, 'hex') FROM mahjic.api_keys")
    assert stored not in listed.stdout


async def test_keys_are_listed_by_their_ids(own_database: Database) -> None:
    await mahjic("source", "add", "bam", "--name", "BAM", "--type", "platform")
    for whose in ("bam", "--operator", "--auditor"):
        assert (await mahjic("key", "create", whose)).exit_code == 0

    head, *keys = (await mahjic("key", "list")).rows

    assert head == ["key_id", "kind", "source", "created", "revoked"]
    assert [key[1:3] for key in keys] == [["source", "bam"], ["operator", "-"], ["auditor", "-"]]
    assert [key[4] for key in keys] == ["-", "-", "-"]


async def test_a_revoked_key_is_refused_by_a_service_that_runs(own_database: Database) -> None:
    key = (await mahjic("key", "create", "--operator")).stdout.strip()
    lookups = KeyLookups(own_database.pool, database_wait_s=20)
    caller = await lookups.authenticate(key)
    assert caller is not None

    first = await mahjic("key", "revoke", caller.key_id)
    second = await mahjic("key", "revoke", caller.key_id)

    assert (first.exit_code, second.exit_code) == (0, 0)
    assert await lookups.authenticate(key) is None
    assert (await mahjic("key", "list")).rows[1][4] != "-"


async def test_a_key_in_place_of_its_id_is_refused_and_not_repeated(own_database: Database) -> None:
    key = (await mahjic("key", "create", "--operator")).stdout.strip()
    ended = await mahjic("key", "revoke", key)
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert ended.stderr.startswith("unknown_key: ")
    assert key not in ended.stderr


async def test_a_source_that_is_not_there_gets_no_key(own_database: Database) -> None:
    ended = await mahjic("key", "create", "nobody")
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert ended.stderr.startswith("unknown_source: ")


@pytest.mark.parametrize("whose", [(), ("bam", "--operator"), ("--operator", "--auditor")])
async def test_a_key_has_one_owner(whose: tuple[str, ...]) -> None:
    ended = await mahjic("key", "create", *whose)
    assert (ended.exit_code, ended.stdout) == (2, "")
