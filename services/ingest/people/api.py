"""The operator's routes about what players dispute, under `/v1/admin/disputes`."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final

import asyncpg
from fastapi import Depends, Query, Request
from pydantic import Field, TypeAdapter
from starlette.responses import Response
from typing_extensions import TypedDict

from services.ingest.claim.claims import Claimed
from services.ingest.claim.openapi import json_body
from services.ingest.people.disputes import (
    AnswerTold,
    Dispute,
    DisputeState,
    ResolvedBy,
    answer_dispute,
    list_disputes,
)
from services.ingest.record.ids_and_times import timestamp_of
from shared.access.acts import Acts
from shared.db.away import DATABASE_AWAY
from shared.errors import ServiceUnavailable
from shared.http.bodies import read_strictly
from shared.http.callers import Caller, require
from shared.http.conditional import private_json
from shared.http.responses import problem_responses
from shared.http.routes import Route, handed_in
from shared.json_text import INTEGER_MAX
from shared.limits import SOURCE_CHARACTERS_MAX, TEXT_CHARACTERS_MAX
from shared.settings import Settings

PATH: Final = "/v1/admin/disputes"
PAGE_DISPUTES_MAX: Final = 200

Operator = Annotated[Caller, Depends(require("operator"))]


class DisputeAnswerClaim(Claimed):
    """What a player is answered."""

    number: int = Field(ge=1, le=INTEGER_MAX, description="The `number` of the dispute.")
    answer: str = Field(
        max_length=4 * TEXT_CHARACTERS_MAX,
        description="A few sentences, 500 characters at most. The player reads them.",
        examples=["Bea confirms that you played the second round. Ask her if you like."],
    )


class DisputeRow(TypedDict):
    """A session that a player says they did not play."""

    number: int
    player_id: Annotated[str, Field(description="The player's id now.")]
    session_id: str
    session_date: str
    source: Annotated[str, Field(description="Who sent the session.")]
    state: Annotated[
        DisputeState,
        Field(
            description=(
                "`open` for 14 days; then `with_staff`, for staff to answer. `answered` once it is "
                "answered. "
                "`resolved` once the session no longer counts for the player."
            )
        ),
    ]
    said: Annotated[str, Field(description="What the player says.")]
    said_at: str
    answer: str | None
    answered_at: str | None
    resolved_by: Annotated[
        ResolvedBy | None, Field(description="What became of the session, once it is resolved.")
    ]
    newest: Annotated[str | None, Field(description="The session that corrects it, if one does.")]


class DisputeList(TypedDict):
    """Disputes, from the oldest on."""

    disputes: list[DisputeRow]
    next_after: Annotated[
        int | None, Field(description="Pass it as `after` for the next page; null at the end.")
    ]


CLAIM: Final = TypeAdapter(DisputeAnswerClaim)


@dataclass(frozen=True, slots=True)
class DisputeDesk:
    """What the routes about disputes need."""

    pool: asyncpg.Pool
    now: Callable[[], datetime]
    settings: Settings
    tell: AnswerTold


Desk = Annotated[DisputeDesk, handed_in(DisputeDesk)]


async def get_disputes(
    _: Operator,
    desk: Desk,
    source: Annotated[
        str | None,
        Query(max_length=SOURCE_CHARACTERS_MAX, description="Only those about its sessions."),
    ] = None,
    state: Annotated[DisputeState | None, Query(description="Only those that stand so.")] = None,
    after: Annotated[
        int, Query(ge=0, le=INTEGER_MAX, description="Only those with a higher number.")
    ] = 0,
    limit: Annotated[
        int, Query(ge=1, le=PAGE_DISPUTES_MAX, description="How many to return at most.")
    ] = 50,
) -> Response:
    """List which sessions players say they did not play, and what became of each."""
    try:
        async with desk.pool.acquire() as connection:
            found = await list_disputes(
                connection,
                source=source,
                state=state,
                after=after,
                limit=limit + 1,
                now=desk.now(),
            )
    except DATABASE_AWAY as error:
        raise ServiceUnavailable from error
    shown = found[:limit]
    answer: DisputeList = {
        "disputes": [_row(each) for each in shown],
        "next_after": shown[-1].number if len(found) > limit else None,
    }
    return private_json(answer)


async def post_answer(request: Request, caller: Operator, desk: Desk, acts: Acts) -> Response:
    """Answer a player about a session. The player reads it; it is on no log."""
    claim = await read_strictly(request, CLAIM, bytes_max=desk.settings.body_bytes_max)
    await acts.keep(caller, "answer_dispute", str(claim.number))
    try:
        async with desk.pool.acquire() as connection, connection.transaction():
            answered = await answer_dispute(
                connection,
                claim.number,
                claim.answer,
                by=None,
                now=desk.now(),
                tell=desk.tell,
            )
    except DATABASE_AWAY as error:
        raise ServiceUnavailable from error
    return private_json(_row(answered))


def _row(told: Dispute) -> DisputeRow:
    return {
        "number": told.number,
        "player_id": told.player_id,
        "session_id": told.session_id,
        "session_date": told.session_date.isoformat(),
        "source": told.source,
        "state": told.state,
        "said": told.said,
        "said_at": timestamp_of(told.said_at),
        "answer": told.answer,
        "answered_at": None if told.answered_at is None else timestamp_of(told.answered_at),
        "resolved_by": told.resolved_by,
        "newest": told.newest,
    }


DISPUTE_ROUTES: Final = (
    Route(
        "GET",
        PATH,
        get_disputes,
        "List what players dispute",
        tag="operator",
        operation_id="list_disputes",
        responses={200: {"model": DisputeList}, **problem_responses(401, 403, 422, 429, 503)},
    ),
    Route(
        "POST",
        PATH,
        post_answer,
        "Answer a player about a session",
        tag="operator",
        operation_id="answer_dispute",
        responses={
            200: {"model": DisputeRow, "description": "The player sees the answer from now on."},
            **problem_responses(400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 503),
        },
        extra={
            "requestBody": json_body(
                DisputeAnswerClaim, {"number": 3, "answer": "You sat in for Bea that night."}
            )
        },
    ),
)
