"""The routes of the verified sources."""

from datetime import date
from typing import Any, Final

import asyncpg
from fastapi import Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from services.projections.answering.correcting import Correcting, shown_correcting
from services.projections.answering.parameters import MinSeq, Reader, SourcePath
from services.projections.sources.queries import read_source, read_sources
from shared.http.conditional import public_json
from shared.http.responses import problem_responses
from shared.http.routes import Route

MAX_AGE_S: Final = 30


class Source(BaseModel):
    """A verified source, and what it has brought in."""

    slug: str = Field(examples=["bam-good-time"])
    name: str = Field(examples=["Bam Good Time"])
    type: str = Field(description="`platform`, `club` or `league`.", examples=["platform"])
    region: str | None = Field(examples=["west"])
    sessions: int = Field(description="Sessions that count.")
    sessions_voided: int = Field(description="Sessions that were voided, and not corrected since.")
    rounds: int
    games: int
    players: int = Field(description="Public players who sat in those sessions.")
    last_session: date | None = Field(description="The date of the latest session.")


class OneSource(Source):
    """One verified source."""

    seq: int = Field(description="The last fact that the counts stand on.")


class Sources(BaseModel):
    """All verified sources, by slug."""

    seq: int = Field(description="The last fact that the counts stand on.")
    correcting: Correcting | None = Field(
        description="While the fact after it corrects the past part by part: how far it is. What a "
        "source has brought in changes with the first part. Null otherwise."
    )
    sources: list[Source]


async def get_sources(request: Request, reader: Reader, min_seq: MinSeq = None) -> Response:
    """List the verified sources."""
    found = await read_sources(reader.since(min_seq))
    answer = {
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
    return public_json(request, {**_shown(row), "seq": row["seq"]}, MAX_AGE_S)


def _shown(row: asyncpg.Record) -> dict[str, Any]:
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
