"""A process that is killed while it writes tiles: the next one goes on, and nothing changes."""

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path
from typing import Final

from tests.log.chances import seeded_chance
from tests.log.deadlines import until
from tests.transparency.town import PublicTown
from tests.transparency.watching import Watcher

KILLS: Final = int(os.environ.get("MAHJIC_KILLS", "6"))
# The first checkpoint comes at once, and each next one a second later: that is in between, too.
LIVES_S_MAX: Final = 1.5


async def test_kills_at_random_change_nothing_that_was_said(town: PublicTown) -> None:
    chance, watcher = seeded_chance(), Watcher(town.path)
    for _ in range(KILLS):
        taken = town.folder.current("facts").taken_in()
        before = 0 if taken is None else taken.position.seq
        await lives_for(chance.uniform(0, LIVES_S_MAX), town, before, watcher)
        watcher.look()
        assert town.folder.stopped() is None
    facts = watcher.seen["facts"]
    assert len(facts) >= KILLS
    await town.play(facts[-1].size)
    assert facts[-1].root == await town.expected_root("facts")


async def lives_for(lives_s: float, town: PublicTown, count: int, watcher: Watcher) -> None:
    """Let a process keep the logs until some time after it has signed something, and kill it."""
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.transparency.keeping", str(town.path), str(count + 100)),
        cwd=Path(__file__).parents[2],
        stdin=DEVNULL,
        stdout=PIPE,
    )

    async def signs() -> bool:
        assert program.returncode is None
        return town.size() > count

    try:
        await until(signs)
        watcher.look()
        # The instant of the kill is what this is about.
        await asyncio.sleep(lives_s)
    finally:
        program.kill()
        await program.communicate()
