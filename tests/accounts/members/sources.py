"""Sources for tests of those who keep their desks."""

from typing import Final

import asyncpg

from shared.access.sources import SourceDetails, add_source
from tests.mail.letters import START

LAKESIDE: Final = "lakeside"
HILLTOP: Final = "hilltop"


async def make_sources(pool: asyncpg.Pool) -> None:
    """Make two sources that have nothing to do with each other."""
    for slug, name in ((LAKESIDE, "Lakeside Club"), (HILLTOP, "Hilltop League")):
        await add_source(pool, slug, SourceDetails(name, "club"), now=START)
