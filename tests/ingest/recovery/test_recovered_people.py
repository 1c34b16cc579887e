"""What people did about themselves since the backup, as far as the log tells: merges, disputes."""

import json
from typing import Any

import asyncpg
import pytest

from services.ingest.people.disputes import dispute, disputes_of
from services.ingest.people.download import everything_about
from services.ingest.people.own_merges import OWN_MERGES_MAX, AskStaffToMerge
from shared.log.port import Record
from tests.conftest import Database
from tests.ingest.changes.asking import ask, played, player_ids, void
from tests.ingest.changes.linking.merges import (
    all_on_record,
    check_links,
    check_prints,
    merge,
    submit,
    unmerge,
)
from tests.ingest.claims import a_round, a_session
from tests.ingest.office import NOW
from tests.ingest.people.asking import IDS_AND_TIMES
from tests.ingest.people.test_own_merges import do, registered
from tests.ingest.recovery.test_recovering_changes import AT_ONCE
from tests.ingest.recovery.test_recovery import put_back, take_all_over
from tests.service import running_service

END = "SELECT fact_seq FROM mahjic.head"
UNDO_CHANGES = (
    "DELETE FROM mahjic.own_merges WHERE fact_seq > $1",
    "UPDATE mahjic.players SET merged_into = NULL, link_fact_seq = NULL WHERE link_fact_seq > $1",
    """UPDATE mahjic.submissions SET status = 'accepted', ended_fact_seq = NULL, end_reason = NULL
    WHERE ended_fact_seq > $1""",
    "DELETE FROM mahjic.reseats WHERE fact_seq > $1",
    "DELETE FROM mahjic.reseated_prints WHERE $1 > 0",
    "DELETE FROM mahjic.seats WHERE NOT is_sent AND $1 > 0",
    "UPDATE mahjic.seats SET sits = true WHERE $1 > 0",
)


async def restored(pool: asyncpg.Pool, seq: int) -> list[Record]:
    """Make the database what it was, changes of the past included, and return what followed."""
    lost = await put_back(pool, seq)
    for statement in UNDO_CHANGES:
        await pool.execute(statement, seq)
    return lost


async def merges_in_download(pool: asyncpg.Pool, player_id: str) -> dict[str, bool]:
    """Return of whom the document says that they are merged, and whether by the person."""
    pieces = [piece async for piece in await everything_about(pool, [player_id], now=NOW)]
    player: dict[str, Any]
    (player,) = json.loads(b"".join(pieces))["players"]
    return {each["player_id"]: each["by_yourself"] for each in player["merges"]}


async def test_merges_whose_maker_the_log_does_not_tell_count_as_ones_own(
    pool: asyncpg.Pool,
) -> None:
    ada, bo, cy, dee, eve = await registered(pool, "ada", "bo", "cy", "dee", "eve")
    await submit(pool, 1, a_session(a_round(cy=1, gus=0), on="2026-01-01"), IDS_AND_TIMES)
    await do(pool, bo, ada)
    backup = await pool.fetchval(END)
    await do(pool, cy, ada)
    await merge(pool, dee, ada, IDS_AND_TIMES)
    await unmerge(pool, dee, IDS_AND_TIMES)
    before = await all_on_record(pool)
    lost = await restored(pool, backup)
    await take_all_over(pool, lost)
    assert (await all_on_record(pool))["players"] == before["players"]
    # One of Ada's own from the backup, and two of which nobody knows anymore.
    assert OWN_MERGES_MAX == 3
    with pytest.raises(AskStaffToMerge):
        await do(pool, eve, ada)
    assert await merges_in_download(pool, ada) == {bo: True, cy: False}
    # Staff may merge, and undo what was taken over as well as what was not.
    for player_id in (cy, bo):
        await unmerge(pool, player_id, IDS_AND_TIMES)
        await check_links(pool)
        await check_prints(pool)
    await merge(pool, eve, ada, IDS_AND_TIMES)
    await check_links(pool)


async def test_a_merge_of_others_that_was_taken_over_takes_nothing_from_anybody_else(
    pool: asyncpg.Pool,
) -> None:
    ada, bo, *others = await registered(pool, "ada", "bo", "cy", "dee", "eve", "flo")
    backup = await pool.fetchval(END)
    for one, other in zip(others[::2], others[1::2], strict=True):
        await merge(pool, one, other, IDS_AND_TIMES)
    await take_all_over(pool, await restored(pool, backup))
    assert await do(pool, bo, ada) is not None


async def test_a_dispute_of_the_backup_is_told_what_became_of_its_session_since(
    database: Database,
) -> None:
    pool = database.pool
    async with running_service(database, is_rating=False) as service:
        key, operator = await service.source_key(), await service.operator_key()
        sent = [
            await played(service, key, prefer=AT_ONCE, on=f"2026-01-0{day}", ada=1, bo=0)
            for day in (1, 2, 3)
        ]
        ids = await player_ids(service)
        for session_id in sent:
            async with pool.acquire() as connection, connection.transaction():
                await dispute(connection, ids["ada"], session_id, "I was in Paris.", now=NOW)
        backup = await pool.fetchval(END)
        assert (await void(service, sent[0], key, prefer=AT_ONCE)).status_code == 202
        body = {"sessions": [sent[1]], "email": "hal@example.com"}
        path = f"/v1/admin/players/{ids['ada']}/reseat"
        assert (await ask(service, path, body, operator, prefer=AT_ONCE)).status_code == 202
    expected = [(sent[0], "voided"), (sent[1], "reseated"), (sent[2], None)]
    assert await resolved(pool, ids["ada"]) == expected
    lost = await restored(pool, backup)
    assert await resolved(pool, ids["ada"]) == [(each, None) for each in sent]
    await take_all_over(pool, lost)
    assert await resolved(pool, ids["ada"]) == expected


async def resolved(pool: asyncpg.Pool, player_id: str) -> list[tuple[str, str | None]]:
    async with pool.acquire() as connection:
        told = await disputes_of(connection, [player_id], now=NOW)
    return [(each.session_id, each.resolved_by) for each in told]
