"""Answers what the verified sources have brought in: for everyone who asks, in one shape."""

import asyncpg

from services.projections.answering.correcting import shown_correcting
from services.projections.answering.reading import ViewReader
from services.projections.sources.answers import OneSource, Source, Sources
from services.projections.sources.queries import read_source, read_sources


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
