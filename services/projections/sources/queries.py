"""Reads the public list of sources, with what each has brought in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import asyncpg

from services.projections.answering.reading import ViewReader
from shared.access.sources import UnknownSource
from shared.ids import is_slug

_SOURCE: Final = """
    sources.slug, sources.name, sources.type, sources.region,
    COALESCE(s.sessions, 0) AS sessions, COALESCE(s.rounds, 0) AS rounds,
    COALESCE(s.games, 0) AS games, COALESCE(s.players, 0) AS players,
    COALESCE(s.sessions_voided, 0) AS sessions_voided, s.last_session_date
"""
READ_SOURCES: Final = f"""
SELECT live.seq, live.correcting, {_SOURCE}
FROM {{live}} AS live
LEFT JOIN mahjic.listed_sources AS sources ON true
LEFT JOIN {{sources}}.sources AS s ON s.source = sources.slug
ORDER BY sources.slug
"""
READ_SOURCE: Final = f"""
SELECT live.seq, {_SOURCE}
FROM {{live}} AS live
LEFT JOIN mahjic.listed_sources AS sources ON sources.slug = $1
LEFT JOIN {{sources}}.sources AS s ON s.source = sources.slug
"""
# The first session that counts is found by the index that finds the last one.
_SINCE: Final = """
    (
        SELECT min(first.session_date) FROM {sources}.sessions AS first
        WHERE first.source = sources.slug AND first.ended IS NULL
    ) AS first_session
"""
READ_SOURCES_SINCE: Final = READ_SOURCES.replace(_SOURCE, f"{_SOURCE},{_SINCE}")
# What its owners say about it is on its own page alone.
_SAID: Final = "sources.site, sources.about"
READ_SOURCE_SINCE: Final = READ_SOURCE.replace(_SOURCE, f"{_SOURCE},{_SINCE},{_SAID}")
IS_SOURCE: Final = "SELECT 1 FROM mahjic.listed_sources WHERE slug = $1"


@dataclass(frozen=True, slots=True)
class AllSources:
    """All sources by slug, and the fact that the counts are as of.

    While `correcting` is set (correcting.py), the next fact has changed them too.
    """

    seq: int
    correcting: Sequence[int] | None
    sources: Sequence[asyncpg.Record]


async def read_sources(reader: ViewReader, query: str = READ_SOURCES) -> AllSources:
    """Return all sources; with READ_SOURCES_SINCE, each with its first session."""
    rows = await reader.fetch(query)
    sources = [row for row in rows if row["slug"] is not None]
    return AllSources(rows[0]["seq"], rows[0]["correcting"], sources)


async def read_source(reader: ViewReader, slug: str, query: str = READ_SOURCE) -> asyncpg.Record:
    """Return one source; with READ_SOURCE_SINCE, with its first session. Raises UnknownSource."""
    if not is_slug(slug):
        raise UnknownSource(slug)
    row = await reader.fetchrow(query, slug)
    if row["slug"] is None:
        raise UnknownSource(slug)
    return row


async def check_source(reader: ViewReader, slug: str) -> None:
    """Check that there is such a source. Raises UnknownSource."""
    if not is_slug(slug) or not await reader.fetch_plain(IS_SOURCE, slug):
        raise UnknownSource(slug)
