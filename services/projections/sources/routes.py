"""The routes for the verified sources."""

from typing import Final

import asyncpg
from fastapi import Request
from starlette.responses import Response

from services.projections.answering.correcting import shown_correcting
from services.projections.answering.parameters import MinSeq, Reader, SourcePath
from services.projections.sources.answers import OneSource, Source, Sources
from services.projections.sources.queries import read_source, read_sources
from shared.http.conditional import public_json
from shared.http.responses import problem_responses
from shared.http.routes import Route

MAX_AGE_S: Final = 30


async def get_sources(request: Request, reader: Reader, min_seq: MinSeq = None) -> Response:
    """List the verified sources."""
    found = await read_sources(reader.since(min_seq))
    answer: Sources = {
        "seq": found.seq,
        "correcting": shown_correcting(found.correcting),
        "sources": [_shown(row) for row in found.sources],
    }
    return public_json(request, answer, MAX_AGE_S)


async def get_source(
    request: Request, source: SourcePath, reader: Reader, min_seq: MinSeq = None
) -> Response:
    """Show one verified source."""
    row = await read_source(reader.since(min_seq), source)
    answer: OneSource = {**_shown(row), "seq": row["seq"]}
    return public_json(request, answer, MAX_AGE_S)


def _shown(row: asyncpg.Record) -> Source:
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


SOURCE_ROUTES: Final = (
    Route(
        "GET",
        "/v1/sources",
        get_sources,
        "All sources",
        tag="read",
        responses={200: {"model": Sources}, **problem_responses(429, 503)},
    ),
    Route(
        "GET",
        "/v1/sources/{source}",
        get_source,
        "A source",
        tag="read",
        responses={200: {"model": OneSource}, **problem_responses(404, 422, 429, 503)},
    ),
)
