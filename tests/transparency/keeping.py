"""Keeps the public logs of logs that grow on and on, as a program that may be killed.

    python -m tests.transparency.keeping FOLDER RECORDS

The logs are in memory and have so many records at first; the same number is always the same record.
"""

import asyncio
import sys
from pathlib import Path

from tests.transparency.town import PublicTown

# So that tiles of all widths are written, and full ones many times in a second.
AT_ONCE = 37
PAUSE_S = 0.01


async def main(folder: Path, count: int) -> None:
    """Keep them until somebody ends this program."""
    town = PublicTown(folder)
    await town.play(count)
    async with town.kept():
        while True:
            await town.play(AT_ONCE)
            await asyncio.sleep(PAUSE_S)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
