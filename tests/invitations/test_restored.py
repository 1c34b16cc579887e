"""After a restore nobody is invited who may have been before: better none than two."""

from datetime import timedelta
from pathlib import Path

import pytest

from services.invitations.place import mark_now, read_followed
from shared.db.backups.backup import backup
from shared.db.backups.restore import restore
from shared.db.migrations import migrate, read_migrations
from shared.db.server.embedded import EmbeddedServer
from tests.conftest import TEMPLATE, Database, fresh_database
from tests.invitations.town import Town
from tests.service import running_service

DAY = timedelta(days=1)


async def test_a_restored_database_invites_those_who_play_after_it_and_nobody_else(
    database: Database, postgres_server: EmbeddedServer, tmp_path: Path
) -> None:
    async with running_service(database, wait_s_default=30) as service:
        town = Town(service, await service.operator_key())
        await town.night("early", "bo")
        assert sorted(await town.invited()) == ["bo", "early"]
        await town.night("waiting", "bo")
        await town.follow()
        await backup(database.dsn, tmp_path / "b")
        # What comes now is lost: its letters are sent, and nobody will know.
        await town.night("lost", "bo")
        assert sorted(await town.invited()) == ["bo", "early", "lost", "waiting"]
    async with fresh_database(postgres_server, template=TEMPLATE) as target:
        await target.pool.close()
        await restore(target.dsn, tmp_path / "b", replace=True)
        async with running_service(target, wait_s_default=30) as service:
            again = Town(service, await service.operator_key())
            assert (await read_followed(again.pool)).marked_at is not None
            # The source sends the night again that was lost.
            await again.night("lost", "bo")
            await again.night("lost2", "bo", days_ago=2)
            assert sorted(await again.invited()) == ["bo", "early"]
            assert await again.sent() == []
            new = await again.night("new", "bo")
            await played_later(again, new)
            assert sorted(await again.invited()) == ["bo", "early", "new"]


async def played_later(town: Town, session_id: str) -> None:
    """Have a night played and recorded two days later than it was."""
    town.clock.wind(2 * DAY)
    await town.pool.execute(
        "UPDATE mahjic.submissions SET session_date = session_date + 2, "
        "submitted_at = submitted_at + interval '2 days' WHERE session_id = $1",
        session_id,
    )


async def test_facts_that_are_brought_back_invite_nobody(town: Town) -> None:
    await town.night("ada", "bo")
    await town.follow()
    async with town.pool.acquire() as connection, connection.transaction():
        await mark_now(connection, town.clock.now())
    assert await town.invited() == []
    later = await town.night("cleo", "bo")
    await played_later(town, later)
    assert await town.invited() == ["cleo"]


async def test_what_was_recorded_before_a_mark_stays_so_whatever_day_a_correction_says(
    town: Town,
) -> None:
    early = await town.night("ada", "bo", days_ago=5)
    await town.pool.execute(
        "UPDATE mahjic.submissions SET submitted_at = submitted_at - interval '4 days'"
    )
    async with town.pool.acquire() as connection, connection.transaction():
        await mark_now(connection, town.clock.now() - 3 * DAY)
    await town.correct(early, "ada", "bo", days_ago=0)
    await town.night("cleo", "bo", days_ago=0)
    assert await town.invited() == ["cleo"]


@pytest.mark.parametrize("taken_away", ["voided", "reassigned"])
async def test_whoever_was_in_a_session_before_a_mark_stays_uninvited_when_it_is_taken_away(
    town: Town, taken_away: str
) -> None:
    early = await town.night("ada", "bo")
    await town.night("bo", "cleo")
    async with town.pool.acquire() as connection, connection.transaction():
        await mark_now(connection, town.clock.now())
    if taken_away == "voided":
        await town.void(early)
    else:
        await town.reseat("ada", "cleo", early)
    for later in [await town.night("ada", "bo"), await town.night("gus", "hal")]:
        await played_later(town, later)
    assert sorted(await town.invited()) == ["gus", "hal"]


async def test_a_mark_never_goes_back(town: Town) -> None:
    async with town.pool.acquire() as connection:
        now = town.clock.now()
        await mark_now(connection, now)
        await mark_now(connection, now - DAY)
        assert (await read_followed(town.pool)).marked_at == now


async def test_those_rated_before_there_were_invitations_get_none(
    postgres_server: EmbeddedServer,
) -> None:
    names = [each.name for each in read_migrations()]
    before = read_migrations()[: names.index("invitations")]
    async with fresh_database(postgres_server, template="template0") as old:
        await migrate(old.pool, before)
        await old.pool.execute("INSERT INTO mahjic.facts VALUES (1, $1, 'old')", bytes(32))
        await migrate(old.pool)
        assert (await read_followed(old.pool)).marked_at is not None
    async with fresh_database(postgres_server, template="template0") as new:
        await migrate(new.pool)
        assert (await read_followed(new.pool)).marked_at is None
