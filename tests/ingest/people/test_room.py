"""What other rooms are handed: everything in their own transaction, or nothing of it."""

import asyncpg
import pytest

from services.accounts.ports import PlayerAddresses
from services.ingest.people.choices import Choices
from services.ingest.people.room import PeopleOfAccounts
from services.ingest.players.grouped import WholePerson
from services.ingest.record.waterline import Waterline
from services.ports import people_of_accounts
from shared.log.port import HistorySplit
from shared.log.postgres import Connection
from tests.ingest.answers import CLAIM, player
from tests.ingest.changes.linking.merges import all_on_record, events_on, merge
from tests.ingest.people.asking import IDS_AND_TIMES, changed_since, people_seq, public
from tests.service import RunningService, bearer


def the_room(
    *, waterline: Waterline | None = None, erased: list[WholePerson] | None = None
) -> PeopleOfAccounts:
    async def erase(connection: Connection, forgotten: WholePerson) -> None:
        assert connection.is_in_transaction()
        if erased is not None:
            erased.append(forgotten)

    return PeopleOfAccounts(waterline or Waterline(), IDS_AND_TIMES, [erase])


async def two_players(pool: asyncpg.Pool, room: PeopleOfAccounts) -> tuple[str, str]:
    async with pool.acquire() as connection, connection.transaction():
        found = [await room.claim(connection, f"{name}@x.org") for name in ("ada", "old")]
        await room.choose(connection, found[0].player_id, Choices("Ada", "west"))
    return found[0].player_id, found[1].player_id


async def test_many_things_in_one_transaction_are_all_done_and_told(pool: asyncpg.Pool) -> None:
    erased: list[WholePerson] = []
    room = the_room(erased=erased)
    seq = await people_seq(pool)
    ada, old = await two_players(pool, room)
    assert await changed_since(pool, seq) == [ada, old, ada]
    assert await public(pool) == {ada: ("Ada", "west"), old: (None, None)}
    seq = await people_seq(pool)
    async with pool.acquire() as connection, connection.transaction():
        await room.merge(connection, old, ada, is_private=False)
        await room.detach(connection, "old@x.org")
        forgotten = await room.forget(connection, old)
    assert erased == [forgotten] == [WholePerson(sorted([ada, old]), ["ada@x.org"])]
    assert set(await changed_since(pool, seq)) == {ada, old}
    assert await public(pool) == {}
    assert "@x.org" not in str(await all_on_record(pool))


class _ChangedTheirMindError(Exception):
    """What another room raises after this one has done its part."""


async def merge_twice_and_fail(
    pool: asyncpg.Pool, room: PeopleOfAccounts, ids: tuple[str, str]
) -> None:
    async with pool.acquire() as connection, connection.transaction():
        ada, old = ids
        await room.merge(connection, old, ada, is_private=False)
        # This one sees the fact of the other, which is not committed yet.
        third = await room.claim(connection, "third@x.org")
        await room.merge(connection, third.player_id, ada, is_private=False)
        raise _ChangedTheirMindError


async def test_what_the_other_room_rolls_back_was_never_there(pool: asyncpg.Pool) -> None:
    waterline = Waterline()
    room = the_room(waterline=waterline)
    ids = await two_players(pool, room)
    before = await all_on_record(pool)
    with pytest.raises(_ChangedTheirMindError):
        await merge_twice_and_fail(pool, room, ids)
    assert await all_on_record(pool) == before
    # The process is not frightened by a fact that it never saw committed.
    async with pool.acquire() as connection, waterline.writing(connection) as writing:
        assert writing.next_seq == len(await events_on(pool)) + 1


async def test_two_facts_of_one_transaction_follow_each_other_on_the_log(
    pool: asyncpg.Pool,
) -> None:
    room = the_room()
    ada, old = await two_players(pool, room)
    async with pool.acquire() as connection, connection.transaction():
        third = await room.claim(connection, "third@x.org")
        first = await room.merge(connection, old, ada, is_private=False)
        second = await room.merge(connection, third.player_id, ada, is_private=False)
    assert first is not None
    assert second is not None
    assert second.fact_seq == first.fact_seq + 1
    assert len(await events_on(pool)) == second.fact_seq


async def test_on_a_log_that_was_put_back_nothing_is_done(pool: asyncpg.Pool) -> None:
    waterline = Waterline()
    room = the_room(waterline=waterline)
    ada, old = await two_players(pool, the_room())
    await merge(pool, old, ada, IDS_AND_TIMES)
    async with pool.acquire() as connection, waterline.writing(connection):
        pass
    # An older copy of the head, as after a restore.
    await pool.execute("UPDATE mahjic.head SET fact_seq = fact_seq - 1")
    before = await all_on_record(pool)
    with pytest.raises(HistorySplit):
        await choose_alone(pool, room, ada)
    assert await all_on_record(pool) == before


async def choose_alone(pool: asyncpg.Pool, room: PeopleOfAccounts, player_id: str) -> None:
    async with pool.acquire() as connection, connection.transaction():
        await room.choose(connection, player_id, Choices("Eve"))


def test_accounts_can_be_handed_it() -> None:
    asked: PlayerAddresses = the_room()
    assert callable(asked.detach)


async def test_a_player_whose_address_was_taken_away_is_told_of_without_it_everywhere(
    service: RunningService,
) -> None:
    operator, key = bearer(await service.operator_key()), bearer(await service.source_key())
    sent = await service.client.post("/v1/sessions", json=CLAIM, headers=key)
    ada = player(sent, "Ada@Example.com")["player_id"]
    async with service.pool.acquire() as connection, connection.transaction():
        await people_of_accounts(service.service.recording).detach(connection, "ada@example.com")
    session_path = f"/v1/sessions/{sent.json()['session_id']}"
    for headers in (key, operator):
        told = await service.client.get(session_path, headers=headers)
        assert told.json()["results"][0]["player_id"] == ada
        sheet = await service.client.get(f"{session_path}/sheet.csv", headers=headers)
        found = await service.client.post(
            "/v1/people/lookup", json={"player_ids": [ada]}, headers=headers
        )
        assert [each["player_id"] for each in found.json()["people"]] == [ada]
        assert found.json()["people"][0]["player"] is None
        for answer in (told, sheet, found):
            assert answer.status_code == 200
            assert "ada@" not in answer.text.lower()
    gone = await service.client.post(
        "/v1/people/lookup", json={"who": "ada@example.com"}, headers=operator
    )
    assert gone.json()["people"] == []
    shown = await service.client.get(f"/v1/players/{ada}")
    assert shown.status_code == 200
