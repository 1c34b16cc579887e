"""What the sitemap reads."""

import asyncio
from typing import Final

from services.projections.answering.reading import ViewReader
from services.projections.search.named import count_named, read_named

# Counting a million players takes 0.2 s, and anyone may ask for the sitemap. The
# count only says into how many parts it is cut.
COUNTED_FOR_S: Final = 600.0


class SitemapPages:
    """Reads for the sitemap."""

    def __init__(self, reader: ViewReader) -> None:
        self._reader = reader
        self._counted: int | None = None
        self._count_until = 0.0
        self._counting = asyncio.Lock()

    async def count_players(self) -> int:
        """Return about how many players chose a public name."""
        async with self._counting:
            now_s = asyncio.get_running_loop().time()
            if self._counted is None or now_s >= self._count_until:
                self._counted = await count_named(self._reader)
                self._count_until = now_s + COUNTED_FOR_S
        return self._counted

    async def players(self, part: int, parts: int, *, limit: int) -> list[str]:
        """Return the Mahjic IDs of the players who chose a public name, in one of equal parts."""
        return await read_named(self._reader, part, parts, limit)
