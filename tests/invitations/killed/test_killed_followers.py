"""Each invitation and each summary is written once, whichever process is killed, and when.

`MAHJIC_SEED` repeats a run as far as chance goes; what a kill meets is up to the machine.
"""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass

import pytest

from services.invitations.place import begin_again
from tests.conftest import Database
from tests.invitations.town import Town
from tests.log.chances import seeded_chance
from tests.log.deadlines import until
from tests.programs import Program
from tests.service import running_service

NIGHTS = 40
KILLS = 10
PROCESSES = 3
# They want to be told of each night of their own.
READERS = ["rae", "sol", "tam"]
COUNT_INVITED = "SELECT count(*) FROM mahjic.invited_addresses"
READ_TOLD = "SELECT player_id, session_date FROM mahjic.summaries ORDER BY 1, 2"
READ_PLAYED = """
SELECT DISTINCT player_id, session_date FROM mahjic.seats JOIN mahjic.people USING (player_id)
WHERE email = ANY($1) ORDER BY 1, 2
"""


@dataclass
class KilledTrial:
    """A town that plays, and the processes that write to its people."""

    town: Town
    chance: random.Random
    programs: list[Program]

    async def play(self, numbers: range) -> None:
        """Play nights with three new players and one who wants to be told of them."""
        for number in numbers:
            who = [f"p{number}-{seat}" for seat in range(3)]
            await self.town.night(self.chance.choice(READERS), *who, days_ago=number % 7)

    async def kill_one(self) -> None:
        """Kill a process while letters are written, and start it again."""
        before = len(await self.town.letters())

        async def some_are_written() -> bool:
            return len(await self.town.letters()) > before

        await until(some_are_written)
        await asyncio.sleep(self.chance.random() * 0.02)
        program = self.chance.choice(self.programs)
        await program.kill()
        await program.start()
        if self.chance.random() < 0.3:
            await begin_again(self.town.pool)

    async def run(self) -> None:
        for program in self.programs:
            await program.start()
        for kill in range(KILLS):
            first, last = (NIGHTS * each // KILLS for each in (kill, kill + 1))
            await asyncio.gather(self.play(range(first, last)), self.kill_one())
        await until(self.all_are_written)

    async def all_are_written(self) -> bool:
        waiting = await self.town.pool.fetchval("SELECT count(*) FROM mahjic.awaited_summaries")
        return len(await self.town.letters()) >= 3 * NIGHTS and not waiting


@pytest.mark.timeout(600)
async def test_nobody_is_written_to_twice_or_left_out_by_processes_that_are_killed(
    database: Database,
) -> None:
    program = ("tests.invitations.killed.inviting", database.dsn)
    programs = [Program(program) for _ in range(PROCESSES)]
    async with running_service(database, wait_s_default=30) as service:
        town = Town(service, await service.operator_key())
        for who in READERS:
            await town.want(who, "summary")
        try:
            await KilledTrial(town, seeded_chance(), programs).run()
        finally:
            for each in programs:
                await each.kill()
        expected = Counter(f"p{number}-{seat}" for number in range(NIGHTS) for seat in range(3))
        assert Counter(letter.who for letter in await town.letters()) == expected
        assert await town.pool.fetchval(COUNT_INVITED) == expected.total()
        told = await town.pool.fetch(READ_TOLD)
        played = await town.pool.fetch(READ_PLAYED, [town.address(who) for who in READERS])
        assert [tuple(row) for row in told] == [tuple(row) for row in played]
        assert len(await town.letters("summary")) == len(told)
