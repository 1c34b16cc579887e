"""API keys: shown once, stored as a hash, and refused for good once revoked."""

import hashlib
from datetime import UTC, datetime, timedelta

import pytest

from shared.access.keys import UnknownKey, create_key, list_keys, revoke_key
from shared.access.sources import SourceDetails, UnknownSource, add_source
from shared.ids import is_api_key
from tests.conftest import Database

NOON = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)


async def test_a_key_is_stored_as_its_hash_and_nowhere_else(database: Database) -> None:
    key, text = await create_key(database.pool, "operator", now=NOON)

    row = await database.pool.fetchrow("SELECT * FROM mahjic.api_keys")

    assert row is not None
    assert is_api_key(text)
    assert row["key_hash"] == hashlib.sha256(text.encode()).digest()
    assert text not in str(dict(row))
    assert key.key_id not in text


async def test_a_list_tells_whose_keys_they_are_and_not_how_they_read(database: Database) -> None:
    await add_source(database.pool, "columbus", SourceDetails("Columbus", "club"), now=NOON)
    club, club_text = await create_key(database.pool, "source", "columbus", now=NOON)
    auditor, auditor_text = await create_key(
        database.pool, "auditor", now=NOON + timedelta(minutes=1)
    )

    listed = await list_keys(database.pool)

    assert listed == [club, auditor]
    assert [(key.kind, key.source) for key in listed] == [("source", "columbus"), ("auditor", None)]
    for text in (club_text, auditor_text):
        assert text not in repr(listed)
        assert repr(hashlib.sha256(text.encode()).digest()) not in repr(listed)


async def test_two_keys_have_nothing_in_common(database: Database) -> None:
    keys = [await create_key(database.pool, "operator", now=NOON) for _ in range(20)]
    assert len({text for _, text in keys}) == 20
    assert len({key.key_id for key, _ in keys}) == 20


@pytest.mark.parametrize("slug", ["nobody", "", "nul\0", "\udcff"])
async def test_a_source_that_is_not_there_gets_no_key(database: Database, slug: str) -> None:
    with pytest.raises(UnknownSource):
        await create_key(database.pool, "source", slug, now=NOON)
    assert await list_keys(database.pool) == []


async def test_a_key_revoked_twice_keeps_its_first_date(database: Database) -> None:
    key, _ = await create_key(database.pool, "operator", now=NOON)
    await revoke_key(database.pool, key.key_id, now=NOON + timedelta(hours=1))

    again = await revoke_key(database.pool, key.key_id, now=NOON + timedelta(hours=2))

    assert again.revoked_at == NOON + timedelta(hours=1)
    assert await list_keys(database.pool) == [again]


@pytest.mark.parametrize("key_id", ["key_00000000", "", "key_\0", "\udcff", "key_0000000\u0660"])
async def test_a_key_that_is_not_there_cannot_be_revoked(database: Database, key_id: str) -> None:
    with pytest.raises(UnknownKey):
        await revoke_key(database.pool, key_id, now=NOON)


async def test_a_key_given_in_place_of_its_id_is_not_repeated(database: Database) -> None:
    _, text = await create_key(database.pool, "operator", now=NOON)
    with pytest.raises(UnknownKey) as refused:
        await revoke_key(database.pool, text, now=NOON)
    assert text not in refused.value.detail
