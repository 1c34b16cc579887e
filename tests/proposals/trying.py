"""Tries the formula of a proposal on a made-up history, by the command that operators use.

`python -m tests.proposals.trying` makes the trials in docs/proposals anew. The same seed and size
give the same bytes.
"""

import argparse
import asyncio
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import asyncpg

from shared.db.bell import Bell
from shared.db.migrations import migrate
from shared.db.pool import open_pool
from shared.db.server.embedded import embedded_server
from shared.events.codec import encode_fact
from shared.events.facts import FactEvent, FormulaAdopted
from shared.log.postgres import PostgresFactLog, found_logs
from shared.rating.registry import MAHJIC_ELO_1
from tests.cli.running import Ended, end_of, start
from tests.folders import open_folder
from tests.proposals.made_town import DAYS, FIRST_DAY, made_history

SEED: Final = 1
SESSIONS: Final = 20_000
BATCH: Final = 1_000
# The second of the two years is measured apart: by then most people have a rating.
SINCE: Final = FIRST_DAY.replace(year=FIRST_DAY.year + DAYS // 365 - 1)
LOG_ID: Final = "made-up"
TIME: Final = "2026-01-01T00:00:00.000000Z"
ADOPTED: Final = FormulaAdopted(MAHJIC_ELO_1.name, MAHJIC_ELO_1.parameters)
PROPOSALS: Final = Path(__file__).parents[2] / "docs" / "proposals"


async def plant(pool: asyncpg.Pool, facts: Iterable[FactEvent]) -> None:
    """Write facts onto the empty log of a migrated database."""
    async with pool.acquire() as connection, connection.transaction():
        await found_logs(connection, LOG_ID)
    log = PostgresFactLog(pool, Bell())
    bodies = [
        encode_fact(event, log_id=LOG_ID, seq=seq, time=TIME)
        for seq, event in enumerate((ADOPTED, *facts), start=1)
    ]
    for at in range(0, len(bodies), BATCH):
        await log.append(bodies[at : at + BATCH])


async def try_on(dsn: str, formula: Path) -> Ended:
    """Try a formula on a database, as it is published."""
    options = ("--since", SINCE.isoformat(), "--unnamed", "--json")
    return await end_of(
        await start("formula", "try", str(formula), *options, MAHJIC_DATABASE_URL=dsn)
    )


async def main(seed: int, sessions: int) -> None:
    """Write the trial of each proposal."""
    folder = open_folder()
    try:
        async with embedded_server(folder / "data", role="join") as server:
            connection = await asyncpg.connect(server.dsn)
            await migrate(connection)
            await connection.close()
            pool = await open_pool(server.dsn, application_name="mahjic trial", size_max=2)
            await plant(pool, made_history(seed, sessions))
            await pool.close()
            for text in sorted(PROPOSALS.glob("[0-9]*.md")):
                ended = await try_on(server.dsn, text.with_suffix(".json"))
                sys.stderr.write(ended.stderr)
                text.with_suffix(".trial.json").write_text(ended.stdout)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    asked = argparse.ArgumentParser()
    asked.add_argument("--seed", type=int, default=SEED)
    asked.add_argument("--sessions", type=int, default=SESSIONS)
    chosen = asked.parse_args()
    asyncio.run(main(chosen.seed, chosen.sessions))
