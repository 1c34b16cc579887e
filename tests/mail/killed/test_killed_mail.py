"""1,000 mails while workers and the SMTP server are killed and frozen: none is lost.

`MAHJIC_MAIL_SEED` repeats a run; its seed is printed.
"""

import asyncio
import os
import random
import secrets
import signal
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg
import pytest

from tests.conftest import Database
from tests.mail.killed.hurried import hurried
from tests.mail.letters import AnOutbox, Clock, a_letter
from tests.programs import Program, free_port

MAILS = 1_000
KILLS = 24
AT_WORK_S_MAX = 200.0
# What is leased for good: the others renew what they have.
COUNT_LEASED = """
SELECT count(*) FROM mahjic.mails WHERE state = 'queued' AND leased_until > $1
"""
COUNT_QUEUED = "SELECT count(*) FROM mahjic.mails WHERE state = 'queued'"


@dataclass
class Trial:
    """The programs of one run, what has arrived, and who is killed next."""

    database: Database
    file: Path
    chance: random.Random
    began_s: float = field(default_factory=time.time)

    def __post_init__(self) -> None:
        port = str(free_port())
        receiving = ("tests.mail.killed.receiving", str(self.file), port)
        sending = ("tests.mail.killed.sending", self.database.dsn, port, str(self.began_s))
        self.programs = [Program(receiving), Program(sending), Program(sending)]

    def arrived(self) -> list[list[str]]:
        return [line.split(maxsplit=2) for line in self.file.read_text().splitlines()]

    async def until_arrived(self, count: int) -> None:
        async with asyncio.timeout(AT_WORK_S_MAX):
            while len(self.arrived()) < count:
                await asyncio.sleep(0.01)

    async def until_all_are_sent(self) -> None:
        async with asyncio.timeout(AT_WORK_S_MAX):
            while await self.queued():
                await asyncio.sleep(0.05)

    async def queued(self) -> int:
        return int(await self.database.pool.fetchval(COUNT_QUEUED))

    async def kill_one(self) -> None:
        """Kill one program while mails are on their way, and start it again."""
        await self.until_arrived(len(self.arrived()) + self.chance.randint(1, 30))
        await asyncio.sleep(self.chance.random() * 0.05)
        program = self.chance.choice(self.programs)
        await program.kill()
        await program.start()

    async def freeze_one(self) -> None:
        """Stop a worker until what it has in hand is anybody's again, and let it go on."""
        program = self.chance.choice(self.programs[1:])
        program.signal(signal.SIGSTOP)
        try:
            async with asyncio.timeout(AT_WORK_S_MAX):
                while await self.database.pool.fetchval(COUNT_LEASED, hurried(self.began_s)):
                    await asyncio.sleep(0.05)
        finally:
            program.signal(signal.SIGCONT)


async def queue_some(pool: asyncpg.Pool, trial: Trial, numbers: range) -> None:
    outbox = AnOutbox(Clock(hurried(trial.began_s)))
    outbox.port = type(outbox.port)(outbox.hashes, lambda: hurried(trial.began_s))
    for number in numbers:
        letter = a_letter(f"p{number}@example.com", subject=f"Number {number}")
        assert await outbox.queue(pool, letter) is not None


@pytest.mark.timeout(600)
async def test_every_mail_arrives_whoever_is_killed_and_repeats_have_one_message_id(
    database: Database, tmp_path: Path
) -> None:
    seed = int(os.environ.get("MAHJIC_MAIL_SEED") or secrets.randbelow(1 << 32))
    print(f"MAHJIC_MAIL_SEED={seed}")  # noqa: T201
    trial = Trial(database, tmp_path / "arrived", random.Random(seed))
    trial.file.touch()
    try:
        for program in trial.programs:
            await program.start()
        for kill in range(KILLS):
            numbers = range(kill * MAILS // KILLS, (kill + 1) * MAILS // KILLS)
            await asyncio.gather(queue_some(database.pool, trial, numbers), trial.kill_one())
            if kill % 6 == 5:
                await trial.freeze_one()
        await trial.until_all_are_sent()
    finally:
        for program in trial.programs:
            await program.kill()
    rows = await database.pool.fetch("SELECT address, state, message_id FROM mahjic.mails")
    assert {row["state"] for row in rows} == {"sent"}
    ids = defaultdict(set)
    for address, message_id, subject in trial.arrived():
        ids[address].add(message_id)
        assert subject == f"Number {address.partition('@')[0][1:]}"
    assert dict(ids) == {row["address"]: {f"<{row['message_id']}>"} for row in rows}
    assert len(ids) == MAILS
    print(f"{len(trial.arrived()) - MAILS} of {MAILS} mails came more than once.")  # noqa: T201
