"""Each invitation and each summary is written once, whichever process is killed, and when.

`MAHJIC_SEED` repeats a run as far as chance goes; what a kill meets is up to the machine.
"""

import asyncio
from collections import Counter

import pytest

from services.invitations.place import begin_again
from tests.conftest import Database
from tests.invitations.town import Town
from tests.log.chances import seeded_chance
from tests.log.deadlines import until
from tests.mail.killed.test_killed_mail import Program
from tests.service import running_service

NIGHTS = 40
KILLS = 10
PROCESSES = 3
# They want to be told of each night of their own.
READERS = ["rae", "sol", "tam"]


@pytest.mark.timeout(600)
async def test_nobody_is_written_to_twice_or_left_out_by_processes_that_are_killed(
    database: Database,
) -> None:
    chance = seeded_chance()
    programs = [
        Program(("tests.invitations.killed.inviting", database.dsn)) for _ in range(PROCESSES)
    ]
    async with running_service(database, wait_s_default=30) as service:
        town = Town(service, await service.operator_key())
        for who in READERS:
            await town.want(who, "summary")

        async def play(numbers: range) -> None:
            for number in numbers:
                who = [f"p{number}-{seat}" for seat in range(3)]
                await town.night(chance.choice(READERS), *who, days_ago=number % 7)

        async def kill_one() -> None:
            before = len(await town.letters())

            async def some_are_written() -> bool:
                return len(await town.letters()) > before

            await until(some_are_written)
            await asyncio.sleep(chance.random() * 0.02)
            program = chance.choice(programs)
            await program.kill()
            await program.start()
            if chance.random() < 0.3:
                await begin_again(town.pool)

        try:
            for program in programs:
                await program.start()
            for kill in range(KILLS):
                first, last = (NIGHTS * each // KILLS for each in (kill, kill + 1))
                await asyncio.gather(play(range(first, last)), kill_one())
            expected = Counter(f"p{number}-{seat}" for number in range(NIGHTS) for seat in range(3))

            async def all_are_written() -> bool:
                return len(await town.letters()) >= expected.total() and not (
                    await town.pool.fetchval("SELECT count(*) FROM mahjic.awaited_summaries")
                )

            await until(all_are_written)
        finally:
            for program in programs:
                await program.kill()
        assert Counter(letter.who for letter in await town.letters()) == expected
        assert await town.pool.fetchval("SELECT count(*) FROM mahjic.invited_addresses") == 120
        told = await town.pool.fetch(
            "SELECT player_id, session_date FROM mahjic.summaries ORDER BY 1, 2"
        )
        played = await town.pool.fetch(
            "SELECT DISTINCT player_id, session_date FROM mahjic.seats "
            "JOIN mahjic.people USING (player_id) WHERE email = ANY($1) ORDER BY 1, 2",
            [town.address(who) for who in READERS],
        )
        assert [tuple(row) for row in told] == [tuple(row) for row in played]
        assert len(await town.letters("summary")) == len(told)
