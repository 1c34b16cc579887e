"""The routes for the verified sources."""

from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.projections.answering.parameters import MinSeq, Reader, SourcePath
from services.projections.sources.answers import OneSource, Sources
from services.projections.sources.reads import answer_source, answer_sources
from shared.http.conditional import public_json
from shared.http.responses import problem_responses
from shared.http.routes import Route

MAX_AGE_S: Final = 30


async def get_sources(request: Request, reader: Reader, min_seq: MinSeq = None) -> Response:
    """List the verified sources."""
    return public_json(request, await answer_sources(reader.since(min_seq)), MAX_AGE_S)


async def get_source(
    request: Request, source: SourcePath, reader: Reader, min_seq: MinSeq = None
) -> Response:
    """Show one verified source."""
    return public_json(request, await answer_source(reader.since(min_seq), source), MAX_AGE_S)


SOURCE_ROUTES: Final = (
    Route(
        "GET",
        "/v1/sources",
        get_sources,
        "All sources",
        tag="read",
        operation_id="list_sources",
        responses={200: {"model": Sources}, **problem_responses(429, 503)},
    ),
    Route(
        "GET",
        "/v1/sources/{source}",
        get_source,
        "A source",
        tag="read",
        operation_id="get_source",
        responses={200: {"model": OneSource}, **problem_responses(404, 422, 429, 503)},
    ),
)
