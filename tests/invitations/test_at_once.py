"""What happens at the same moment: forgetting, claiming, and letters that are being written."""

import asyncio

import pytest

from services.invitations.conditions import seat_to_invite
from services.invitations.inviting import invite_next
from services.invitations.place import lock_followed
from tests.invitations.test_following import HOUR
from tests.invitations.town import Town
from tests.log.deadlines import until

WAITING = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


async def until_waiting(town: Town, count: int) -> None:
    async def they_do() -> bool:
        return int(await town.pool.fetchval(WAITING)) == count

    await until(they_do)


async def ada_after_a_night(town: Town) -> str:
    """Have Ada and Bo play, and an hour pass, so that both are due a letter; return Ada's id."""
    await town.night("ada", "bo")
    await town.follow()
    town.clock.wind(HOUR)
    return await town.player("ada")


async def test_forgetting_waits_for_a_letter_that_is_being_written_and_erases_it(
    town: Town,
) -> None:
    ada = await ada_after_a_night(town)
    async with town.pool.acquire() as connection, connection.transaction():
        await lock_followed(connection)
        seat = await seat_to_invite(town.room.outbox, connection, ada, None)
        assert seat is not None
        forgetting = asyncio.create_task(town.forget("ada"))
        await until_waiting(town, 1)
        # The letter is written after the forgetting has begun.
        await connection.execute(
            "INSERT INTO mahjic.invitations VALUES "
            "('mail_1', DEFAULT, $1, $1, $2, 's', 'a-club', now(), now())",
            bytes(32),
            ada,
        )
    await forgetting
    assert await town.pool.fetchval("SELECT count(*) FROM mahjic.invitations") == 0
    await town.write_due()
    assert [letter.who for letter in await town.letters()] == ["bo"]


async def test_a_letter_waits_for_somebody_who_is_being_forgotten_and_is_not_written(
    town: Town,
) -> None:
    ada = await ada_after_a_night(town)
    async with town.pool.acquire() as connection, connection.transaction():
        await connection.execute("DELETE FROM mahjic.people WHERE player_id = $1", ada)
        writing = asyncio.create_task(town.write_due())
        await until_waiting(town, 1)
    await writing
    assert [letter.who for letter in await town.letters()] == ["bo"]


@pytest.mark.parametrize("round_", range(3))
async def test_everybody_is_forgotten_while_letters_are_written_and_nobody_has_one_left(
    town: Town, round_: int
) -> None:
    names = [f"p{number}" for number in range(8)]
    await town.night(*names[:4])
    await town.night(*names[4:])
    await town.follow()
    town.clock.wind(HOUR)
    rooms = [town.room, town.room]

    async def write(number: int) -> None:
        while await invite_next(rooms[number]) is not None:
            await asyncio.sleep(0)

    async def forget() -> None:
        for who in names[round_:]:
            await town.forget(who)

    await asyncio.gather(write(0), write(1), forget())
    assert {letter.who for letter in await town.letters()} <= set(names[:round_])
    for table in ("invitations", "awaited_invitations"):
        rows = await town.pool.fetch(f"SELECT player_id FROM mahjic.{table}")
        known = await town.pool.fetch("SELECT player_id FROM mahjic.people")
        assert {row["player_id"] for row in rows} <= {row["player_id"] for row in known}
