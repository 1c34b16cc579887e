"""Kills a rater at any instant of long corrections: it must write the bytes of one undisturbed."""

import asyncio
import random
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shared.events.codec import decode_verdict
from shared.events.facts import (
    FactEvent,
    FormulaAdoptedFromBeginning,
    PlayedRound,
    PlayerVerified,
    SessionCorrected,
    SessionsVoided,
)
from shared.rating.registry import MAHJIC_ELO_1, MAHJIC_ELO_2_SCALED
from tests.chaos.rounds import rounds_wanted
from tests.log.adapters import Logs
from tests.log.deadlines import deadline, until
from tests.rater.killed.killed_rater import INSTANTS
from tests.rater.running import all_bodies
from tests.rater.stories import ADOPTED, a_round, a_session, answered, fact_bodies

KILLED_S_MAX: Final = 400 + 20 * rounds_wanted(1)
SESSIONS: Final = 1_500
ROUNDS: Final = 4
# More than a part of a verdict holds, and nearly all of them play.
PLAYERS: Final = 5_600
# MAHJIC_CHAOS_ROUNDS asks for more of them.
KILLS_BY_CHANCE: Final = rounds_wanted(1)
# Longer than a correction takes, on a machine that is not busy.
CORRECTION_S_MAX: Final = 3.0


def a_long_season(chance: random.Random) -> list[FactEvent]:
    """Return a history whose corrections take a second, and may move thousands of players."""
    players = [f"MJ-P{number:04}" for number in range(PLAYERS)]
    tables: list[list[str]] = []
    while len(tables) < SESSIONS * ROUNDS:
        order = chance.sample(players, PLAYERS)
        tables += [order[at : at + 4] for at in range(0, PLAYERS, 4)]
    return [
        ADOPTED,
        *map(PlayerVerified, players[::3]),
        *(
            a_session(
                *(a_won_round(chance, table) for table in tables[number::SESSIONS][:ROUNDS]),
                name=f"s-{number}",
            )
            for number in range(SESSIONS)
        ),
    ]


def a_won_round(chance: random.Random, table: Sequence[str]) -> PlayedRound:
    points = [chance.randrange(-50_00, 50_00) for _ in table]
    return a_round(
        {player: chance.randrange(3) for player in table}, wall_games=1, points_centi=points
    )


def corrections(chance: random.Random, count: int) -> list[FactEvent]:
    """Return facts that all touch the beginning of the season: of one part, and of several."""
    found: list[FactEvent] = []
    for number in range(count):
        formula = (MAHJIC_ELO_2_SCALED, MAHJIC_ELO_1)[number // 2 % 2]
        if number % 2 == 0:
            found.append(FormulaAdoptedFromBeginning(formula.name, formula.parameters))
        elif number % 4 == 1:
            found.append(SessionsVoided((f"s-{number}", f"s-{number + 20}"), "not_played"))
        else:
            other = a_session(
                a_won_round(chance, [f"MJ-P{number:04}", "MJ-P4000", "BOB"]), name=f"n-{number}"
            )
            found.append(SessionCorrected(f"s-{number}", "wrong_players", other))
    return found


@dataclass(slots=True)
class Site:
    """Both logs, the folder of the rater, and how its process comes to the logs."""

    logs: Logs
    folder: Path
    arguments: Sequence[str]
    facts: list[FactEvent]
    bodies: list[bytes]

    @asynccontextmanager
    async def rater(self, instant: str = "never") -> AsyncIterator[asyncio.subprocess.Process]:
        """Give the process of a rater that has caught up; it is killed in the end."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.rater.killed.killed_rater",
            *self.arguments,
            str(self.folder),
            instant,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            await self._started(process)
            yield process
        finally:
            if process.returncode is None:
                process.kill()
            await process.communicate()

    async def append_next(self) -> None:
        """Append the next fact."""
        there = (await self.logs.facts.tail()).seq
        await self.logs.facts.append(self.bodies[there : there + 1])

    async def until_answered(self) -> None:
        """Wait until all facts that are there are answered, in all parts."""
        fact_seq = (await self.logs.facts.tail()).seq

        async def is_answered() -> bool:
            last = await self.logs.verdicts.last()
            if last is None:
                return False
            answers = decode_verdict(last.body).answers
            return (answers.fact_seq, answers.part) == (fact_seq, answers.parts)

        await until(is_answered)

    async def _started(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        said = b""
        async with deadline():
            while line := await process.stdout.readline():
                if line == b"started\n":
                    return
                said += line
        raise AssertionError(f"The rater did not start: {said.decode()}")


async def assert_same_bytes_after_kills(site: Site, chance: random.Random) -> None:
    before = len(site.bodies) - len(INSTANTS) - KILLS_BY_CHANCE
    for begin in range(0, before, 500):
        await site.logs.facts.append(site.bodies[begin : min(before, begin + 500)])
    async with site.rater():
        await site.until_answered()
    for instant in INSTANTS:
        async with site.rater(instant) as process, deadline():
            await site.append_next()
            assert await process.wait() == -signal.SIGKILL, instant
    for _ in range(KILLS_BY_CHANCE):
        async with site.rater():
            await site.append_next()
            await asyncio.sleep(chance.uniform(0, CORRECTION_S_MAX))  # The instant is the test.
    async with site.rater():
        await site.until_answered()
    published = await all_bodies(site.logs.verdicts)
    expected = answered(site.facts)
    assert max(decode_verdict(body).answers.parts for body in published) > 1
    assert published == expected


def a_site(logs: Logs, folder: Path, arguments: Sequence[str], chance: random.Random) -> Site:
    facts = [*a_long_season(chance), *corrections(chance, len(INSTANTS) + KILLS_BY_CHANCE)]
    return Site(logs, folder, arguments, facts, fact_bodies(facts))
