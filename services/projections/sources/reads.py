"""Answers what the verified sources have brought in: for everyone who asks, in one shape."""

import asyncpg

from services.projections.answering.correcting import shown_correcting
from services.projections.answering.reading import ViewReader
from services.projections.sources.answers import (
    OneSource,
    OneSourceSince,
    Source,
    Sources,
    SourceSince,
    SourcesSince,
)
from services.projections.sources.queries import (
    READ_SOURCE_SINCE,
    READ_SOURCES_SINCE,
    read_source,
    read_sources,
)


async def answer_sources(reader: ViewReader) -> Sources:
    """Return all verified sources."""
    found = await read_sources(reader)
    return {
        "seq": found.seq,
        "correcting": shown_correcting(found.correcting),
        "sources": [shown_source(row) for row in found.sources],
    }


async def answer_source(reader: ViewReader, slug: str) -> OneSource:
    """Return one verified source. Raises UnknownSource."""
    row = await read_source(reader, slug)
    return {**shown_source(row), "seq": row["seq"]}


async def answer_sources_since(reader: ViewReader) -> SourcesSince:
    """Return all verified sources, each with its first session."""
    found = await read_sources(reader, READ_SOURCES_SINCE)
    return {
        "seq": found.seq,
        "correcting": shown_correcting(found.correcting),
        "sources": [_shown_since(row) for row in found.sources],
    }


async def answer_source_since(reader: ViewReader, slug: str) -> OneSourceSince:
    """Return one verified source with its first session. Raises UnknownSource."""
    row = await read_source(reader, slug, READ_SOURCE_SINCE)
    return {
        **_shown_since(row),
        "seq": row["seq"],
        "site": row["site"],
        "about": row["about"],
    }


def _shown_since(row: asyncpg.Record) -> SourceSince:
    return {**shown_source(row), "first_session": row["first_session"]}


def shown_source(row: asyncpg.Record) -> Source:
    """Return a row of sources as everyone may see it."""
    return {
        "slug": row["slug"],
        "name": row["name"],
        "type": row["type"],
        "region": row["region"],
        "sessions": row["sessions"],
        "sessions_voided": row["sessions_voided"],
        "rounds": row["rounds"],
        "games": row["games"],
        "players": row["players"],
        "last_session": row["last_session_date"],
    }
